"""CPU seconds per epoch on CoNLL-2003: our averaged perceptron, block-coordinate Frank-Wolfe and the one-variable dual learner.

All three in one process, with their usual settings; whole epochs, the first and the last left out: the first may wait for memory, the last
of a dual learner computes F, its certificate.
"""

import argparse
import os
import time

import numpy as np
from harness import HERE, Claim, Files, Outcome, Skip, alternate, least, main, median, run

from widemargin.corpora.catalogue import FOLDER_VARIABLE, data_named, place

LEARNERS = ("perceptron", "bcfw", "ocp")
EPOCHS = 12
LIMIT = 1.5
DATA, PART = "conll2003", "eng.train"


def epochs(train: str) -> dict:
    """CPU seconds per epoch of each learner, first and last epoch left out."""
    from widemargin.engine.objectives import objective_named
    from widemargin.engine.penalty import Penalty
    from widemargin.families.recipes import Recipe
    from widemargin.families.tagging.sources import open_columns
    from widemargin.learners import learner_named, usual_l2, usual_objective
    from widemargin.study.experiment import Bench

    bench, answer = Bench(Recipe(task="ner"), open_columns(train, "ner")), {}
    for name in LEARNERS:
        problem, marks = bench.problem, []
        penalty = Penalty(0.0, usual_l2(name, problem.corpus.rows))
        posed = type(problem)(problem.corpus, problem.structure, problem.cost, objective_named(usual_objective(name)), penalty)
        settings = {"epochs": EPOCHS} | ({} if name == "perceptron" else {"tolerance": 0.0})
        learner_named(name, settings).fit(posed, watch=lambda *_, marks=marks: marks.append(time.thread_time()))
        answer[name] = float(np.mean(np.diff(marks)[:-1]))
    return answer


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """The three, and the two ratios that the library promises."""
    folder = os.environ.get(FOLDER_VARIABLE) or str(HERE.parents[1] / "shared" / "data")
    path = place(data_named(DATA), PART, folder)
    if path is None:
        raise Skip(f"{PART} of {DATA} is not in {folder}; set {FOLDER_VARIABLE} to a folder that has it")
    answers = alternate({"all three": lambda: run("duals:epochs", train=str(path))}, options.repeat)["all three"]
    rows = [{"contender": name, "CPU s per epoch": median(answers, name), "least": least(answers, name)} for name in LEARNERS]
    ratios = [{name: answer[name] / answer["perceptron"] for name in LEARNERS} for answer in answers]
    return Outcome(rows, [Claim(f"{name} / our perceptron", median(ratios, name), LIMIT) for name in LEARNERS[1:]])


if __name__ == "__main__":
    main(measure, __doc__)
