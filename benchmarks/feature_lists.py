"""Feature lists as users of python-crfsuite have them (22 labels, 20 strings per token): its averaged perceptron against ours.

The lists are in memory before the clock starts; what is timed is everything from there to a trained model, on one thread.
"""

import argparse

from harness import Claim, Files, Outcome, alternate, least, main, median, ratio_note, run

ITERATIONS = 10


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """The same learner, as many sweeps; and our usual one beside it."""
    train, test, sample = files("train"), files("test"), files("sample")

    def ours(learner: str):
        return lambda: run("ours:fit_lists", train=train, test=test, sample=sample, learner=learner, epochs=ITERATIONS)

    answers = alternate(
        {
            "python-crfsuite ap": lambda: run("peers:fit_lists", train=train, test=test, model=files("ap.model"), iterations=ITERATIONS),
            "widemargin perceptron": ours("perceptron"),
            "widemargin ops": ours("ops"),
        },
        options.repeat,
    )
    rows = [
        {"contender": name, "CPU s": median(runs, "cpu"), "least": least(runs, "cpu"), "test F1": runs[0]["f1"]}
        for name, runs in answers.items()
    ]
    peer, perceptron, _ = answers.values()
    claim = Claim("CPU from lists to model, peer / ours", median(peer, "cpu") / median(perceptron, "cpu"), 1.0, at_least=True)
    return Outcome(rows, [claim], [ratio_note(perceptron, peer)])


if __name__ == "__main__":
    main(measure, __doc__)
