"""Hashed features: weights in lines of 16 that are found by exclusive or, one number at a time; and gradients back to them."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.compiler.lanes import store
from widemargin.engine.hash import GOLDEN, STAFFORD1, mix
from widemargin.engine.rules import decays, peek
from widemargin.engine.tables import Weights, room

LINE, LINE_BITS = 16, np.uint64(4)
ROW0 = np.int64(0)
ROOT_CODE, BEFORE, AFTER = np.uint64(11), np.uint64(13), np.uint64(17)  # hashes of what is no word


class LineReader(NamedTuple):
    """Reads single numbers of a table whose weight rows are lines; place k is number k & 15 of line k >> 4."""

    rule: tuple
    weights: Weights
    flat: np.ndarray  # the memory of weights.row as one row
    row: np.ndarray  # [1, 16]  scratch
    now: int


@tiny
def weight_at(lines, k):
    """The weight at place k, where weights change while they have no gradient."""
    store(lines.row, ROW0, peek(lines.rule, lines.weights, np.int64(k >> LINE_BITS), ROW0, lines.now))
    return lines.row[0, k & np.uint64(LINE - 1)]


@tiny
def pair_at(lines, k, one, two):
    """The sum of both slots of a place, which lie in one line of the table."""
    store(lines.row, ROW0, peek(lines.rule, lines.weights, np.int64(k >> LINE_BITS), ROW0, lines.now))
    lane = k & np.uint64(LINE - 1)
    return lines.row[0, lane ^ one] + lines.row[0, lane ^ two]


@tiny
def sum_pairs(lines, a, b, one, two):
    """Sum over templates of the weights at a ^ b, at two slots."""
    flat = lines.flat
    x, y = flat.dtype.type(0.0), flat.dtype.type(0.0)
    if decays(lines.rule):
        for t in range(len(a)):
            x += pair_at(lines, np.uint64(a[t] ^ b[t]), one, two)
    else:
        for t in range(len(a)):
            k = np.uint64(a[t] ^ b[t])
            x += flat[k ^ one]
            y += flat[k ^ two]
    return x + y


@tiny
def add_pair(into, layer, k, v, one, two):
    """The gradient v of both slots of a place, into a layer."""
    r, lane = room(into, np.int64(k >> LINE_BITS)) + layer, k & np.uint64(LINE - 1)
    into.g[r, lane ^ one] += v
    if one != two:
        into.g[r, lane ^ two] += v


@inner
def code_sides(atoms, atom, first, n, rooted, side):
    """Hashes of all sides at the n + 1 places of a sentence whose n words begin at `first`, into side [., S].

    A side is a conjunction of atoms, atoms int32 [S, W, 2]: column and offset, column -1 behind the last. Place b is the boundary before
    word b or, with `rooted` 1 (else 0), word b - 1, place 0 being the root."""
    for b in range(n + 1):
        for s in range(atoms.shape[0]):
            key = GOLDEN + np.uint64(s)
            for j in range(atoms.shape[1]):
                c = atoms[s, j, 0]
                if c < 0:
                    break
                w = b + atoms[s, j, 1] - rooted
                value = AFTER if w >= n else atom[first + w, c] if w >= 0 else ROOT_CODE if w + rooted == 0 else BEFORE
                key = mix(key * STAFFORD1 + value)
            side[b, s] = key
