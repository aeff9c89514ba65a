"""Python objects as sequences: words, tuples of columns, feature lists and dicts, arrays. X is read once, in order, and never measured."""

import dataclasses
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError
from widemargin.features.number_tables import as_csr, check_finite
from widemargin.readers.columns import Columns, from_sentences
from widemargin.readers.encodings import check_text
from widemargin.readers.items import Items

SEPARATOR = ":"  # between a key and its text, as python-crfsuite has it
DEEPEST = 50  # dicts in dicts


def is_matrix(X: Any) -> bool:
    """Is X one table of numbers, whose rows are sequences of one token?"""
    return hasattr(X, "tocsr") or (hasattr(X, "__array__") and np.asarray(X).ndim == 2)


def read_sequences(X: Iterable, columns: list[str] | None = None, *, least: int = 1) -> Columns | Items:
    """Sequences of words (str), of columns (a tuple of str per token): Columns. Sequences of feature lists, sets, dicts or arrays: Items.

    Kinds of features may be mixed; array columns are then called x0, x1, ... Without a single token there is nothing to tell them by, and
    the result is Items. least: of sequences, 0 or 1.
    """
    if is_matrix(X):
        table = as_csr(X, "X")
        if min(table.shape) == 0:
            raise InputError(f"X has 0 sample(s) or 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
        return dataclasses.replace(_stacked([table]), row_ptr=np.arange(table.shape[0] + 1))
    if hasattr(X, "__array__") and (np.asarray(X).ndim == 0 or (np.asarray(X).ndim == 1 and np.asarray(X).dtype.kind in "fiubc")):
        raise InputError("Reshape your data: X is one array of numbers; give a table [sequences, features], or a list of sequences")
    if not is_sequence(X):
        raise InputError(f"X must be sequences, each a list of tokens or an array; {type(X).__name__} was given")
    found = [_tokens(sequence, i) for i, sequence in enumerate(X)]
    if len(found) < least:
        raise InputError("X has no sequence; give at least one")
    first: Any = next((sequence for sequence in found if _is_table(sequence) or sequence), [])
    if not _is_table(first) and first and isinstance(first[0], str | tuple):
        return _as_columns(found, columns)
    return _as_items(found)


def _tokens(sequence: Any, i: int) -> Any:
    """A list of tokens, or a table of numbers."""
    if hasattr(sequence, "tocsr") or (isinstance(sequence, np.ndarray) and sequence.dtype.kind in "fiub"):
        return sequence
    if isinstance(sequence, np.ndarray) and sequence.ndim == 2:  # of text: tokens by columns
        return [tuple(token) for token in sequence.tolist()]
    if isinstance(sequence, Mapping) or not is_sequence(sequence):
        raise InputError(f"sequence {i} is a {type(sequence).__name__}; give a list of tokens")
    return list(sequence)


def _is_table(sequence: Any) -> bool:
    return not isinstance(sequence, list)


def _as_columns(sequences: list, names: list[str] | None) -> Columns:
    rows: list[list[tuple[str, ...]]] = []
    for i, sequence in enumerate(sequences):
        if _is_table(sequence) or not all(isinstance(token, str | tuple) for token in sequence):
            raise InputError(f"sequence {i} has features where the others have words; give one or the other")
        rows.append([(token,) if isinstance(token, str) else token for token in sequence])
        odd: list[Any] = [cell for token in rows[-1] for cell in token if not isinstance(cell, str)]
        if odd:
            raise InputError(
                f"a token of sequence {i} has the cell {shown(odd[0])}; the cells of a tuple must be strings, numbers go into a dict"
            )
    if names is None:
        width = next((len(row[0]) for row in rows if row), 1)
        names = ["word", "pos", "chunk", *(str(c) for c in range(3, width))][:width]
    return from_sentences(rows, names=names)


def _as_items(found: list) -> Items:
    """Features of every token, by name; by column where all sequences are arrays."""
    if found and all(map(_is_table, found)):
        tables = [as_csr(table, f"sequence {i}") for i, table in enumerate(found)]
        return _stacked(tables)
    flat: list[str] = []  # the names of all occurrences
    values: dict[int, float] = {}  # those that are not 1, by occurrence
    sizes: list[int] = []
    for i, sequence in enumerate(found):
        for token in _rows(as_csr(sequence, f"sequence {i}")) if _is_table(sequence) else sequence:
            before = len(flat)
            if isinstance(token, Mapping):
                for name, value in _named(token, "", DEEPEST):
                    if value != 1.0:
                        values[len(flat)] = value
                    flat.append(name)
            elif isinstance(token, list | set | frozenset):
                flat.extend(token)
            elif isinstance(token, str | tuple):
                raise InputError(f"sequence {i} has words where the others have features; give one or the other")
            else:
                raise InputError(f"a token of sequence {i} is a {type(token).__name__}; give a list of features or a dict with values")
            sizes.append(len(flat) - before)
    try:
        index = {name: number for number, name in enumerate(dict.fromkeys(flat))}
    except TypeError:
        index = {None: 0}  # type: ignore[dict-item]
    odd = next((name for name in index if not isinstance(name, str)), "")
    if not isinstance(odd, str):
        raise InputError("features in a list must be strings; give numbers as the values of a dict, or an array per sequence")
    check_text(index, "the feature")
    ind = np.fromiter(map(index.__getitem__, flat), np.int32, len(flat))
    val = np.ones(len(flat) if values else 0, np.float32)
    with np.errstate(over="ignore"):  # too large for float32: infinite, which is refused
        val[list(values)] = list(values.values())
    check_finite(val, "X")
    lengths = [sequence.shape[0] if _is_table(sequence) else len(sequence) for sequence in found]
    return Items(_bounds(lengths), _bounds(sizes), ind, val, list(index))


def _named(features: Mapping, prefix: str, deep: int) -> Iterable[tuple[str, float]]:
    """Names and values of a dict, as python-crfsuite reads it: text joins its key, dicts and lists are prefixed by theirs."""
    if not deep:
        raise InputError(f"the feature {prefix!r:.60} is a dict in a dict, more than {DEEPEST} deep; give fewer levels")
    for key, value in features.items():
        name = f"{prefix}{key}"
        if isinstance(value, str):
            yield f"{name}{SEPARATOR}{value}", 1.0
        elif isinstance(value, numbers.Real | np.bool_):
            if value:
                yield name, _as_float(value)
        elif isinstance(value, Mapping):
            yield from _named(value, name + SEPARATOR, deep - 1)
        elif isinstance(value, list | tuple | set | frozenset):
            yield from ((f"{name}{SEPARATOR}{each}", 1.0) for each in value)
        else:
            raise InputError(f"the feature {name!r:.60} has the value {shown(value)}; give a number, a string, a list or a dict")


def _as_float(value: Any) -> float:
    """A number; infinite where it is too large, which is refused."""
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _rows(table) -> Iterable[dict[str, float]]:
    """A table's tokens as dicts."""
    for low, high in zip(table.indptr, table.indptr[1:]):
        yield {f"x{j}": float(v) for j, v in zip(table.indices[low:high], table.data[low:high])}


def _stacked(tables: list) -> Items:
    """Items of arrays alone."""
    width = tables[0].shape[1]
    for i, table in enumerate(tables):
        if table.shape[1] != width:
            raise InputError(f"sequence {i} has {table.shape[1]} columns and sequence 0 has {width}; all must have the same")
    row_ptr = _bounds([table.shape[0] for table in tables])
    ptr = _bounds(np.concatenate([np.diff(table.indptr) for table in tables]))
    ind, val = (np.concatenate([getattr(table, part) for table in tables]) for part in ("indices", "data"))
    return Items(row_ptr, ptr, ind.astype(np.int32), val if (val != 1.0).any() else val[:0], None, width)


def _bounds(sizes) -> np.ndarray:
    """int64 [n+1] from sizes [n]."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
