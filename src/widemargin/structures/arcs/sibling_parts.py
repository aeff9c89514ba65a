"""Where scores, mu and weights of sibling parts are kept: by right end, middle and left end of the span that a part covers.

A part to the right (i, k, j), i < k < j, has head i; a part to the left (j, k, i) has head j; k is the sibling in both. A table has two
rows for each j and k < j, to the right and to the left, over left ends i < k; at place i = k, where there is no sibling between, stand the
innermost parts (k, k, j) and (j, j, k). Rows of a sentence of n words are n (n+1), one behind the other, of the width that it needs.
"""

import numpy as np

from widemargin.compiler.jit import tiny
from widemargin.structures.arcs.eisner import BLOCK

TO_RIGHT, TO_LEFT = np.int64(0), np.int64(1)


@tiny
def width(n):
    """Numbers in a row of parts of a sentence of n words."""
    return (n // BLOCK + 1) * BLOCK


@tiny
def row_of(j, k, side):
    """The row of the parts with right end j and middle k, to one side."""
    return j * (j - 1) + 2 * k + side


@tiny
def place_of(h, s, m):
    """Row of a part, and its place in that row."""
    if h < m:
        return row_of(m, s, TO_RIGHT), h
    return row_of(h, m if s == h else s, TO_LEFT), m
