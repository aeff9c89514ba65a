"""Lists as a problem of learning: which hypothesis is correct, what the others cost, and features in a common scale."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.reranking.costs import parse_cost
from widemargin.families.reranking.features import featurised, load_templates, within_lists
from widemargin.families.reranking.metrics import Metric, first_best, metric_named
from widemargin.families.reranking.model import ListWeights, RerankModel
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.scores import ListScores, choice_scores
from widemargin.scoring.list_corpus import DenseFeatures, SparseFeatures, list_corpus
from widemargin.scoring.list_problem import ListProblem
from widemargin.structures.lists.arrays import Lists

MOST_DENSE = 64  # features; more of them are kept sparse


@dataclass(frozen=True, eq=False)
class HeldLists:
    """Development data, looked up once."""

    pool: Pool
    features: Pool  # the same with the model's features
    metric: Metric


def refuse(recipe: Recipe) -> None:
    """What rerankers do not have."""
    if recipe.learner == "smo" or "kernel" in recipe.settings:
        raise InputError("smo and kernels are for labels of tokens; use bcfw, cutting-plane or another learner")
    parse_cost(recipe.cost)
    load_templates(recipe.templates)


def pose_lists(
    recipe: Recipe, pool: Pool, *, start: RerankModel | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> "PosedLists":
    """The problem that a learner is given."""
    templates, remarks = load_templates(recipe.templates), []
    if start is None:
        ready = featurised(pool, templates)
        scale = within_lists(ready)
        if constant := [name for name, one in zip(ready.names, scale) if one == 0.0]:
            several = f"{len(constant)} features" if len(constant) > 1 else "a feature"
            remarks.append(f"{several} with one value in every list, which can decide nothing: {', '.join(constant[:5])}")
        if len(constant) == len(ready.names):
            raise InputError("every feature has one value in each list, so there is nothing to learn from", pool.source)
        scale = np.where(scale > 0.0, scale if recipe.option("scaled") else 1.0, 0.0)
    else:
        if recipe.templates is not None and templates != start.templates:
            text = "the model to start from brings its own features, and --templates asks for others"
            raise InputError(f"{text}; leave it out, or drop --init")
        if recipe.options.get("metric", start.metric) != start.metric:
            text = f"the model to start from was trained for {start.metric}, and metric={recipe.options['metric']} asks for another"
            raise InputError(f"{text}; leave it out, or drop --init")
        templates, ready, scale = start.templates, featurised(pool, start.templates, start.names), start.scale
    return PosedLists(recipe, pool, Scaled(ready, templates, scale), weight, threads, tuple(remarks))


@dataclass(frozen=True, eq=False)
class Scaled:
    """Lists with a model's features, which learners see divided by `scale` [D]; 0: not at all."""

    pool: Pool
    templates: tuple[str, ...]
    scale: np.ndarray

    @property
    def inverse(self) -> np.ndarray:
        return np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0.0)

    def features(self) -> DenseFeatures | SparseFeatures:
        """As ListCorpus wants them."""
        if len(self.pool.names) <= MOST_DENSE:
            return DenseFeatures(self.pool.dense() * self.inverse)
        return SparseFeatures(
            self.pool.feature_ptr, self.pool.feature, self.pool.value * self.inverse[self.pool.feature], len(self.pool.names)
        )


class PosedLists:
    """A problem over lists (families.base.Posed)."""

    def __init__(self, recipe: Recipe, pool: Pool, scaled: Scaled, weight: np.ndarray | None, threads: int, remarks: tuple[str, ...] = ()):
        self.recipe, self.pool, self.scaled, self.weight, self.remarks = recipe, pool, scaled, weight, remarks
        self.measured = self.metric_of(pool)
        self.metric = self.measured.name
        cost, structure = parse_cost(recipe.cost), Lists()
        correct = self.correct()
        price = cost.prices(pool, self.measured, correct)
        corpus = list_corpus(np.diff(pool.row_ptr), scaled.features(), correct=correct, price=price, weight=weight)
        self.problem = ListProblem(corpus, structure, cost, *recipe.aim(structure, corpus.rows), threads=threads)
        self.facts = {"sentences": pool.sentences, "tokens": len(pool)}

    def metric_of(self, pool: Pool) -> Metric:
        """The recipe's metric of other lists."""
        return metric_named(pool, self.recipe.option("metric"), smoothing=self.recipe.option("smoothing"))

    def correct(self) -> np.ndarray:
        """The hypotheses that are worth most in their lists, or the first of them, bool [H]."""
        worth, pool = self.measured.worth, self.pool
        if self.recipe.option("gold") == "ties":
            return worth == np.maximum.reduceat(worth, pool.row_ptr[:-1])[pool.row]
        out = np.zeros(len(pool), bool)
        out[self.measured.best(pool)] = True
        return out

    @property
    def features(self) -> int:
        return len(self.scaled.pool.names)

    def again(self, recipe: Recipe) -> "PosedLists":
        return PosedLists(recipe, self.pool, self.scaled, self.weight, self.problem.threads, self.remarks)

    def begin(self, start: RerankModel) -> np.ndarray:
        return self.problem.table(start.weights.values * self.scaled.scale)

    def hold(self, data: Pool) -> HeldLists:
        return HeldLists(data, featurised(data, self.scaled.templates, self.scaled.pool.names), self.metric_of(data))

    def decode(self, w: np.ndarray, held: HeldLists) -> np.ndarray:
        return first_best(held.pool.row_ptr, held.features.scores(self._values(w)))

    def scores(self, found: np.ndarray, held: HeldLists) -> ListScores:
        return choice_scores(held.pool, held.metric, found, intervals=False)

    def finish(self, w: np.ndarray, facts: dict) -> RerankModel:
        recipe, ready = self.recipe, self.scaled
        weights = ListWeights(self._values(w))
        return RerankModel(
            ready.pool.names, weights, ready.scale, ready.templates, recipe.option("metric"), recipe.option("smoothing"), facts
        )

    def carried(self, handed: dict) -> dict:
        return handed

    def _values(self, w: np.ndarray) -> np.ndarray:
        """Weights in the features' own scale."""
        return np.asarray(self.problem.vector(w), float) * self.scaled.inverse
