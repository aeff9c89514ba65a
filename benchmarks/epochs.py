"""CPU seconds per epoch, 22 labels: CRFsuite's averaged perceptron, ours, and our AdaGrad steps on hinge and softmax-margin.

CRFsuite's epoch is the difference between 12 and 2 iterations over ten, so that its preparations cancel; ours is the mean of epochs 2 to 11
inside the learner. Ratios are of the least times: an epoch waits for memory, which neighbours on the machine use too.
"""

import argparse

from harness import Claim, Files, Outcome, alternate, least, main, median, run

SHORT, LONG = 2, 12
L2 = 1e-6
OURS = {
    "our perceptron": {"learner": "perceptron"},
    "our ops hinge": {"learner": "ops", "objective": "hinge", "l2": L2},
    "our ops softmax-margin": {"learner": "ops", "objective": "softmax-margin", "l2": L2},
}


def crfsuite_epoch(files: Files) -> dict:
    """One epoch of its averaged perceptron."""
    fits = []
    for iterations in (SHORT, LONG):
        params = {"max_iterations": iterations, "epsilon": 0.0}
        fits.append(run("peers:train", train=files("train"), model=files("ap.model"), algorithm="ap", params=params)["fit"])
    return {"cpu": (fits[1] - fits[0]) / (LONG - SHORT)}


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """All four, and the ratios that the library promises."""
    contenders = {"crfsuite perceptron": lambda: crfsuite_epoch(files)}
    for name, recipe in OURS.items():
        settings = {"settings": {"epochs": LONG - 1}}
        contenders[name] = lambda recipe=recipe | settings: run("ours:epochs", train=files("train"), recipe=recipe)
    answers = alternate(contenders, options.repeat)
    rows = [{"contender": name, "CPU s per epoch": median(runs, "cpu"), "least": least(runs, "cpu")} for name, runs in answers.items()]
    peer, perceptron, hinge, softmax = (least(runs, "cpu") for runs in answers.values())
    claims = [
        Claim("ops hinge / crfsuite perceptron", hinge / peer, 0.7),
        Claim("ops hinge / our perceptron", hinge / perceptron, 1.3),
        Claim("softmax-margin / hinge", softmax / hinge, 3.0),
    ]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
