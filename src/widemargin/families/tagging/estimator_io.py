"""Between SequenceTagger and its model: X and y as the model sees them, and the parameters that a model was trained with."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError
from widemargin.families.inputs import Bounded, numbers_in
from widemargin.families.tagging.constraints import PAIRS
from widemargin.families.tagging.gold import HIDDEN, Written, written_as
from widemargin.families.tagging.model import Tagger
from widemargin.features.expansion import Expansion, plain
from widemargin.features.extractor import Extractor
from widemargin.features.sequences import is_matrix, read_sequences
from widemargin.readers.columns import Columns
from widemargin.readers.items import Items
from widemargin.scoring.token_features import Features


@dataclass(frozen=True)
class LabelledSequences:
    """Training data: sequences, their labels as text, and the objects that the labels stand for."""

    data: Columns | Items
    written: Written
    objects: dict[str, Any]

    @property
    def row_ptr(self) -> np.ndarray:
        """int64 [S+1], bounds in tokens."""
        return self.data.row_ptr


def read_labelled(X: Iterable, y: Iterable, columns: Sequence[str] | None, classes: Iterable = ()) -> LabelledSequences:
    """X and y, checked: as many sequences as label sequences, none of them empty. classes: labels that may come later."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give a sequence of labels for each sequence of X")
    table = is_matrix(X)
    data = read_sequences(X, list(columns) if columns else None)
    empty = np.flatnonzero(np.diff(data.row_ptr) < 1)
    if len(empty):
        raise InputError(f"sequence {empty[0]} has no token; leave empty sequences out of training")
    return LabelledSequences(data, *written_as(y, data.row_ptr, flat=table, classes=classes))


@dataclass(frozen=True)
class EncodedSequences(Bounded):
    """Sequences to be labelled: data and features of those that have tokens."""

    data: Columns | Items
    features: Features
    table: bool  # was X a table, a row for each sequence of one token?
    base: np.ndarray | None  # [N, Y]

    def written(self, y: Iterable) -> Written:
        """Labels given for these sequences."""
        return written_as(y, self.bounds, flat=self.table)[0]


def encode(model: Tagger, X: Iterable, base: Any, *, threads: int) -> EncodedSequences:
    """Sequences as the model sees them. Empty ones are no business of the kernels."""
    table, names = is_matrix(X), model.input_columns()
    data = read_sequences(X, names or None, least=0)
    bounds = data.row_ptr
    if not bounds[-1]:
        nothing = np.zeros(1, np.int64)
        features = Features(nothing, nothing, np.zeros(0, np.int32), nothing, np.zeros(0, np.int32))
    else:
        data = dataclasses.replace(data, row_ptr=np.unique(bounds))
        features = model.features(data, threads=threads)
    return EncodedSequences(bounds, data, features, table, read_base(base, bounds, model.labels))


def read_base(base: Any, row_ptr: np.ndarray, labels: Sequence[str]) -> np.ndarray | None:
    """Base scores of all tokens [N, Y], from an array [tokens, Y] per sequence."""
    if base is None:
        return None
    if not is_sequence(base):
        raise InputError(f"base is {shown(base)}; give an array [tokens, {len(labels)}] for every sequence")
    rows = [np.atleast_2d(numbers_in(scores, "base")) for scores in base]
    if [row.shape for row in rows] != [(length, len(labels)) for length in np.diff(row_ptr).tolist()]:
        raise InputError(f"base needs an array [tokens, {len(labels)}] for every sequence, in the order of {', '.join(labels)}")
    if not all(np.isfinite(row).all() for row in rows):
        raise InputError("base holds NaN or infinity; scores must be finite numbers")
    return np.concatenate(rows)


def own_codes(model: Tagger, written: Written) -> np.ndarray:
    """Numbers of the model's own labels, -1 where a label is not known."""
    if model.scheme != model.inside:
        raise InputError(
            "the probability of labels in another scheme than the model's own is not defined token by token; use labels='as-is'"
        )
    number = {label: i for i, label in enumerate(model.labels)} | {HIDDEN: -1}
    unknown = next((label for label in written.values if label not in number), None)
    if unknown is not None:
        raise InputError(f"the model does not know the label {unknown!r}; its labels are {', '.join(model.labels)}")
    return np.array([number[label] for label in written.values], np.int64)[written.codes]


def parameters_of(tagger: Tagger) -> dict[str, Any]:
    """The parameters of a SequenceTagger, beside those of every estimator, with which this model can be trained, or trained on."""
    source, kernel = plain(tagger.extractor), {}
    if isinstance(tagger.extractor, Expansion):
        kernel = tagger.extractor.kernel.settings() | {"expand": True, "conjunction_cutoff": tagger.extractor.conjunction_cutoff}
    elif tagger.support is not None:
        kernel = tagger.support.kernel.settings()
    constraints: Any = tagger.constraints or None
    if constraints == PAIRS and tagger.legal is not None:
        labels = [None, *tagger.labels]
        masks = np.block([[np.zeros((1, 1), bool), tagger.legal.start[None]], [tagger.legal.stop[:, None], tagger.legal.step]])
        constraints = [(labels[a], labels[b]) for a, b in zip(*np.nonzero(masks))]
    chosen: dict[str, Any] = {
        "settings": kernel,
        "cutoff": source.cutoff,
        "hash_bits": source.nodes.bits,
        "labels": tagger.inside or "as-is",
        "constraints": constraints,
        "metric": tagger.task.metric,
    }
    if isinstance(source, Extractor):
        chosen |= {"templates": "\n".join(map(str, source.templates)) + "\n", "columns": tagger.input_columns()}
    return chosen
