"""Weights in the span of training tokens: score[t, y] = sum_u alpha[u, y] K(x_u, x_t), transitions linear (Taskar et al. 2003).

D distinct tokens share the rows of the Gram matrix K. The scores of all of them are kept up to date, so that a row of the corpus is scored
without touching K, and a step costs one Gram row and two axpys for each token that it moves:

    |Phi' d|^2 = sum_{t, t'} K(x_t, x_t') <d_t, d_t'>,      alpha[u] -= rate d_u,      score[., y] -= rate d_uy K(x_u, .)

K need not be positive definite (tanh): |Phi' d|^2 may be negative, and then a step of SMO goes to the end of the box.
"""

from typing import NamedTuple

import numpy as np

from .given import base_row
from .gram import Cache, Curve, Vectors, fetch
from .jit import inner, kernel
from .lanes import load, store, total
from .rules import set_back, tick, worn
from .structure import clear
from .terms import measure
from .token_rows import MOVE, find_hot, pull_edges, score_edges

LOWEST = 1e-6  # the scale at which it is multiplied into the tables
SCALE, MASS = range(2)  # of Support.state


class Support(NamedTuple):
    """alpha and scores of the distinct tokens, both times state[SCALE], which is 1 but in the middle of a pass of sgd."""

    which: np.ndarray  # int32 [N]   the distinct token of each token
    alpha: np.ndarray  # [D, L]
    score: np.ndarray  # [Y, D]
    late: np.ndarray  # [D, L]   alpha's changes times state[MASS] at that time, when averaging; else [0, L]
    state: np.ndarray  # [2]     the scale, and its sum over the steps so far
    vectors: Vectors
    curve: Curve
    cache: Cache


@inner
def score_support(support, i, rows, s, rule, edge, now):
    """Scores of row i into the structure."""
    first = rows.token[i]
    n = rows.token[i + 1] - first
    for t in range(n):
        store(s.node, t, base_row(rows.base, first + t, s))
        d = support.which[first + t]
        for y in range(s.labels):
            s.node[t, y] += support.state[SCALE] * support.score[y, d]
    score_edges(s, rows, i, n, rule, edge, now)


@inner
def axpy(x, row, out):
    """out += x row."""
    for v in range(len(out)):
        out[v] += x * row[v]


@inner
def pull_support(support, first, n, s, rate, hot):
    """alpha -= rate mu at the hot tokens of a row, and their scores with it."""
    for t in range(n):
        if hot[t]:
            u = np.int64(support.which[first + t])
            k = fetch(u, support.vectors, support.curve, support.cache)
            for y in range(s.labels):
                change = -rate * s.mu_node[t, y]
                if change != 0.0:
                    support.alpha[u, y] += change
                    axpy(change, support.cache.row[k], support.score[y])
                    if len(support.late):
                        support.late[u, y] += change * support.state[MASS]


@inner
def square_support(support, first, n, s, hot):
    """|Phi' mu|^2 over the nodes of a row, and which of its tokens take part."""
    square = 0.0
    find_hot(s.mu_node, s.lanes, n, 0.0, hot)
    for t in range(n):
        if hot[t]:
            k = fetch(np.int64(support.which[first + t]), support.vectors, support.curve, support.cache)
            d = load(s.mu_node, t, s.lanes)
            for other in range(n):
                if hot[other]:
                    square += support.cache.row[k, support.which[first + other]] * total(d * load(s.mu_node, other, s.lanes))
    return square


@inner
def fold(support, sums):
    """The scale becomes 1; sums [D, L], when averaging, gain alpha's sum over the steps since it was 1 before."""
    scale, mass = support.state[SCALE], support.state[MASS]
    for u in range(len(sums)):
        for y in range(sums.shape[1]):
            sums[u, y] += mass * support.alpha[u, y] - support.late[u, y]
            support.late[u, y] = 0.0
    for u in range(len(support.alpha)):
        for y in range(support.alpha.shape[1]):
            support.alpha[u, y] *= scale
    for y in range(len(support.score)):
        for u in range(support.score.shape[1]):
            support.score[y, u] *= scale
    support.state[SCALE], support.state[MASS] = 1.0, 0.0


@kernel(vectorise=True)
def sweep_support(order, rows, s, upper, lower, rule, support, sums, edge, pending, schedule, before, skip, scratch):
    """One pass of stochastic gradient descent in the kernel's space: w <- (w - rate Phi' mu) / (1 + rate l2), one row after another.

    Returns what kernels.sweep.sweep returns.
    """
    loss_sum, moved, now, hot = 0.0, 0, np.int64(0), scratch.hot
    for i in order:
        rate = schedule.rate / (1.0 + schedule.decay * (before + now)) ** schedule.power
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        score_support(support, i, rows, s, rule, edge, now)
        clear(s, n)
        loss_sum += rows.weight[i] * (measure(upper, s, gold, rows.price, n, 1.0) - measure(lower, s, gold, rows.price, n, -1.0))
        scale = rows.weight[i]
        if find_hot(s.mu_node, s.lanes, n, skip, hot) and scale != 0.0:
            moved += 1
            pull_support(support, first, n, s, rate * scale / support.state[SCALE], hot)
            pull_edges(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, MOVE)
        support.state[SCALE] /= 1.0 + rate * rule.l2
        support.state[MASS] += support.state[SCALE]
        if support.state[SCALE] < LOWEST:
            fold(support, sums)
        now += 1
        tick(rule, rate, now)
        if worn(rule, now):
            set_back(rule, edge, now)
            before, now = before + now, np.int64(0)
    fold(support, sums)
    return loss_sum, before + now, now, moved
