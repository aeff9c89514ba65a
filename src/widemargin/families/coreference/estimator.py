"""CoreferenceResolver: chains of mentions in scikit-learn's conventions.

X is Documents (widemargin.open_documents), or an iterable of documents: lists of words, lists of sentences, or dicts (given.py). y is an
iterable of chains, for each document a list of lists of mentions, pairs of the first word and the one behind the last. Documents bring
their own chains, so that fit(documents) is enough. Mentions to be linked are those that a document has, else those that rules find.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.errors import InputError
from widemargin.families.calibration import HeldOut
from widemargin.families.coreference.answers import held_links
from widemargin.families.coreference.decoding import chains_of
from widemargin.families.coreference.documents import Chains, Documents, grouped
from widemargin.families.coreference.given import read_given
from widemargin.families.coreference.metric import METRICS, ChainScores
from widemargin.families.coreference.model import Resolver
from widemargin.families.coreference.training import PosedLinks, pose_links
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.inputs import checked_weights, one_for_each
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.families.warm_start import grown_carry
from widemargin.show.chains import draw_chains
from widemargin.show.drawing import Drawing


@public
@dataclass(eq=False, repr=False)
class CoreferenceResolver(ModelEstimator):
    """Chains for documents: mention ranking with latent antecedents (Durrett and Klein 2013), any objective, any learner.

    PARAMETERS
    window : a mention may be linked to so many mentions before it.
    mentions : "file", train on the mentions of y, or "found", on those that rules find.
    metric : "conll", or one of muc, b3, ceafm, ceafe, lea, blanc: for score.

    structure is "lists": every mention's antecedent is chosen by itself; or "links", for dual learners with latent antecedents.

    ATTRIBUTES
    """

    family, model_type = "coreference", Resolver

    learner: str = "rda"
    _: KW_ONLY
    cost: str = "false_anaphor=0.5,false_new=1,wrong_link=1"
    structure: str = "lists"
    hash_bits: int = 20
    metric: str = "conll"
    window: int = 300
    mentions: str = "file"

    model_: Resolver = field(init=False)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Documents | Iterable, y: Iterable | None = None, *, sample_weight=None, dev: Any = None) -> Self:
        """Train. sample_weight [documents]: how much each counts. dev: Documents, or (X, y), to choose the best epoch on, and for
        patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X: Documents | Iterable, y: Iterable | None = None, classes=None, *, sample_weight=None, epochs: int = 1) -> Self:
        """Go on with more documents; step sizes and averages are kept, as if the earlier epochs had been the first of this training.
        classes: not used, there are none. For online learners."""
        return self._partial_fit(X, y, classes, epochs=epochs, sample_weight=sample_weight)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Documents:
        if y is None and not isinstance(X, Documents):
            raise ValueError("requires y to be passed, but the target y is None: give chains for each document of X, or Documents")
        return read_given(X, y)

    def _options(self, data: Documents) -> dict[str, Any]:
        return super()._options(data) | {"hash_bits": self.hash_bits}

    def _pose(
        self, recipe: Recipe, data: Documents, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedLinks, Resolver | None, dict | None]:
        if self.metric not in ("conll", *METRICS):
            raise InputError(f"metric {self.metric!r} is not known; choose conll, {', '.join(METRICS)}")
        start, carry = None, None
        if before and self._fitted:
            start, carry = self.model_, grown_carry(self._carry, recipe, lambda plane, first: plane)
        posed = pose_links(recipe, data, start=start, weight=weight, threads=self._threads)
        posed.metric = self.metric
        return posed, start, carry

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        if not isinstance(dev, Documents) and not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise InputError("dev is Documents, or (X, y)")
        return posed.hold(dev if isinstance(dev, Documents) else read_given(*dev))

    def _adopt(self, model: Resolver, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        self.labels_, self.classes_ = [], np.zeros(0, str)
        return self

    @classmethod
    def _own_parameters(cls, model: Resolver) -> dict[str, Any]:
        return {
            "templates": "\n".join(template.text for template in model.features.templates) + "\n",
            "hash_bits": model.features.bits,
            "window": model.window,
            "mentions": model.mentions,
        }

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def _ready(self, X: Any, mentions: Any = None) -> Documents:
        """Documents with the mentions that are to be linked."""
        check_is_fitted(self)
        found = read_given(X, mentions=mentions)
        return found if mentions is not None else self.model_.ready(found)

    @one_for_each
    def predict(self, X: Documents | Iterable, mentions: Any = None) -> list[Chains]:
        """For each document its chains, lists of mentions, by their first. mentions: spans of every document, which are then all in the
        answer, each once."""
        ready = self._ready(X, mentions)
        found = self.model_.predict(ready, "file", threads=self._threads, keep=mentions is not None)
        return [found.chains(d) for d in range(len(found.given))]

    @one_for_each
    def predict_marginals(self, X: Documents | Iterable, mentions: Any = None) -> list[np.ndarray]:
        """For each document how probable the candidates of its mentions are [mentions, candidates]: a new chain, then the mention before,
        the one before that, ..."""
        ready = self._ready(X, mentions)
        found, out = self.model_.marginals(ready, threads=self._threads), []
        for low, high in zip(ready.mention_ptr.tolist(), ready.mention_ptr[1:].tolist()):
            table = np.zeros((high - low, max((len(row) for row in found[low:high]), default=0)), np.float32)
            for m, row in enumerate(found[low:high]):
                table[m, : len(row)] = row
            out.append(table)
        return out

    @one_for_each
    def predict_kbest(self, X: Documents | Iterable, k: int = 5) -> list[list[tuple[float, Chains]]]:
        """For each document its k best sets of links, best first, as chains with log-probabilities; two may make the same chains."""
        ready = self._ready(X)
        scored = self.model_.scored(ready, threads=self._threads)
        kept = self.model_.singletons
        return [
            [(one.log_probability, _chains(ready.spans(d), one.candidate, kept)) for one in ranked]
            for d, ranked in enumerate(scored.kbest(ready.mention_ptr, k))
        ]

    def predict_log_proba(self, X: Documents | Iterable, y: Iterable | None = None) -> np.ndarray:
        """log P(y | x) of given chains for every document, summed over all antecedents that make them; the mentions are those of y."""
        check_is_fitted(self)
        if y is None and not isinstance(X, Documents):
            raise InputError("predict_log_proba needs y, the chains whose probability is asked for; predict_marginals is by mention")
        found = read_given(X, y)
        ready = self.model_.ready(read_given(X)) if y is not None else found
        if y is not None and {*zip(found.first.tolist(), found.end.tolist())} <= {*zip(ready.first.tolist(), ready.end.tolist())}:
            found = _onto(ready, found)
        scored = self.model_.scored(found, threads=self._threads)
        p, corpus = np.exp(scored.log_probabilities()), scored.corpus
        right = np.array([np.log(p[corpus.at[i] : corpus.at[i + 1]][corpus.correct(i)].sum()) for i in range(corpus.rows)])
        sums = np.concatenate([[0.0], np.cumsum(right)])
        return sums[found.mention_ptr[1:]] - sums[found.mention_ptr[:-1]]

    def entropy(self, X: Documents | Iterable) -> np.ndarray:
        """Entropy in nats of every document's distribution over antecedents: how unsure the model is."""
        ready = self._ready(X)
        log_p = self.model_.scored(ready, threads=self._threads)
        values = log_p.log_probabilities()
        sums = np.concatenate([[0.0], np.cumsum(-np.exp(values) * values)])
        ends = log_p.corpus.at[ready.mention_ptr]
        return sums[ends[1:]] - sums[ends[:-1]]

    def score(self, X: Documents | Iterable, y: Iterable | None = None, sample_weight=None) -> float:
        """The metric of the chains of given mentions, from 0 to 1."""
        check_is_fitted(self)
        gold = self._read(X, y)
        found = self.model_.predict(gold, threads=self._threads)
        every = range(len(gold.given))
        scores = ChainScores(*([side.chains(d) for d in every] for side in (gold, found)), metric=self.metric)
        weight = checked_weights(sample_weight, len(gold.given))
        counts = scores.counts if weight is None else scores.counts * weight[:, None]
        return float(scores.score(counts.sum(axis=0)) / 100.0)

    def calibrate(self, X: Documents | Iterable, y: Iterable | None = None) -> Self:
        """Choose the temperature at which correct antecedents of held-out mentions are most probable; predictions stay the same."""
        return self._calibrate(X, y)

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        check_is_fitted(self)
        return held_links(self.model_, self._read(X, y), threads=self._threads)

    def explain(self, document: Any) -> Explanation:
        """Why the mentions of a document get their antecedents: for each the margin to the next best, split by template."""
        return self.model_.explain(self._ready([document]))

    def draw(self, document: Any) -> Drawing:
        """The document with its chains as SVG: mentions underlined, each chain in a colour and with a number of its own."""
        ready = self._ready([document])
        found = self.model_.predict(ready, threads=self._threads)
        return Drawing(draw_chains(found.given[0].sentences, found.chains(0)))

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The table of weights: "links", rows of 16. Features are hashed to them and have no names; `explain` shows them at work."""
        check_is_fitted(self)
        return {"links": self.model_.weights.links}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, False
        tags.input_tags.string, tags.input_tags.dict = True, True
        return tags


def _chains(spans: list, candidate: np.ndarray, singletons: bool) -> Chains:
    return [chain for chain in grouped(spans, chains_of(candidate)) if singletons or len(chain) > 1]


def _onto(ready: Documents, found: Documents) -> Documents:
    """Mentions that are to be linked, with the chains of others that are among them; the rest are chains of their own."""
    chains = []
    for d in range(len(ready.given)):
        of = {span: c for c, chain in enumerate(found.chains(d)) for span in chain}
        chains.append([of.get(span, ("alone", m)) for m, span in enumerate(ready.spans(d))])
    return ready.with_mentions([ready.spans(d) for d in range(len(ready.given))], chains)
