"""Observation 4's other half: sparse against eager updates of OPS with l2, Algorithm 1 with the catch-up and without it.

Sparse: weights are shrunk when they are next read. Eager: all of them after every sentence, by the same kernel that brings every weight up
to date at the end of a sweep. Both take the same steps, so that their weights must agree.
"""

import time

import numpy as np

from widemargin.learners import learner_named
from widemargin.learners.online_run import Run
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.kummerfeld.data import TREES, open_task, open_trees
from widemargin.study.papers.kummerfeld.methods import recipe_of
from widemargin.study.reproduction import Report, Section, Settings

TASKS = ("ner", "chunk", *TREES)
L2, RATE, STEPS, QUICK_STEPS = 1e-6, 0.01, 100, 5


def report(settings: Settings) -> Report:
    """For each data set of a task, or of all: milliseconds per sentence both ways."""
    settings = settings.sized(sentences=40)
    rows: list[dict] = []
    for task in (settings.task,) if settings.task else TASKS:
        for data in (
            open_trees(settings.place, settings.sentences) if task in TREES else [open_task(task, settings.place, settings.sentences)]
        ):
            recipe = recipe_of(task, learner="ops", objective="hinge", l2=L2, settings={"rate": RATE, "seed": settings.seed})
            bench = Bench(recipe, data.train)
            rows.append(
                {"task": task, "data": data.name, "features": bench.features} | compared(bench, QUICK_STEPS if settings.quick else STEPS)
            )
    columns = [
        Column("task"),
        Column("data"),
        Column("features", None, 0),
        Column("steps", "eager steps"),
        Column("sparse", "sparse, ms", 3),
    ]
    columns += [Column("eager", "eager, ms", 3), Column("ratio", "eager / sparse", 1), Column("apart", "largest difference", 7)]
    return Report([Section("CPU milliseconds per sentence, OPS with l2, sparse and eager", rows, columns)], {"rows": rows})


def compared(bench: Bench, steps: int) -> dict:
    """The time of a step both ways, and how far the weights are apart after as many."""
    learner = learner_named("ops", bench.recipe.settings)
    runs = [Run(learner, bench.problem, None) for _ in range(2)]
    order = runs[0].order(1)
    few, most = order[:steps], order[steps:]
    for run in runs:  # whatever is to be compiled; both see the same
        run.finish(*run.sweep(few[:1])[1:3])
    begin = time.process_time()
    runs[0].finish(*runs[0].sweep(few[1:])[1:3])
    apart_from = runs[0].weights().copy()
    if len(most):
        begin = time.process_time()
        runs[0].finish(*runs[0].sweep(most)[1:3])
    sparse = (time.process_time() - begin) / len(most if len(most) else few[1:])
    begin = time.process_time()
    for i in range(1, len(few)):
        runs[1].finish(*runs[1].sweep(few[i : i + 1])[1:3])
    eager = (time.process_time() - begin) / (len(few) - 1)
    apart = float(np.abs(runs[1].weights() - apart_from).max())
    return {"steps": len(few) - 1, "sparse": 1e3 * sparse, "eager": 1e3 * eager, "ratio": eager / sparse, "apart": apart}
