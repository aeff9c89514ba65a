"""All chunks of CoNLL-2000 (22 labels, 20 templates): CRFsuite's L-BFGS against our hinge with AdaGrad steps, from file to model.

Both read the file, build the same 338,552 features, train and write a model; the test file is scored off the clock.
"""

import argparse
import itertools

from harness import Claim, Files, Outcome, alternate, least, main, median, ratio_note, run, say

PEER = {"c2": 1.0, "max_iterations": 100}
# Chosen with --tune: trained on the first 90 % of the training file, scored on the rest; the fewest epochs within 0.05 of the grid's best.
RECIPE = {"learner": "ops", "objective": "hinge", "l2": 1e-6, "settings": {"rate": 0.1, "epochs": 2}}
GRID = {"rate": (0.05, 0.1, 0.2), "l2": (0.0, 1e-6, 3e-6), "average": (False, True)}
MOST_EPOCHS = 5
F1_MARGIN, CPU_RATIO = 0.1, 25.0


def tune(files: Files, prefix: str = "") -> Outcome:
    """Held-out F1 after each epoch for every point of the grid."""
    rows = []
    for rate, l2, average in itertools.product(*GRID.values()):
        settings = {"rate": rate, "average": average, "epochs": MOST_EPOCHS}
        recipe = RECIPE | {"l2": l2, "settings": settings}
        say(f"rate {rate:g}, l2 {l2:g}, average {average}")
        f1 = run("ours:curve", train=files(f"{prefix}train-90"), dev=files(f"{prefix}train-10"), recipe=recipe)["f1"]
        rows.append(
            {"rate": f"{rate:g}", "l2": f"{l2:g}", "average": average} | {f"epoch {e}": f"{value:.2f}" for e, value in enumerate(f1, 1)}
        )
    return Outcome(rows)


def race(files: Files, repeat: int, recipe: dict, prefix: str = "") -> dict[str, list[dict]]:
    """CRFsuite and ours, from file to model."""
    train, test, sample = (files(prefix + name) for name in ("train", "test", "sample"))
    return alternate(
        {
            "crfsuite lbfgs": lambda: run("peers:train", train=train, model=files("crfsuite.model"), params=PEER, test=test),
            "widemargin ops": lambda: run("ours:train", train=train, model=files("ours.model"), sample=sample, recipe=recipe, test=test),
        },
        repeat,
    )


def table(answers: dict[str, list[dict]]) -> list[dict]:
    """A line per contender."""
    return [
        {
            "contender": name,
            "features": runs[0]["attributes"],
            "iterations": runs[0]["iterations"],
            "CPU s": median(runs, "cpu"),
            "least": least(runs, "cpu"),
            "loading kernels": median(runs, "loading") if "loading" in runs[0] else None,
            "test F1": runs[0]["f1"],
        }
        for name, runs in answers.items()
    ]


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """The race, or the choice of our settings."""
    if options.tune:
        return tune(files)
    answers = race(files, options.repeat, RECIPE)
    peer, ours = answers.values()
    claims = [
        Claim("test F1, ours less the peer's", ours[0]["f1"] - peer[0]["f1"], -F1_MARGIN, at_least=True),
        Claim("CPU, peer / ours", median(peer, "cpu") / median(ours, "cpu"), CPU_RATIO, at_least=True),
    ]
    return Outcome(table(answers), claims, [ratio_note(ours, peer)])


if __name__ == "__main__":
    main(measure, __doc__, {"--tune": "choose our settings on held-out training data instead"})
