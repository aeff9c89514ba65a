"""A row of L numbers as one value: label loops without loops.

Numba leaves short loops over labels scalar (their arrays might overlap). So a row is loaded as one vector, computed on as one, and stored
as one. `lanes` arguments are tuples whose *length* L/4 is part of their type, which makes L a compile-time constant. Rows are padded to a
few widths, so that kernels compiled for one number of labels serve others; what is in the padding is never legal. Hundreds of labels would
take minutes to compile: `Wide` rows know their length at run time, and their operations are loops. Without the JIT a row is a NumPy array
and every function below is its one-line NumPy meaning. lanes_llvm.py, lanes_wide.py and lanes_math.py are the compiled one, which jit.py
imports.
"""

from typing import NamedTuple

import numpy as np

WIDTH = 4
# What rows are padded to; each costs seconds to compile, once. Close together where many tag sets and lists of relations are.
WIDTHS = (4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 320, 400)
MOST_LANES = WIDTHS[-1]  # longer rows are Wide


class Wide(NamedTuple):
    """The `lanes` of rows whose length is not known to the compiler."""

    length: int


def lanes_for(labels: int) -> tuple:
    """What says "labels, padded to one of WIDTHS": a tuple by its length, or Wide, of whole lanes."""
    return lanes_of(padded(labels))


def padded(labels: int) -> int:
    """What a row of so many labels is padded to."""
    return next((width for width in WIDTHS if labels <= width <= MOST_LANES), whole_lanes(labels))


def lanes_of(width: int) -> tuple:
    """The `lanes` of rows that have just that width: labels that are padded already, blocks of a kernel's own."""
    if width != padded(width):
        raise ValueError(f"a table has {width} columns, and rows are padded to {padded(width)}")
    return Wide(width) if width > MOST_LANES else (0,) * (width // WIDTH)


def whole_lanes(count: int) -> int:
    """The least multiple of WIDTH that is no less."""
    return -(-count // WIDTH) * WIDTH


def width_of(lanes: tuple) -> int:
    """L, the numbers in a row of such lanes."""
    return lanes.length if isinstance(lanes, Wide) else WIDTH * len(lanes)


def only_wide(lanes: tuple) -> tuple:
    """These lanes if they are Wide, else nothing: for what must know of wide rows alone (wide_compiler.py)."""
    return lanes if isinstance(lanes, Wide) else ()


def load(table, i, lanes):
    """Row i of table [n, L]."""
    return table[i].copy()


def store(table, i, row):
    """table[i] = row."""
    table[i] = row


def prefetch(table, i, count):
    """Ask for `count` rows of table [n, ...] from row i on, up to 192 bytes of them, to be brought into the cache; no effect on results."""


def splat(table, x, lanes):
    """A row of L times x, of the table's type."""
    return np.full(width_of(lanes), x, table.dtype)


def is_single(a):
    """Is it a row of float32? Known to the compiler."""
    return a.dtype == np.float32


def maximum(a, b):
    """Elementwise maximum."""
    return np.maximum(a, b)


def magnitude(a):
    """Elementwise absolute value."""
    return np.abs(a)


def root(a):
    """Elementwise square root."""
    return np.sqrt(a)


def signed(a, b):
    """Elementwise |a| with the sign of b."""
    return np.copysign(a, b)


def where_nonzero(test, a, b):
    """Elementwise a where test is not 0, else b."""
    return np.where(test != 0, a, b)


def total(a):
    """Sum of a row."""
    return a.sum()


def top(a):
    """Largest of a row."""
    return a.max()


def exp(a):
    """Elementwise exp for a <= 700, exactly 0 far below (and at -inf), so that no denormal slows later sums."""
    return np.where(a > LOWEST[a.dtype.char], np.exp(np.maximum(a, LOWEST[a.dtype.char])), a.dtype.type(0))


LOWEST = {"d": -700.0, "f": -87.0}
