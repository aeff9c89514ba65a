"""Noun phrases of CoNLL-2000 (3 labels): test F1 94.0 in how many CPU seconds, from file to model? CRFsuite's L-BFGS stands beside it."""

import argparse

import chunking
from harness import Claim, Files, Outcome, main, median, ratio_note

# Chosen with --tune, as in chunking.py.
RECIPE = chunking.RECIPE | {"l2": 3e-6, "settings": {"rate": 0.05, "epochs": 5}}
F1, CPU = 94.0, 1.5


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """The race, or the choice of our settings."""
    if options.tune:
        return chunking.tune(files, "np-")
    answers = chunking.race(files, options.repeat, RECIPE, "np-")
    peer, ours = answers.values()
    claims = [Claim("test F1", ours[0]["f1"], F1, at_least=True), Claim("CPU seconds", median(ours, "cpu"), CPU)]
    return Outcome(chunking.table(answers), claims, [ratio_note(ours, peer)])


if __name__ == "__main__":
    main(measure, __doc__, {"--tune": "choose our settings on held-out training data instead"})
