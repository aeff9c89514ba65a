"""The cells of a study or a comparison: one fit each, made by a worker, and kept as a file under a digest of all that decides it."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.checkpoints import fingerprint
from widemargin.families.recipes import Recipe
from widemargin.families.watching import DevScorer
from widemargin.study.experiment import Bench, Fitted
from widemargin.study.texts import write_texts
from widemargin.workers import Engine

FORMAT = 1  # of the files; another where fits come out differently


@dataclass(frozen=True)
class Cell:
    """A recipe to be fitted, from zeros or from where another recipe ends. final: is it judged on test data too?"""

    row: str
    point: dict
    recipe: Recipe
    start: Recipe | None
    seed: int
    final: bool


@dataclass(frozen=True)
class Means:
    """Where cells are kept, who fits them (none: one after the other here; it never changes what comes out), and who is told of each."""

    folder: str | None = None
    engine: Engine | None = None
    threads: int = 1
    say: Callable[[str], None] | None = None


class Cells:
    """What is known of cells, in memory and as files of a folder."""

    def __init__(self, folder: str | None, data: Sequence[Any]):
        self.folder, self.data = None if folder is None else os.path.join(folder, "cells"), data
        self.found: dict[str, dict] = {}

    def get(self, cell: Cell) -> dict | None:
        """The facts of a cell, or None where it has to be fitted; a file that is no cell is refused."""
        name = self._name(cell)
        path = None if self.folder is None else os.path.join(self.folder, name)
        if name not in self.found and path is not None and os.path.exists(path):
            try:
                with open(path, encoding="utf-8") as file:
                    kept = json.load(file)
                if kept["format"] == FORMAT and kept["row"] and (not cell.final or kept["counts"]):
                    self.found[name] = kept
            except (OSError, ValueError, KeyError, TypeError):
                pass
            if name not in self.found:
                raise InputError("this is not a cell of this study; remove it, or name another folder with -o", path)
        return self.found.get(name)

    def known(self, cell: Cell) -> dict:
        """The facts of a cell that has been fitted."""
        facts = self.get(cell)
        assert facts is not None
        return dict(facts)

    def put(self, cell: Cell, facts: dict) -> None:
        """Keep what a fit came to."""
        name = self._name(cell)
        self.found[name] = {"format": FORMAT, "row": cell.row} | facts
        if self.folder is not None:
            write_texts(self.folder, {name: json.dumps(self.found[name]) + "\n"})

    def _name(self, cell: Cell) -> str:
        marks = [fingerprint(recipe, self.data if i == 0 else (), ()) for i, recipe in enumerate((cell.recipe, cell.start)) if recipe]
        return f"{'final-' if cell.final else ''}{'-'.join(mark[:20] for mark in marks)}.json"


class Fitter:
    """Fits cells: features are extracted once for recipes that share them."""

    def __init__(self, train: Any, dev: Any, test: Any, threads: int):
        self.data, self.threads = (train, dev, test), threads
        self.benches: list[tuple[Bench, DevScorer, DevScorer]] = []
        self.started: tuple[Recipe, np.ndarray] | None = None  # the last fit that others go on from
        self.best: tuple[Cell, float, Fitted] | None = None  # of the row that came last: chosen, it need not be fitted again

    def fit(self, cell: Cell) -> dict:
        """What a cell came to, as JSON takes it; counts: of the test sentences."""
        bench, dev, test = self._bench(cell.recipe)
        fitted = self._again(cell) or bench.fit(cell.recipe, dev, start=None if cell.start is None else self._start(cell.start))
        curve = [facts["dev"][bench.metric] for facts in fitted.history]
        facts = {"metric": bench.metric, "features": bench.features, "dev": max(curve), "epoch": fitted.epoch, "curve": curve}
        facts |= {"l1": cell.recipe.l1, "l2": fitted.l2, "cpu": sum(fitted.epoch_seconds)}
        facts |= {key: fitted.history[-1].get(key) for key in ("planes", "megabytes", "primal", "gap")}
        if cell.final:
            scores = test.scores(fitted.w)
            facts |= {"test": float(scores.as_dict()[bench.metric]), "counts": scores.counts.tolist()}
        if self.best is None or self.best[0].row != cell.row or self.best[1] < facts["dev"]:
            self.best = cell, facts["dev"], fitted
        return facts

    def _again(self, cell: Cell) -> Fitted | None:
        """The fit of this cell, where it is the best of the row that came last."""
        if self.best is not None and (self.best[0].recipe, self.best[0].start) == (cell.recipe, cell.start):
            return self.best[2]
        return None

    def _start(self, recipe: Recipe) -> np.ndarray:
        if self.started is None or self.started[0] != recipe:
            bench, dev, _ = self._bench(recipe)
            self.started = recipe, bench.fit(recipe, dev).w
        return self.started[1]

    def _bench(self, recipe: Recipe) -> tuple[Bench, DevScorer, DevScorer]:
        for known in self.benches:
            if known[0].suits(recipe):
                return known
        bench = Bench(recipe, self.data[0], threads=self.threads)
        self.benches.append((bench, bench.judge(self.data[1]), bench.judge(self.data[2])))
        return self.benches[-1]
