"""The data of the study: CoNLL-2003, or the embedded corpus where it is not there; fewer sentences, and hidden labels."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from widemargin.corpora.catalogue import files_or_town
from widemargin.errors import InputError
from widemargin.families.tagging import schemes
from widemargin.families.tagging.gold import HIDDEN
from widemargin.families.tagging.sources import open_columns
from widemargin.readers.columns import Columns

OUTSIDE = "O"


@dataclass(frozen=True)
class Data:
    """Training, development and test columns, and what they are."""

    name: str
    train: Columns
    dev: Columns
    test: Columns


def open_data(folder: str | None = None, sentences: int | None = None) -> Data:
    """CoNLL-2003 of the folder, or of $WIDEMARGIN_DATA; the embedded corpus when neither has it (a folder that was named must have it)."""
    name, places = files_or_town("conll2003", "CoNLL-2003", folder, ("train", "dev", "test"))
    parts = [open_columns(path, "ner") for path in places]
    if sentences is not None:
        parts = [select(columns, np.arange(len(columns.row_ptr) - 1) < sentences) for columns in parts]
        name += f", the first {sentences} sentences of each file"
    return Data(name, *parts)


def select(columns: Columns, keep: np.ndarray) -> Columns:
    """The sentences of a mask bool [S]; values that no longer occur are forgotten."""
    lengths = np.diff(columns.row_ptr)
    tokens = np.repeat(keep, lengths)
    if not tokens.any():
        raise InputError("no sentence is left; keep at least one", columns.source)
    codes, values = [], []
    for column, words in zip(columns.codes[:, tokens], columns.values):
        used, first, back = np.unique(column, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order))
        codes.append(rank[back])
        values.append([words[code] for code in used[order]])
    return dataclasses.replace(
        columns,
        codes=np.array(codes, np.int32),
        values=tuple(values),
        row_ptr=np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64),
        doc_ptr=np.array([0, int(keep.sum())], np.int64),
        line=columns.line[tokens],
        begin=columns.begin[tokens],
        stop=columns.stop[tokens],
    )


def with_labels(columns: Columns, codes: np.ndarray, values: list[str]) -> Columns:
    """Other labels in the last column."""
    return dataclasses.replace(
        columns, codes=np.concatenate([columns.codes[:-1], [codes]]).astype(np.int32), values=(*columns.values[:-1], list(values))
    )


def as_iob2(columns: Columns) -> Columns:
    """The label column in IOB2, so that a label says by itself where a name begins."""
    codes, values = columns.codes[-1], list(columns.values[-1])
    scheme = schemes.detect(values, codes, columns.row_ptr)
    return with_labels(columns, *schemes.convert(codes, values, columns.row_ptr, scheme, "iob2", strict=False))


@dataclass(frozen=True)
class Partial:
    """Columns some of whose labels are hidden, and three ways to learn from them without a latent objective."""

    hidden: Columns  # with ? for what is hidden
    complete: Columns  # the sentences in which nothing is hidden
    outside: Columns  # O for what is hidden
    tokens: float  # the share of tokens that are hidden
    sentences: float  # the share of sentences in which something is


def hide(columns: Columns, *, sentences: float, tokens: float, seed: int) -> Partial:
    """Hide each label with probability `tokens` in each sentence that is drawn with probability `sentences`."""
    random = np.random.default_rng(seed)
    drawn = random.random(len(columns.row_ptr) - 1) < sentences
    lengths = np.diff(columns.row_ptr)
    hidden = np.repeat(drawn, lengths) & (random.random(columns.tokens) < tokens)
    touched = np.add.reduceat(hidden, columns.row_ptr[:-1]) > 0
    codes, values = columns.codes[-1], list(columns.values[-1])
    cut = np.where(hidden, values.index(OUTSIDE), codes)  # what is left of a span is a span
    outside = with_labels(columns, *schemes.convert(cut, values, columns.row_ptr, "iob2", "iob2", strict=False))
    masked = with_labels(columns, np.where(hidden, len(values), codes), [*values, HIDDEN])
    return Partial(masked, select(columns, ~touched), outside, float(hidden.mean()), float(touched.mean()))
