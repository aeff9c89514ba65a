"""Tables of numbers from users, dense or sparse, as CSR. scipy's loops and ours check no bounds, so this is done here first."""

from typing import Any

import numpy as np

from widemargin.errors import InputError

WIDEST = 2**31 - 2  # columns; their numbers are int32
NUMBERS = "fiub"  # kinds of dtypes
COMPRESSED = ("csr", "csc", "bsr")


def as_csr(table: Any, what: str):
    """A table of numbers as CSR of its own memory: indices sorted and inside, values finite, float32. what: its name in messages."""
    from scipy.sparse import issparse

    sparse = issparse(table)
    table = table if sparse else np.asarray(table)
    if table.ndim != 2:
        raise InputError(f"{what} is an array of {table.ndim} dimensions; give tokens by features, 2 dimensions")
    out = _from_sparse(table, what) if sparse else _from_dense(table, what)
    if out.shape[1] > WIDEST:
        raise InputError(f"{what} has {out.shape[1]} columns; at most {WIDEST} are possible")
    _check_compressed(out, what)
    out.prune()
    out.sort_indices()
    check_finite(out.data, what)
    return out


def check_finite(values: np.ndarray, what: str) -> None:
    """Neither NaN nor infinity."""
    if not np.isfinite(values).all():
        raise InputError(f"{what} holds NaN or infinity; features must be finite numbers")


def _from_dense(table: np.ndarray, what: str):
    from scipy.sparse import csr_matrix

    if table.dtype.kind == "c":
        raise ValueError(f"Complex data not supported; {what} has complex numbers")
    if table.dtype.kind not in NUMBERS + "OUST":
        raise InputError(f"{what} is a table of {table.dtype.name}, not of numbers")
    try:
        table = table.astype(np.float64)  # of objects too, where they are numbers
    except (ValueError, OverflowError):
        raise InputError(f"{what} is a table with text in it, not of numbers; give words as lists, one list per sequence") from None
    check_finite(table, what)
    with np.errstate(over="ignore"):  # too large for float32: infinite, which is refused
        return csr_matrix(table, dtype=np.float32)


def _from_sparse(table: Any, what: str):
    from scipy.sparse import csr_matrix

    if np.iscomplexobj(table):
        raise ValueError(f"Complex data not supported; {what} has complex numbers")
    if np.dtype(table.dtype).kind not in NUMBERS:
        raise InputError(f"{what} is a sparse matrix of {np.dtype(table.dtype).name}; give one of numbers, e.g. X.astype(float)")
    if table.format in COMPRESSED:
        _check_compressed(table, what)
    elif table.format == "coo":
        for axis, size in zip((table.row, table.col), table.shape):
            if np.shape(axis) != np.shape(table.data) or not _within(axis, size):
                raise broken(what, "row and col need a whole number inside its shape for each entry")
    elif table.format == "dia":
        above = np.asarray(table.offsets) + table.shape[0]
        if np.ndim(table.data) != 2 or np.shape(above) != (len(table.data),) or not _within(above, sum(table.shape)):
            raise broken(what, "data needs a row for each of the offsets, which are whole numbers inside its shape")
    with np.errstate(over="ignore"):
        try:
            return csr_matrix(table, dtype=np.float32, copy=True)
        except (ValueError, TypeError, IndexError, OverflowError):
            raise broken(what, "scipy cannot convert it") from None


def _check_compressed(table: Any, what: str) -> None:
    """The arrays of a matrix in one of the formats COMPRESSED fit together and stay inside it."""
    ptr, indices, data, shape = np.asarray(table.indptr), np.asarray(table.indices), np.asarray(table.data), table.shape
    if table.format == "bsr":
        if data.ndim != 3 or 0 in data.shape[1:] or shape[0] % data.shape[1] or shape[1] % data.shape[2]:
            raise broken(what, "its blocks must be tables that divide its shape")
        shape = (shape[0] // data.shape[1], shape[1] // data.shape[2])
    elif data.ndim != 1:
        raise broken(what, "data needs one dimension")
    rows, columns = shape[::-1] if table.format == "csc" else shape
    if indices.shape != (len(data),) or not _within(indices, columns):
        raise broken(what, "indices needs a whole number inside its shape for each entry")
    if ptr.shape != (rows + 1,) or not _within(ptr, len(indices) + 1) or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
        raise broken(what, "indptr needs whole numbers that begin with 0, never fall, and end within indices, one more than it has rows")


def _within(numbers: np.ndarray, size: int) -> bool:
    """Are these whole numbers from 0 to below size?"""
    numbers = np.asarray(numbers)
    return numbers.dtype.kind in "iu" and (not numbers.size or 0 <= int(numbers.min()) <= int(numbers.max()) < size)


def broken(what: str, why: str) -> InputError:
    """A sparse matrix whose arrays do not fit together."""
    return InputError(f"{what} is a malformed sparse matrix: {why}")
