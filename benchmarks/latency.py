"""One sentence at a time, as a service answers: milliseconds per call, ours beside python-crfsuite; and how soon a model answers at first.
The import before that is in startup.py.

The sentence has 12 tokens. Taggers are of all chunks (22 labels); python-crfsuite is timed with its features made in Python, as its users
make them, and with features that are there already. From a file's name to the first answer, the first time also loads compiled kernels.
"""

import argparse
import os

from harness import Claim, Files, Outcome, median, run
from harness import main as benchmark

LOADS = 21
LIMIT = 0.020
RECIPE = {"learner": "ops", "objective": "hinge", "settings": {"epochs": 1}}
CALLS = {"tag": 0.3, "predict": 0.3, "predict lists": 0.3, "parse": 0.6, "explain": 5.0}  # at most so many milliseconds


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """A model of all chunks, asked again and again, and loaded again and again."""
    run("ours:train", train=files("train"), model=files("ours.model"), sample=files("sample"), recipe=RECIPE)
    run("peers:train", train=files("train"), model=files("peer.model"), algorithm="ap", params={"max_iterations": 1})
    size = os.path.getsize(files("ours.model")) / 1e6
    loads = [run("ours:first_answers", model=files("ours.model"), loads=LOADS) for _ in range(options.repeat)]
    ours = [run("ours:calls", model=files("ours.model")) for _ in range(options.repeat)]
    peers = [run("peers:calls", model=files("peer.model")) for _ in range(options.repeat)]
    rows: list[dict] = [{"call": f"widemargin, {name}", "median ms": median(ours, name)} for name in CALLS]
    rows += [{"call": f"python-crfsuite, {name}", "median ms": median(peers, name)} for name in ("features made", "features given")]
    rows += [
        {"call": f"load a model of {size:.1f} MB and tag, {which}", "median ms": 1e3 * median(loads, which)} for which in ("first", "later")
    ]
    claims = [Claim(f"{name}, ms", median(ours, name), limit) for name, limit in CALLS.items()]
    claims += [Claim(f"load a model and tag a sentence, {which}, seconds", median(loads, which), LIMIT) for which in ("first", "later")]
    return Outcome(rows, claims)


if __name__ == "__main__":
    benchmark(measure, __doc__)
