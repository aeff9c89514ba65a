"""What is done to every table of a bundle in turn: steps, settling, lengths and sums of gathered gradients (tables.for_each)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.compiler.lanes import load, prefetch, store, total
from widemargin.engine.rules import catch_up, move
from widemargin.engine.tables import ask, for_each, room

AHEAD = 128  # rows that had a step are few: they are asked for so many rows before it is their turn


class Flush(NamedTuple):
    """Asked of (weights, pending): one step of every row that the batch touched; pending is empty then."""

    rule: tuple
    rate: float
    now: int


@ask.when(Flush)
def _(question, weights, pending, _):
    for j in range(pending.used[0]):
        f = np.int64(pending.feature[j])
        move(question.rule, weights, f, pending.g, j * pending.layers * weights.height, question.rate, question.now)
        pending.slot[f] = -1
    pending.used[0] = 0
    return 0.0


class Settle(NamedTuple):
    """Asked of weights: all rows are brought to step `now`."""

    rule: tuple
    now: int


@ask.when(Settle)
def _(question, weights, first, second):
    for f in range(len(weights.last)):
        catch_up(question.rule, weights, np.int64(f), question.now)
    return 0.0


class SettleStepped(NamedTuple):
    """Asked of Weights: rows that are not at step 0 are brought to step `now`."""

    rule: tuple
    now: int


@ask.when(SettleStepped)
def _(question, weights, first, second):
    for f in range(len(weights.last)):
        ahead = f + AHEAD
        if ahead < len(weights.last) and weights.last[ahead] != 0:
            prefetch(weights.row, ahead * weights.row_stride, weights.row_stride)
            prefetch(weights.rest, ahead * weights.extra * weights.height, weights.extra * weights.height)
        if weights.last[f] != 0:
            catch_up(question.rule, weights, np.int64(f), question.now)
    return 0.0


class Square(NamedTuple):
    """Asked of (weights, pending): the squared length of the gathered gradient, each row counted as often as it has copies."""

    layer: int | np.integer


@ask.when(Square)
def _(question, weights, pending, _):
    square = 0.0
    for j in range(pending.used[0]):
        here = 0.0
        first = (j * pending.layers + question.layer) * pending.height
        for r in range(first, first + pending.height):
            row = load(pending.g, r, pending.lanes)
            here += total(row * row)
        square += here * weights.copies[pending.feature[j]]
    return square


class Scale(NamedTuple):
    """Asked of (weights, pending): everything that was gathered, times a number."""

    by: float


@ask.when(Scale)
def _(question, weights, pending, _):
    for r in range(pending.used[0] * pending.layers * pending.height):
        store(pending.g, r, load(pending.g, r, pending.lanes) * question.by)
    return 0.0


class Fold(NamedTuple):
    """Asked of (weights, pending, piece): so many layers of piece are added to those of pending; piece is empty then."""

    layers: int


@ask.when(Fold)
def _(question, weights, pending, piece):
    wide = question.layers * pending.height
    for k in range(piece.used[0]):
        f = np.int64(piece.feature[k])
        first = room(pending, f)
        for j in range(wide):
            store(pending.g, first + j, load(pending.g, first + j, pending.lanes) + load(piece.g, k * wide + j, pending.lanes))
        piece.slot[f] = -1
    piece.used[0] = 0
    return 0.0


@inner
def flush(tables, pending, rule, rate, now):
    """One step of every weight row that was gathered; pending is empty then."""
    for_each(tables, pending, pending, Flush(rule, rate, now))


@kernel
def settle(tables, rule, now):
    """Every weight of every table is brought to step `now`."""
    for_each(tables, tables, tables, Settle(rule, now))


@kernel
def settle_stepped(tables, rule, now):
    """The weights of rows that had a step since step 0 are brought to step `now`."""
    for_each(tables, tables, tables, SettleStepped(rule, now))
