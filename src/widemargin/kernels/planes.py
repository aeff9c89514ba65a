"""Dual ascent on the hinge, row by row: every loss_i is a maximum of planes, and a dual learner keeps the planes it has met.

A plane of row i is an output y: its part vector r_y = k_y (mu_y - mu_gold), its offset b_y = cost(y) (and what base scores add), and its
value b_y + <w, Phi' r_y>, which is the loss of y under w; k_y is 1, or cost(y) when the slack is rescaled (slack.py). With shares
c_i = weight_i / n and masses a_iy >= 0, sum_y a_iy = 1 (the gold is the plane that is 0 everywhere), weak duality says

    w(a) = -1/l2 sum_i c_i Phi' sum_y a_iy r_y,      D(a) = sum_i c_i sum_y a_iy b_iy - l2/2 |w(a)|^2  <=  F(w)   for every w.

A step moves mass s along a direction d of part vectors of one row (s <= most). With v the value of d under w the gain is
s c v - s^2/2 c^2/l2 |Phi' d|^2, largest at s = v l2 / (c |Phi' d|^2). Masses live on parts or paths, never on features: only |Phi' d|^2 and
w itself are gathered over features, and only over those of tokens where d is not 0. What is said of tokens here is said of words with heads
in tree_planes.py.

    mixtures.py   d = r_y - sum_y a_iy r_y for the best y: block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013);
                  a mixture of parts is kept
    paths.py      d = r_up - r_down, the best plane against the worst that has mass: SMO on one row's working set of paths
                  (Tsochantaridis et al. 2005; Chang and Yih 2013, L1 loss)
"""

from typing import NamedTuple

import numpy as np

from . import plain  # noqa: F401  (gives the rules one more)
from .chain import Chain
from .choice import Choice
from .given import Ones, Values, base_row, times
from .jit import generic, inner, kernel
from .lanes import load, splat, store, total
from .rules import Weights, move, peek
from .sweep import FIRST, MOVE, NORM, Pending, Rows, Scratch, find_hot, pull_edges, score_edges


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
    tokens: Tokens
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


@generic
def score_planes(rows, i, s, rule, tables, paths, now):
    """Scores of the planes of row i and of its gold, with 0 at tokens that are not hot: there all planes have the gold label, and its score
    cancels."""
    raise TypeError(rows)


@score_planes.when(Rows)
def _(rows, i, s, rule, tables, paths, now):
    first, e, hot, tokens = rows.token[i], rows.node.at[i], tables.scratch.hot, tables.tokens
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


@generic
def collect(rows, i, s, rule, tables, now):
    """Phi' d for the direction d in the structure's mu, as far as it is worth keeping; returns how many weight rows are, and |Phi' d|^2."""
    raise TypeError(rows)


@collect.when(Rows)
def _(rows, i, s, rule, tables, now):
    first, e, found, hot, tokens = rows.token[i], rows.node.at[i], tables.found, tables.scratch.hot, tables.tokens
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


@generic
def take_step(rows, i, s, rule, tables, count, rate, now):
    """w -= rate Phi' d, as collected."""
    raise TypeError(rows)


@take_step.when(Rows)
def _(rows, i, s, rule, tables, count, rate, now):
    n, e, found = rows.token[i + 1] - rows.token[i], rows.node.at[i], tables.found
    for j in range(count):
        k = found.entry[j]
        found.slot[k] = -1
        move(rule, tables.node, np.int64(rows.node.feature[e + k]), found.g, j, rate, now)
    pull_edges(s, rows, i, n, rule, tables.edge, tables.none, tables.scratch, 1.0, rate, now, MOVE)


# ---- outputs, token by token; price, gold and path of labels here ---------------------------------------------------------------------


@generic
def path_cost(s, gold, price, n):
    """Summed prices of the path."""
    raise TypeError(s)


@generic(tiny=True)
def part_at(s, t):
    """What the path has at token t, as one number."""
    raise TypeError(s)


@generic(tiny=True)
def set_part(s, t, part):
    """The path now has it there."""
    raise TypeError(s)


@generic(tiny=True)
def gold_part(s, gold, t):
    """What the gold has at token t."""
    raise TypeError(s)


def price_labels(s, gold, price, n):
    """For labels at tokens."""
    cost = 0.0
    for t in range(n):
        cost += price[gold[t], s.path[t]]
    return cost


def label_at(s, t):
    """For labels at tokens."""
    return s.path[t]


def set_label(s, t, part):
    """For labels at tokens."""
    s.path[t] = part


def gold_label(s, gold, t):
    """For labels at tokens."""
    return gold[t]


for kind in (Chain, Choice):
    path_cost.when(kind)(price_labels)
    part_at.when(kind)(label_at)
    set_part.when(kind)(set_label)
    gold_part.when(kind)(gold_label)


@inner
def length(violation, square, share, l2, most):
    """The best step: violation l2 / (share |Phi' d|^2), at most `most`."""
    return min(most, violation * l2 / (share * square)) if square > 0.0 else most
