"""Block-coordinate Frank-Wolfe: each row's masses as one mixture of parts (planes.py; Lacoste-Julien et al. 2013)."""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .given import base_row
from .jit import generic, kernel
from .lanes import load, splat, store, total, where_nonzero
from .planes import collect, length, path_cost, take_step
from .rules import tick
from .structure import clear
from .sweep import fill, lively
from .terms import measure


class Mixture(NamedTuple):
    """sum_y a_iy r_y of every row, by parts, its offset and its cost. The edges of row i: Y rows, or Y per token when they differ by
    position."""

    node: np.ndarray  # [N, L]
    edge: np.ndarray  # [n * Y or N * Y, L]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]   is there mass anywhere but on the gold?


@generic
def turn_edges(s, i, first, n, mixture):
    """mu -= the mixture's edges; returns <edge scores, mu> and its fixed part."""
    raise TypeError(s)


@turn_edges.when(Choice)
def _(s, i, first, n, mixture):
    return 0.0, 0.0


@turn_edges.when(Chain)
def _(s, i, first, n, mixture):
    Y = s.labels
    at = first * Y if s.pitch else i * Y
    zero, values, offsets = splat(s.mu_edge, 0.0, s.lanes), splat(s.mu_edge, 0.0, s.lanes), splat(s.mu_edge, 0.0, s.lanes)
    for r in range(n * Y if s.pitch else Y):
        d = load(s.mu_edge, r, s.lanes) - load(mixture.edge, at + r, s.lanes)
        store(s.mu_edge, r, d)
        values += where_nonzero(d, load(s.edge, r, s.lanes), zero) * d  # what is illegal scores -inf and has no mass
        offsets += where_nonzero(d, load(s.step, r % Y, s.lanes), zero) * d
    return total(values), total(offsets)


@generic
def mix_edges(s, i, first, n, step, mixture):
    """mixture += step mu, for its edges."""
    raise TypeError(s)


@mix_edges.when(Choice)
def _(s, i, first, n, step, mixture):
    pass


@mix_edges.when(Chain)
def _(s, i, first, n, step, mixture):
    at = first * s.labels if s.pitch else i * s.labels
    for r in range(n * s.labels if s.pitch else s.labels):
        store(mixture.edge, at + r, load(mixture.edge, at + r, s.lanes) + load(s.mu_edge, r, s.lanes) * step)


@generic
def turn(mixture, s, rows, i, gold, n):
    """mu, which is r_y of the path, -= the mixture; returns <scores, mu> and the part of it that no weight can change."""
    raise TypeError(mixture)


@turn.when(Mixture)
def _(mixture, s, rows, i, gold, n):
    first = rows.token[i]
    value, fixed = turn_edges(s, i, first, n, mixture)
    values, offsets = splat(s.mu_node, 0.0, s.lanes), splat(s.mu_node, 0.0, s.lanes)
    for t in range(n):
        d = load(s.mu_node, t, s.lanes) - load(mixture.node, first + t, s.lanes)
        store(s.mu_node, t, d)
        values += d * load(s.node, t, s.lanes)
        offsets += d * base_row(rows.base, first + t, s)
    return value + total(values), fixed + total(offsets)


@generic
def blend(mixture, s, rows, i, gold, n, step):
    """mixture += step mu."""
    raise TypeError(mixture)


@blend.when(Mixture)
def _(mixture, s, rows, i, gold, n, step):
    first = rows.token[i]
    for t in range(n):
        store(mixture.node, first + t, load(mixture.node, first + t, s.lanes) + load(s.mu_node, t, s.lanes) * step)
    mix_edges(s, i, first, n, step, mixture)


@kernel
def mix(order, rows, s, upper, lower, rule, tables, mixture, l2):
    """One pass of block-coordinate Frank-Wolfe with line search.

    Returns the summed loss and gap, each row's under the weights that met it, and the rows that moved.
    """
    loss, gap, moved, now = 0.0, 0.0, 0, np.int64(0)
    for i in order:
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        share = rows.weight[i] / len(rows.weight)
        fill(rows, s, i, n, rule, tables.node, tables.edge, now)
        clear(s, n)
        under = measure(lower, s, gold, rows.price, n, -1.0)
        loss += share * (measure(upper, s, gold, rows.price, n, 1.0) - under)  # last, for its path is what is mixed in
        cost = path_cost(s, gold, rows.price, n)
        if share > 0.0 and (mixture.live[i] or lively(rows, s, n, 0.0, tables.scratch)):
            violation, fixed = turn(mixture, s, rows, i, gold, n)
            cost -= mixture.cost[i]
            violation += cost
            gap += share * violation
            if violation > 0.0:
                count, square = collect(rows, i, s, rule, tables, now)
                step = length(violation, square, share, l2, 1.0)
                take_step(rows, i, s, rule, tables, count, step * share / l2, now)
                blend(mixture, s, rows, i, gold, n, step)
                mixture.cost[i] += step * cost
                mixture.offset[i] += step * (cost + fixed)
                mixture.live[i] = True
                moved += 1
        now += 1
        tick(rule, 0.0, now)
    return loss, gap, moved
