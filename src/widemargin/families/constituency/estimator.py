"""ConstituencyParser: constituency trees in scikit-learn's conventions.

X is Trees (widemargin.open_trees), or an iterable of sentences: lists of words, each a form or a pair (form, tag), or a Tree. y is an
iterable of trees: a Tree, one of NLTK's trees, brackets as text, or a list of brackets (first, end, label); None where it is not known.
Trees bring their own brackets, so that fit(trees) is enough. Tags are those of X and stay, unless tags="words".
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.errors import InputError
from widemargin.families.answers import Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.constituency.answers import answer, held_brackets
from widemargin.families.constituency.confidence import LabelSets
from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.given import trees_of
from widemargin.families.constituency.gold import find_gold
from widemargin.families.constituency.kinds import KINDS
from widemargin.families.constituency.model import GIVEN, WORDS, ChartParser, Failures
from widemargin.families.constituency.training import PosedSpans, pose_trees
from widemargin.families.constituency.tree import Tree
from widemargin.families.constituency.trees import Trees
from widemargin.families.constituency.warm_start import grown
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.inputs import checked_weights, one_for_each
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.show import constituents
from widemargin.show.drawing import Drawing
from widemargin.structures.spans.arrays import spans_of


@public
@dataclass(eq=False, repr=False)
class ConstituencyParser(ModelEstimator):
    """Trees of labelled brackets for sentences: any objective, with features of spans or a weighted context-free grammar.

    PARAMETERS
    metric : "f1", of labelled brackets as EVALB counts them: for score, and to choose the best epoch by dev.
    direction : artificial nodes cover a constituent's last children ("right") or its first ones ("left").
    horizontal : how many children an artificial symbol names; None: 0, for wcfg 1.
    vertical : 1: symbols name themselves alone; 2: their parents too; and so on.
    tags : "given", and then kept; or predicted with the tree from "words" alone.
    on_failure : a sentence without a tree in the grammar gets one bracket ("flat") or none ("none"), or is an error ("raise").

    structure is "bigrams", "rules", "labels" (no grammar: any tree) or "wcfg" (weights of productions alone).

    ATTRIBUTES
    """

    family, model_type = "constituency", ChartParser

    learner: str = "mira"
    _: KW_ONLY
    structure: str = "bigrams"
    hash_bits: int = 19
    metric: str = "f1"
    direction: str = "right"
    horizontal: int | None = None
    vertical: int = 1
    tags: str = "given"
    on_failure: str = "flat"

    model_: ChartParser = field(init=False)

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Trees | Iterable, y: Iterable | None = None, *, sample_weight=None, dev: Any = None) -> Self:
        """Train. sample_weight [sentences]: how much each counts. dev: Trees, or (X, y), to choose the best epoch on, and for patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X: Trees | Iterable, y: Iterable | None = None, classes=None, *, sample_weight=None, epochs: int = 1) -> Self:
        """Go on with more data: new symbols and productions are added as they come; step sizes and averages are kept, as if the earlier
        epochs had been the first of this training. classes must be None: labels come with the trees. For online learners."""
        return self._partial_fit(X, y, classes, epochs=epochs, sample_weight=sample_weight)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> Trees:
        if list(classes):
            raise InputError("classes has no effect here: labels come from the trees; leave it out")
        if y is None and not isinstance(X, Trees) and not (isinstance(X, list | tuple) and all(isinstance(x, Tree) for x in X)):
            raise ValueError("requires y to be passed, but the target y is None: give a tree for each sentence of X, or Trees")
        return trees_of(X, y)

    def _options(self, data: Trees) -> dict[str, Any]:
        """Without what has no meaning beside the others: an estimator always has a value of everything."""
        found = super()._options(data)
        kind = KINDS.get(self.structure)
        if kind is not None and kind.templates is None:
            found.pop("hash_bits", None)
            return found
        return found | {"hash_bits": self.hash_bits}

    def _pose(
        self, recipe: Recipe, data: Trees, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedSpans, ChartParser | None, dict | None]:
        if self.metric != "f1":
            raise InputError(f"metric {self.metric!r} is not known; it is f1")
        self._failures()
        start, carry = None, None
        if before and self._fitted:
            start, carry = grown(self.model_, self._carry, recipe, data)
        return pose_trees(recipe, data, start=start, weight=weight, threads=self._threads), start, carry

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        if not isinstance(dev, Trees) and not (isinstance(dev, tuple | list) and len(dev) == 2):
            raise InputError("dev is Trees, or (X, y)")
        return posed.hold(dev if isinstance(dev, Trees) else trees_of(*dev))

    def _adopt(self, model: ChartParser, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        self.labels_ = list(model.inventory.symbols.labels)
        self.classes_ = np.array(sorted(self.labels_), str)
        return self

    @classmethod
    def _own_parameters(cls, model: ChartParser) -> dict[str, Any]:
        binariser, texts = model.binariser, model.features.texts
        own = {"direction": binariser.direction, "horizontal": binariser.horizontal, "vertical": binariser.vertical}
        if not model.inventory.kind.grammar:
            own = {}  # the structure takes none of them
        own["tags"] = WORDS if model.inventory.kind.words else GIVEN
        return own | ({"templates": "\n".join(texts) + "\n", "hash_bits": model.features.bits} if texts else {})

    def _failures(self) -> Failures:
        if self.on_failure not in ("flat", "none", "raise"):
            raise InputError(f"on_failure {self.on_failure!r} is not known; choose flat, none or raise")
        return Failures(self.on_failure)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def _answers(self, X: Any, **wanted: Any) -> tuple[Trees, Answers]:
        """The sentences, and what the model says of them."""
        check_is_fitted(self)
        trees = trees_of(X)
        return trees, answer(self.model_, trees, Wanted(threads=self._threads, **wanted), self._failures())

    @one_for_each
    def predict(self, X: Trees | Iterable) -> list[Tree]:
        """For each sentence its tree; one without brackets for a sentence of no words."""
        trees, answers = self._answers(X)
        return [answers.best.trees.tree(i) for i in range(trees.sentences)]

    @one_for_each
    def predict_marginals(self, X: Trees | Iterable) -> list[np.ndarray]:
        """P(bracket) of each sentence, [n+1, n+1, len(labels_)] by (first, end, label): that its tree has it."""
        check_is_fitted(self)
        trees = trees_of(X)
        out = [np.zeros((n + 1, n + 1, len(self.labels_)), np.float32) for n in np.diff(trees.row_ptr).tolist()]
        asked = np.flatnonzero(self.model_.asked(trees))
        sets = LabelSets(self.model_.inventory)
        has = np.zeros((len(self.model_.inventory), len(self.labels_)), np.float32)  # symbols by labels, of which there may be none
        for i, label in enumerate(self.labels_):
            has[:, i] = sets(label, 1)
        if len(asked):
            for i, table in zip(asked.tolist(), self.model_.scored(trees.part(asked), threads=self._threads).sums().spans):
                first, end = spans_of(len(out[i]) - 1)
                out[i][first, end] = table @ has
        return out

    @one_for_each
    def predict_kbest(self, X: Trees | Iterable, k: int = 5) -> list[list[tuple[float, Tree]]]:
        """For each sentence its k best trees, best first, each with its log-probability; none for one that the grammar has no tree for."""
        trees, answers = self._answers(X, kbest=k)
        found = answers.kbest or [[] for _ in range(trees.sentences)]
        out: list[list[tuple[float, Tree]]] = []
        for i, ranked in enumerate(found):
            words, given = tuple(trees.words(i)), trees.tags(i)
            outputs = ((a.log_probability or 0.0, *a.output) for a in ranked)
            listed = [(float(sure), Tree(words, tuple(tags or given), tuple(brackets))) for sure, brackets, tags in outputs]
            out.append(listed if words else [(0.0, Tree((), ()))])
        return out

    def predict_log_proba(self, X: Trees | Iterable, y: Iterable | None = None) -> np.ndarray:
        """log P(y | x) of a given tree for every sentence; of trees known in part (the top bracket is `?`), summed over those that agree.
        -inf: the grammar has no such tree."""
        check_is_fitted(self)
        if y is None and not isinstance(X, Trees):
            raise InputError("predict_log_proba needs y, the trees whose probability is asked for; predict_marginals is by bracket")
        trees, model = trees_of(X, y), self.model_
        out = np.where(np.diff(trees.row_ptr) > 0, -np.inf, 0.0)
        if not (trees.parsed & (out < 0)).any():
            return np.where(trees.parsed, out, 0.0)
        found = find_gold(trees, model.binariser, model.inventory.kind, model.inventory, empty=True)
        if len(found.rows):
            out[found.rows] = model.scored(trees.part(found.rows), threads=self._threads).log_probability(found.gold)
        return np.where(trees.parsed, out, 0.0)

    def entropy(self, X: Trees | Iterable) -> np.ndarray:
        """Entropy in nats of every sentence's distribution over trees: how unsure the model is."""
        check_is_fitted(self)
        trees = trees_of(X)
        out, asked = np.zeros(trees.sentences), np.flatnonzero(self.model_.asked(trees))
        if len(asked):
            out[asked] = self.model_.scored(trees.part(asked), threads=self._threads).sums(marginals=False).entropy
        return out

    def score(self, X: Trees | Iterable, y: Iterable | None = None, sample_weight=None) -> float:
        """F1 of labelled brackets, as EVALB counts them with COLLINS.prm, from 0 to 1."""
        check_is_fitted(self)
        gold = self._read(X, y)
        guess = self.model_.predict(gold, self._failures(), threads=self._threads)
        found = BracketScores(gold, guess.trees, strict=False)
        weight = checked_weights(sample_weight, gold.sentences)
        counts = found.counts if weight is None else found.counts * weight[:, None]
        return float(found.score(counts.sum(axis=0)) / 100.0)

    def calibrate(self, X: Trees | Iterable, y: Iterable | None = None) -> Self:
        """Choose the temperature at which the brackets of the best trees are as often right as their probabilities say; predicted trees
        stay the same."""
        return self._calibrate(X, y)

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        check_is_fitted(self)
        return held_brackets(self.model_, self._read(X, y), threads=self._threads)

    def explain(self, sentence: Iterable) -> Explanation:
        """Why this sentence gets its tree: for every bracket the margin to the best tree without it, split by feature."""
        check_is_fitted(self)
        return self.model_.explain(trees_of([sentence]))

    def draw(self, sentence: Any, gold: Any = None) -> Drawing:
        """The sentence with its tree as SVG. gold: the right tree; brackets that are wrong are then red, and missing ones lie below."""
        (tree,) = self.predict([sentence])
        right = None if gold is None else trees_of([sentence], [gold]).tree(0).brackets
        return Drawing(constituents.draw(tree.words, tree.tags, tree.brackets, gold=right))

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The tables of weights, rows by symbol: "spans", of features (hashed, without names; `explain` shows them at work), and "grammar",
        of the root and of productions."""
        check_is_fitted(self)
        return self.model_.weights._asdict()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = False, False
        tags.input_tags.string = True
        return tags
