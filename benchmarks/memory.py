"""Peak memory of training on CoNLL-2000 (22 labels): sklearn-crfsuite's L-BFGS against our L-BFGS and our online steps, from files and
from the same feature lists in Python.

A fresh process each. Ours has a weight for every feature x label pair, as sklearn-crfsuite has with all_possible_states; its default keeps
only the pairs seen in training.
"""

import argparse

from harness import Claim, Files, Outcome, alternate, main, median, run

from widemargin.engine.penalty import l2_from

ITERATIONS, ROWS, SMALLER, LISTS = 20, 8936, 3.0, 1.3
OURS = {
    "widemargin lbfgs": {"learner": "lbfgs", "l2": l2_from("crfsuite", 1.0, ROWS), "settings": {"epochs": ITERATIONS}},
    "widemargin ops": {"learner": "ops", "settings": {"epochs": 3}},
}


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """Trainings of each kind; memory hardly varies, so that one run of each would do."""
    train = files("train")
    contenders = {
        f"sklearn-crfsuite, {what}": lambda pairs=pairs: run("peers:fit_sklearn", train=train, iterations=ITERATIONS, all_pairs=pairs)
        for what, pairs in (("default", False), ("all pairs", True))
    }
    contenders |= {name: lambda recipe=recipe: run("ours:weigh", train=train, recipe=recipe) for name, recipe in OURS.items()}
    contenders |= {
        f"widemargin {learner}, feature lists": lambda learner=learner, epochs=epochs: run(
            "ours:weigh_lists", train=train, learner=learner, epochs=epochs
        )
        for learner, epochs in (("lbfgs", ITERATIONS), ("ops", 10))
    }
    answers = alternate(contenders, options.repeat)
    rss = {name: median(runs, "rss") for name, runs in answers.items()}
    default, pairs, lbfgs, _, lists_lbfgs, lists_ops = rss.values()
    rows = [
        {"contender": name, "iterations": runs[0]["iterations"], "peak MB": round(rss[name]), "all pairs / this": pairs / rss[name]}
        for name, runs in answers.items()
    ]
    claims = [Claim("the same training (all pairs), peer / our lbfgs", pairs / lbfgs, SMALLER, at_least=True)]
    claims += [
        Claim("feature lists: our ops / sklearn-crfsuite, default", lists_ops / default, LISTS),
        Claim("feature lists, the same training: our lbfgs / sklearn-crfsuite, all pairs", lists_lbfgs / pairs, LISTS),
    ]
    return Outcome(rows, claims)


if __name__ == "__main__":
    main(measure, __doc__)
