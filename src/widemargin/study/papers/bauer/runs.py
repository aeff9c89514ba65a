"""Fits of the study, each kept as a file as soon as it is done: a study that is begun again goes on behind the last of them.

The first fold chooses C: every value is fitted on the other folds and judged on it. So those fits are that fold's own part of the
cross-validation too, and the sentences of the other folds have no say in any choice.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.evalb_settings import EvalbSettings
from widemargin.families.constituency.model import with_guess
from widemargin.metrics.rates import rates
from widemargin.study.experiment import Bench
from widemargin.study.papers.bauer.data import Folds
from widemargin.study.papers.bauer.methods import EPOCHS, GRID, QUICK_GRID, Method
from widemargin.study.reproduction import Settings
from widemargin.study.texts import write_texts

CHOOSING = 0  # the fold that chooses C
EVERYTHING = EvalbSettings("every bracket", deleted=("TOP",), same_labels=())  # as the loss counts: punctuation, too


@dataclass(frozen=True)
class Run:
    """One fit: a method, C, and the fold that it was tested on. Counts are of matched, guessed and gold brackets, int [S, 3]."""

    facts: dict
    counts: np.ndarray  # EVALB's
    every: np.ndarray  # with punctuation

    @property
    def f1(self) -> np.ndarray:
        """Of each sentence, in per cent [S]."""
        return by_sentence(self.counts)[:, 2]


@dataclass(frozen=True)
class Validated:
    """A method in the cross-validation."""

    c: float
    runs: list[Run]
    tried: list[Run]


def by_sentence(counts: np.ndarray) -> np.ndarray:
    """Precision, recall and F1 of each sentence in per cent [S, 3]; 100 where there is nothing to find and nothing was found."""
    return np.array([rates(*row) if row[1] or row[2] else (100.0, 100.0, 100.0) for row in counts.tolist()])


class Runs:
    """Fits on one data set, made where they are not kept yet."""

    def __init__(self, data: Folds, settings: Settings):
        self.data, self.settings = data, settings
        self.folder = None if settings.folder is None else os.path.join(settings.folder, "runs")
        self.epochs = settings.epochs or EPOCHS
        self.grid = QUICK_GRID if settings.quick else GRID
        self.bench: tuple[int, Bench] | None = None  # of the last fold: reading its grammar off the trees takes a moment

    def run(self, method: Method, c: float, fold: int) -> Run:
        """From its file, or fitted now."""
        about = {"data": self.data.name, "method": method.name, "C": c, "fold": fold, "epochs": self.epochs, "trees": self.digest}
        name = f"{method.cost.replace(': ', '-')}-C{c:g}-fold{fold}-{self.digest}-{self.epochs}.json"
        kept = self._kept(name, about)
        if kept is None:
            kept = about | self._fit(method, c, fold)
            if self.folder is not None:
                write_texts(self.folder, {name: json.dumps(kept) + "\n"})
        found = Run(
            {key: value for key, value in kept.items() if key not in ("counts", "every")}, *map(_counts, (kept["counts"], kept["every"]))
        )
        if self.settings.say is not None:
            facts = found.facts
            gap = f"gap {facts['gap']:.1%}, {facts['done']} epochs, {facts['seconds']:.0f} s"
            self.settings.say(f"{method.name}, C {c:g}, fold {fold + 1}: mean F1 {found.f1.mean():.2f}, {gap}")
        return found

    @property
    def digest(self) -> str:
        return self.data.trees.digest[:12]

    def _kept(self, name: str, about: dict) -> dict | None:
        path = None if self.folder is None else os.path.join(self.folder, name)
        if path is None or not os.path.exists(path):
            return None
        try:
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            if {key: kept[key] for key in about} == about and kept["counts"] and kept["every"]:
                return kept
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise InputError("this is not a run of this study; remove it, or name another folder with -o", path)

    def _fit(self, method: Method, c: float, fold: int) -> dict:
        bench = self._bench(fold)
        tested = self.data.split(fold)[1]
        listen = self.settings.listen
        began = time.process_time()
        fitted = bench.fit(
            method.recipe(c, bench.problem.corpus.rows, self.epochs),
            listen=None if listen is None else lambda facts: listen(f"{method.name}, C {c:g}, fold {fold + 1}", facts),
        )
        spent = time.process_time() - began
        last = fitted.history[-1]
        guess = bench.posed.decode(fitted.w, bench.posed.hold(tested))
        found = with_guess(tested, guess, bench.problem.corpus.inventory)
        scores = [BracketScores(tested, found, **how, strict=False) for how in ({}, {"settings": EVERYTHING})]
        return {
            "train": bench.problem.corpus.rows,
            "l2": fitted.l2,
            "primal": last["primal"],
            "gap": last["gap"] / last["primal"] if last["primal"] else 0.0,
            "done": len(fitted.history),
            "planes": last["planes"],
            "seconds": spent,
            "failed": int((~np.isfinite(guess.score)).sum()),
            "counts": scores[0].counts.tolist(),
            "every": scores[1].counts.tolist(),
        }

    def _bench(self, fold: int) -> Bench:
        if self.bench is None or self.bench[0] != fold:
            train = self.data.split(fold)[0]
            any_recipe = Method("", "f1", (0.0,) * 4).recipe(1.0, 1, 1)
            self.bench = fold, Bench(any_recipe, train)
        return self.bench[1]

    def choose(self, method: Method) -> tuple[float, list[Run]]:
        """The C with the best mean F1 over the sentences of the fold that chooses, the smallest of equals; and all that was tried."""
        tried = [self.run(method, c, CHOOSING) for c in self.grid]
        return self.grid[int(np.argmax([run.f1.mean() for run in tried]))], tried

    def cross_validated(self, methods: Sequence[Method], folds: int) -> dict[str, "Validated"]:
        """By method: the C that was chosen, its fits tested on the first so many folds, and what was tried. Fold by fold, so that a study
        that was stopped has as many whole folds as it can."""
        chosen = {method.name: self.choose(method) for method in methods}
        runs: dict[str, list[Run]] = {method.name: [] for method in methods}
        for fold in range(folds):
            for method in methods:
                runs[method.name].append(self.run(method, chosen[method.name][0], fold))
        return {name: Validated(c, runs[name], tried) for name, (c, tried) in chosen.items()}


def _counts(rows: Any) -> np.ndarray:
    return np.array(rows, np.int64).reshape(-1, 3)
