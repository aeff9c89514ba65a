"""How long until something happens: --help, the first epoch with kernels in the cache, and what compiling adds when they are not.

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

HELP, WARM, COLD = 0.3, 1.5, 15.0
HELP_RUNS, EPOCHS = 10, 5
COMMAND = (sys.executable, "-m", "widemargin")


def help_seconds() -> float:
    """Wall time of --help."""
    begin = time.perf_counter()
    subprocess.run([*COMMAND, "--help"], capture_output=True, check=True)
    return time.perf_counter() - begin


def first_epoch(files: Files, **environment: str) -> dict:
    """Wall seconds from the command's start to the beginning of its first epoch, and the CPU seconds of all of it."""
    say("train" + (", new cache" if environment else ""))
    arguments = ["train", "chunk", files("train"), "-o", files("model"), "--epochs", str(EPOCHS), "--threads", "1"]
    before, begin = child_cpu(), time.perf_counter()
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *arguments], env=os.environ | environment, text=True, **pipes) as train:
        marks = [time.perf_counter() - begin for line in train.stderr if line.startswith("epoch")]
    return {"wall": marks[0] - (marks[-1] - marks[0]) / (EPOCHS - 1), "cpu": child_cpu() - before}


def child_cpu() -> float:
    """CPU seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Medians; compiling is measured once, into a cache folder of its own."""
    show = statistics.median(help_seconds() for _ in range(HELP_RUNS))
    first_epoch(files)
    starts = [first_epoch(files) for _ in range(options.repeat)]
    warm = median(starts, "wall")
    with tempfile.TemporaryDirectory(prefix="widemargin-cache-") as cache:
        cold = first_epoch(files, WIDEMARGIN_CACHE=cache)
    rows = [
        {"what": "widemargin --help", "seconds": show},
        {
            "what": "train to the first epoch, kernels cached",
            "seconds": warm,
            "least": least(starts, "wall"),
            "CPU s, all": median(starts, "cpu"),
        },
        {"what": "train to the first epoch, nothing compiled", "seconds": cold["wall"], "CPU s, all": cold["cpu"]},
    ]
    claims = [
        Claim("--help, seconds", show, HELP),
        Claim("to the first epoch, seconds", warm, WARM),
        Claim("compiling, seconds more", cold["wall"] - warm, COLD),
    ]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
