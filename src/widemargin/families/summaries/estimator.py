"""Summarizer: extractive summaries in scikit-learn's conventions.

X is an iterable of clusters: lists of documents (texts, or lists of sentences), or dicts with `documents` or `sentences`
(clusters.cluster_of has all keys); or what widemargin.open_clusters reads. y has references for each: a text, or a list of texts.
Clusters that bring their references need no y.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.families.calibration import HeldOut
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.inputs import checked_weights, one_for_each
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.families.summaries.clusters import Clusters, clusters_of
from widemargin.families.summaries.explanations import explain
from widemargin.families.summaries.metric import SummaryScores
from widemargin.families.summaries.model import Summary, SummaryModel, with_marks
from widemargin.families.summaries.rouge import METRICS
from widemargin.families.summaries.solvers import SOLVERS, Solver
from widemargin.families.summaries.training import PosedClusters, pose_clusters
from widemargin.families.summaries.warm_start import going_on
from widemargin.structures.subset.other_solvers import SECONDS


@public
@dataclass(eq=False, repr=False)
class Summarizer(ModelEstimator):
    """Sentences of several documents about one thing, chosen within a budget to cover what references would say.

    PARAMETERS
    budget : how long summaries are.
    unit : what the budget counts: words, characters, bytes or sentences.
    least_words : sentences of fewer words are not chosen.
    least_count : bigrams of fewer documents count for nothing.
    near : of sentences whose bigrams overlap at least so much (Jaccard), only the first may be chosen; 1: of those with the same words.
    nodes : a search is given up after so many nodes, with the best summary it has met.
    metric : "rouge2" or "rouge1", recall: for score, and to choose the best epoch by dev.

    ATTRIBUTES
    """

    family, model_type = "summaries", SummaryModel

    learner: str = "ops"
    _: KW_ONLY
    cost: str = "recall*30"
    structure: str = "subset"
    metric: str = "rouge2"
    budget: int = 100
    unit: str = "words"
    least_words: int = 3
    least_count: int = 1
    near: float = 1.0
    nodes: int = 100_000

    model_: SummaryModel = field(init=False)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Clusters | Iterable, y: Iterable | None = None, *, sample_weight=None, dev: Any = None) -> Self:
        """Train. sample_weight [clusters]: how much each counts. dev: clusters, or (X, y), to choose the best epoch by, and patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X: Clusters | Iterable, y: Iterable | None = None, *, sample_weight=None, epochs: int = 1) -> Self:
        """Go on with more clusters: step sizes and averages are kept, as if the earlier epochs had been the first of this training."""
        return self._partial_fit(X, y, None, epochs=epochs, sample_weight=sample_weight)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Clusters:
        found = clusters_of(X, y)
        if not any(cluster.references for cluster in found.clusters):
            raise InputError("no cluster has references; give y, or clusters with references")
        return found

    def _pose(
        self, recipe: Recipe, data: Clusters, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedClusters, SummaryModel | None, dict | None]:
        if self.metric not in METRICS[:2]:
            raise InputError(f"metric {self.metric!r} is not known; choose rouge1 or rouge2")
        start = self.model_ if before and self._fitted else None
        carry = going_on(self._carry, recipe) if start is not None else None
        posed = pose_clusters(recipe, data, start=start, weight=weight, threads=self._threads)
        posed.metric = self.metric
        return posed, start, carry

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        if not isinstance(dev, Clusters) and not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise InputError("dev is clusters, or (X, y)")
        return posed.hold(dev if isinstance(dev, Clusters) else clusters_of(*dev))

    def _adopt(self, model: SummaryModel, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        return self

    @classmethod
    def _own_parameters(cls, model: SummaryModel) -> dict[str, Any]:
        how = model.extraction
        templates = "\n".join(template.text for template in model.templates) + "\n"
        own = {name: getattr(how, name) for name in ("budget", "unit", "least_words", "least_count", "near")}
        return {"templates": templates, "nodes": model.nodes} | own

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def summarize(
        self,
        X: Clusters | Iterable,
        *,
        must: Sequence[Sequence[int]] | None = None,
        never: Sequence[Sequence[int]] | None = None,
        solver: str = "auto",
        seconds: float = SECONDS,
        **budget: int | None,
    ) -> list[Summary]:
        """For each cluster its summary: numbers of sentences, text, score, gap. must, never: sentences that it must have, or may not, a
        list of numbers for each cluster. seconds: an integer program (solver="milp", or "auto" after `nodes`) is given up then. budget:
        another one, words=100, characters=500, bytes=665 or sentences=3."""
        check_is_fitted(self)
        solver = known("solver", solver, SOLVERS)
        clusters = with_marks(clusters_of(X), must, never)
        return self.model_.predict(clusters, how=self.model_.extracting(**budget), solver=Solver(solver, self.model_.nodes, seconds))

    @one_for_each
    def predict(self, X: Clusters | Iterable) -> list[str]:
        """For each cluster its summary, a line for each sentence."""
        return [summary.text for summary in self.summarize(X)]

    @one_for_each
    def predict_kbest(self, X: Clusters | Iterable, k: int = 5) -> list[list[tuple[float, str]]]:
        """For each cluster its k best summaries, best first, each with its score."""
        check_is_fitted(self)
        return [[(summary.score, summary.text) for summary in found] for found in self.model_.kbest(clusters_of(X), k)]

    def score(self, X: Clusters | Iterable, y: Iterable | None = None, sample_weight=None) -> float:
        """The mean recall of ROUGE-2 (metric="rouge1": of ROUGE-1) over clusters, from 0 to 1, without stemmer."""
        check_is_fitted(self)
        clusters = self._read(X, y)
        found = SummaryScores(clusters, self.predict(clusters), metrics=(self.metric,)).each[:, 0, 0]
        weight = checked_weights(sample_weight, len(found))
        return float(np.average(found, weights=weight) / 100.0)

    def explain(self, cluster: Any) -> Explanation:
        """Why a cluster gets its summary: for every sentence the best summary without it, and the bigrams that make the difference."""
        check_is_fitted(self)
        return explain(self.model_, clusters_of([cluster]), 0)

    @property
    def weights(self) -> dict[str, float]:
        """The weights by the names of features."""
        check_is_fitted(self)
        return dict(zip(self.model_.names, self.model_.weights.features.tolist()))

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        raise InputError("summaries have no probabilities to be calibrated")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, False
        tags.input_tags.string, tags.input_tags.dict = True, True
        return tags
