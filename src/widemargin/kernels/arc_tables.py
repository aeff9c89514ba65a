"""The table of arcs' weights: one weight of it, and room for gradients of its rows."""

from typing import NamedTuple

import numpy as np

from .arc_codes import LINE, LINE_BITS
from .jit import generic, tiny
from .lanes import splat, store
from .rules import decays, peek
from .sweep import Pending

FIRST = np.int64(0)


class Dense(NamedTuple):
    """A gradient of every weight row."""

    g: np.ndarray  # [F, L]


@generic
def room(into, f, lanes):
    """The row of into.g where the gradient of weight row f is summed."""
    raise TypeError(into)


@room.when(Dense)
def _(into, f, lanes):
    return f


@room.when(Pending)
def _(into, f, lanes):
    slot = np.int64(into.slot[f])
    if slot < 0:
        slot = into.used[0]
        into.used[0] += 1
        into.slot[f], into.feature[slot] = slot, f
        for j in range(into.span):
            store(into.g, slot * into.span + j, splat(into.g, 0.0, lanes))
    return slot * into.span


@tiny
def weight_at(rule, node, row, k, now):
    """The weight at place k of the table, when weights change while they have no gradient; row [1, 16] is scratch."""
    store(row, FIRST, peek(rule, node, np.int64(k >> LINE_BITS), FIRST, now))
    return row[0, k & np.uint64(LINE - 1)]


@tiny
def pair_at(rule, node, row, k, one, two, now):
    """The sum of both slots of a place, which lie in one line of the table."""
    store(row, FIRST, peek(rule, node, np.int64(k >> LINE_BITS), FIRST, now))
    lane = k & np.uint64(LINE - 1)
    return row[0, lane ^ one] + row[0, lane ^ two]


@tiny
def sum_pairs(rule, node, codes, a, b, one, two, now):
    """Sum over templates of the weights at a ^ b, at two slots."""
    flat = codes.flat
    x, y = flat.dtype.type(0.0), flat.dtype.type(0.0)
    if decays(rule):
        for t in range(len(a)):
            x += pair_at(rule, node, codes.row, np.uint64(a[t] ^ b[t]), one, two, now)
    else:
        for t in range(len(a)):
            k = np.uint64(a[t] ^ b[t])
            x += flat[k ^ one]
            y += flat[k ^ two]
    return x + y


@tiny
def add_pair(into, layer, k, v, one, two, lanes):
    """The gradient of both slots of a place."""
    r, lane = room(into, np.int64(k >> LINE_BITS), lanes) + layer, k & np.uint64(LINE - 1)
    into.g[r, lane ^ one] += v
    if one != two:
        into.g[r, lane ^ two] += v
