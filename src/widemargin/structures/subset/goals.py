"""What a search over sets maximises: their score, or cost times violation for slack rescaling (Tsochantaridis et al. 2005).

Both grow with score and cost, so that upper bounds on those two give one on the goal.
"""

from typing import NamedTuple

from widemargin.compiler.jit import generic


class HighestScore(NamedTuple):
    """offset + score."""

    offset: float


class LargestLoss(NamedTuple):
    """cost (score - need), where the cost is offset + prices; 0 where one of the two is negative."""

    offset: float
    need: float


@generic(tiny=True)
def worth(goal, score, cost):
    """The goal of a set of that score, whose prices sum to `cost`; or a bound on it, if they are bounds."""
    raise TypeError(goal)


@worth.when(HighestScore)
def _(goal, score, cost):
    return goal.offset + score


@worth.when(LargestLoss)
def _(goal, score, cost):
    whole, violation = goal.offset + cost, score - goal.need
    return whole * violation if whole > 0.0 and violation > 0.0 else 0.0
