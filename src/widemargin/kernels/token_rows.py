"""Rows of tokens: their scores from the weights of their features, and gradients back. Sentences with trees: arc_features.py."""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .given import Base, NoBase, Ones, Values, times
from .jit import generic, inner, tiny
from .lanes import load, magnitude, prefetch, splat, store, top, total
from .rules import move, peek
from .score import AHEAD

# np.int64, not int: Numba compiles a function anew for every literal it is called with
NORM, MOVE, KEEP, BEND = np.int64(0), np.int64(1), np.int64(2), np.int64(3)  # what becomes of a gradient: see hand_over
FIRST, ONE = np.int64(0), np.int64(1)


class Occurrences(NamedTuple):
    """Where features fire, row by row (kernels/group.py)."""

    at: np.ndarray  # int64 [R+1]      entries of a row
    feature: np.ndarray  # int32 [E]
    mark: np.ndarray  # int64 [E+1]    places of an entry
    place: np.ndarray  # int32 [nnz]   token within the row
    value: Ones | Values  # of the places


class Rows(NamedTuple):
    """Training rows: their tokens, gold labels (-1: not known), prices of errors, weights, and features."""

    token: np.ndarray  # int64 [R+1]
    gold: np.ndarray  # int32 [N]
    price: np.ndarray  # [Y, L]   cost of guessing k when y is right
    weight: np.ndarray  # [R]     how much a row counts
    node: Occurrences
    edge: Occurrences
    base: NoBase | Base


@inner
def add_scores(table, pitch, occurrences, i, shift, rule, weights, now):
    """table[place * pitch + j] += w[f, j] for every occurrence in row i, with the weights of step `now`."""
    lanes = weights.lanes
    mark, place = occurrences.mark, occurrences.place
    end = occurrences.at[i + 1]
    for e in range(occurrences.at[i], end):
        f = occurrences.feature[e] + shift
        if e + AHEAD < end:
            prefetch(weights.row, (occurrences.feature[e + AHEAD] + shift) * weights.pitch)
        for j in range(weights.height):
            w = peek(rule, weights, f, j, now)
            for p in range(mark[e], mark[e + 1]):
                r = place[p] * pitch + j
                store(table, r, load(table, r, lanes) + times(occurrences.value, p, w))


@generic
def score_edges(s, rows, i, n, rule, edge, now):
    """Edge scores of row i; a structure without edges has none."""
    raise TypeError(s)


@score_edges.when(Choice)
def _(s, rows, i, n, rule, edge, now):
    pass


@score_edges.when(Chain)
def _(s, rows, i, n, rule, edge, now):
    for j in range(s.labels):
        shared = peek(rule, edge, FIRST, j, now) + load(s.step, j, s.lanes)
        for t in range(n if s.pitch else 1):
            store(s.edge, t * s.pitch + j, shared)
    if s.pitch:
        add_scores(s.edge, s.pitch, rows.edge, i, ONE, rule, edge, now)


@tiny
def hand_over(weights, pending, rule, f, g, scale, rate, now, mode):
    """What becomes of a gathered gradient row: its squared length, a step, or a place in the batch's block (KEEP, or BEND behind it)."""
    lanes, h = weights.lanes, weights.height
    if mode == NORM:
        square = 0.0
        for j in range(h):
            row = load(g, j, lanes)
            square += total(row * row)
        return square * weights.copies[f]
    if scale != 1.0:
        for j in range(h):
            store(g, j, load(g, j, lanes) * scale)
    if mode == MOVE:
        move(rule, weights, f, g, FIRST, rate, now)
    else:
        slot = np.int64(pending.slot[f])
        if slot < 0:
            slot = pending.used[0]
            pending.used[0] += 1
            pending.slot[f], pending.feature[slot] = slot, f
            for j in range(pending.span * h):
                store(pending.g, slot * pending.span * h + j, splat(g, 0.0, lanes))
        first = slot * pending.span * h + (h if mode == BEND else 0)
        for j in range(h):
            store(pending.g, first + j, load(pending.g, first + j, lanes) + load(g, j, lanes))
    return 0.0


@inner
def hand_over_shared(weights, pending, rule, g, scale, rate, now, mode):
    """hand_over of row 0, once per row of data and therefore not inlined."""
    return hand_over(weights, pending, rule, FIRST, g, scale, rate, now, mode)


@inner
def visit(occurrences, i, shift, mu, pitch, hot, weights, pending, rule, scale, rate, now, mode, g):
    """Gather the gradient of every weight row that row i touches, mu summed over its hot places, and hand it over."""
    lanes, h, square = weights.lanes, weights.height, 0.0
    mark, place = occurrences.mark, occurrences.place
    for e in range(occurrences.at[i], occurrences.at[i + 1]):
        lively = False
        for p in range(mark[e], mark[e + 1]):
            lively = lively or hot[place[p]]
        if lively:
            for j in range(h):
                sums = splat(g, 0.0, lanes)
                for p in range(mark[e], mark[e + 1]):
                    if hot[place[p]]:
                        sums += times(occurrences.value, p, load(mu, place[p] * pitch + j, lanes))
                store(g, j, sums)
            square += hand_over(weights, pending, rule, occurrences.feature[e] + shift, g, scale, rate, now, mode)
    return square


@generic
def pull_edges(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    """Gradient of row i into the shared transitions (edge row 0) and the observation-dependent ones."""
    raise TypeError(s)


@pull_edges.when(Choice)
def _(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    return 0.0


@pull_edges.when(Chain)
def _(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    if n == 1:
        return 0.0
    for j in range(s.labels):
        sums = load(s.mu_edge, j, s.lanes)
        for t in range(1, n if s.pitch else 1):
            sums += load(s.mu_edge, t * s.pitch + j, s.lanes)
        store(scratch.g, j, sums)
    square = hand_over_shared(edge, pending, rule, scratch.g, scale, rate, now, mode)
    if s.pitch:
        for t in range(n):
            scratch.hot[t] = t > 0
        square += visit(rows.edge, i, ONE, s.mu_edge, s.pitch, scratch.hot, edge, pending, rule, scale, rate, now, mode, scratch.g)
    return square


@inner
def find_hot(mu, lanes, n, skip, hot):
    """Which tokens have a residual worth passing on (more than `skip` anywhere); returns whether any has."""
    some = False
    for t in range(n):
        hot[t] = top(magnitude(load(mu, t, lanes))) > skip
        some = some or hot[t]
    return some
