"""An objective is a difference of two terms, and a term is data: which operation, how much cost, inside the gold set or not.

loss(s) = Upper(s) - Lower(s), gradient over parts = mu_upper - mu_lower (the table in ARCHITECTURE.md).
"""

from typing import NamedTuple

from widemargin.compiler.jit import generic, kernel
from widemargin.engine.structure import UNKNOWN as UNKNOWN
from widemargin.engine.structure import (
    add_output,
    argmax,
    augment,
    clear,
    kbest,
    logsum,
    negate,
    output_score,
    outputs,
    set_direction,
    take_gold,
    tilt,
    worst,
)


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


class Rescaled(NamedTuple):
    """Slack rescaling: max of cost(y) (margin + s(y) - s(gold)), which asks of a costly error no more margin than of a cheap one, but
    weighs its violation more (Tsochantaridis et al. 2005, section 2.2); margin is 1. Everything of the gold must be known."""

    margin: float


class Relative(NamedTuple):
    """Relative margin (eidelman2013, eq. 3 and 4): a ramp from hope to fear, and a bound on how far scores may spread around the hope.

    max(s + cost c) - max(s - cost c) + ratio max(0, s(hope) - min s - bound, max s - s(hope) - bound), hope = argmax s - cost c; ratio is
    the paper's D / C, and both bounds share one slack."""

    cost: float
    ratio: float
    bound: float


class Given(NamedTuple):
    """The score of an output that is given: the one that `out` holds already."""

    cost: float


class Nothing(NamedTuple):
    """The term that is not there."""

    cost: float


class Terms(NamedTuple):
    """The two terms of an objective."""

    upper: tuple
    lower: tuple


@generic
def measure(term, s, gold, price, n, sign, out):
    """Value of a term at the scores in s; mu += sign * (indicator, marginals or covariance).

    A term that is one output's leaves it in out; others may use out as scratch."""
    raise TypeError(term)


@measure.when(Max)
def _(term, s, gold, price, n, sign, out):
    if term.inside and take_gold(s, gold, n, out):
        value = output_score(s, n, out)
    else:
        augment(s, gold, price, n, term.cost, term.inside)
        value = argmax(s, n, out)
    add_output(s, n, sign, out)
    return value


@measure.when(LogSum)
def _(term, s, gold, price, n, sign, out):
    if term.inside and take_gold(s, gold, n, out):
        add_output(s, n, sign, out)
        return output_score(s, n, out)
    augment(s, gold, price, n, term.cost, term.inside)
    return logsum(s, n, sign)


@measure.when(Expect)
def _(term, s, gold, price, n, sign, out):
    augment(s, gold, price, n, 0.0, False)
    set_direction(s, gold, price, n)
    return tilt(s, n, sign)


@measure.when(Rescaled)
def _(term, s, gold, price, n, sign, out):
    right = outputs(s)[1]  # the lower term is Nothing: its room is free for the gold
    take_gold(s, gold, n, right)
    take_gold(s, gold, n, out)
    augment(s, gold, price, n, 0.0, False)
    value, cost = worst(s, gold, price, n, output_score(s, n, right) - term.margin, out)
    if value > 0.0:
        add_output(s, n, -sign * cost, right)
        add_output(s, n, sign * cost, out)
    return value


@measure.when(Relative)
def _(term, s, gold, price, n, sign, out):
    hope = outputs(s)[1]  # the lower term is Nothing: its room is free
    augment(s, gold, price, n, term.cost, False)
    value = argmax(s, n, out)
    add_output(s, n, sign, out)
    augment(s, gold, price, n, -term.cost, False)
    value -= argmax(s, n, hope)
    add_output(s, n, -sign, hope)
    middle = output_score(s, n, hope)
    augment(s, gold, price, n, 0.0, False)
    above = argmax(s, n, out) - middle - term.bound
    negate(s, n)
    augment(s, gold, price, n, 0.0, False)
    below = argmax(s, n, out) + middle - term.bound
    negate(s, n)
    excess, side = below, -sign * term.ratio
    if above > below:
        excess, side = above, sign * term.ratio
        augment(s, gold, price, n, 0.0, False)
        argmax(s, n, out)
    if excess <= 0.0:
        return value
    add_output(s, n, side, out)
    add_output(s, n, -side, hope)
    return value + term.ratio * excess


@measure.when(Given)
def _(term, s, gold, price, n, sign, out):
    add_output(s, n, sign, out)
    return output_score(s, n, out)


@measure.when(Nothing)
def _(term, s, gold, price, n, sign, out):
    return 0.0


@generic
def factor(term, cost):
    """k of the part vector k (mu_y - mu_gold) of an output of that cost, for terms that are maxima."""
    raise TypeError(term)


@factor.when(Max)
def _(term, cost):
    return 1.0


@factor.when(Rescaled)
def _(term, cost):
    return cost


@kernel
def answer(term, s, gold, price, n):
    """Value of a term at the scores in s; mu is its alone afterwards, and its output is the first of outputs(s)."""
    clear(s, n)
    return measure(term, s, gold, price, n, 1.0, outputs(s)[0])


@kernel
def augment_row(s, gold, price, n):
    """Augmented scores without costs: those in s, under its legal masks."""
    augment(s, gold, price, n, 0.0, False)


@kernel
def tilt_row(s, gold, price, n):
    """tilt along the direction that s holds; mu is its alone afterwards."""
    augment(s, gold, price, n, 0.0, False)
    clear(s, n)
    return tilt(s, n, 1.0)


@kernel
def kbest_row(s, n, found):
    """The best outputs under the augmented scores into found; returns how many there are."""
    return kbest(s, n, found)
