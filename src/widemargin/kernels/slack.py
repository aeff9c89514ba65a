"""Slack rescaling: loss = max over y of cost(y) (1 + s(y) - s(gold)), which asks of a costly error no more margin than of a cheap one, but
weighs its violation more (Tsochantaridis et al. 2005, section 2.2).

The maximum is exact: the best score is found in every stratum, the outputs of one cost, by a Viterbi search that counts. All prices must
be whole multiples of the smallest; alpha[t, e, k] is the best prefix that ends with label k at token t and costs e units:

    alpha[t, e, k] = s(t, k) + max_j alpha[t - 1, e - price(t, k), j] + edge(j, k)
"""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .jit import generic, inner
from .lanes import load, maximum, splat, store
from .structure import add_path, augment, path_score, take_gold
from .terms import factor, measure


class Rescaled(NamedTuple):
    """max of cost(y) (margin + s(y) - s(gold)); margin is 1."""

    margin: float


@inner
def smallest(price, Y):
    """The unit in which costs are counted, 1 when nothing costs anything; and the largest price in it."""
    unit, most = np.inf, 0.0
    for y in range(Y):
        for k in range(Y):
            most = max(most, price[y, k])
            if price[y, k] > 0.0:
                unit = min(unit, price[y, k])
    return (unit, round(most / unit)) if most > 0.0 else (1.0, 0)


@generic
def stratify(s, gold, price, n, need):
    """The largest cost(y) (s(y) - need) under `work`, the cost of its output, and for a chain that cost in units and the last label."""
    raise TypeError(s)


@stratify.when(Choice)
def _(s, gold, price, n, need):
    value, best = 0.0, gold[0]
    for k in range(s.labels):
        loss = price[gold[0], k] * (s.work[0, k] - need) if price[gold[0], k] > 0.0 else 0.0
        if loss > value:
            value, best = loss, k
    return value, price[gold[0], best], 0, best


@stratify.when(Chain)
def _(s, gold, price, n, need):
    lanes, Y, alpha = s.lanes, s.labels, s.strata
    unit, most = smallest(price, Y)
    pitch = n * most + 1  # strata per token
    never = splat(alpha, -np.inf, lanes)
    for t in range(n):
        for e in range((t + 1) * most + 1):
            store(alpha, t * pitch + e, never)
        for e in range(t * most + 1):
            reach = load(s.work, t, lanes)
            if t > 0:
                before, first = (t - 1) * pitch + e, t * s.pitch
                best = load(s.edge, first, lanes) + alpha[before, 0]
                for j in range(1, Y):
                    best = maximum(best, load(s.edge, first + j, lanes) + alpha[before, j])
                reach += best
            store(s.line, 0, reach)
            for k in range(Y):
                alpha[t * pitch + e + round(price[gold[t], k] / unit), k] = s.line[0, k]
    value, stratum, last = 0.0, 0, 0
    for e in range(1, pitch):
        for k in range(Y):
            loss = e * unit * (alpha[(n - 1) * pitch + e, k] - need)
            if loss > value:
                value, stratum, last = loss, e, k
    return value, stratum * unit, stratum, last


@generic
def trace(s, gold, price, n, stratum, last):
    """path = the output that stratify has found."""
    raise TypeError(s)


@trace.when(Choice)
def _(s, gold, price, n, stratum, last):
    s.path[0] = last


@trace.when(Chain)
def _(s, gold, price, n, stratum, last):
    unit, most = smallest(price, s.labels)
    pitch = n * most + 1
    s.path[n - 1] = last
    for t in range(n - 1, 0, -1):
        k = s.path[t]
        stratum -= round(price[gold[t], k] / unit)
        before, y = (t - 1) * pitch + stratum, 0
        for j in range(1, s.labels):
            if s.strata[before, j] + s.edge[t * s.pitch + j, k] > s.strata[before, y] + s.edge[t * s.pitch + y, k]:
                y = j
        s.path[t - 1] = y


@measure.when(Rescaled)
def _(term, s, gold, price, n, sign):
    take_gold(s, gold, n)
    need = path_score(s, n) - term.margin
    augment(s, gold, price, n, 0.0, False)
    value, cost, stratum, last = stratify(s, gold, price, n, need)
    if value <= 0.0:
        return 0.0
    add_path(s, n, -sign * cost)
    trace(s, gold, price, n, stratum, last)
    add_path(s, n, sign * cost)
    return value


@factor.when(Rescaled)
def _(term, cost):
    return cost
