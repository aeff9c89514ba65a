"""Training data on the bench: features are extracted once, then any number of recipes are fitted on the same rows."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import FREE, Recipe, pose
from widemargin.families.watching import DevScorer, watcher
from widemargin.learners import Watch, learner_named


@dataclass(frozen=True)
class Fitted:
    """What a recipe came to: weights per merged row, the epoch they are from, and how it went."""

    recipe: Recipe
    objective: str
    l2: float
    w: np.ndarray  # [R, L]
    epoch: int
    history: list[dict]
    cpu_per_epoch: float | None  # from the end of the first epoch: the first may have compiled
    epoch_seconds: list[float]  # CPU time of each epoch without the look at it


class Bench:
    """Training data of any family as a problem, for recipes that differ in FREE alone."""

    def __init__(self, recipe: Recipe, data: Any, *, threads: int = 1):
        recipe.family.check(recipe, "compare")
        self.recipe, self.posed = recipe, pose(recipe, data, threads=threads)
        self.metric, self.features = self.posed.metric, self.posed.features

    @property
    def problem(self) -> Any:
        """The problem of the first recipe."""
        return self.posed.problem

    def suits(self, recipe: Recipe) -> bool:
        """Can this recipe be fitted here?"""
        return recipe.rows() == self.recipe.rows()

    def judge(self, data: Any) -> DevScorer:
        """Other data to be scored on, their features looked up once."""
        return DevScorer(self.posed, self.posed.hold(data))

    def fit(
        self,
        recipe: Recipe,
        dev: DevScorer | None = None,
        *,
        start: np.ndarray | None = None,
        listen: Callable[[dict], None] | None = None,
    ) -> Fitted:
        """Fit a recipe from zeros, or from the weights of another fit; the epoch that is best on dev is kept, or the last."""
        if not self.suits(recipe):
            raise InputError(f"this recipe needs other features or labels; on one bench only {', '.join(FREE)} may differ")
        recipe.family.check(recipe, "compare")
        problem = self.posed.again(recipe).problem
        # a merged row holds the sum of its equal weights
        begin = None if start is None else start * problem.copies[:, None]
        return _timed(recipe, problem, begin, watcher(dev, self.metric, listen))


class Benches:
    """A bench for every kind of rows that recipes need, set up when the first of them comes."""

    def __init__(self, data: Any, dev: Any, threads: int, listen: Callable[[str, dict], None] | None, test: Any = None):
        self.data, self.dev, self.threads, self.listen, self.test = data, dev, threads, listen, test
        self.found: list[tuple[Bench, DevScorer, DevScorer | None]] = []

    def run(self, name: str, recipe: Recipe) -> dict:
        """Fit a recipe; listen hears of its epochs under this name. What it came to, as JSON takes it; counts: of the dev sentences.
        test: the metric of the test data, where there are any."""
        began, listen = time.perf_counter(), self.listen
        bench, dev, test = self._bench(recipe)
        fitted = bench.fit(recipe, dev, listen=None if listen is None else lambda facts: listen(name, facts))
        facts = {"metric": bench.metric, "features": bench.features, "objective": fitted.objective, "l2": fitted.l2, "epoch": fitted.epoch}
        facts |= {"history": fitted.history, "cpu_per_epoch": fitted.cpu_per_epoch, "counts": dev.scores(fitted.w).counts.tolist()}
        facts |= {} if test is None else {"test": float(test(fitted.w)[bench.metric])}
        return facts | {"seconds": time.perf_counter() - began}

    def score(self, recipe: Recipe) -> Callable[[np.ndarray], np.ndarray]:
        """The metric of sums of counts, for a recipe's kind of rows."""
        bench, dev, _ = self._bench(recipe)
        return dev.scores(bench.problem.zeros()).score

    def _bench(self, recipe: Recipe) -> tuple[Bench, DevScorer, DevScorer | None]:
        for known in self.found:
            if known[0].suits(recipe):
                return known
        bench = Bench(recipe, self.data, threads=self.threads)
        self.found.append((bench, bench.judge(self.dev), None if self.test is None else bench.judge(self.test)))
        return self.found[-1]


def _timed(recipe: Recipe, problem: Any, begin: np.ndarray | None, look: Watch) -> Fitted:
    """Fit, and take the time of every epoch without the look at it."""
    marks = [time.process_time()]
    spent: list[float] = []

    def watch(epoch: int, facts: dict, weigh) -> float | None:
        spent.append(time.process_time() - marks[-1])
        score = look(epoch, facts, weigh)
        marks.append(time.process_time())
        return score

    result = learner_named(recipe.learner, recipe.settings).fit(problem, begin, watch)
    cpu = (marks[-1] - marks[1]) / (len(marks) - 2) if len(marks) > 2 else None
    return Fitted(recipe, problem.objective.name, problem.penalty.l2, result.w, result.epoch, result.history, cpu, spent)
