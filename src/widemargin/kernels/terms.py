"""An objective is a difference of two terms, and a term is data: which operation, how much cost, inside the gold set or not.

loss(s) = Upper(s) - Lower(s), gradient over parts = mu_upper - mu_lower (the table in ARCHITECTURE.md).
"""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .jit import generic, kernel
from .lanes import load, splat, store
from .structure import add_path, aim, argmax, augment, clear, logsum, path_score, take_gold, tilt

UNKNOWN = -1


class Max(NamedTuple):
    """max of s + cost * c; `inside`: only over the outputs that agree with the gold."""

    cost: float
    inside: bool


class LogSum(NamedTuple):
    """log sum exp of s + cost * c."""

    cost: float
    inside: bool


class Expect(NamedTuple):
    """Expected cost under exp(s) / Z: the derivative of logsum(s + e c) at e = 0."""

    cost: float


class Nothing(NamedTuple):
    """The term that is not there."""

    cost: float


def augment_nodes(s, gold, price, n, cost, inside):
    """For labels at tokens: price [Y, L], what guessing k costs when y is right."""
    lanes = s.lanes
    never = splat(s.work, -np.inf, lanes)
    for t in range(n):
        y = gold[t]
        if y == UNKNOWN:
            store(s.work, t, load(s.node, t, lanes))
        elif inside:
            store(s.work, t, never)
            s.work[t, y] = s.node[t, y] + cost * price[y, y]
        else:
            store(s.work, t, load(s.node, t, lanes) + load(price, y, lanes) * cost)
    store(s.work, 0, load(s.work, 0, lanes) + load(s.start, 0, lanes))
    store(s.work, n - 1, load(s.work, n - 1, lanes) + load(s.stop, 0, lanes))


def take_gold_labels(s, gold, n):
    """For labels at tokens."""
    for t in range(n):
        if gold[t] == UNKNOWN:
            return False
        s.path[t] = gold[t]
    return True


def aim_at_nodes(s, gold, price, n):
    """For labels at tokens."""
    for t in range(n):
        store(s.price, t, load(price, gold[t], s.lanes) if gold[t] != UNKNOWN else splat(price, 0.0, s.lanes))


for kind in (Chain, Choice):
    augment.when(kind)(augment_nodes)
    take_gold.when(kind)(take_gold_labels)
    aim.when(kind)(aim_at_nodes)


@generic
def measure(term, s, gold, price, n, sign):
    """Value of a term at the structure's scores; adds sign * (indicator, marginals or covariance) to its mu."""
    raise TypeError(term)


@measure.when(Max)
def _(term, s, gold, price, n, sign):
    if term.inside and take_gold(s, gold, n):
        value = path_score(s, n)
    else:
        augment(s, gold, price, n, term.cost, term.inside)
        value = argmax(s, n)
    add_path(s, n, sign)
    return value


@measure.when(LogSum)
def _(term, s, gold, price, n, sign):
    if term.inside and take_gold(s, gold, n):
        add_path(s, n, sign)
        return path_score(s, n)
    augment(s, gold, price, n, term.cost, term.inside)
    return logsum(s, n, sign)


@measure.when(Expect)
def _(term, s, gold, price, n, sign):
    augment(s, gold, price, n, 0.0, False)
    aim(s, gold, price, n)
    return tilt(s, n, sign)


@generic
def factor(term, cost):
    """k of the part vector k (mu_y - mu_gold) of an output of that cost, for terms that are maxima."""
    raise TypeError(term)


@factor.when(Max)
def _(term, cost):
    return 1.0


@measure.when(Nothing)
def _(term, s, gold, price, n, sign):
    return 0.0


@kernel
def augment_row(s, gold, price, n):
    """work = the scores that the structure holds, under its legal masks."""
    augment(s, gold, price, n, 0.0, False)


@kernel
def tilt_row(s, gold, price, n):
    """tilt along the direction that the structure holds."""
    augment(s, gold, price, n, 0.0, False)
    clear(s, n)
    return tilt(s, n, 1.0)
