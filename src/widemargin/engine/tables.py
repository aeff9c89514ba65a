"""Weight tables: the rows of one kind of part, the gradients that are gathered for them, and bundles of one to four tables.

A family names its tables in a NamedTuple (`@bundle(2) class TokenTables`: labels, transitions); the engine only ever asks something of
each of them in turn (`for_each`), so a family with one table and one with four are the same to it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import lanes_of, load, splat, store, width_of
from widemargin.engine.rules import FIXED


class TableSpec(NamedTuple):
    """What a family says of one of its tables: `rows` weight rows, each of `height` rows of lanes."""

    rows: int
    height: int
    lanes: tuple
    copies: np.ndarray  # [rows]  how many features share a row
    planes: bool = False  # what learners keep beside each weight lies in planes of its own (Weights)

    @property
    def width(self) -> int:
        """L, the numbers in a row of lanes."""
        return width_of(self.lanes)

    @property
    def size(self) -> int:
        """How many numbers."""
        return self.rows * self.height * self.width


class Weights(NamedTuple):
    """Weight rows of one kind of part: what scoring reads, and apart from it what only a step reads.

    A weight row has h rows of L lanes (labels of tokens: 1; transitions: one per previous label). Slot a of weight row f begins at f *
    row_stride + a * slot_stride: slots of a row lie side by side where all are read together (row_stride = slots * h, slot_stride = h), or
    each kind in a plane of its own, where scoring reads weights alone and here and there (row_stride = h, slot_stride = F * h).
    """

    lanes: tuple
    height: int  # h
    row: np.ndarray  # [F * slots * h, L]   slot 0: w; slot 1, for Adaptive: its step size
    slots: int
    row_stride: int
    slot_stride: int
    rest: np.ndarray  # [F * extra * h, L]  AdaDelta: squares of gradients and of moves; last, the running sum when averaging
    extra: int
    last: np.ndarray  # int32 [F]   the step up to which the row is settled
    copies: np.ndarray  # [F]


class Pending(NamedTuple):
    """Gradients of the few weight rows that a batch touches: a dense block plus the list of its rows, cleared in O(active).

    A row may have several layers, one behind the other: curvature behind the gradient, or the gradients of several outputs.
    """

    lanes: tuple
    height: int  # h
    layers: int
    slot: np.ndarray  # int32 [F]   -1 or the weight row's place below
    feature: np.ndarray  # int32 [capacity]
    g: np.ndarray  # [capacity * layers * h, L]
    used: np.ndarray  # int64 [1]   how many places are taken


class Dense(NamedTuple):
    """A gradient of every weight row, which keeps no list of those that were touched. It is only ever added to."""

    lanes: tuple
    height: int
    layers: int  # 1
    feature: np.ndarray  # int32 [0]
    g: np.ndarray  # [F * h, L]
    used: np.ndarray  # int64 [1]   0


class Reader(NamedTuple):
    """The weights of a bundle as they are at step `now` of a rule: all that scoring needs to know of them."""

    rule: Any
    tables: Any
    now: int | np.integer


GRADIENT, CURVATURE = np.int64(0), np.int64(1)  # layers


# ---- made in Python -------------------------------------------------------------------------------------------------------------------


def aligned(shape: tuple[int, ...], dtype) -> np.ndarray:
    """Zeros that begin on a cache line: a row of 24 float32 then touches two lines, never three."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    block = np.zeros(size + 64, np.uint8)
    skip = -block.__array_interface__["data"][0] % 64
    return block[skip : skip + size].view(dtype).reshape(shape)


def fixed_table(row: np.ndarray, height: int = 1) -> Weights:
    """Weights [F * height, L] that nobody moves. L must be the width of rows of labels: kernels read whole lanes."""
    nothing = np.zeros((0, row.shape[1]), row.dtype)
    return Weights(
        lanes=lanes_of(row.shape[1]),
        height=height,
        row=row,
        slots=1,
        row_stride=height,
        slot_stride=height,
        rest=nothing,
        extra=0,
        last=np.zeros(0, np.int32),
        copies=np.zeros(0, row.dtype),
    )


def fixed(tables: tuple) -> Reader:
    """Reads a bundle of tables that nobody moves."""
    return Reader(FIXED, tables, 0)


def pending_of(spec: TableSpec, most: int, dtype, *, layers: int = 1) -> Pending:
    """An empty gradient with room for `most` weight rows of a table. Memory that is not touched is not taken."""
    g = aligned((most * layers * spec.height, spec.width), dtype)
    slot = np.full(spec.rows if most else 0, -1, np.int32)
    return Pending(spec.lanes, spec.height, layers, slot, np.zeros(most, np.int32), g, np.zeros(1, np.int64))


def dense_of(spec: TableSpec, g: np.ndarray) -> Dense:
    """A gradient in the memory g [F * h, L]."""
    return Dense(spec.lanes, spec.height, 1, np.zeros(0, np.int32), g, np.zeros(1, np.int64))


# ---- gradients ------------------------------------------------------------------------------------------------------------------------


@generic
def room(into, f):
    """The first row of into.g that belongs to weight row f; its layers begin there, `height` rows apart. A new row is 0."""
    raise TypeError(into)


@room.when(Dense)
def _(into, f):
    return f * into.height


@room.when(Pending)
def _(into, f):
    slot, wide = np.int64(into.slot[f]), into.layers * into.height
    if slot < 0:
        slot = into.used[0]
        into.used[0] += 1
        into.slot[f], into.feature[slot] = slot, f
        for j in range(wide):
            store(into.g, slot * wide + j, splat(into.g, 0.0, into.lanes))
    return slot * wide


@inner
def add_row(into, f, row, layer, lanes):
    """The gradient of weight row f, of one row of lanes, += row."""
    r = room(into, f) + layer
    store(into.g, r, load(into.g, r, lanes) + row)


# ---- bundles --------------------------------------------------------------------------------------------------------------------------


@generic
def for_each(tables, first, second, question):
    """The sum of ask(question, table, first, second) over the tables of a bundle, in order; first, second: tuples of as many things."""
    raise TypeError(tables)


@generic
def ask(question, weights, first, second):
    """Something that is done to one table; returns a number."""
    raise TypeError(question)


def each_of_one(tables, first, second, question):
    """for_each of a bundle of one table."""
    return ask(question, tables[0], first[0], second[0])


def each_of_two(tables, first, second, question):
    """for_each of a bundle of two tables."""
    return ask(question, tables[0], first[0], second[0]) + ask(question, tables[1], first[1], second[1])


def each_of_three(tables, first, second, question):
    """for_each of a bundle of three tables."""
    value = ask(question, tables[0], first[0], second[0]) + ask(question, tables[1], first[1], second[1])
    return value + ask(question, tables[2], first[2], second[2])


def each_of_four(tables, first, second, question):
    """for_each of a bundle of four tables."""
    value = ask(question, tables[0], first[0], second[0]) + ask(question, tables[1], first[1], second[1])
    return value + ask(question, tables[2], first[2], second[2]) + ask(question, tables[3], first[3], second[3])


BODIES = {1: each_of_one, 2: each_of_two, 3: each_of_three, 4: each_of_four}


def bundle(count: int):
    """Makes a NamedTuple whose first `count` fields are Weights a bundle; more fields, such as views of them, may follow."""

    def register(kind):
        for_each.when(kind)(BODIES[count])
        return kind

    return register
