"""Gold labels as a model sees them: numbers of its own labels, in its own scheme, -1 where a label is not known."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence
from widemargin.errors import InputError, several
from widemargin.families.tagging import schemes
from widemargin.readers.columns import Columns
from widemargin.readers.encodings import check_text
from widemargin.readers.items import ItemFile
from widemargin.scoring.corpus import UNKNOWN

HIDDEN = "?"  # a label that is not known: latent under every objective


@dataclass(frozen=True)
class Gold:
    """Gold labels of N tokens."""

    codes: np.ndarray  # int32 [N]
    labels: tuple[str, ...]
    scheme: str  # of the data, "" when kept as it is
    inside: str
    remark: str = ""  # about tags that are not legal in the data's scheme
    where: Callable[[int], str] = "token {}".format  # file:line of a token, or the like


@dataclass(frozen=True)
class Written:
    """Labels as they stand in the data."""

    codes: np.ndarray  # int32 [N]
    values: Sequence[str]
    row_ptr: np.ndarray  # int64 [S+1]
    where: Callable[[int], str]  # file:line of a token, or the like


def column_key(text: str) -> int | str:
    """A column as people write it: its number, or else its name."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else text


def written_in(columns: Columns | ItemFile, label_column: str) -> Written:
    """The labels of a file."""
    if isinstance(columns, ItemFile):
        return Written(columns.labels, columns.label_values, columns.row_ptr, columns.where)
    at = columns.column(column_key(label_column))
    return Written(columns.codes[at].astype(np.int32), columns.values[at], columns.row_ptr, columns.where)


def written_as(y: Iterable, row_ptr: np.ndarray, *, flat: bool = False, classes: Iterable = ()) -> tuple[Written, dict[str, Any]]:
    """Labels given as Python objects, a sequence of them per row; and the objects, sorted, by the strings that they are here.

    flat: rows have one token each and y may be a flat list. classes: labels that may come later. None and "?" are not known.
    """
    if not flat and not is_sequence(y):
        raise InputError(f"y must be sequences of labels, one for each sequence of X; {type(y).__name__} was given")
    if flat and not (isinstance(y, list) and y and isinstance(y[0], list | tuple)):
        try:
            y = np.asarray(y)
        except ValueError:  # lists of several lengths
            raise InputError("y must be one label for each row of X, or a list of one label") from None
        y = (y if y.ndim == 2 else y.reshape(-1, 1)).tolist()
    rows = [_label_row(row, i) for i, row in enumerate(y)]
    lengths = np.diff(row_ptr).tolist()
    if len(rows) != len(lengths):
        raise InputError(f"X has {several(len(lengths), 'sequence')} and y {len(rows)}; give one label sequence for each")
    for i, (row, length) in enumerate(zip(rows, lengths)):
        if len(row) != length:
            raise InputError(f"sequence {i} has {several(length, 'token')} and {several(len(row), 'label')}; give one label per token")
    every = [label for row in rows for label in row]
    try:
        distinct = set(every) | {_plain(label) for label in classes}
    except TypeError:
        raise InputError("y holds labels that are lists or the like; labels must be strings or numbers, one per token") from None
    known = distinct - {None, HIDDEN}
    if any(isinstance(label, float) and not np.isfinite(label) for label in known):
        raise InputError("y holds NaN or infinity; labels must be strings or finite numbers")
    try:
        ordered = sorted(known)
    except TypeError:
        ordered = sorted(known, key=str)
    names = [str(label) for label in ordered]
    check_text(names, "the label")
    if len(set(names)) < len(names):
        raise InputError(f"the labels {ordered} are not distinct as text; use strings, or numbers of one type")
    number = {label: i for i, label in enumerate(ordered)} | {None: len(names), HIDDEN: len(names)}
    values = [*names, HIDDEN] if len(known) < len(distinct) else names
    codes = np.array([number[label] for label in every], np.int32)
    return Written(codes, values, row_ptr, lambda t: _place(row_ptr, t)), dict(zip(names, ordered))


def _label_row(row: Any, i: int) -> list:
    if not is_sequence(row):
        raise InputError(f"the labels of sequence {i} are a {type(row).__name__}; give a list with one label per token")
    return [_plain(label) for label in row]


def _plain(label: Any) -> Any:
    """Numbers and strings of NumPy as Python's own."""
    return label.item() if isinstance(label, np.generic) else label


def _place(row_ptr: np.ndarray, t: int) -> str:
    i = int(np.searchsorted(row_ptr, t, side="right")) - 1
    return f"sequence {i}, token {t - int(row_ptr[i])}"


def as_model_labels(written: Written, wanted: str, *, asked: bool = False, scheme: str | None = None) -> Gold:
    """Labels converted to the model's scheme (wanted: as-is, iob2 or bioes; asked: by the user, so that it must be possible).

    scheme: that of the data; None: what they look like.
    """
    codes, values = written.codes.astype(np.int32), list(written.values)
    if HIDDEN in values:
        hidden = values.index(HIDDEN)
        order = [v for v in values if v != HIDDEN]
        lookup = np.array([UNKNOWN if v == HIDDEN else order.index(v) for v in values], np.int32)
        if not order:
            raise InputError("every label is ?; some must be known", written.where(0))
        if wanted != "as-is" and asked:
            raise InputError(
                f"labels cannot be converted to {wanted} while some are ?; train with labels=as-is, or leave those sentences out",
                written.where(int(np.argmax(codes == hidden))),
            )
        return Gold(lookup[codes], tuple(order), "", "", where=written.where)
    if wanted == "as-is":
        return Gold(codes, tuple(values), "", "", where=written.where)
    scheme = scheme or schemes.detect(values, codes, written.row_ptr)
    inside = schemes.scheme_name(wanted)
    illegal = schemes.first_illegal(codes, values, written.row_ptr, scheme)
    remark = f"{written.where(illegal[0])}: {illegal[1]}; such tags are read as conlleval reads them" if illegal else ""
    codes, values = schemes.convert(codes, values, written.row_ptr, scheme, inside, where=written.where, strict=False)
    return Gold(np.asarray(codes, np.int32), tuple(values), scheme, inside, remark, written.where)


def known_part(written: Written, codes: np.ndarray, *, sentences: bool) -> tuple[Written, np.ndarray]:
    """What is left of gold labels and guesses without the hidden tokens, or without the sentences that have some."""
    known = written.codes != list(written.values).index(HIDDEN)
    owner = np.repeat(np.arange(len(written.row_ptr) - 1), np.diff(written.row_ptr))
    if sentences:
        known = ~np.isin(owner, owner[~known])
    if not known.any():
        raise InputError("there is nothing to score: every sentence has a label that is ?", written.where(0))
    lengths = np.bincount(owner[known], minlength=len(written.row_ptr) - 1)
    row_ptr = np.concatenate([[0], np.cumsum(lengths[lengths > 0])]).astype(np.int64)
    places = np.flatnonzero(known)
    return Written(written.codes[known], written.values, row_ptr, lambda t: written.where(int(places[t]))), np.asarray(codes)[known]


def with_labels(gold: Gold, labels: tuple[str, ...]) -> Gold:
    """The same gold in the label numbers of a model to start from."""
    unknown = sorted(set(gold.labels) - set(labels))
    if unknown:
        raise InputError(f"the model to start from does not know the label {unknown[0]}; its labels are {', '.join(labels)}")
    lookup = np.array([labels.index(label) for label in gold.labels] + [UNKNOWN], np.int32)
    return replace(gold, codes=lookup[gold.codes], labels=labels)
