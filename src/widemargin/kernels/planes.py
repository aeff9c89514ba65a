"""Dual ascent on the hinge, row by row: every loss_i is a maximum of planes, and a dual learner keeps the planes it has met.

A plane of row i is an output y: its part vector r_y = k_y (mu_y - mu_gold), its offset b_y = cost(y) (and what base scores add), and its
value b_y + <w, Phi' r_y>, which is the loss of y under w; k_y is 1, or cost(y) when the slack is rescaled (slack.py). With shares
c_i = weight_i / n and masses a_iy >= 0, sum_y a_iy = 1 (the gold is the plane that is 0 everywhere), weak duality says

    w(a) = -1/l2 sum_i c_i Phi' sum_y a_iy r_y,      D(a) = sum_i c_i sum_y a_iy b_iy - l2/2 |w(a)|^2  <=  F(w)   for every w.

A step moves mass s along a direction d of part vectors of one row (s <= most). With v the value of d under w the gain is
s c v - s^2/2 c^2/l2 |Phi' d|^2, largest at s = v l2 / (c |Phi' d|^2). Masses live on parts or paths, never on features: only |Phi' d|^2 and
w itself are gathered over features, and only over those of tokens where d is not 0.

    mixtures.py   d = r_y - sum_y a_iy r_y for the best y: block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013);
                  a mixture of parts is kept
    paths.py      d = r_up - r_down, the best plane against the worst that has mass: SMO on one row's working set of paths
                  (Tsochantaridis et al. 2005; Chang and Yih 2013, L1 loss)
"""

from typing import NamedTuple

import numpy as np

from . import plain  # noqa: F401  (gives the rules one more)
from .given import Ones, Values, base_row, times
from .jit import inner, kernel
from .lanes import load, splat, store, total
from .rules import Weights, move, peek
from .sweep import FIRST, MOVE, NORM, ONE, Pending, Scratch, add_scores, find_hot, pull_edges, score_edges


class Tokens(NamedTuple):
    """Entries of the rows' node occurrences (sweep.Occurrences) token by token, so that a few tokens can be visited alone."""

    at: np.ndarray  # int64 [N+1]
    entry: np.ndarray  # int32 [nnz]   counted from the row's first
    value: Ones | Values


class Gathered(NamedTuple):
    """Phi' d of one row for its node features; memory for the row with most of them."""

    slot: np.ndarray  # int32 [E]     -1 or the entry's place below
    entry: np.ndarray  # int32 [E]
    g: np.ndarray  # [E, L]


class Tables(NamedTuple):
    """What a dual step reads and moves: the weights, what it gathers, and scratch."""

    node: Weights
    edge: Weights
    found: Gathered
    none: Pending  # edges are handed over at once
    scratch: Scratch


@kernel
def number_entries(at, ind, token, rows_at, feature, place, entry):
    """entry[p] for the occurrences ind of all tokens; place [F] is scratch."""
    for i in range(len(token) - 1):
        for e in range(rows_at[i], rows_at[i + 1]):
            place[feature[e]] = e - rows_at[i]
        for p in range(at[token[i]], at[token[i + 1]]):
            entry[p] = place[ind[p]]


@inner
def score(i, rows, s, rule, tables, now):
    """Scores of row i into the structure."""
    first = rows.token[i]
    n = rows.token[i + 1] - first
    for t in range(n):
        store(s.node, t, base_row(rows.base, first + t, s))
    add_scores(s.node, ONE, rows.node, i, FIRST, rule, tables.node, now)
    score_edges(s, rows, i, n, rule, tables.edge, now)


@inner
def score_hot(i, rows, tokens, s, rule, tables, now):
    """The same, with 0 at tokens that are not hot: there all planes have the gold label, and its score cancels."""
    first, e, hot = rows.token[i], rows.node.at[i], tables.scratch.hot
    n = rows.token[i + 1] - first
    for t in range(n):
        u = splat(s.node, 0.0, s.lanes)
        if hot[t]:
            u = base_row(rows.base, first + t, s)
            for p in range(tokens.at[first + t], tokens.at[first + t + 1]):
                f = rows.node.feature[e + tokens.entry[p]]
                u += times(tokens.value, p, peek(rule, tables.node, np.int64(f), FIRST, now))
        store(s.node, t, u)
    score_edges(s, rows, i, n, rule, tables.edge, now)


@inner
def collect(i, rows, tokens, s, rule, tables, now):
    """Phi' d for the direction d in the structure's mu, its node rows into `found`; returns their number and |Phi' d|^2."""
    first, e, found, hot = rows.token[i], rows.node.at[i], tables.found, tables.scratch.hot
    n, count, square = rows.token[i + 1] - first, 0, 0.0
    find_hot(s.mu_node, s.lanes, n, 0.0, hot)
    for t in range(n):
        if hot[t]:
            mu = load(s.mu_node, t, s.lanes)
            for p in range(tokens.at[first + t], tokens.at[first + t + 1]):
                k = tokens.entry[p]
                slot = found.slot[k]
                if slot < 0:
                    found.slot[k], found.entry[count] = count, k
                    store(found.g, count, times(tokens.value, p, mu))
                    count += 1
                else:
                    store(found.g, slot, load(found.g, slot, s.lanes) + times(tokens.value, p, mu))
    for j in range(count):
        row = load(found.g, j, s.lanes)
        square += total(row * row) * tables.node.copies[rows.node.feature[e + found.entry[j]]]
    return count, square + pull_edges(s, rows, i, n, rule, tables.edge, tables.none, tables.scratch, 1.0, 0.0, now, NORM)


@inner
def take_step(i, rows, s, rule, tables, count, rate, now):
    """w -= rate Phi' d, as collected."""
    n, e, found = rows.token[i + 1] - rows.token[i], rows.node.at[i], tables.found
    for j in range(count):
        k = found.entry[j]
        found.slot[k] = -1
        move(rule, tables.node, np.int64(rows.node.feature[e + k]), found.g, j, rate, now)
    pull_edges(s, rows, i, n, rule, tables.edge, tables.none, tables.scratch, 1.0, rate, now, MOVE)


@inner
def path_cost(s, gold, price, n):
    """Summed prices of the path."""
    cost = 0.0
    for t in range(n):
        cost += price[gold[t], s.path[t]]
    return cost


@inner
def length(violation, square, share, l2, most):
    """The best step: violation l2 / (share |Phi' d|^2), at most `most`."""
    return min(most, violation * l2 / (share * square)) if square > 0.0 else most
