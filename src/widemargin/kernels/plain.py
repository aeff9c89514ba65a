"""The rule without a clock: w -= rate g, and nothing happens to a weight in between. Dual learners that do not average move by it."""

from typing import NamedTuple

from .lanes import load, store
from .rules import catch_up, decays, move, peek, penalised, tick


class Plain(NamedTuple):
    """No penalty (a dual learner's is in its masses) and no running sum; l1 and l2 are 0."""

    l1: float
    l2: float


decays.when(Plain)(penalised)


@peek.when(Plain)
def _(rule, weights, f, j, now):
    return load(weights.row, f * weights.height + j, weights.lanes)


@catch_up.when(Plain)
def _(rule, weights, f, now):
    pass


@move.when(Plain)
def _(rule, weights, f, g, first, rate, now):
    step = weights.copies[f] * rate
    for j in range(weights.height):
        i = f * weights.height + j
        store(weights.row, i, load(weights.row, i, weights.lanes) - load(g, first + j, weights.lanes) * step)


@tick.when(Plain)
def _(rule, rate, now):
    pass
