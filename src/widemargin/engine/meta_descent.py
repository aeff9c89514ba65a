"""Stochastic meta-descent: a gain per weight that grows while steps agree (Schraudolph 1999; yu-lam2008, section 3.5, equations 17 and 18).

v is the change of w that a change of all past gains would have made, forgotten at the rate lambda. A step with loss gradient g, curvature
product Hv (of the loss) and gain x, with the l2 penalty implicit as in every rule here (rules.py):

    x' = x max(1/2, 1 - mu (g + l2 w) v)                 where g != 0, else x' = x
    w' = w - x' (g + l2 w')                              = (w - x' g) / (1 + x' l2)
    v' = lambda v - x' (g + l2 w' + lambda Hv + l2 v')   = (lambda (v - x' Hv) - x' (g + l2 w')) / (1 + x' l2)

Hv needs no second derivative by hand: with d the scores of the direction v, the curvature of logsum along d is Cov(part, d), which is
`tilt`; the hinge has none. Only features that fire in the row have g or Hv. For the others, with c = 1 / (1 + x l2), t steps are

    w' = c^t w,      v' = c^t lambda^t v - x l2 c w' (1 + lambda + ... + lambda^(t-1)).
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, tiny
from widemargin.compiler.lanes import load, maximum, splat, store, top, where_nonzero
from widemargin.engine.lazy import SMALL_DECAY, catch_up_now, shrunk_by_exp, skipped
from widemargin.engine.rows import GATHER, Step, apply_gradient
from widemargin.engine.rules import STEP_SIZE, add_to_sum, catch_up, decays, move, peek
from widemargin.engine.structure import augment, clear, take_gold, tilt
from widemargin.engine.sweep import gather_curvature
from widemargin.engine.tables import CURVATURE, Reader
from widemargin.engine.terms import LogSum, Max, Nothing, Relative, Rescaled

DIRECTION = 2  # the slot of v


class Smd(NamedTuple):
    """mu: how fast gains change; memory: lambda."""

    mu: float
    memory: float
    l2: float
    average: bool


class Along(NamedTuple):
    """Reads v where a rule reads w, so that the scores of the direction are summed as scores are."""

    rule: Smd


@decays.when(Smd)
def _(rule):
    return rule.l2 > 0.0


@decays.when(Along)
def _(along):
    return True


@peek.when(Smd)
def _(rule, weights, f, j, now):
    i = f * weights.row_stride + j
    t = now - weights.last[f]
    if t > 0 and rule.l2 > 0.0:
        b = load(weights.row, i + STEP_SIZE * weights.slot_stride, weights.lanes) * rule.l2
        if top(b) <= SMALL_DECAY:
            return shrunk_by_exp(load(weights.row, i, weights.lanes), b, t)
        catch_up_now(rule, weights, f, now)
    return load(weights.row, i, weights.lanes)


@peek.when(Along)
def _(along, weights, f, j, now):
    if now > weights.last[f]:
        catch_up_now(along.rule, weights, f, now)
    return load(weights.row, f * weights.row_stride + DIRECTION * weights.slot_stride + j, weights.lanes)


@tiny
def powers(memory, t):
    """lambda^t and 1 + lambda + ... + lambda^(t-1)."""
    last = memory ** np.float64(t)
    return last, (1.0 - last) / (1.0 - memory) if memory < 1.0 else np.float64(t)


@catch_up.when(Smd)
def _(rule, weights, f, now):
    t = now - weights.last[f]
    if t <= 0:
        return
    weights.last[f] = now
    h, lanes = weights.height, weights.lanes
    fade, run = powers(rule.memory, t)
    for j in range(h):
        i = f * weights.row_stride + j
        at = i + DIRECTION * weights.slot_stride
        w, v = load(weights.row, i, lanes), load(weights.row, at, lanes) * fade
        if rule.l2 == 0.0:
            store(weights.row, at, v)
            if rule.average:
                add_to_sum(weights, f, j, w * np.float64(t))
            continue
        b = load(weights.row, i + STEP_SIZE * weights.slot_stride, lanes) * rule.l2
        if top(b) <= SMALL_DECAY and not rule.average:
            w = shrunk_by_exp(w, b, t)
            store(weights.row, i, w)
            store(weights.row, at, shrunk_by_exp(v, b, t) - w * b / (b + 1.0) * run)
        else:
            s = (f * weights.extra + weights.extra - 1) * h + j
            for k in range(weights.row.shape[1]):
                weight, pull = np.float64(weights.row[i, k]), rule.l2 * np.float64(weights.row[i + STEP_SIZE * weights.slot_stride, k])
                left, added = skipped(abs(weight), 0.0, pull, t)
                sign = 1.0 if weight > 0.0 else -1.0
                turn = np.float64(weights.row[at, k]) * fade * np.exp(-t * np.log1p(pull))
                weights.row[i, k] = sign * left
                weights.row[at, k] = turn - sign * left * pull / (pull + 1.0) * run
                if rule.average:
                    weights.rest[s, k] += sign * added


@move.when(Smd)
def _(rule, weights, f, g, first, rate, now):
    catch_up(rule, weights, f, now)
    lanes, h, l2 = weights.lanes, weights.height, rule.l2
    m = weights.copies[f]
    for j in range(h):
        i = f * weights.row_stride + j
        w, x, v = (
            load(weights.row, i, lanes),
            load(weights.row, i + STEP_SIZE * weights.slot_stride, lanes),
            load(weights.row, i + DIRECTION * weights.slot_stride, lanes),
        )
        gradient, turned = load(g, first + j, lanes), load(g, first + h + j, lanes)
        # w and v are sums over m copies, gradients and gains are those of one
        meet = (gradient + w * (l2 / m)) * v * (rule.mu / m)
        grown = x * maximum(splat(g, 1.0, lanes) - meet, splat(g, 0.5, lanes))
        x = where_nonzero(gradient, grown, x)
        less = x * l2 + 1.0
        w = (w - x * gradient * m) / less
        v = ((v - x * turned * m) * rule.memory - x * (gradient * m + w * l2)) / less
        store(weights.row, i, w)
        store(weights.row, i + STEP_SIZE * weights.slot_stride, x)
        store(weights.row, i + DIRECTION * weights.slot_stride, v)
        if rule.average:
            add_to_sum(weights, f, j, w)
    weights.last[f] = now + 1


@generic
def curved(term):
    """Has the term a second derivative?"""
    raise TypeError(term)


def is_flat(term):
    """Maxima have none, and what is not there has none."""
    return False


curved.when(Max)(is_flat)
curved.when(Rescaled)(is_flat)
curved.when(Relative)(is_flat)
curved.when(Nothing)(is_flat)


@curved.when(LogSum)
def _(term):
    return True


@generic
def curve(term, s, gold, price, n, sign, out):
    """Adds sign * the curvature of a term along the direction in s to mu; out is scratch."""
    raise TypeError(term)


def add_nothing(term, s, gold, price, n, sign, out):
    """mu stays as it is."""


curve.when(Max)(add_nothing)
curve.when(Rescaled)(add_nothing)
curve.when(Relative)(add_nothing)
curve.when(Nothing)(add_nothing)


@curve.when(LogSum)
def _(term, s, gold, price, n, sign, out):
    if not (term.inside and take_gold(s, gold, n, out)):
        augment(s, gold, price, n, term.cost, term.inside)
        tilt(s, n, sign)


@generic
def score_direction(input, s, i, n, reader):
    """The direction of a tilt = the scores of row i under the reader's weights. mu stays as it is."""
    raise TypeError(input)


@gather_curvature.when(Smd)
def _(rule, terms, rows, s, visit, reader, learning):
    if not (curved(terms.upper) or curved(terms.lower)):
        return
    i, n, gold, price, low, _, scale = visit
    score_direction(rows.input, s, i, n, Reader(Along(rule), reader.tables, reader.now))
    clear(s, n)
    curve(terms.upper, s, gold, price, n, 1.0, low)
    curve(terms.lower, s, gold, price, n, -1.0, low)
    apply_gradient(rows.input, s, i, n, Step(GATHER, scale, 0.0, learning.skip, CURVATURE), learning.pending, reader)
