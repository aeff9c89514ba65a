"""The same seed gives the same model, byte for byte, whatever the number of threads: SHA-256 of the files of online and batch learners."""

import argparse
import hashlib
import pathlib
import subprocess
import sys

from harness import Claim, Files, Outcome, main, say

THREADS = (1, 2, 4)
LEARNERS = {"ops": ("--l2", "1e-6", "--epochs", "2"), "lbfgs": ("--l2", "2e-4", "--epochs", "10")}


def digest(files: Files, learner: str, threads: int) -> str:
    """Train with the command line and digest the model."""
    say(f"{learner}, {threads} threads")
    model = pathlib.Path(files("model"))
    command = [
        sys.executable,
        "-m",
        "widemargin",
        "train",
        "chunk",
        files("train"),
        "--dev",
        files("test"),
        "-o",
        str(model),
        "--learner",
        learner,
    ]
    subprocess.run([*command, *LEARNERS[learner], "--threads", str(threads), "--seed", "7"], capture_output=True, check=True)
    return hashlib.sha256(model.read_bytes()).hexdigest()


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """A line per learner."""
    rows, claims = [], []
    for learner in LEARNERS:
        found = {threads: digest(files, learner, threads) for threads in THREADS}
        rows += [{"learner": learner, "threads": threads, "SHA-256": value} for threads, value in found.items()]
        claims.append(Claim(f"{learner}: different models", len(set(found.values())), 1))
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
