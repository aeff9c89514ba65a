"""Structured SMO on the marginals of a row (Taskar et al. 2003, section 6; Platt 1998), with w in the span of training tokens.

The dual variables of a row are masses over its outputs that sum to 1; the dual depends on them only through the masses of parts, their
marginals m, which for chains may be any that are not negative and agree with each other. A step moves mass from one output z to another y:

    y   the output of highest loss <scores + costs, y>                                        (argmax)
    z   the output of lowest loss among those whose parts all carry mass                      (argmax of the negative, over that support)
    s   = min(least mass of a part of z, violation l2 / (c |Phi' (y - z)|^2))                 (or the former, when |.|^2 <= 0)

where the violation is loss(y) - loss(z): 0 for every row exactly at the maximum of the dual (KKT). At the start all mass is on the gold.
"""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .jit import generic, inner, kernel
from .lanes import load, splat, store, where_nonzero
from .planes import length
from .structure import add_path, argmax, augment, clear, path_score, take_gold
from .support import pull_support, score_support, square_support
from .token_rows import MOVE, NORM, pull_edges

DUST = 1e-12  # a mass so small is rounding


class Marginals(NamedTuple):
    """Masses of the parts of all rows; edge row t * Y + j holds those from label j into token t."""

    node: np.ndarray  # [N, L]
    edge: np.ndarray  # [N * Y, L], or [0, L] without edges


@generic
def lower_edges(s, z, first, n, marginals):
    """z's edges = minus those of s where there is mass, else -inf."""
    raise TypeError(s)


@lower_edges.when(Choice)
def _(s, z, first, n, marginals):
    pass


@lower_edges.when(Chain)
def _(s, z, first, n, marginals):
    never = splat(z.edge, -np.inf, s.lanes)
    for t in range(1, n):
        for j in range(s.labels):
            mass = load(marginals.edge, (first + t) * s.labels + j, s.lanes)
            store(z.edge, t * s.labels + j, where_nonzero(mass, load(s.edge, t * s.pitch + j, s.lanes) * -1.0, never))


@generic
def spare(z, first, n, marginals):
    """The least mass of a part of z's path."""
    raise TypeError(z)


@spare.when(Choice)
def _(z, first, n, marginals):
    return marginals.node[first, z.path[0]]


@spare.when(Chain)
def _(z, first, n, marginals):
    least = marginals.node[first, z.path[0]]
    for t in range(1, n):
        least = min(least, marginals.edge[(first + t) * z.labels + z.path[t - 1], z.path[t]], marginals.node[first + t, z.path[t]])
    return least


@inner
def add_mass(table, r, y, step):
    """One part gains mass, or loses it."""
    mass = table[r, y] + step
    table[r, y] = mass if mass > DUST else 0.0


@generic
def shift(s, first, n, step, marginals):
    """The parts of s's path gain `step`."""
    raise TypeError(s)


@shift.when(Choice)
def _(s, first, n, step, marginals):
    add_mass(marginals.node, first, s.path[0], step)


@shift.when(Chain)
def _(s, first, n, step, marginals):
    for t in range(n):
        add_mass(marginals.node, first + t, s.path[t], step)
        if t > 0:
            add_mass(marginals.edge, (first + t) * s.labels + s.path[t - 1], s.path[t], step)


@inner
def lowest(s, z, gold, price, first, n, marginals):
    """Loss of the worst output whose parts have mass, less the gold's score; its path goes to z."""
    never = splat(z.work, -np.inf, s.lanes)
    for t in range(n):
        value = load(s.node, t, s.lanes) + load(price, gold[t], s.lanes)
        store(z.work, t, where_nonzero(load(marginals.node, first + t, s.lanes), value * -1.0, never))
    lower_edges(s, z, first, n, marginals)
    return -argmax(z, n)


@kernel(vectorise=True)
def climb_marginals(order, rows, s, z, steps, floor, rule, support, edge, pending, marginals, l2, scratch):
    """One pass: in each row up to `steps` steps while the violation is above `floor`. z: a second workspace, with edges per position.

    Returns the summed loss, each row's under the weights that met it, the summed violations likewise, the largest, and the steps taken.
    """
    loss, violations, largest, moved, now = 0.0, 0.0, 0.0, 0, np.int64(0)
    for i in order:
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        share = rows.weight[i] / len(rows.weight)
        for turn in range(steps if share > 0.0 else 0):
            score_support(support, i, rows, s, rule, edge, now)
            take_gold(s, gold, n)
            right = path_score(s, n)
            low = lowest(s, z, gold, rows.price, first, n, marginals)
            augment(s, gold, rows.price, n, 1.0, False)
            high = argmax(s, n)
            violation = high - low
            if turn == 0:
                loss += share * (high - right)
                violations += share * violation
                largest = max(largest, violation)
            if not violation > floor:
                break
            clear(s, n)
            add_path(s, n, 1.0)
            for t in range(n):
                s.path[t], z.path[t] = z.path[t], s.path[t]
            add_path(s, n, -1.0)
            square = square_support(support, first, n, s, scratch.hot)
            square += pull_edges(s, rows, i, n, rule, edge, pending, scratch, 1.0, 0.0, now, NORM)
            step = length(violation, square, share, l2, spare(s, first, n, marginals))
            if step <= 0.0:
                break
            rate = step * share / l2
            for t in range(n):
                scratch.hot[t] = s.path[t] != z.path[t]
            pull_support(support, first, n, s, rate, scratch.hot)
            pull_edges(s, rows, i, n, rule, edge, pending, scratch, 1.0, rate, now, MOVE)
            shift(s, first, n, -step, marginals)
            shift(z, first, n, step, marginals)
            moved += 1
    return loss, violations, largest, moved
