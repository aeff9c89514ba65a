"""Reranker: the best hypothesis of each list, in scikit-learn's conventions.

X is a Pool (widemargin.open_pool), or an iterable of lists of hypotheses: each a dict {"text": ..., "features": {...}, "metrics": {...}} or
a pair (text, features). y is an iterable of references, a text or several texts for each sentence. A Pool brings its own references, or
metric columns, so that fit(pool) is enough.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.errors import InputError
from widemargin.families.calibration import HeldOut
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.inputs import checked_weights, one_for_each
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.families.reranking.answers import held_choices, ranked
from widemargin.families.reranking.hypotheses import places_of, pool_of
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.model import RerankModel
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.reports import explain
from widemargin.families.reranking.training import PosedLists, pose_lists


@public
@dataclass(eq=False, repr=False)
class Reranker(ModelEstimator):
    """One of n hypotheses: any objective, any learner, any metric.

    PARAMETERS
    smoothing : of the BLEU of one sentence: add-1, exp, all-1, floor or none.
    gold : "first": one hypothesis of a list is correct, the first of the best by the metric; "ties": all of the best are.
    scaled : while learning, divide features by their spread within lists; weights are returned in the features' own scale.
    metric : bleu, ter, chrf, wer, cer, or a metric column: what is best, for score, and to choose the best epoch by dev.

    structure is "lists"; hash_bits is not used.

    ATTRIBUTES
    """

    family, model_type = "reranking", RerankModel

    learner: str = "mira"
    _: KW_ONLY
    cost: str = "sentence"
    structure: str = "lists"
    metric: str = "bleu"
    smoothing: str = "add-1"
    gold: str = "first"
    scaled: bool = True

    model_: RerankModel = field(init=False)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Pool | Iterable, y: Iterable | None = None, *, sample_weight=None, dev: Any = None) -> Self:
        """Train. sample_weight [sentences]: how much each counts. dev: a Pool, or (X, y), to choose the best epoch on, and for patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X: Pool | Iterable, y: Iterable | None = None, classes=None, *, sample_weight=None, epochs: int = 1) -> Self:
        """Go on with more data, by the features of the first; step sizes and averages are kept. For online learners."""
        if classes is not None:
            raise InputError("lists have no classes; leave classes out")
        return self._partial_fit(X, y, classes, epochs=epochs, sample_weight=sample_weight)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Pool:
        return pool_of(X, y)

    def _pose(
        self, recipe: Recipe, data: Pool, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedLists, RerankModel | None, dict | None]:
        start, carry = (self.model_, self._carry) if before and self._fitted else (None, None)
        return pose_lists(recipe, data, start=start, weight=weight, threads=self._threads), start, carry

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        if not isinstance(dev, Pool) and not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise InputError("dev is a Pool, or (X, y)")
        return posed.hold(dev if isinstance(dev, Pool) else pool_of(*dev))

    def _adopt(self, model: RerankModel, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        self.labels_ = list(model.names)
        self.classes_ = np.array([], str)
        return self

    @classmethod
    def _own_parameters(cls, model: RerankModel) -> dict[str, Any]:
        return {"templates": "\n".join(model.templates) + "\n", "metric": model.metric, "smoothing": model.smoothing}

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def _lists(self, X: Any) -> Pool:
        check_is_fitted(self)
        return pool_of(X)

    @one_for_each
    def predict(self, X: Pool | Iterable) -> list[str]:
        """For each sentence the text of its best hypothesis."""
        pool = self._lists(X)
        return [pool.texts[h] for h in self.model_.predict(pool).tolist()]

    @one_for_each
    def predict_marginals(self, X: Pool | Iterable) -> list[np.ndarray]:
        """P(hypothesis) of each list, float64 [n]."""
        pool = self._lists(X)
        return np.split(np.exp(self.model_.log_probabilities(pool)), pool.row_ptr[1:-1])

    @one_for_each
    def predict_kbest(self, X: Pool | Iterable, k: int = 5) -> list[list[tuple[float, str]]]:
        """For each sentence its k best hypotheses, best first, each with its log-probability."""
        pool = self._lists(X)
        scores, logs = self.model_.scores(pool), self.model_.log_probabilities(pool)
        bounds = zip(pool.row_ptr.tolist(), pool.row_ptr[1:].tolist())
        return [[(float(logs[h]), pool.texts[h]) for h in (low + ranked(scores[low:high], k)).tolist()] for low, high in bounds]

    def predict_log_proba(self, X: Pool | Iterable, y: Iterable[str]) -> np.ndarray:
        """log P(y | its list) of a given hypothesis, by its text, for every sentence."""
        pool = self._lists(X)
        return self.model_.log_probabilities(pool)[places_of(pool, y)]

    def entropy(self, X: Pool | Iterable) -> np.ndarray:
        """Entropy in nats of every list's distribution: how unsure the model is."""
        pool = self._lists(X)
        logs = self.model_.log_probabilities(pool)
        return -np.add.reduceat(np.exp(logs) * logs, pool.row_ptr[:-1])

    def score(self, X: Pool | Iterable, y: Iterable | None = None, sample_weight=None) -> float:
        """The metric of what is predicted, over all sentences, from 0 to 1, or a column's mean; of error rates, 1 - rate."""
        check_is_fitted(self)
        pool = pool_of(X, y)
        metric = metric_named(pool, self.metric, smoothing=self.smoothing)
        weight = checked_weights(sample_weight, pool.sentences)
        counts = metric.counts[self.model_.predict(pool)] * (1.0 if weight is None else weight[:, None])
        found = float(metric.total(counts.sum(axis=0)))
        return found if self.metric in pool.columns else (100.0 - found if metric.lower_is_better else found) / 100.0

    def calibrate(self, X: Pool | Iterable, y: Iterable | None = None) -> Self:
        """Choose the temperature at which the best hypotheses of held-out lists are most probable; predictions stay the same."""
        return self._calibrate(X, y)

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        check_is_fitted(self)
        return held_choices(self.model_, pool_of(X, y))

    def explain(self, hypotheses: Iterable) -> Explanation:
        """Why this hypothesis of a list: the margin to the next best one, split by feature."""
        check_is_fitted(self)
        return explain(self.model_, pool_of([hypotheses]))

    @property
    def weights(self) -> dict[str, float]:
        """Weights by feature, in the features' own scale."""
        check_is_fitted(self)
        return dict(zip(self.model_.names, self.model_.weights.values.tolist()))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, False
        tags.input_tags.string, tags.input_tags.dict = True, True
        return tags
