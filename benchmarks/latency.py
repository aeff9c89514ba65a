"""One sentence at a time, as a service answers: milliseconds per call, ours beside python-crfsuite; how soon a model answers at first; and
how long the import before that takes, of which scikit-learn's own is a part.

The sentence has 12 tokens. Taggers are of all chunks (22 labels); python-crfsuite is timed with its features made in Python, as its users
make them, and with features that are there already. From a file's name to the first answer, the first time also loads compiled kernels.
"""

import argparse
import os
import subprocess
import sys
import time

from harness import Claim, Files, Outcome, median, run
from harness import main as benchmark

LOADS = 21
LIMIT, IMPORT = 0.020, 1.0
IMPORTS = {"widemargin": "from widemargin import SequenceTagger", "scikit-learn": "import sklearn.base"}
RECIPE = {"learner": "ops", "objective": "hinge", "settings": {"epochs": 1}}
CALLS = {"tag": 0.3, "predict": 0.3, "predict lists": 0.3, "parse": 0.6, "explain": 5.0}  # at most so many milliseconds


def seconds_of(statement: str) -> float:
    """Wall seconds of a process that does this and nothing else; the least of a few, after one that writes bytecode."""
    environment, seconds = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}, []
    for _ in range(6):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], env=environment, check=True)
        seconds.append(time.perf_counter() - begin)
    return min(seconds[1:])


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
    imports = {name: seconds_of(statement) for name, statement in IMPORTS.items()}
    rows += [{"call": f"{name}: {IMPORTS[name]}", "median ms": 1e3 * seconds} for name, seconds in imports.items()]
    claims = [Claim(f"{name}, ms", median(ours, name), limit) for name, limit in CALLS.items()]
    claims += [Claim(f"load a model and tag a sentence, {which}, seconds", median(loads, which), LIMIT) for which in ("first", "later")]
    claims.append(Claim("from widemargin import SequenceTagger, seconds", imports["widemargin"], IMPORT))
    return Outcome(rows, claims)


if __name__ == "__main__":
    benchmark(measure, __doc__)
