"""One way to tune, for all studies: every point of every row's grid is fitted with the first seed and judged on development data; the best
point of each row is then fitted with every seed and judged on test data, which nothing else looks at.

A fit is a cell. Kept in a folder as soon as it is done (cells.py), so that a study which was stopped goes on behind the last of them. The
epoch that is best on development data counts, in every cell.
"""

import contextlib
import dataclasses
import functools
import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.study.cells import Cell, Cells, Fitter, Means
from widemargin.study.comparison import UNRANDOM
from widemargin.study.significance import against
from widemargin.workers import Engine
from widemargin.workers.crew import Call

Point = dict[str, Any]
Fits = Callable[[list[Cell]], list[dict]]  # what cells came to


@dataclass(frozen=True)
class Data:
    """What is learnt from, what chooses, and what is looked at once."""

    name: str
    train: Any
    dev: Any
    test: Any


@dataclass(frozen=True)
class Candidates:
    """A row: its name, its points, and the recipe that a point makes. start: the recipe of a fit that each of these goes on from."""

    name: str
    points: Sequence[Point]
    recipe: Callable[[Point], Recipe]
    start: Recipe | None = None

    def cell(self, point: Point, seed: int, *, final: bool) -> Cell:
        """A fit of this row."""
        start = None if self.start is None else with_seed(self.start, seed)
        return Cell(self.name, point, with_seed(self.recipe(point), seed), start, seed, final)


@dataclass(frozen=True)
class Tuned:
    """A row after all: every cell of its grid, the best of them, and that one's fits with every seed."""

    name: str
    tried: list[dict]
    best: dict
    finals: list[dict]
    counts: np.ndarray  # of the test sentences [S, K], those of all seeds added
    recipe: Recipe = field(repr=False)

    def summary(self) -> dict:
        """Means and standard deviations over the seeds."""
        dev, test = ([final[key] for final in self.finals] for key in ("dev", "test"))
        spread = [statistics.stdev(scores) if len(scores) > 1 else None for scores in (dev, test)]
        numbers = {"dev": statistics.fmean(dev), "dev_spread": spread[0], "test": statistics.fmean(test), "test_spread": spread[1]}
        about = {"row": self.name, "chosen": text_of(self.best["point"]), "seeds": len(self.finals), "cells": len(self.tried)}
        seconds = min(final["cpu"] / len(final["curve"]) for final in self.finals)  # of learning alone; the first fit of all may compile
        return about | numbers | {"epoch": self.finals[0]["epoch"], "seconds": seconds}


def grid(**axes: Iterable) -> list[Point]:
    """Every combination of the values of some settings."""
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


def text_of(point: Point) -> str:
    """rate=0.1 l2=1e-06, as it stands in tables."""
    return " ".join(f"{key}={_written(value)}" for key, value in point.items())


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float | int) else str(value)


def with_seed(recipe: Recipe, seed: int) -> Recipe:
    """The same recipe with another seed."""
    return dataclasses.replace(recipe, settings=recipe.settings | {"seed": seed})


@contextlib.contextmanager
def fitting(data: Data, means: Means | None = None) -> Iterator[Fits]:
    """A function from cells to what they came to; those that are in the folder are not fitted again."""
    means = means or Means()
    cells = Cells(means.folder, (data.train, data.dev, data.test))
    with (means.engine or Engine("threads", 1)).crew() as crew:
        crew.seat(crew.size, lambda seat: functools.partial(Fitter, data.train, data.dev, data.test, means.threads))

        def found(wanted: list[Cell]) -> list[dict]:
            missing = [cell for cell in wanted if cells.get(cell) is None]

            def heard(i: int, facts: dict) -> None:
                cells.put(missing[i], facts)
                if means.say is not None:
                    means.say(f"{missing[i].row} {text_of(missing[i].point)} seed {missing[i].seed}: dev {facts['dev']:.2f}")

            crew.ask([Call(-1, "fit", (cell,)) for cell in missing], heard)
            return [{"point": cell.point, "seed": cell.seed} | cells.known(cell) for cell in wanted]

        yield found


def screen(rows: Sequence[Candidates], fits: Fits, *, seed: int = 1) -> list[list[dict]]:
    """Fit every point of every row and judge it on development data alone: the cells of each row, best first. For grids of long fits: rows
    whose recipes are short choose the points that are worth a long one."""
    tried = iter(fits([row.cell(point, seed, final=False) for row in rows for point in row.points]))
    return [sorted(itertools.islice(tried, len(row.points)), key=lambda cell: -cell["dev"]) for row in rows]


def tune(rows: Sequence[Candidates], fits: Fits, *, seeds: Sequence[int] = (1,)) -> list[Tuned]:
    """Fit every cell, choose, and fit the chosen ones with every seed."""
    if not seeds or not all(row.points for row in rows):
        raise InputError("a study needs at least one seed, and each of its rows at least one point")
    return [_tuned(row, fits, seeds) for row in rows]


def _tuned(row: Candidates, fits: Fits, seeds: Sequence[int]) -> Tuned:
    tried = fits([row.cell(point, seeds[0], final=False) for point in row.points])
    best = max(tried, key=lambda cell: cell["dev"])
    recipe = row.recipe(best["point"])
    finals = fits([row.cell(best["point"], seed, final=True) for seed in (seeds[:1] if recipe.learner in UNRANDOM else seeds)])
    counts = np.sum([facts.pop("counts") for facts in finals], axis=0)
    return Tuned(row.name, tried, best, finals, counts, recipe)


def p_values(tuned: Sequence[Tuned], score: Callable, samples: int) -> dict[str, dict[str, float]]:
    """p[better][lower] on test data, best row first, by paired bootstrap over its sentences; the counts of all seeds are added up."""
    order = sorted(tuned, key=lambda row: -float(score(row.counts.sum(axis=0))))
    return {
        better.name: {lower.name: against(better.counts, lower.counts, score, samples=samples).p_value for lower in order[i + 1 :]}
        for i, better in enumerate(order)
    }
