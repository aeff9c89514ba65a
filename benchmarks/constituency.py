"""Constituency parsing on the Penn sample: F1, CPU seconds of an epoch, sentences parsed per CPU second, memory; one core, gold tags.

Every contender trains in processes of its own, one per seed, on the settings that the development part has chosen; the epoch with the
best development F1 is kept. The median of the epochs after the first counts, without scoring the development part. Features are computed
anew in every epoch and while parsing (the test part, best of 6). F1 is EVALB's with COLLINS.prm, of all lengths and up to 20 words.
Memory is the largest of the training processes, kernels compiled before. `first training` is the
command `widemargin train constparse` of one epoch with an empty kernel cache: its memory, and the CPU seconds that the same command does
without when it comes again.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

from harness import HERE, Claim, Files, Outcome, Skip, main, median, run

from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.sources import open_trees
from widemargin.families.recipes import Recipe
from widemargin.families.recipes import train as fit

TREEBANK = "ptb_sample"
MIRA = {"learner": "mira", "cost": "productions", "settings": {"epochs": 8, "rate": 0.1}}
RUNS = {  # name -> recipe, seeds
    "bigrams": (MIRA, (1, 2, 3)),
    "labels": (MIRA | {"structure": "labels", "cost": "wrong=1,missed=2", "settings": {"epochs": 10, "rate": 0.1}}, (1, 2, 3)),
    "rules": (MIRA | {"structure": "rules"}, (1,)),
    "wcfg": (MIRA | {"structure": "wcfg"}, (1,)),
}
SHORT = 20  # words


def treebank_file(part: str) -> str:
    """A file of the treebank, from $WIDEMARGIN_DATA or from shared/data beside the repository."""
    from widemargin.corpora.catalogue import FOLDER_VARIABLE

    folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE) or HERE.parents[1] / "shared" / "data") / TREEBANK
    if not (folder / f"{part}.mrg.gz").exists():
        raise Skip(f"{TREEBANK} is not in {folder.parent}; put its files there and set {FOLDER_VARIABLE}")
    return str(folder / f"{part}.mrg.gz")


def learn(recipe: dict, seed: int) -> dict:
    """F1, CPU seconds of the epochs and of parsing."""
    train, dev, test = (open_trees(treebank_file(part)) for part in ("train", "dev", "test"))
    recipe = recipe | {"settings": recipe["settings"] | {"seed": seed}}
    warnings.simplefilter("ignore", RuntimeWarning)  # of tags that the training part has not
    began, epochs = [time.process_time()], []
    fit(Recipe("constparse", **recipe), train, listen=lambda _: epochs.append(time.process_time()))
    parser = fit(Recipe("constparse", **recipe), train, dev=dev)
    times = []
    for _ in range(6):
        began.append(time.process_time())
        found = parser.predict(test)
        times.append(time.process_time() - began[-1])
    scores = BracketScores(test, found.trees, strict=False)
    return {
        "epoch": statistics.median(b - a for a, b in zip(epochs, epochs[1:])),
        "speed": test.sentences / min(times),
        "dev": max(epoch["dev"]["f1"] for epoch in parser.facts["history"]),
        "f1": scores.summary().f1,
        "short": scores.summary(SHORT).f1,
        "failed": len(found.failed),
    }


def first_training() -> dict:
    """Memory in MB of a training that compiles its kernels, and the CPU seconds of compiling."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "widemargin", "train", "constparse", treebank_file("train"), "--dev", treebank_file("dev")]
        line += ["-o", os.path.join(folder, "model"), "--epochs", "1", "--threads", "1"]
        used = []
        for _ in range(2):
            with subprocess.Popen(line, env=os.environ | {"WIDEMARGIN_CACHE": folder}, stderr=subprocess.DEVNULL) as started:
                used.append(os.wait4(started.pid, 0)[2])
                started.returncode = 0
    first, second = ((one.ru_utime + one.ru_stime, one.ru_maxrss / 1024) for one in used)
    return {"compiling, CPU s": first[0] - second[0], "MB": first[1]}


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per contender and seed."""
    treebank_file("train")
    found = {name: [run("constituency:learn", recipe=recipe, seed=seed) for seed in seeds] for name, (recipe, seeds) in RUNS.items()}
    rows = [
        {
            "contender": name,
            "dev F1": statistics.mean(answer["dev"] for answer in answers),
            "test F1": statistics.mean(answer["f1"] for answer in answers),
            "lowest": min(answer["f1"] for answer in answers),
            f"F1 <= {SHORT}": statistics.mean(answer["short"] for answer in answers),
            "epoch, CPU s": median(answers, "epoch"),
            "sentences/s": max(answer["speed"] for answer in answers),
            "failed": max(answer["failed"] for answer in answers),
            "MB": max(answer["rss"] for answer in answers),
        }
        for name, answers in found.items()
    ]
    rows.append({"contender": "first training"} | first_training())
    at = {row["contender"]: row for row in rows}
    claims = [
        Claim("bigrams: test F1, mean of seeds", at["bigrams"]["test F1"], 87.0, at_least=True),
        Claim(f"bigrams: test F1 up to {SHORT} words", at["bigrams"][f"F1 <= {SHORT}"], 92.0, at_least=True),
        Claim("bigrams: epoch, CPU seconds", at["bigrams"]["epoch, CPU s"], 3.0),
        Claim("bigrams: sentences/s", at["bigrams"]["sentences/s"], 1_200, at_least=True),
        Claim("bigrams: memory, MB", at["bigrams"]["MB"], 1_200),
        Claim("first training: memory, MB", at["first training"]["MB"], 1_200),
        Claim("first training: compiling, CPU seconds", at["first training"]["compiling, CPU s"], 15.0),
        Claim("labels: test F1, mean of seeds", at["labels"]["test F1"], 82.0, at_least=True),
        Claim("labels: sentences/s", at["labels"]["sentences/s"], 3_500, at_least=True),
    ]
    return Outcome(
        rows, claims, ["F1 are means over seeds (bigrams and labels 1 to 3, others 1); an epoch is the median, sentences/s the best."]
    )


if __name__ == "__main__":
    main(measure, __doc__, peers=False)
