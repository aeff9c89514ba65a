"""Lies about an array, for those who must not believe it."""

import itertools

import numpy as np


def lies_of(array):
    """An array in other shapes, of other types, with other numbers."""
    yield "missing", None
    yield "an axis more", array[None]
    yield "flat" if array.ndim > 1 else "a number", array.reshape(-1) if array.ndim > 1 else array.sum()
    yield "empty", array[:0]
    yield "one less", array[:-1]
    yield "one more", np.concatenate([array, array[:1]])
    yield "twice", np.concatenate([array, array])
    if array.ndim > 1:
        yield "a column less", array[:, :-1]
        yield "a column more", np.concatenate([array, array[:, :1]], axis=1)
    for other in ("f4", "f8", "i4", "i8", "u4", "u1", "?"):
        if array.dtype != np.dtype(other):
            with np.errstate(invalid="ignore"):
                yield other, array.astype(other)
    if array.size and array.dtype.kind != "b":
        ends = (-np.inf, np.nan, 3e38, -3e38) if array.dtype.kind == "f" else (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)
        for value, place in itertools.product((*ends, 1, array.size), (0, -1, slice(None))):
            lie = array.copy()
            lie.reshape(-1)[place] = value if array.dtype.itemsize > 1 or value in ends else 7
            yield f"{value} at {place}", lie
        yield "turned", array[::-1].copy()
