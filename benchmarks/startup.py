"""How long until something happens: --help, imports of estimators (beside scikit-learn's own, which is no longer part of them), the first
epoch with kernels in the cache, and what compiling adds when they are not, for taggers, for parsers, and for another number of labels of
the same width.

`widemargin train` writes a line on standard error after each epoch. The first epoch began when its line came, less the mean time between
the lines that follow; so starting Python, imports, loading kernels, reading and features are counted, and writing the model is not.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from harness import Claim, Files, Outcome, least, main, median, say

HELP, IMPORT, WARM = 0.3, 1.0, 1.5
ESTIMATORS = ("SequenceTagger", "DependencyParser", "ConstituencyParser", "CoreferenceResolver", "Summarizer", "Reranker")
IMPORTS = tuple(f"from widemargin import {name}" for name in ESTIMATORS)
OTHER = "tag, 19 labels after 17"
COLD = {"ner": 8.0, "depparse": 10.0, OTHER: 1.0}  # seconds of compiling at most
HELP_RUNS, EPOCHS = 10, 5
COMMAND = (sys.executable, "-m", "widemargin")
SENTENCES = 400  # of the embedded corpus


def help_seconds() -> float:
    """Wall time of --help."""
    begin = time.perf_counter()
    subprocess.run([*COMMAND, "--help"], capture_output=True, check=True)
    return time.perf_counter() - begin


def seconds_of(statement: str) -> float:
    """Wall seconds of a process that does this and nothing else; the least of a few, after one that writes bytecode."""
    environment, seconds = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}, []
    for _ in range(6):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], env=environment, check=True)
        seconds.append(time.perf_counter() - begin)
    return min(seconds[1:])


def first_epoch(files: Files) -> dict:
    """Wall seconds from the command's start to the beginning of its first epoch, and the CPU seconds of all of it."""
    say("train")
    arguments = ["train", "chunk", files("train"), "-o", files("model"), "--epochs", str(EPOCHS), "--threads", "1"]
    before, begin = child_cpu(), time.perf_counter()
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *arguments], text=True, **pipes) as train:
        marks = [time.perf_counter() - begin for line in train.stderr if line.startswith("epoch")]
    return {"wall": marks[0] - (marks[-1] - marks[0]) / (EPOCHS - 1), "cpu": child_cpu() - before}


def child_cpu() -> float:
    """CPU seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(task: str, source: str, cache: str, folder: str) -> float:
    """CPU seconds of a training of one epoch, with kernels in this cache or not."""
    say(f"train {task} {source}")
    line = [*COMMAND, "train", task, source, "-o", os.path.join(folder, "model"), "--epochs", "1", "--threads", "1"]
    before = child_cpu()
    subprocess.run(line, env=os.environ | {"WIDEMARGIN_CACHE": cache}, capture_output=True, check=True)
    return child_cpu() - before


def made_up(folder: str, labels: int) -> str:
    """A file of words with so many labels."""
    path = os.path.join(folder, f"labels-{labels}.txt")
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(20):
            out.write("".join(f"w{i} L{i}\n" for i in range(labels)) + "\n")
    return path


def compiling(folder: str) -> list[dict]:
    """CPU seconds that compiling adds, by what is trained: a new cache against the same command again; then another number of labels."""
    town, (one, other) = f"town:train:{SENTENCES}", (made_up(folder, labels) for labels in (17, 19))
    rows = []
    for what, task, source in (("ner", "ner", town), ("depparse", "depparse", town), ("tag", "tag", one), (OTHER, "tag", other)):
        cold, warm = (cpu_of(task, source, os.path.join(folder, f"cache-{task}"), folder) for _ in range(2))
        rows.append({"what": f"compiling, {what}", "CPU s, all": cold, "more": cold - warm})
    return rows


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Medians, of imports the least; compiling is measured once, into a cache folder of its own."""
    show = statistics.median(help_seconds() for _ in range(HELP_RUNS))
    imports = {statement: seconds_of(statement) for statement in (*IMPORTS, "import sklearn.base")}
    first_epoch(files)
    starts = [first_epoch(files) for _ in range(options.repeat)]
    warm = median(starts, "wall")
    with tempfile.TemporaryDirectory(prefix="widemargin-cache-") as folder:
        compiled = compiling(folder)
    rows = [
        {"what": "widemargin --help", "seconds": show},
        *({"what": statement, "seconds": seconds} for statement, seconds in imports.items()),
        {
            "what": "train to the first epoch, kernels cached",
            "seconds": warm,
            "least": least(starts, "wall"),
            "CPU s, all": median(starts, "cpu"),
        },
        *compiled,
    ]
    claims = [
        Claim("--help, seconds", show, HELP),
        *(Claim(f"{statement}, wall s", imports[statement], IMPORT) for statement in IMPORTS),
        Claim("to the first epoch, seconds", warm, WARM),
    ]
    more = {row["what"].removeprefix("compiling, "): row["more"] for row in compiled}
    claims += [Claim(f"compiling {what}, CPU seconds", more[what], limit) for what, limit in COLD.items()]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
