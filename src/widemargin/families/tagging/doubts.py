"""What is surely not meant, said as a warning: gold labels that no model could have, spans where there are none, a label for every word."""

import warnings
from collections.abc import Sequence

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.listing import some_of
from widemargin.families.tagging import schemes
from widemargin.families.tagging.gold import HIDDEN, Written
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.tasks import Task
from widemargin.families.tagging.written_marginals import written_labels
from widemargin.readers.columns import Columns
from widemargin.readers.items import ItemFile

FEW = 20  # unknown labels of one token in so many are as is to be expected
MOST_LABELS = 100  # so many are never too many


def doubt_gold(model: Tagger, gold: Written) -> None:
    """Warn of gold labels that the model cannot answer with."""
    if model.task.spans and doubt_spans(model.task, gold):
        return
    own, there = _kinds(model.labels), [_kind(value, gold.values) for value in gold.values]
    strange = np.array([kind is not None and kind not in own for kind in there] + [False])
    if not strange.any() or not len(gold.codes):
        return
    names, tokens = sorted({str(kind) for kind, odd in zip(there, strange) if odd}), strange[gold.codes]
    labelled = np.array([kind is not None for kind in there])[gold.codes]
    if tokens.sum() * FEW < labelled.sum():
        return
    source = gold.where(int(np.argmax(tokens)))
    if tokens.all():
        told = f"none of the gold labels is one of the model's: they are {some_of(names)}, its own {some_of(sorted(own))}"
        _warn(f"{source}: {told}; are there gold labels in this file?")
    else:
        _warn(f"{source}: {several(int(tokens.sum()), 'token')} with gold labels that the model does not know: {some_of(names)}")


def doubt_spans(task: Task, gold: Written) -> bool:
    """Warn where spans are to be scored and the labels mark none; was there a warning?"""
    known = [value for value in gold.values if value != HIDDEN]
    if not len(gold.codes) or any(is_span(value, known) for value in known):
        return False
    if set(known) == {"O"}:
        _warn(f"{gold.where(0)}: every gold label is O, so there is no span to find; are there gold labels in this file?")
    elif known:
        told = f"the labels mark no spans ({some_of(known)}), and {task.name} is scored by spans such as B-PER I-PER"
        _warn(f"{gold.where(0)}: {told}; use the task tag, which is scored by tokens, or name the column with --label")
    return bool(known)


def doubt_strict(gold: Written, strict: str) -> None:
    """Warn of gold labels in another scheme than the one whose spans alone count."""
    try:
        found = schemes.detect(gold.values, gold.codes, gold.row_ptr)
    except InputError:  # labels that mark no spans
        return
    if found != schemes.scheme_name(strict):
        _warn(f"{gold.where(0)}: the gold labels are {found}, so --strict {strict} leaves spans out; --strict {found} counts them")


def doubt_documents(model: Tagger, data: Columns | ItemFile) -> None:
    """Warn where a model that was trained with the memory of documents reads a file that marks none."""
    if isinstance(data, Columns) and data.tokens and not data.has_documents and model.remembers_documents():
        told = "the model looks at the rest of the document, and this file marks no documents: its labels will be worse"
        _warn(f"{data.source}: {told}; put a line -DOCSTART- before each, or one at the top")


def doubt_columns(model: Tagger, columns: Columns) -> None:
    """Warn of a file without a label column whose last column holds the model's labels: then another column is missing."""
    values, own = set(columns.values[-1]), set(written_labels(model))
    if len(columns.names) > 1 and len(values) > 1 and values <= own and columns.names[-1] in model.looks_at():
        told = f"the last column is read as {columns.names[-1]}, and holds labels of the model ({some_of(sorted(values))})"
        _warn(
            f"{columns.where(0)}: {told}; the columns should be {' '.join(model.facts.get('columns', ()))}; the label alone may be missing"
        )


def doubt_many(values: Sequence[str], words: int, where: str) -> None:
    """Warn of training labels of which there are about as many as different words."""
    if len(values) > max(MOST_LABELS, words // 2):
        told = f"there are {len(values):,} different labels and {words:,} different words"
        _warn(f"{where}: {told}; is this the column of labels? --label names another")


def is_span(value: str, values: Sequence[str]) -> bool:
    """Does a label mark a span, among these?"""
    if schemes.are_bare(values):
        return value != "O"
    head, dash, kind = value.partition("-")
    return head in tuple("BIESLU") and (not dash or bool(kind))


def _kind(value: str, values: Sequence[str]) -> str | None:
    """What a label is in every scheme: the type of spans, else itself; None where it is O or unknown."""
    if value in ("O", HIDDEN):
        return None
    return value if schemes.are_bare(values) or not is_span(value, values) else value.partition("-")[2]


def _kinds(values: Sequence[str]) -> set[str]:
    return {kind for value in values if (kind := _kind(value, values)) is not None}


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=4)
