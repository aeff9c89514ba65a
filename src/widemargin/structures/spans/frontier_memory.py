"""What the search for a tree by its counts keeps (frontier_table.py), and room for it."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import phase
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.frontier_bound import Model, Trades
from widemargin.structures.spans.frontier_outside import Items, Outside

FULL = -1  # there is no room, or nothing


class Entries(NamedTuple):
    """Trees below items: the best of those with some counts."""

    tp: np.ndarray  # int32 [*]
    fp: np.ndarray  # int32 [*]
    score: np.ndarray  # float64 [*]
    priced: np.ndarray  # float64 [*]  with multipliers
    symbol: np.ndarray  # int32 [*]
    split: np.ndarray  # int32 [*]
    left: np.ndarray  # int64 [*]  the children's entries
    right: np.ndarray  # int64 [*]


class Grid(NamedTuple):
    """Scratch: the entries of the item at hand by counts, z = tp (most + 1) + fp. -inf in all scores between items."""

    score: np.ndarray  # float64 [Z]
    priced: np.ndarray  # float64 [Z]
    split: np.ndarray  # int32 [Z]
    left: np.ndarray  # int64 [Z]
    right: np.ndarray  # int64 [Z]
    touched: np.ndarray  # int64 [Z]


class Productions(NamedTuple):
    """Scratch: the productions of the items of a span, in a chain for each symbol."""

    last: np.ndarray  # int64 [K]  the last of a symbol, FULL: it has none
    need: np.ndarray  # float64 [K]  what a production and its children must be above; inf: the symbol is no item here
    used: np.ndarray  # int64 [1]  how many there are, or would be if there was room
    before: np.ndarray  # int64 [*]  the one before in its chain
    split: np.ndarray  # int32 [*]
    more: np.ndarray  # float64 [*]  its score
    left: np.ndarray  # int64 [*]  items
    right: np.ndarray  # int64 [*]


class Beam(NamedTuple):
    """What is kept."""

    each: tuple  # the multipliers
    tau: float  # what is not above it under multipliers is in no tree that is looked for,
    least: np.ndarray  # [Z]  nor what has some counts already and is not above this
    table: np.ndarray  # int64 [5]  CountPrices.table of the gold's size
    monotone: bool
    trades: Trades  # where the cost is monotone
    apart: bool  # entries are compared only if they have as many true positives: not all trees are looked at


class Best(NamedTuple):
    """The best tree so far."""

    value: np.ndarray  # float64 [1]
    counts: np.ndarray  # int64 [2]  tp, fp; -1: none was found
    tree: np.ndarray  # int32 [*, 4]


class Memory(NamedTuple):
    """What all argmaxes of a search share."""

    tree: np.ndarray  # int32 [2n-1, 4]  scratch
    model: Model
    outer: Outside
    items: Items


@phase(allocates=True)
def make_entries(room):
    """Room for so many."""
    return Entries(
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )


@phase(allocates=True)
def make_productions(symbols, room):
    """Room for so many."""
    return Productions(
        np.empty(symbols, np.int64),
        np.empty(symbols),
        np.empty(1, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )


@phase(allocates=True)
def make_grid(size, most):
    """For 0..size true and 0..most false positives."""
    places = (size + 1) * (most + 1)
    return Grid(
        np.full(places, LOG_ZERO),
        np.empty(places),
        np.empty(places, np.int32),
        np.empty(places, np.int64),
        np.empty(places, np.int64),
        np.empty(places, np.int64),
    )
