"""What a fitted estimator answers: labels, probabilities, alternatives, explanations."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin.errors import InputError
from widemargin.features.extractor import Features
from widemargin.features.sequences import is_matrix, read_sequences
from widemargin.kept import Kept
from widemargin.readers.columns import Columns
from widemargin.tasks import confidence
from widemargin.tasks.calibrating import fitting, gold_numbers, held_labels
from widemargin.tasks.estimating import Known
from widemargin.tasks.explaining import Explanation, explain_row
from widemargin.tasks.gold import HIDDEN, Written, written_as
from widemargin.tasks.pruning import pruned
from widemargin.tasks.tagger import Tagger, score_labels


class Answers(Kept):
    """The half of SequenceTagger that asks a model."""

    tagger_: Tagger
    labels_: list

    _objects: dict[str, Any]  # what each label stands for
    _carry: dict | None

    def predict(self, X: Iterable, *, base=None) -> Any:
        """The best label sequence of every sequence, [] for an empty one; for a table X one array of labels."""
        known = self._known(X, base)
        codes = self.tagger_.decode(known.features, base=known.base, threads=self._threads)
        codes, values = self.tagger_.as_written(codes, known.features.row_ptr)
        objects = [self._objects.get(value, value) for value in values]
        if known.table:
            return np.array(objects)[codes]
        return known.split([objects[code] for code in codes.tolist()])

    def predict_marginals(self, X: Iterable, *, as_dicts: bool = False, base=None) -> list:
        """P(label at token | sequence): an array [tokens, len(labels_)] per sequence, or a list of dicts. The columns are `labels_`, which
        are the model's own labels: with labels="bioes" those of that scheme."""
        known = self._known(X, base)
        found = confidence.marginals(self.tagger_, known.features, base=known.base, threads=self._threads)
        return known.split([dict(zip(self.labels_, row)) for row in found.tolist()] if as_dicts else found)

    def predict_kbest(self, X: Iterable, k: int = 5, *, base=None) -> list[list[tuple[float, list]]]:
        """For every sequence its k best label sequences, best first, each with its log-probability."""
        known = self._known(X, base)
        log_z = confidence.log_partition(self.tagger_, known.features, base=known.base, threads=self._threads).tolist()
        out: list[list[tuple[float, list]]] = [[(0.0, [])] for _ in known.filled]
        for i, answers, total in zip(np.flatnonzero(known.filled), self.tagger_.kbest_of(known.features, k, base=known.base), log_z):
            named = ((score / self.tagger_.temperature - total, labels) for score, labels in answers)
            out[i] = [(value, [self._objects.get(label, label) for label in labels]) for value, labels in named]
        return out

    def predict_log_proba(self, X: Iterable, y: Iterable | None = None, *, base=None) -> np.ndarray:
        """log P(y | x) of a given label sequence for every sequence; unknown labels (None, "?") are summed over."""
        known = self._known(X, base)
        if y is None:
            raise InputError("predict_log_proba needs y, the label sequences whose probability is asked for; predict_marginals is by token")
        codes = self._codes(written_as(y, known.bounds, flat=known.table)[0])
        return known.scatter(confidence.log_probability(self.tagger_, known.features, codes, base=known.base, threads=self._threads))

    def span_proba(self, X: Iterable, spans: Sequence[tuple[int, int, int, str]], *, base=None) -> np.ndarray:
        """P(exactly this span with this type) of spans (sequence, begin, end, type), tokens counted from 0, end exclusive.

        The event: the span's tokens carry exactly the labels that the model's scheme gives it, and the next token does not continue it
        (tasks/confidence.py spells it out by scheme). Needs labels="iob2" or "bioes", or constraints by a scheme.
        """
        known = self._known(X, base)
        number = np.where(known.filled, np.cumsum(known.filled) - 1, -1)  # of a sequence, when empty ones are left out
        found = [(int(number[row]) if 0 <= row < len(number) else -1, *rest) for row, *rest in spans]
        return confidence.span_probability(self.tagger_, known.features, found, base=known.base, threads=self._threads)  # type: ignore[arg-type]

    def entropy(self, X: Iterable, *, base=None) -> np.ndarray:
        """Entropy in nats of every sequence's distribution over label sequences: how unsure the model is."""
        known = self._known(X, base)
        return known.scatter(confidence.entropy(self.tagger_, known.features, base=known.base, threads=self._threads)[0])

    def score(self, X: Iterable, y: Iterable, sample_weight=None, *, base=None) -> float:
        """Token accuracy, or F1 of spans (metric="f1"), between 0 and 1. Tokens whose label is not known count neither way."""
        known = self._known(X, base)
        written = written_as(y, known.bounds, flat=known.table)[0]
        codes = self.tagger_.decode(known.features, base=known.base, threads=self._threads)
        codes, values = self.tagger_.as_written(codes, known.features.row_ptr)
        if sample_weight is not None:
            if self.tagger_.task.spans:
                raise InputError("F1 of spans takes no sample_weight; use metric='accuracy'")
            gold = np.array(list(written.values))[written.codes]
            each = np.repeat(np.asarray(sample_weight, float), np.diff(known.bounds)) * (gold != HIDDEN)
            return float(np.average(np.array(list(values))[codes] == gold, weights=each))
        return score_labels(self.tagger_.task, written, codes, values)[0][self.tagger_.task.metric] / 100.0

    def calibrate(self, X: Iterable, y: Iterable, *, base=None) -> Self:
        """Choose the temperature at which held-out labels are most probable, token by token; all probabilities are at it from then on."""
        known = self._known(X, base)
        codes = gold_numbers(self.tagger_, written_as(y, known.bounds, flat=known.table)[0])
        held = held_labels(self.tagger_, known.features, codes, base=known.base, threads=self._threads)
        self.tagger_ = dataclasses.replace(self.tagger_, temperature=fitting(held))
        return self

    def prune(self, threshold: float = 0.0) -> Self:
        """Drop the features whose weights are all below the threshold in absolute value; 0 drops zeros alone and changes no answer."""
        check_is_fitted(self, "tagger_")
        self.tagger_, self._carry = pruned(self.tagger_, threshold=threshold), None
        return self

    def explain(self, sequence: Any, *, base=None) -> Explanation:
        """Why this sequence gets its labels: for every token the margin to the best sequence with another label there, split by feature."""
        known = self._known([sequence], None if base is None else [base])
        data = known.data
        shown = [data.cells(c) for c in range(len(data.names))] if isinstance(data, Columns) else [[""] * len(data)]
        return explain_row(self.tagger_, known.features, tuple(zip(*shown)), base=known.base)

    @property
    def weights(self) -> dict[tuple[str, Any], float]:
        """Weights that are not 0, by (feature name, label)."""
        check_is_fitted(self, "tagger_")
        if self.tagger_.support is not None:
            raise InputError("a kernel model has no weights of features, only of training tokens: see tagger_.support")
        node, nodes = self.tagger_.weights.node[:, : len(self.labels_)], self.tagger_.extractor.nodes
        names: dict[int, str] = {}
        out = {}
        for f, k in zip(*np.nonzero(node)):
            name = names.setdefault(int(f), nodes.name(int(f)))
            out[name, self.labels_[k]] = float(node[f, k])
        return out

    @property
    def transitions(self) -> dict[tuple[Any, Any], float]:
        """Weights of pairs of neighbouring labels."""
        check_is_fitted(self, "tagger_")
        Y, edge = len(self.labels_), self.tagger_.weights.edge
        return {(a, b): float(edge[i, j]) for i, a in enumerate(self.labels_) for j, b in enumerate(self.labels_)} if len(edge) >= Y else {}

    def _known(self, X: Iterable, base=None) -> Known:
        """Sequences to be labelled, as the model sees them. Empty ones are no business of the kernels."""
        check_is_fitted(self, "tagger_")
        model, table = self.tagger_, is_matrix(X)
        names = model.input_columns()
        data = read_sequences(X, names or None)
        bounds = data.row_ptr
        if not bounds[-1]:
            nothing = np.zeros(1, np.int64)
            features = Features(nothing, nothing, np.zeros(0, np.int32), nothing, np.zeros(0, np.int32))
        else:
            data = dataclasses.replace(data, row_ptr=np.unique(bounds))
            features = model.features(data, threads=self._threads)
        return Known(data, features, bounds, table, self._base(base, bounds, model.labels))

    def _codes(self, written: Written) -> np.ndarray:
        """Numbers of the model's own labels, -1 where a label is not known."""
        model = self.tagger_
        if model.scheme != model.inside:
            raise InputError(
                "the probability of labels in another scheme than the model's own is not defined token by token; use labels='as-is'"
            )
        number = {label: i for i, label in enumerate(model.labels)} | {HIDDEN: -1}
        unknown = next((label for label in written.values if label not in number), None)
        if unknown is not None:
            raise InputError(f"the model does not know the label {unknown!r}; its labels are {', '.join(model.labels)}")
        return np.array([number[label] for label in written.values], np.int64)[written.codes]

    def _base(self, base, row_ptr: np.ndarray, labels: Sequence[str]) -> np.ndarray | None:
        if base is None:
            return None
        rows = [np.atleast_2d(numbers_in(scores, "base")) for scores in base]
        if [row.shape for row in rows] != [(length, len(labels)) for length in np.diff(row_ptr).tolist()]:
            raise InputError(f"base needs an array [tokens, {len(labels)}] for every sequence, in the order of {', '.join(labels)}")
        if not all(np.isfinite(row).all() for row in rows):
            raise InputError("base holds NaN or infinity; scores must be finite numbers")
        return np.concatenate(rows)


def numbers_in(values: Any, what: str) -> np.ndarray:
    """Numbers, or one sentence."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {values!r:.60}; give numbers") from None
