"""How long until something happens: --help, the first epoch with kernels in the cache, and what compiling adds when they are not.

The time to the first epoch is the wall time of `widemargin train --epochs 1` less that of an epoch, which is the difference between runs
with several epochs and with one. Reading, features, writing the model and leaving Python are thus counted as start-up.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from harness import Claim, Files, Outcome, main, say

HELP, WARM, COLD = 0.3, 1.5, 15.0
HELP_RUNS, MORE = 10, 5


def seconds(*arguments: str, **environment: str) -> float:
    """Wall time of one command."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "widemargin", *arguments], env=os.environ | environment, capture_output=True, check=True)
    return time.perf_counter() - begin


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Medians; compiling is measured once, into a cache folder of its own."""

    def train(epochs: int, **environment: str) -> float:
        say(f"train, {epochs} epochs{', new cache' if environment else ''}")
        return seconds("train", "chunk", files("train"), "-o", files("model"), "--epochs", str(epochs), "--threads", "1", **environment)

    show = statistics.median(seconds("--help") for _ in range(HELP_RUNS))
    train(1)
    one, more = (statistics.median(train(epochs) for _ in range(options.repeat)) for epochs in (1, MORE))
    epoch = (more - one) / (MORE - 1)
    with tempfile.TemporaryDirectory(prefix="widemargin-cache-") as cache:
        cold = train(1, WIDEMARGIN_CACHE=cache)
    rows = [
        {"what": "widemargin --help", "seconds": show},
        {"what": "train to the first epoch, kernels cached", "seconds": one - epoch},
        {"what": "one epoch", "seconds": epoch},
        {"what": "train with one epoch, kernels cached", "seconds": one},
        {"what": "train with one epoch, nothing compiled", "seconds": cold},
    ]
    claims = [
        Claim("--help, seconds", show, HELP),
        Claim("to the first epoch, seconds", one - epoch, WARM),
        Claim("compiling, seconds more", cold - one, COLD),
    ]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
