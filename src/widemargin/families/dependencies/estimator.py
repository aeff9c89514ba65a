"""DependencyParser: dependency trees in scikit-learn's conventions.

X is a treebank (widemargin.open_treebank), or an iterable of sentences: lists of words, each a form, a tuple (form, lemma, upos, xpos,
feats) that may be cut short, or a dict of these. y is an iterable of trees: for each word its head, counted from 1 with 0 for the root, or
a pair (head, relation); None where it is not known, which is latent. A treebank brings its own trees, so that fit(treebank) is enough.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.errors import InputError
from widemargin.families.calibration import HeldOut
from widemargin.families.dependencies.answers import held_heads
from widemargin.families.dependencies.confidence import Scored
from widemargin.families.dependencies.conllu import NO_VALUE, Treebank
from widemargin.families.dependencies.metric import TreeScores
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.sentences import ReadSentences, brings_trees, read_sentences, treebank_of
from widemargin.families.dependencies.training import PosedTrees, corpus_of, pose_trees
from widemargin.families.dependencies.warm_start import grown
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.inputs import checked_weights
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.show.arcs import draw
from widemargin.show.drawing import Drawing
from widemargin.structures.arcs.trees import TREES


@public
@dataclass(eq=False, repr=False)
class DependencyParser(ModelEstimator):
    """Trees for sentences: any objective, any learner, projective (eisner, siblings) or not (arborescence).

    PARAMETERS
    single_root : the root has exactly one child.
    labelled : learn relations too (False: heads alone).
    label_bits : relations have 2^label_bits rows of weights.
    metric : "las", words with the right head and relation, or "uas", with the right head: for score, and to choose the best epoch by dev.

    structure is "eisner", "siblings", "arborescence", or "heads": every word by itself.

    ATTRIBUTES
    """

    family, model_type = "dependencies", Parser

    learner: str = "mira"
    _: KW_ONLY
    structure: str = "eisner"
    single_root: bool = True
    labelled: bool = True
    hash_bits: int = 20
    label_bits: int = 16
    metric: str = "las"

    model_: Parser = field(init=False)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Treebank | Iterable, y: Iterable | None = None, *, sample_weight=None, dev: Any = None) -> Self:
        """Train. sample_weight [sentences]: how much each counts. dev: a treebank, or (X, y), to choose the best epoch on, and for
        patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X: Treebank | Iterable, y: Iterable | None = None, classes=None, *, sample_weight=None, epochs: int = 1) -> Self:
        """Go on with more data: new relations are added as they come; step sizes and averages are kept, as if the earlier epochs had been
        the first of this training. classes: relations that may come later. For online learners."""
        return self._partial_fit(X, y, classes, epochs=epochs, sample_weight=sample_weight)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Treebank:
        if y is None and not brings_trees(X):
            raise ValueError("requires y to be passed, but the target y is None: give a tree for each sentence of X, or a treebank")
        treebank = treebank_of(X, y, classes)
        if (treebank.heads < 0).all():
            raise InputError("no head is known; some must be", treebank.source)
        return treebank

    def _options(self, data: Treebank) -> dict[str, Any]:
        """Without what has no meaning beside the others: an estimator always has a value of everything."""
        found = super()._options(data) | {"hash_bits": self.hash_bits}
        if not self.labelled:
            found.pop("label_bits", None)
        if self.structure in TREES and not TREES[self.structure].counts_roots:
            found.pop("single_root", None)
        return found

    def _pose(
        self, recipe: Recipe, data: Treebank, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedTrees, Parser | None, dict | None]:
        if self.metric not in ("las", "uas"):
            raise InputError(f"metric {self.metric!r} is not known; choose las or uas")
        start, carry = None, None
        if before and self._fitted:
            start, carry = grown(self.model_, self._carry, recipe, data)
        posed = pose_trees(recipe, data, start=start, weight=weight, threads=self._threads)
        posed.metric = self._metric(posed.relations)
        return posed, start, carry

    def _metric(self, relations: tuple[str, ...]) -> str:
        return self.metric if relations else "uas"

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        if not isinstance(dev, Treebank) and not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise InputError("dev is a treebank, or (X, y)")
        return posed.hold(treebank_of(dev) if isinstance(dev, Treebank) else treebank_of(*dev))

    def _adopt(self, model: Parser, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        self.labels_ = list(model.relations)
        self.classes_ = np.array(sorted(self.labels_), str)
        return self

    @classmethod
    def _own_parameters(cls, model: Parser) -> dict[str, Any]:
        features = model.features
        return {
            "templates": "\n".join(template.text for template in features.templates) + "\n",
            "single_root": model.single_root,
            "labelled": bool(model.relations),
            "hash_bits": features.bits,
            "label_bits": features.label_bits,
        }

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def _sentences(self, X: Any, y: Any = None) -> ReadSentences:
        check_is_fitted(self)
        return read_sentences(X, y)

    def _scored(self, sentences: ReadSentences) -> Scored | None:
        """The sentences under the model; None where all are empty."""
        return None if sentences.treebank is None else self.model_.scored(sentences.treebank, threads=self._threads)

    def predict(self, X: Treebank | Iterable) -> list[list]:
        """For each sentence its tree: pairs (head, relation), or heads where relations are not learnt; [] for an empty one."""
        sentences = self._sentences(X)
        if sentences.treebank is None:
            return [[] for _ in sentences.filled]
        guess = self.model_.predict(sentences.treebank, threads=self._threads)
        return sentences.split(self._tree(guess.heads, guess.relation))

    def predict_marginals(self, X: Treebank | Iterable, *, relations: bool = False) -> list[np.ndarray]:
        """P(head -> word) of each sentence, [n+1, n+1] by (head, word), 0 being the root. relations: P(head -> word with this relation),
        [n+1, n+1, len(labels_)]."""
        sentences = self._sentences(X)
        scored = self._scored(sentences)
        empty = (1, 1, len(self.labels_)) if relations else (1, 1)
        found = [] if scored is None else scored.sums(relations=relations).arcs
        return sentences.spread(found, lambda: np.zeros(empty, np.float32))

    def predict_kbest(self, X: Treebank | Iterable, k: int = 5) -> list[list[tuple[float, list]]]:
        """For each sentence its k best trees, best first, each with its log-probability."""
        sentences = self._sentences(X)
        scored = self._scored(sentences)
        found = [] if scored is None else scored.kbest(k)
        ranked = [[(tree.log_probability, self._tree(tree.heads, tree.relation)) for tree in trees] for trees in found]
        return sentences.spread(ranked, lambda: [(0.0, [])])

    def predict_log_proba(self, X: Treebank | Iterable, y: Iterable | None = None) -> np.ndarray:
        """log P(y | x) of a given tree for every sentence; heads and relations that are not known (None) are summed over."""
        check_is_fitted(self)
        if y is None and not brings_trees(X):
            raise InputError("predict_log_proba needs y, the trees whose probability is asked for; predict_marginals is by word")
        sentences = self._sentences(X, y)
        scored, treebank = self._scored(sentences), sentences.treebank
        if scored is None or treebank is None:
            return np.zeros(len(sentences.filled))
        if self.labels_ and (unknown := [name for name in treebank.relations if name not in self.labels_]):
            raise InputError(f"the model does not know the relation {unknown[0]!r}; its relations are {', '.join(self.labels_)}")
        gold = corpus_of(treebank, self.model_.features, self.model_.relations).gold
        return sentences.scatter(scored.log_probability(gold))

    def entropy(self, X: Treebank | Iterable) -> np.ndarray:
        """Entropy in nats of every sentence's distribution over trees: how unsure the model is."""
        sentences = self._sentences(X)
        scored = self._scored(sentences)
        return sentences.scatter(np.zeros(0) if scored is None else scored.sums().entropy)

    def score(self, X: Treebank | Iterable, y: Iterable | None = None, sample_weight=None) -> float:
        """The part of the words with the right head and relation (metric="las"; "uas", and without relations: with the right head), from 0
        to 1. Words whose head is not known count neither way."""
        check_is_fitted(self)
        gold = self._read(X, y)
        guess = self.model_.predict(gold, threads=self._threads)
        found = TreeScores(gold, guess.heads, guess.relation, self.model_.relations, metric=self._metric(self.model_.relations))
        weight = checked_weights(sample_weight, len(gold.row_ptr) - 1)
        counts = found.counts if weight is None else found.counts * weight[:, None]
        return float(found.score(counts.sum(axis=0)) / 100.0)

    def calibrate(self, X: Treebank | Iterable, y: Iterable | None = None) -> Self:
        """Choose the temperature at which the heads of held-out trees are most probable; predicted trees stay the same."""
        return self._calibrate(X, y)

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        check_is_fitted(self)
        return held_heads(self.model_, self._read(X, y), threads=self._threads)

    def explain(self, sentence: Iterable) -> Explanation:
        """Why this sentence gets its tree: for every word the margin to the best tree with another head there, split by template."""
        check_is_fitted(self)
        return self.model_.explain(treebank_of([sentence]))

    def draw(self, sentence: Iterable, gold: Iterable | None = None) -> Drawing:
        """The sentence with its tree as SVG, arcs above the words. gold: the right tree, (head, relation) for each word; what is wrong is
        then red, and the right arcs hang below."""
        (tree,) = self.predict([sentence])
        treebank = treebank_of([sentence])
        sides = [[arc if isinstance(arc, tuple | list) else (arc, NO_VALUE) for arc in side] for side in (tree, gold or ())]
        heads, names = ([arc[k] for arc in sides[0]] for k in (0, 1))
        right = None if gold is None else ([arc[0] for arc in sides[1]], [arc[1] for arc in sides[1]])
        return Drawing(draw(treebank.words(0), heads, names, gold=right))

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The tables of weights: "arcs", rows of 16 by direction and length, and "relations", rows by `labels_`. Features are hashed to
        them and have no names; `explain` shows them at work."""
        check_is_fitted(self)
        return {"arcs": self.model_.weights.arcs, "relations": self.model_.weights.relations[:, : len(self.labels_)]}

    def _tree(self, heads: np.ndarray, relation: np.ndarray) -> list:
        if not self.labels_:
            return heads.tolist()
        return [(head, self.labels_[r]) for head, r in zip(heads.tolist(), relation.tolist())]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, False
        tags.input_tags.string, tags.input_tags.dict = True, True
        return tags
