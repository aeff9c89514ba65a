"""Section 3.1 and Observations 1, 2, 4 and 5: every method tuned on development data over the paper's grid, five iterations each.

The grid of OPS is that of Algorithm 1: C (our l2 or l1) from 1e-1 to 1e-8 and the step size from 1 to 1e-4, all combinations. The others
have what corresponds: a step size and a penalty where they have both, MIRA its cap, dual methods their penalty. Cutting planes over all
sentences take ten iterations, as in the paper.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from widemargin.families.recipes import Recipe
from widemargin.metrics.bootstrap import accuracy_from_counts, f1_from_counts
from widemargin.show.figures import draw_curves
from widemargin.show.tables import Column
from widemargin.study.papers.kummerfeld.data import SPANS, TREES, open_spans, open_task, open_trees
from widemargin.study.papers.kummerfeld.methods import NO_CHECKS, PERCEPTRON, recipe_of
from widemargin.study.papers.kummerfeld.table1 import peak_megabytes
from widemargin.study.reproduction import Report, Section, Settings
from widemargin.study.tuned_tables import cell_tables, p_table, robustness, score_table
from widemargin.study.tuning import Candidates, Data, Point, Tuned, grid, tune

TASKS = ("ner", "chunk", *TREES, SPANS)
EPOCHS, BATCH_EPOCHS, SEEDS = 5, 10, 3
PENALTIES, RATES = tuple(10.0**-i for i in range(1, 9)), tuple(10.0**-i for i in range(5))
QUICK_SENTENCES, QUICK_PENALTIES, QUICK_RATES, QUICK_EPOCHS = 60, (1e-4, 1e-6), (1e-1, 1e-2), 2
DELTA = 1e-6  # Algorithm 1: the sum of squares at the start
PAPER, SUMS = {"initial": DELTA}, {"initial": DELTA, "batch": 10, "summed": True}


@dataclass(frozen=True)
class Row:
    """A method: learner, objective, settings that stay, and the axes of its grid (rate, l1, l2)."""

    name: str
    learner: str
    objective: str
    axes: tuple[str, ...] = ()
    settings: dict = field(default_factory=dict)
    batch: bool = False  # does an iteration end with one program over all sentences?

    def points(self, quick: bool) -> list[Point]:
        """All combinations."""
        rates, penalties = (QUICK_RATES, QUICK_PENALTIES) if quick else (RATES, PENALTIES)
        return grid(**{axis: rates if axis == "rate" else penalties for axis in self.axes})

    def recipe(self, task: str, epochs: int, point: Point) -> Recipe:
        """For one cell."""
        settings = {"epochs": 2 * epochs if self.batch else epochs} | self.settings | ({"rate": point["rate"]} if "rate" in point else {})
        penalties: dict[str, Any] = {"l1": point.get("l1", 0.0), "l2": point.get("l2", 0.0)}
        return recipe_of(task, learner=self.learner, objective=self.objective, settings=settings, **penalties)


BOTH = ("l2", "rate")
ROWS = (
    Row(PERCEPTRON, "perceptron", "perceptron"),
    Row("MIRA", "mira", "hinge", ("rate",)),
    Row("OPS, l2", "ops", "hinge", BOTH, PAPER),
    Row("OPS, l2, batches of 10, summed", "ops", "hinge", BOTH, SUMS),
    Row("OPS, l1", "ops", "hinge", ("l1", "rate"), PAPER),
    Row("OPS, l2, initial 0.01", "ops", "hinge", BOTH),
    Row("OPS, l2, batches of 10, mean", "ops", "hinge", BOTH, {"batch": 10}),
    Row("OCP", "ocp", "hinge", ("l2",), NO_CHECKS),
    Row("BCFW", "bcfw", "hinge", ("l2",), NO_CHECKS | {"average": True}),
    Row("Cutting plane, batch", "cutting-plane", "hinge", ("l2",), NO_CHECKS | {"wait": True, "passes": 100, "solved": 1e-3}, True),
    Row("Cutting plane, ours", "cutting-plane", "hinge", ("l2",), NO_CHECKS | {"passes": 10}, True),
    Row("Softmax-margin, AdaGrad", "ops", "softmax-margin", BOTH, PAPER),
    Row("Likelihood, AdaGrad", "ops", "likelihood", BOTH, PAPER),
    Row("Likelihood, SGD", "sgd", "likelihood", BOTH),
)


def report(settings: Settings) -> Report:
    """For each data set of the task: the tuned rows, what is significant, how robust each was, every cell, and Figure 1 from the chosen."""
    task, began = settings.task or "ner", time.perf_counter()
    sentences = settings.sentences or (QUICK_SENTENCES if settings.quick else None)
    opened: dict[str, Callable[..., Any]] = {SPANS: open_spans} | dict.fromkeys(TREES, open_trees)
    given = opened.get(task, partial(open_task, task))(settings.place, sentences)
    sections: list[Section] = []
    facts: list[dict] = []
    figures: list[tuple[dict, str]] = []
    for found in given if isinstance(given, list) else [given]:
        tuned = tuned_rows(task, Data(found.name, found.train, found.dev, found.test), settings)
        metric = str(tuned[0].best["metric"]).upper()
        score = accuracy_from_counts if task in TREES else f1_from_counts
        base = tuned[0].summary()["seconds"]
        extra = {row.name: {"relative": row.summary()["seconds"] / base if base and row.summary()["seconds"] else None} for row in tuned}
        title = f"Tuned on dev: {task}, {found.name}"
        sections += [score_table(tuned, title, metric, [Column("relative", "x perceptron", 2)], extra), curve_table(tuned, metric)]
        sections += [p_table(tuned, score, settings.samples), robustness(tuned, metric), *cell_tables(tuned, metric)]
        if any(row.finals[0]["planes"] for row in tuned):
            sections.append(memory_table(tuned))
        facts.append({"data": found.name, "rows": [row.summary() | {"tried": row.tried, "finals": row.finals} for row in tuned]})
        figures.append(
            ({row.name: [(float(i), x) for i, x in enumerate(row.finals[0]["curve"], 1)] for row in tuned}, f"{task}, {found.name}")
        )

    def draw(stem: str) -> list[str]:
        out = []
        for i, (curves, title) in enumerate(figures):
            path = f"{stem}-{i + 1}" if len(figures) > 1 else stem
            out += draw_curves(curves, path, title=title, x_label="iteration", y_label="development score")
        return out

    return Report(sections, {"task": task, "parts": facts, "seconds": time.perf_counter() - began}, draw)


def tuned_rows(task: str, data: Data, settings: Settings) -> list[Tuned]:
    """All rows of a task, or those asked for."""
    epochs = settings.epochs or (QUICK_EPOCHS if settings.quick else EPOCHS)
    rows = [row for row in ROWS if row.name == PERCEPTRON or settings.wants(row.name, [row.name for row in ROWS])]
    by_setting = settings.by_setting
    candidates = [Candidates(row.name, row.points(settings.quick), partial(row.recipe, task, epochs), None, by_setting) for row in rows]
    seeds = range(settings.seed, settings.seed + (settings.seeds or (1 if settings.quick else SEEDS)))
    return tune(candidates, data, seeds=seeds, folder=settings.folder, engine=settings.engine, threads=settings.threads, say=settings.say)


def curve_table(tuned: list[Tuned], metric: str) -> Section:
    """Figure 1: the chosen cell of each row, first seed."""
    curves = {row.name: row.finals[0]["curve"] for row in tuned}
    lines = [{"row": name} | {str(i): x for i, x in enumerate(curve, 1)} for name, curve in curves.items()]
    most = max(map(len, curves.values()))
    columns = [Column("row", "method"), *(Column(str(i), None, 2) for i in range(1, most + 1))]
    return Section(f"Figure 1: dev {metric} by iteration, as chosen, first seed", lines, columns)


def memory_table(tuned: list[Tuned]) -> Section:
    """What the outputs that dual methods keep take, as chosen, first seed."""
    rows = [{"row": row.name, "planes": row.finals[0]["planes"], "megabytes": row.finals[0]["megabytes"]} for row in tuned]
    columns = [Column("row", "method"), Column("planes"), Column("megabytes", "MB", 1)]
    title = f"Memory of the outputs that dual methods keep, as chosen (the whole process had at most {peak_megabytes():,.0f} MB)"
    return Section(title, [row for row in rows if row["megabytes"] is not None], columns)
