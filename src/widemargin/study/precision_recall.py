"""Precision against recall: one price of the cost goes from low to high, and what is found changes with it (gimpel-smith2010, 4.3).

trained   a model trained at each point, with that cost inside its objective
bias      one model, trained where missing costs as much as a false alarm; at each point log(miss / false) is added to the score of every
          label but O. For a token by itself, whose label is not O with probability p, that decides for least cost: p miss > (1 - p) false.

Every model is that of its last epoch: an epoch chosen by F1 would pull all points towards the same balance.
"""

import dataclasses
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.engine.objectives import objective_named
from widemargin.engine.settings import FORMS, LARGEST, shown
from widemargin.errors import InputError, several
from widemargin.families.recipes import Recipe
from widemargin.metrics.rates import rates
from widemargin.show.tables import Column, markdown_table, text_table
from widemargin.study.experiment import Bench
from widemargin.study.texts import write_texts

KINDS = ("miss", "false", "type")
WAYS = {"train": ("trained",), "bias": ("bias",), "both": ("trained", "bias")}
TITLES = {"trained": "trained at each cost", "bias": "one model, decoding bias"}


@dataclass(frozen=True)
class Sweep:
    """A price that rises in equal ratios while the others stay."""

    kind: str  # miss or false
    values: tuple[float, ...]
    fixed: dict[str, float]  # by kind; 1 unless told

    def prices(self, value: float) -> dict[str, float]:
        """All three prices at a point."""
        return {kind: value if kind == self.kind else self.fixed.get(kind, 1.0) for kind in KINDS}

    def cost(self, value: float) -> str:
        """These prices as --cost reads them."""
        return ",".join(f"{kind}={price:.6g}" for kind, price in self.prices(value).items())

    def bias(self, value: float) -> float:
        """What is added to the score of every label but O."""
        prices = self.prices(value)
        return math.log(prices["miss"] / prices["false"])


def parse_sweep(text: str, points: int) -> Sweep:
    """miss=0.25..8 or false=0.5..4, with other prices behind a comma if they are not 1: miss=0.25..8,type=2."""
    fixed: dict[str, float] = {}
    ranges: dict[str, tuple[float, float]] = {}
    for item in text.split(","):
        kind, equals, price = item.strip().partition("=")
        low, dots, high = price.partition("..")
        if not equals or kind not in KINDS or (dots and kind == "type"):
            raise InputError(f"{item!r} in {text!r} is not miss=LOW..HIGH or false=LOW..HIGH, nor a price miss=, false= or type=")
        ends = (low, high) if dots else (low,)
        if not all(FORMS[float].fullmatch(end) for end in ends):
            raise InputError(f"{shown(price)!r} in {shown(text)!r} is not a number or LOW..HIGH")
        numbers = [float(end) for end in ends]
        if not all(0 < number <= LARGEST for number in numbers):
            raise InputError(f"{shown(item)!r} in {shown(text)!r} has a price that is not above 0; prices go up to {LARGEST:g}, by ratios")
        if dots:
            ranges[kind] = numbers[0], numbers[1]
        else:
            fixed[kind] = numbers[0]
    if len(ranges) != 1:
        raise InputError(f"{text!r} has {several(len(ranges), 'range')}; give one, for example miss=0.25..8")
    ((kind, (low_end, high_end)),) = ranges.items()
    if points < 2 or low_end >= high_end:
        raise InputError(f"{text!r} with {points} points is not a sweep; give a smaller price, a larger one, and at least 2 points")
    ratio = (high_end / low_end) ** (1 / (points - 1))
    return Sweep(kind, tuple(low_end * ratio**i for i in range(points)), fixed)


@dataclass
class Trade:
    """The points of a sweep, each with precision, recall and F1 on the development file."""

    task: str
    objective: str
    learner: str
    sweep: Sweep
    points: list[dict] = field(default_factory=list)

    def columns(self) -> list[Column]:
        """The table's columns."""
        numbers = [Column(name, name, 2) for name in ("precision", "recall", "f1")]
        return [Column("how"), *(Column(kind, kind, 3) for kind in KINDS), Column("bias", "bias", 3), *numbers]

    def table(self) -> str:
        """The table as plain text."""
        return text_table(self.points, self.columns())

    def steadiness(self) -> dict[str, dict[str, bool]]:
        """Of each way: does recall rise, and precision fall, at every step towards a higher price of missing?"""
        out = {}
        for how in dict.fromkeys(point["how"] for point in self.points):
            steps = [point for point in self.points if point["how"] == how]
            out[how] = steady(steps if self.sweep.kind == "miss" else steps[::-1])
        return out

    def as_dict(self) -> dict:
        """Everything, for programs."""
        facts = {"task": self.task, "learner": self.learner, "objective": self.objective, "swept": self.sweep.kind}
        return facts | {"steady": self.steadiness(), "points": self.points}


def steady(points: list[dict]) -> dict[str, bool]:
    """Does recall rise, and precision fall, at every step?"""
    pairs = list(zip(points, points[1:]))
    return {
        "recall rises": all(b["recall"] > a["recall"] for a, b in pairs),
        "precision falls": all(b["precision"] < a["precision"] for a, b in pairs),
    }


def trade(
    recipe: Recipe,
    sweep: Sweep,
    data: Any,
    dev: Any,
    *,
    how: str = "both",
    threads: int = 1,
    listen: Callable[[str, dict], None] | None = None,
) -> Trade:
    """Train and decode along the sweep."""
    task = recipe.family.tasks[recipe.task]
    if how not in WAYS:
        raise InputError(f"--how {how!r} is not known; choose one of {', '.join(WAYS)}")
    if "curve" not in recipe.family.offers or task.metric != "f1":
        raise InputError(f"precision and recall are of spans, and {task.name} has none; use a task with spans, chunk or ner")
    bench = Bench(recipe, data, threads=threads)
    judge = bench.judge(dev)

    def fit(cost: str):
        tell = None if listen is None else (lambda facts: listen(cost, facts))
        return bench.fit(dataclasses.replace(recipe, cost=cost), listen=tell)

    def point(way: str, value: float, w: np.ndarray, bias: float) -> dict:
        return {"how": way} | sweep.prices(value) | {"bias": bias} | span_rates(judge.scores(w, bias=bias).counts)

    found = Trade(task.name, "", recipe.learner, sweep)
    if "trained" in WAYS[how]:
        for value in sweep.values:
            fitted = fit(sweep.cost(value))
            found.objective = fitted.objective
            if not objective_named(fitted.objective).costly:
                raise InputError(f"{fitted.objective} has no cost, so training cannot be steered by one; use --how bias, or softmax-margin")
            found.points.append(point("trained", value, fitted.w, 0.0))
    if "bias" in WAYS[how]:
        balanced = sweep.fixed.get("false" if sweep.kind == "miss" else "miss", 1.0)
        fitted = fit(sweep.cost(balanced))
        found.objective = fitted.objective
        found.points += [point("bias", value, fitted.w, sweep.bias(value)) for value in sweep.values]
    return found


def span_rates(counts: np.ndarray) -> dict:
    """Precision, recall and F1 of correct, guessed and gold spans by sentence [S, 3]."""
    correct, guessed, gold = (int(n) for n in counts.sum(axis=0))
    precision, recall, f1 = rates(correct, guessed, gold)
    return {"precision": precision, "recall": recall, "f1": f1, "correct": correct, "guessed": guessed, "gold": gold}


def draw(curves: dict[str, list[dict]], kind: str, stem: str, *, title: str) -> list[str]:
    """Precision over recall, one curve per name; the price of `kind` stands beside each point, or where there are many, at the ends."""
    from widemargin.show.curves import Curve, f1_lines
    from widemargin.show.figures import draw_curves

    lines = {
        name: Curve(
            [(p["recall"], p["precision"]) for p in points],
            label=f"best F1 {max(p['f1'] for p in points):.2f}  {name}",
            notes=[f"{kind}={p[kind]:.3g}" if len(curves) <= 2 or p in (points[0], points[-1]) else "" for p in points],
        )
        for name, points in curves.items()
    }
    places = [place for line in lines.values() for place in line.points]
    x_range, y_range = (_with_margin([place[k] for place in places], part) for k, part in ((0, 0.02), (1, 0.08)))
    guides = f1_lines(x_range, y_range)
    x_label, y_label = "recall (%)", "precision (%)"
    return draw_curves(lines, stem, title=title, x_label=x_label, y_label=y_label, y_range=y_range, guides=guides, ordered=False)


def _with_margin(values: list[float], part: float) -> tuple[float, float]:
    margin = part * (max(values) - min(values)) or 1.0
    return min(values) - margin, max(values) + margin


def write_trade(found: Trade, folder: str, *, train: str, dev: str) -> list[str]:
    """table.md, curve.json, curve.png and curve.svg in a folder; returns their paths."""
    from widemargin.show.figures import can_draw

    title = f"{found.task}: {train} → {dev}, {found.learner} {found.objective}"
    table = markdown_table(found.points, found.columns())
    written = write_texts(folder, {"table.md": f"# {title}\n\n{table}\n", "curve.json": json.dumps(found.as_dict(), indent=1) + "\n"})
    if not can_draw():
        return written
    curves = {TITLES[how]: [point for point in found.points if point["how"] == how] for how in found.steadiness()}
    return draw(curves, found.sweep.kind, os.path.join(folder, "curve"), title=f"{title}: price of {found.sweep.kind}") + written
