"""Gold labels as a model sees them: numbers of its own labels, in its own scheme, -1 where a label is not known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.corpus import UNKNOWN
from widemargin.errors import InputError
from widemargin.readers import schemes
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile

HIDDEN = "?"  # a label that is not known: latent under every objective


@dataclass(frozen=True)
class Gold:
    """Gold labels of N tokens."""

    codes: np.ndarray  # int32 [N]
    labels: tuple[str, ...]
    scheme: str  # of the data, "" when kept as it is
    inside: str
    remark: str = ""  # about tags that are not legal in the data's scheme


@dataclass(frozen=True)
class Written:
    """Labels as they stand in the data."""

    codes: np.ndarray  # int32 [N]
    values: Sequence[str]
    row_ptr: np.ndarray  # int64 [S+1]
    where: Callable[[int], str]  # file:line of a token, or the like


def written_in(columns: Columns | ItemFile, label_column: str) -> Written:
    """The labels of a file."""
    if isinstance(columns, ItemFile):
        return Written(columns.labels, columns.label_values, columns.row_ptr, columns.where)
    at = columns.column(int(label_column) if label_column.lstrip("-").isdigit() else label_column)
    return Written(columns.codes[at].astype(np.int32), columns.values[at], columns.row_ptr, columns.where)


def as_model_labels(written: Written, wanted: str, *, asked: bool = False) -> Gold:
    """Labels converted to the model's scheme (wanted: as-is, iob2 or bioes; asked: by the user, so that it must be possible)."""
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
        return Gold(lookup[codes], tuple(order), "", "")
    if wanted == "as-is":
        return Gold(codes, tuple(values), "", "")
    scheme = schemes.detect(values, codes, written.row_ptr)
    inside = schemes.scheme_name(wanted)
    illegal = schemes.first_illegal(codes, values, written.row_ptr, scheme)
    remark = f"{written.where(illegal[0])}: {illegal[1]}; such tags are read as conlleval reads them" if illegal else ""
    codes, values = schemes.convert(codes, values, written.row_ptr, scheme, inside, where=written.where, strict=False)
    return Gold(np.asarray(codes, np.int32), tuple(values), scheme, inside, remark)


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
    return Gold(lookup[gold.codes], labels, gold.scheme, gold.inside, gold.remark)
