"""Python objects as sequences: words, tuples of columns, feature lists and dicts, arrays. X is read once, in order, and never measured."""

import dataclasses
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.readers.columns import Columns, from_sentences
from widemargin.readers.items import Items

SEPARATOR = ":"  # between a key and its text, as python-crfsuite has it


def is_matrix(X: Any) -> bool:
    """Is X one table of numbers, whose rows are sequences of one token?"""
    return hasattr(X, "tocsr") or (hasattr(X, "__array__") and np.asarray(X).ndim == 2)


def read_sequences(X: Iterable, columns: list[str] | None = None) -> Columns | Items:
    """Sequences of words (str), of columns (a tuple of str per token): Columns. Sequences of feature lists, sets, dicts or arrays: Items.

    Kinds of features may be mixed; array columns are then called x0, x1, ... Without a single token there is nothing to tell them by, and
    the result is Items.
    """
    if is_matrix(X):
        table = _csr(X, "X")
        if min(table.shape) == 0:
            raise InputError(f"X has 0 sample(s) or 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
        return dataclasses.replace(_stacked([table]), row_ptr=np.arange(table.shape[0] + 1))
    if hasattr(X, "__array__") and np.asarray(X).ndim < 2 and np.asarray(X).dtype.kind in "fiubc":
        raise InputError("Reshape your data: X is one array of numbers; give a table [sequences, features], or a list of sequences")
    if isinstance(X, str | bytes) or not isinstance(X, Iterable):
        raise InputError(f"X must be sequences, each a list of tokens or an array; {type(X).__name__} was given")
    found = [_tokens(sequence, i) for i, sequence in enumerate(X)]
    if not found:
        raise InputError("X has no sequence; give at least one")
    first: Any = next((sequence for sequence in found if _is_table(sequence) or sequence), [])
    if not _is_table(first) and first and isinstance(first[0], str | tuple):
        return _as_columns(found, columns)
    return _as_items(found)


def _tokens(sequence: Any, i: int) -> Any:
    """A list of tokens, or a table of numbers."""
    if hasattr(sequence, "tocsr") or (isinstance(sequence, np.ndarray) and sequence.dtype.kind in "fiub"):
        if len(sequence.shape) != 2:
            raise InputError(f"sequence {i} is an array of {len(sequence.shape)} dimensions; give tokens by features, 2 dimensions")
        return sequence
    if isinstance(sequence, np.ndarray) and sequence.ndim == 2:  # of text: tokens by columns
        return [tuple(token) for token in sequence.tolist()]
    if isinstance(sequence, str | bytes | Mapping) or not isinstance(sequence, Iterable):
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
        odd = next((cell for token in rows[-1] for cell in token if not isinstance(cell, str)), None)
        if odd is not None:
            raise InputError(f"a token of sequence {i} has the cell {odd!r}; the cells of a tuple must be strings, numbers go into a dict")
    if names is None:
        width = next((len(row[0]) for row in rows if row), 1)
        names = ["word", "pos", "chunk", *(str(c) for c in range(3, width))][:width]
    return from_sentences(rows, names=names)


def _as_items(found: list) -> Items:
    """Features of every token, by name; by column where all sequences are arrays."""
    if all(map(_is_table, found)):
        tables = [_csr(table, f"sequence {i}") for i, table in enumerate(found)]
        return _stacked(tables)
    flat: list[str] = []  # the names of all occurrences
    values: dict[int, float] = {}  # those that are not 1, by occurrence
    sizes: list[int] = []
    for i, sequence in enumerate(found):
        for token in _rows(_csr(sequence, f"sequence {i}")) if _is_table(sequence) else sequence:
            before = len(flat)
            if isinstance(token, Mapping):
                for name, value in _named(token, ""):
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
    ind = np.fromiter(map(index.__getitem__, flat), np.int32, len(flat))
    val = np.ones(len(flat) if values else 0, np.float32)
    with np.errstate(over="ignore"):  # too large for float32: infinite, which is refused
        val[list(values)] = list(values.values())
    _check_finite(val, "X")
    lengths = [sequence.shape[0] if _is_table(sequence) else len(sequence) for sequence in found]
    return Items(_bounds(lengths), _bounds(sizes), ind, val, list(index))


def _named(features: Mapping, prefix: str) -> Iterable[tuple[str, float]]:
    """Names and values of a dict, as python-crfsuite reads it: text joins its key, dicts and lists are prefixed by theirs."""
    for key, value in features.items():
        name = f"{prefix}{key}"
        if isinstance(value, str):
            yield f"{name}{SEPARATOR}{value}", 1.0
        elif isinstance(value, numbers.Real | np.bool_):
            if value:
                yield name, float(value)
        elif isinstance(value, Mapping):
            yield from _named(value, name + SEPARATOR)
        elif isinstance(value, list | tuple | set | frozenset):
            yield from ((f"{name}{SEPARATOR}{each}", 1.0) for each in value)
        else:
            raise InputError(f"the feature {name!r} has the value {value!r}; give a number, a string, a list or a dict")


def _csr(table: Any, what: str):
    """A table of numbers as CSR, finite, float32 values."""
    from scipy.sparse import csr_matrix, issparse

    if not issparse(table):
        table = np.asarray(table)
        if table.dtype.kind == "c":
            raise ValueError(f"Complex data not supported; {what} has complex numbers")
        try:
            table = table.astype(np.float64)  # of objects too, where they are numbers
        except ValueError:
            raise InputError(f"{what} is a table with text in it, not of numbers; give words as lists, one list per sequence") from None
        _check_finite(table, what)
    elif np.iscomplexobj(table):
        raise ValueError(f"Complex data not supported; {what} has complex numbers")
    with np.errstate(over="ignore"):
        out = csr_matrix(table, dtype=np.float32, copy=True)
    out.sort_indices()
    _check_finite(out.data, what)
    return out


def _check_finite(values: np.ndarray, what: str) -> None:
    if not np.isfinite(values).all():
        raise InputError(f"{what} holds NaN or infinity; features must be finite numbers")


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
