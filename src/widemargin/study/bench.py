"""A training file on the bench: features are extracted once, then any number of recipes are fitted on the same rows."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.costs import OUTSIDE, parse_cost
from widemargin.errors import InputError
from widemargin.learners import Watch, learner_named, usual_l2, usual_objective
from widemargin.objectives import objective_named
from widemargin.penalty import Penalty
from widemargin.problem import Problem
from widemargin.readers.columns import Columns
from widemargin.tasks.base import task_named
from widemargin.tasks.fitting import Judge, Material, Recipe, in_kernel, pose, watcher
from widemargin.tasks.gold import written_in
from widemargin.tasks.parsing import TreeRecipe
from widemargin.tasks.tagger import decode_features, in_lanes
from widemargin.tasks.training import extract, read_gold

from .significance import sentence_counts

# what a recipe may change without other features or labels
FREE = ("learner", "objective", "cost", "l1", "l2", "settings")


@dataclass(frozen=True)
class Fitted:
    """What a recipe came to: weights per merged row, the epoch they are from, and how it went."""

    recipe: "Recipe | TreeRecipe"
    objective: str
    l2: float
    w: np.ndarray  # [R, L]
    epoch: int
    history: list[dict]
    cpu_per_epoch: float | None  # from the end of the first epoch: the first may have compiled
    epoch_seconds: list[float]  # CPU time of each epoch without the look at it


def timed_fit(recipe: "Recipe | TreeRecipe", problem: Problem, begin: np.ndarray | None, look: Watch) -> Fitted:
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


class Bench:
    """Training columns as rows of features, for recipes that differ in FREE alone."""

    def __init__(self, recipe: Recipe, columns: Columns, *, threads: int = 1):
        if in_kernel(recipe):
            raise InputError(
                "learners are compared on features; write the kernel out (kernel=poly, expand=true), or use train with smo or sgd"
            )
        self.recipe, self.threads = recipe, threads
        self.task = task_named(recipe.task)
        self.metric = self.task.metric
        self.gold = read_gold(self.task, recipe, columns)
        self.extractor, features = extract(self.task, recipe, columns, None)
        plain = dataclasses.replace(recipe, objective="perceptron", cost="hamming", l1=0.0, l2=0.0)
        self.problem = pose(plain, Material(self.gold, self.extractor, features), threads=threads)

    @property
    def features(self) -> int:
        """How many there are before merging."""
        return len(self.extractor.nodes) + len(self.extractor.edges)

    def suits(self, recipe: Recipe) -> bool:
        """Can this recipe be fitted here?"""
        kept = {name: getattr(self.recipe, name) for name in FREE}
        return dataclasses.replace(recipe, **kept) == self.recipe

    def judge(self, columns: Columns) -> Judge:
        """Columns to be scored, their features looked up once."""
        found, written = self.extractor.transform(columns, threads=self.threads), written_in(columns, self.recipe.label_column)
        return Judge(self.task, self.problem, self.gold, found, written, None, self.threads)

    def fit(
        self, recipe: Recipe, judge: Judge | None = None, *, start: np.ndarray | None = None, listen: Callable[[dict], None] | None = None
    ) -> Fitted:
        """Fit a recipe from zeros, or from the weights of another fit; the epoch that the judge likes best is kept, or the last."""
        if not self.suits(recipe):
            raise InputError(f"this recipe needs other features or labels; on one bench only {', '.join(FREE)} may differ")
        structure, rows = self.problem.structure, self.problem.corpus.rows
        objective = objective_named(recipe.objective or usual_objective(recipe.learner), structure)
        penalty = Penalty(recipe.l1, usual_l2(recipe.learner, rows) if recipe.l2 is None else recipe.l2)
        cost = parse_cost(recipe.cost, self.gold.labels)
        problem = dataclasses.replace(self.problem, objective=objective, penalty=penalty, cost=cost)
        # a merged row holds the sum of its equal weights
        begin = None if start is None else start * problem.copies[:, None]
        return timed_fit(recipe, problem, begin, watcher(judge, self.task.metric, listen))

    def labels(self, w: np.ndarray, judge: Judge, *, bias: float = 0.0) -> tuple[np.ndarray, list[str]]:
        """Labels as (codes, values) under weights; bias is added to the score of every label but O."""
        linear, structure = self.problem.linear(np.ascontiguousarray(w, np.float32)), self.problem.structure
        base = in_lanes(biased(len(judge.features), self.gold.labels, bias), structure) if bias else None
        return judge.as_written(decode_features(structure, linear, judge.features, base=base, threads=self.threads))

    def counts(self, w: np.ndarray, judge: Judge, *, bias: float = 0.0) -> np.ndarray:
        """What the metric is computed from, sentence by sentence [S, K]."""
        return sentence_counts(self.task, judge.written, *self.labels(w, judge, bias=bias))


def biased(tokens: int, labels: tuple[str, ...], bias: float) -> np.ndarray:
    """Base scores [N, Y] that give every label but O the score `bias`."""
    if OUTSIDE not in labels:
        raise InputError(f"a decoding bias needs a label O, and the labels are {', '.join(labels)}")
    return np.tile(np.where(np.array(labels) == OUTSIDE, 0.0, bias), (tokens, 1))
