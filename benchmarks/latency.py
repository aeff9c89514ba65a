"""How soon a model answers: from its file's name to the labels of one sentence, in a process that has imported the library.

The first answer also loads compiled kernels from the cache on disk, which happens once per process whatever the model; later answers load
the model anew and tag one sentence.
"""

import argparse
import os

from harness import Claim, Files, Outcome, main, median, run

LOADS = 21
LIMIT = 0.020
RECIPE = {"learner": "ops", "objective": "hinge", "settings": {"epochs": 1}}


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """A model of all chunks, loaded again and again."""
    run("ours:train", train=files("train"), model=files("ours.model"), sample=files("sample"), recipe=RECIPE)
    size = os.path.getsize(files("ours.model")) / 1e6
    answers = [run("ours:first_answers", model=files("ours.model"), loads=LOADS) for _ in range(options.repeat)]
    rows = [{"model MB": size, "first answer, s": median(answers, "first"), "later answers, s": median(answers, "later")}]
    claims = [Claim(f"load a model and tag a sentence, {which}, seconds", median(answers, which), LIMIT) for which in ("first", "later")]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
