"""Dependency parsing on UD English EWT: CPU seconds of an epoch, sentences parsed per CPU second, memory, compiling; one core.

Every contender trains 4 epochs in a process of its own on gold tokens and tags, subtypes of relations cut off; the median of the epochs
after the first counts. Features are computed anew in every epoch and while parsing (the test file, best of 5). Ratios are of the least
epochs, measured back to back. Memory is the largest of the training processes. Compiling: `widemargin train depparse` on a few sentences
with an empty cache, less the same with a full one.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from harness import HERE, Claim, Files, Outcome, Skip, alternate, least, main, median, run, say

from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.recipes import Recipe
from widemargin.families.recipes import train as fit

TREEBANK = "ud_english_ewt"
COMMAND = (sys.executable, "-m", "widemargin")
RUNS = {  # name -> recipe
    "unlabelled mira": {"labelled": False},
    "joint mira": {},
    "joint perceptron": {"learner": "perceptron"},
    "joint ops": {"learner": "ops", "settings": {"rate": 0.03, "initial": 10.0}},
    "eisner hinge": {"learner": "ops", "labelled": False, "objective": "hinge"},
    "eisner likelihood": {"learner": "ops", "labelled": False, "objective": "likelihood"},
    "eisner softmax-margin": {"learner": "ops", "labelled": False, "objective": "softmax-margin"},
    "arborescence hinge": {"learner": "ops", "labelled": False, "structure": "arborescence", "objective": "hinge"},
    "arborescence likelihood": {"learner": "ops", "labelled": False, "structure": "arborescence", "objective": "likelihood"},
    "arborescence softmax-margin": {"learner": "ops", "labelled": False, "structure": "arborescence", "objective": "softmax-margin"},
}
EPOCHS = 4


def treebank_file(part: str) -> str:
    """A file of the treebank, from $WIDEMARGIN_DATA or from shared/data beside the repository."""
    from widemargin.corpora.catalogue import FOLDER_VARIABLE

    folder = pathlib.Path(os.environ.get(FOLDER_VARIABLE) or HERE.parents[1] / "shared" / "data") / TREEBANK
    found = sorted(folder.glob(f"*-{part}.conllu*"))
    if not found:
        raise Skip(f"{TREEBANK} is not in {folder.parent}; put its files there and set {FOLDER_VARIABLE}")
    return str(found[0])


def learn(train: str, test: str, recipe: dict) -> dict:
    """CPU seconds of the epochs and of parsing."""
    recipe = {"settings": {}, **recipe}
    recipe["settings"] = {"epochs": EPOCHS, **recipe["settings"]}
    marks = []
    parser = fit(Recipe("depparse", **recipe), open_treebank(train, subtypes=False), listen=lambda _: marks.append(time.process_time()))
    epochs = [b - a for a, b in zip(marks, marks[1:])]
    treebank = open_treebank(test)
    parser.predict(treebank)
    times = []
    for _ in range(5):
        start = time.process_time()
        parser.predict(treebank)
        times.append(time.process_time() - start)
    return {"epoch": statistics.median(epochs), "least": min(epochs), "speed": (len(treebank.row_ptr) - 1) / min(times)}


def first_seconds(**environment: str) -> float:
    """Wall seconds of a whole training on a few sentences."""
    say("train depparse" + (", new cache" if environment else ""))
    with tempfile.TemporaryDirectory(prefix="widemargin-model-") as folder:
        begin = time.perf_counter()
        arguments = ["train", "depparse", "town:train:20", "-o", f"{folder}/m", "--epochs", "1", "--threads", "1"]
        subprocess.run([*COMMAND, *arguments], env=os.environ | environment, check=True, capture_output=True)
        return time.perf_counter() - begin


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per contender."""
    train, test = treebank_file("train"), treebank_file("test")
    contenders = {
        name: (lambda recipe=recipe: run("parsing:learn", train=train, test=test, recipe=recipe)) for name, recipe in RUNS.items()
    }
    found = alternate(contenders, options.repeat)
    rows = [
        {
            "contender": name,
            "epoch, CPU s": median(answers, "epoch"),
            "least": least(answers, "least"),
            "sentences/s": max(answer["speed"] for answer in answers),
            "MB": median(answers, "rss"),
        }
        for name, answers in found.items()
    ]
    at = {row["contender"]: row for row in rows}
    first_seconds()
    warm = min(first_seconds() for _ in range(3))
    with tempfile.TemporaryDirectory(prefix="widemargin-cache-") as cache:
        cold = first_seconds(WIDEMARGIN_CACHE=cache)

    def over(one: str, other: str) -> float:
        return at[one]["least"] / at[other]["least"]

    claims = [
        Claim("unlabelled epoch, CPU seconds", at["unlabelled mira"]["epoch, CPU s"], 2.0),
        Claim("unlabelled, sentences/s", at["unlabelled mira"]["sentences/s"], 12_000, at_least=True),
        Claim("joint epoch, CPU seconds", at["joint mira"]["epoch, CPU s"], 4.0),
        Claim("joint, sentences/s", at["joint mira"]["sentences/s"], 5_000, at_least=True),
        Claim("memory, MB", max(row["MB"] for row in rows), 500),
        Claim("ops over perceptron, joint", over("joint ops", "joint perceptron"), 1.1),
        *(
            Claim(f"{objective} over hinge, {kind}", over(f"{kind} {objective}", f"{kind} hinge"), 4.0)
            for kind in ("eisner", "arborescence")
            for objective in ("likelihood", "softmax-margin")
        ),
        Claim("compiling, seconds more", cold - warm, 15.0),
    ]
    return Outcome(rows, claims, [f"train depparse on 20 sentences: {warm:.1f} s with kernels cached, {cold:.1f} s without."])


if __name__ == "__main__":
    main(measure, __doc__, peers=False)
