"""Observation 5's other half: sentences of a batch can be decoded in parallel. Seconds of an epoch by size of batch and threads."""

import time

from widemargin.learners import learner_named
from widemargin.learners.online_run import Run
from widemargin.parallel import cores
from widemargin.show.tables import Column
from widemargin.study.experiment import Bench
from widemargin.study.papers.kummerfeld.data import TREES, open_trees
from widemargin.study.papers.kummerfeld.methods import recipe_of
from widemargin.study.reproduction import Report, Section, Settings

SIZES, ROUNDS = (1, 10, 100), 3
L2, RATE = 1e-6, 0.01


def report(settings: Settings) -> Report:
    """OPS with l2 on trees, whose batches are shared out among threads; the least of some epochs."""
    settings = settings.sized(sentences=40)
    rows: list[dict] = []
    for task in (settings.task,) if settings.task else TREES:
        for data in open_trees(settings.place, settings.sentences):
            for threads in dict.fromkeys((1, settings.threads if settings.threads > 1 else cores())):
                bench = Bench(recipe_of(task, learner="ops", objective="hinge", l2=L2), data.train, threads=threads)
                for size in SIZES:
                    wall, cpu = epoch_seconds(bench, size, settings.seed)
                    rows.append({"task": task, "data": data.name, "batch": size, "threads": threads, "wall": wall, "cpu": cpu})
    for row in rows:
        alone = next(other for other in rows if all(other[key] == row[key] for key in ("task", "data", "batch")))
        row["speedup"] = alone["wall"] / row["wall"]
    columns = [Column("task"), Column("data"), Column("batch"), Column("threads"), Column("wall", "wall s", 3), Column("cpu", "CPU s", 3)]
    return Report(
        [Section("An epoch of OPS with l2, by batch and threads", rows, [*columns, Column("speedup", "x one thread", 2)])], {"rows": rows}
    )


def epoch_seconds(bench: Bench, batch: int, seed: int) -> tuple[float, float]:
    """Wall and CPU seconds of the quickest of some epochs after one that may compile."""
    learner = learner_named("ops", {"batch": batch, "summed": batch > 1, "rate": RATE, "seed": seed})
    run = Run(learner, bench.problem, None)
    run.epoch(1)
    spent = []
    for number in range(2, 2 + ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        run.epoch(number)
        spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(spent)
