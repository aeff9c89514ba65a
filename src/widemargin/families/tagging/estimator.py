"""SequenceTagger: labels for sequences in scikit-learn's conventions.

X is an iterable of sequences (features/sequences.py says of what), y an iterable of label sequences; None and "?" stand for a label that is
not known, which is latent under every objective. A table X [n, features] with flat y is read as n sequences of one token, so that the
estimator works wherever a classifier of rows does. It is no ClassifierMixin: scikit-learn would stratify by y and refuse ragged sequences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from widemargin.engine.settings import is_sequence
from widemargin.errors import InputError
from widemargin.families.arguments import names
from widemargin.families.calibration import HeldOut
from widemargin.families.estimators import ModelEstimator, public
from widemargin.families.explanations import Explanation
from widemargin.families.parameters import check_is_fitted
from widemargin.families.recipes import Posed, Recipe
from widemargin.families.shown import words_of
from widemargin.families.tagging import confidence
from widemargin.families.tagging.answers import gold_numbers, held_tokens
from widemargin.families.tagging.constraints import Spec
from widemargin.families.tagging.estimator_io import (
    EncodedSequences,
    LabelledSequences,
    encode,
    own_codes,
    parameters_of,
    read_base,
    read_labelled,
)
from widemargin.families.tagging.explanations import explain_row
from widemargin.families.tagging.feature_weights import FeatureWeights
from widemargin.families.tagging.gold import HIDDEN, as_model_labels
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.posed import Material, PosedLabels, kernel_of, pose
from widemargin.families.tagging.scores import LabelScores
from widemargin.families.tagging.training import templates_of
from widemargin.families.tagging.warm_start import grown, untrained
from widemargin.families.tagging.written_marginals import written_labels, written_marginals
from widemargin.features.expansion import expanded, plain
from widemargin.features.explicit import ColumnIndex, Given
from widemargin.features.extractor import Extractor
from widemargin.readers.columns import Columns
from widemargin.show.drawing import Drawing
from widemargin.show.entities import draw_labels

LABEL = "label"  # the name of the last column, where the model meets files of columns


@public
@dataclass(eq=False, repr=False)
class SequenceTagger(ModelEstimator):
    """Labels for sequences: any objective, any learner, templates or features of your own.

    PARAMETERS
    columns : names of the columns of a tuple, for X of tuples of words.
    cutoff : features seen less often are left out.
    labels : "as-is", or the scheme of spans inside the model, "iob2" or "bioes".
    constraints : which labels may follow each other: "BIO", "BIOES", a list of pairs, or a function of two labels; None in a pair: the end.
    metric : "accuracy", or "f1" of spans: for score, and to choose the best epoch by dev data.

    Further settings are those of a kernel on a token's features: kernel, degree, gamma, coef, expand, conjunction_cutoff. structure is
    "chain", or "choice": every token by itself.

    ATTRIBUTES
    marginal_labels_ : the labels of predict_marginals' columns: labels_, or those of y's scheme where labels= asks for another inside.
    n_features_in_ : the number of columns of X, where X is a table.
    """

    family, model_type = "tagging", Tagger

    _: KW_ONLY
    templates: str | None = "tagging"
    structure: str = "chain"
    columns: Sequence[str] | None = None
    cutoff: int = 1
    labels: str = "as-is"
    constraints: Spec | None = None
    metric: str = "accuracy"

    model_: Tagger = field(init=False)
    marginal_labels_: list = field(init=False)
    _objects: dict[str, Any] = field(init=False)  # what each label stands for

    # ---- training ---------------------------------------------------------------------------------------------------------------

    def fit(self, X: Iterable, y: Iterable, *, sample_weight=None, base=None, dev: Sequence | None = None) -> Self:
        """Train. sample_weight [sequences]: how much each counts. base: scores [tokens, labels] per sequence, in the order of the sorted
        labels (of `labels_`), that are added to the model's own. dev: (X, y), or (X, y, base), to choose the best epoch on, and for
        patience."""
        return self._fit(X, y, sample_weight=sample_weight, dev=dev, base=base)

    def partial_fit(self, X: Iterable, y: Iterable, classes=None, *, sample_weight=None, base=None, epochs: int = 1) -> Self:
        """Go on with more data: new features and new labels are added as they come; step sizes and averages are kept, as if the earlier
        epochs had been the first of this training. For online learners."""
        return self._partial_fit(X, y, classes, epochs=epochs, sample_weight=sample_weight, base=base)

    def _read(self, X: Any, y: Any, classes: Iterable = ()) -> LabelledSequences:
        return read_labelled(X, y, names("columns", self.columns), classes)

    def _task(self) -> str:
        if self.metric not in ("accuracy", "f1"):
            raise InputError(f"metric {self.metric!r} is not known; choose accuracy or f1")
        return "tag" if self.metric == "accuracy" else "span"

    def _options(self, data: LabelledSequences) -> dict[str, Any]:
        return super()._options(data) | {"constraints": self._constraints(data)}

    def _constraints(self, data: LabelledSequences) -> Spec | None:
        """Constraints on labels, given as objects, on their strings."""
        spec, known = self.constraints, getattr(self, "_objects", {}) | data.objects
        if spec is None or isinstance(spec, str):
            return spec
        if callable(spec):
            rule = spec
            return lambda a, b: rule(known.get(a, a), known.get(b, b))
        pairs: list[Any] = list(spec) if is_sequence(spec) else [spec]
        for i, pair in enumerate(pairs):
            if is_sequence(pair):  # other things are refused later
                pairs[i] = tuple(None if label is None else str(label) for label in pair)
        return pairs

    def _pose(
        self, recipe: Recipe, data: LabelledSequences, weight: np.ndarray | None, *, before: bool, base: Any = None
    ) -> tuple[PosedLabels, Tagger | None, dict | None]:
        start, carry, objects = None, None, data.objects
        if before and self._fitted:
            start, carry, gold, features = grown(self.model_, self._carry, recipe, data.data, data.written)
            source, objects = start.extractor, self._objects | objects
        else:
            source = self._source(data, recipe)
            features, gold = source.fit(data.data), as_model_labels(data.written, self.labels, asked=True)
            start = untrained(recipe, gold, source) if before else None
        facts = {"columns": [*data.data.names, LABEL] if isinstance(data.data, Columns) else [], "classes": list(objects.values())}
        material = Material(gold, source, features, weight, read_base(base, features.row_ptr, gold.labels), facts=facts)
        return pose(recipe, material, start=start, threads=self._threads), start, carry

    def _source(self, data: LabelledSequences, recipe: Recipe) -> Any:
        """Where features come from: templates, or X itself."""
        cut: dict[str, Any] = {"cutoff": self.cutoff, "bits": self.hash_bits}
        columns = data.data
        chosen = self.templates or "tagging"
        source = Extractor(templates_of(chosen, list(columns.names)), **cut) if isinstance(columns, Columns) else Given(**cut)
        return expanded(source, kernel_of(recipe), recipe.option("expand"), recipe.option("conjunction_cutoff"))

    def _hold(self, posed: Posed, dev: Any, *, base: Any = None) -> Any:
        assert isinstance(posed, PosedLabels)
        if not isinstance(dev, tuple | list) or len(dev) != (2 if base is None else 3):
            raise InputError("dev is (X, y), or (X, y, base) where there are base scores")
        held, material = self._read(*dev[:2]), posed.material
        features = material.source.transform(held.data)
        scores = None if base is None else read_base(dev[2], features.row_ptr, material.gold.labels)
        return posed.hold_features(features, held.written, scores)

    def _adopt(self, model: Tagger, history: list[dict]) -> Self:
        self.model_, self.history_, self.n_iter_ = model, history, len(history)
        classes = list(model.facts.get("classes", model.labels))
        self._objects = {str(label): label for label in classes}
        self.labels_ = [self._objects.get(label, label) for label in model.labels]
        self.marginal_labels_ = [self._objects.get(label, label) for label in written_labels(model)]
        same = len({type(label) for label in classes}) == 1
        self.classes_ = np.array(sorted(classes) if same else classes, None if same else object)
        columns = plain(model.extractor).nodes
        if isinstance(columns, ColumnIndex):
            self.n_features_in_ = len(columns)
        return self

    @classmethod
    def _own_parameters(cls, model: Tagger) -> dict[str, Any]:
        return parameters_of(model)

    # ---- answers ----------------------------------------------------------------------------------------------------------------

    def _encoded(self, X: Iterable, base: Any = None) -> EncodedSequences:
        check_is_fitted(self)
        return encode(self.model_, X, base, threads=self._threads)

    def _how(self, encoded: EncodedSequences) -> dict[str, Any]:
        """What the model is asked with, beside features."""
        return {"base": encoded.base, "threads": self._threads}

    def _labels(self, encoded: EncodedSequences) -> tuple[np.ndarray, list[str]]:
        """The best labels, as codes and values."""
        return self.model_.as_written(self.model_.decode(encoded.features, **self._how(encoded)), encoded.features.row_ptr)

    def predict(self, X: Iterable, *, base=None) -> Any:
        """The best label sequence of every sequence, [] for an empty one; for a table X one array of labels."""
        encoded = self._encoded(X, base)
        codes, values = self._labels(encoded)
        objects = [self._objects.get(value, value) for value in values]
        if encoded.table:
            return np.array(objects)[codes]
        return encoded.split([objects[code] for code in codes.tolist()])

    def predict_marginals(self, X: Iterable, *, as_dicts: bool = False, base=None) -> list:
        """P(label at token | sequence): an array [tokens, len(marginal_labels_)] per sequence, or a list of dicts. The labels are those of
        `predict`, whatever scheme the model has inside."""
        encoded = self._encoded(X, base)
        found = written_marginals(self.model_, encoded.features, **self._how(encoded))
        return encoded.split([dict(zip(self.marginal_labels_, row)) for row in found.tolist()] if as_dicts else found)

    def predict_kbest(self, X: Iterable, k: int = 5, *, base=None) -> list[list[tuple[float, list]]]:
        """For every sequence its k best label sequences, best first, each with its log-probability."""
        encoded = self._encoded(X, base)
        log_z = confidence.log_partition(self.model_, encoded.features, **self._how(encoded)).tolist()
        names, ranked = self._objects, []
        for found, total in zip(self.model_.kbest_of(encoded.features, k, base=encoded.base), log_z):
            scored = ((score / self.model_.temperature - total, labels) for score, labels in found)
            ranked.append([(value, [names.get(label, label) for label in labels]) for value, labels in scored])
        return encoded.spread(ranked, lambda: [(0.0, [])])

    def predict_log_proba(self, X: Iterable, y: Iterable | None = None, *, base=None) -> np.ndarray:
        """log P(y | x) of a given label sequence for every sequence; unknown labels (None, "?") are summed over."""
        encoded = self._encoded(X, base)
        if y is None:
            raise InputError("predict_log_proba needs y, the label sequences whose probability is asked for; predict_marginals is by token")
        codes = own_codes(self.model_, encoded.written(y))
        return encoded.scatter(confidence.log_probability(self.model_, encoded.features, codes, **self._how(encoded)))

    def span_proba(self, X: Iterable, spans: Sequence[tuple[int, int, int, str]], *, base=None) -> np.ndarray:
        """P(exactly this span with this type) of spans (sequence, begin, end, type), tokens counted from 0, end exclusive.

        The event: the span's tokens carry exactly the labels that the model's scheme gives it, and the next token does not continue it
        (confidence.py spells it out by scheme). Needs labels="iob2" or "bioes", or constraints by a scheme.
        """
        encoded = self._encoded(X, base)
        number = np.where(encoded.filled, np.cumsum(encoded.filled) - 1, -1)  # of a sequence, when empty ones are left out
        found = [(int(number[row]) if 0 <= row < len(number) else -1, *rest) for row, *rest in spans]
        return confidence.span_probability(self.model_, encoded.features, found, **self._how(encoded))  # type: ignore[arg-type]

    def entropy(self, X: Iterable, *, base=None) -> np.ndarray:
        """Entropy in nats of every sequence's distribution over label sequences: how unsure the model is."""
        encoded = self._encoded(X, base)
        return encoded.scatter(confidence.entropy(self.model_, encoded.features, **self._how(encoded))[0])

    def score(self, X: Iterable, y: Iterable, sample_weight=None, *, base=None) -> float:
        """Token accuracy, or F1 of spans (metric="f1"), between 0 and 1. Tokens whose label is not known count neither way."""
        encoded = self._encoded(X, base)
        written, (codes, values), task = encoded.written(y), self._labels(encoded), self.model_.task
        if sample_weight is None:
            return LabelScores(task, written, codes, values).as_dict()[task.metric] / 100.0
        if task.spans:
            raise InputError("F1 of spans takes no sample_weight; use metric='accuracy'")
        gold = np.array(list(written.values))[written.codes]
        each = np.repeat(np.asarray(sample_weight, float), np.diff(encoded.bounds)) * (gold != HIDDEN)
        return float(np.average(np.array(list(values))[codes] == gold, weights=each))

    def calibrate(self, X: Iterable, y: Iterable, *, base=None) -> Self:
        """Choose the temperature at which held-out labels are most probable, token by token; all probabilities are at it from then on."""
        return self._calibrate(X, y, base=base)

    def _held_out(self, X: Any, y: Any, *, base: Any = None) -> HeldOut:
        encoded = self._encoded(X, base)
        return held_tokens(self.model_, encoded.features, gold_numbers(self.model_, encoded.written(y)), **self._how(encoded))

    def explain(self, sequence: Any, *, base=None) -> Explanation:
        """Why this sequence gets its labels: for every token the margin to the best sequence with another label there, split by feature."""
        encoded = self._encoded([sequence], None if base is None else [base])
        data = encoded.data
        if not data.tokens:
            raise InputError("the sequence is empty; there is nothing to explain")
        shown = [data.cells(c) for c in range(len(data.names))] if isinstance(data, Columns) else [[""] * data.tokens]
        return explain_row(self.model_, encoded.features, tuple(zip(*shown)), base=encoded.base)

    def draw(self, sequence: Any) -> Drawing:
        """The sequence with its labels as HTML: spans on coloured ground with their types, other labels below the words."""
        found = self.explain(sequence)
        return Drawing(draw_labels(words_of(found), found.written))

    @property
    def weights(self) -> FeatureWeights:
        """Weights that are not 0, by (feature name, label): a mapping that looks them up when asked, and copies nothing."""
        check_is_fitted(self)
        if self.model_.support is not None:
            raise InputError("a kernel model has no weights of features, only of training tokens: see model_.support")
        return FeatureWeights(self.model_.extractor.nodes, np.asarray(self.model_.weights.labels)[:, : len(self.labels_)], self.labels_)

    @property
    def transitions(self) -> dict[tuple[Any, Any], float]:
        """Weights of pairs of neighbouring labels."""
        check_is_fitted(self)
        Y, edge = len(self.labels_), self.model_.weights.transitions
        return {(a, b): float(edge[i, j]) for i, a in enumerate(self.labels_) for j, b in enumerate(self.labels_)} if len(edge) >= Y else {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
