"""Dual averaging: a weight is the best answer to all its gradients so far (Xiao 2010; Duchi et al. 2011, equation 3, with AdaGrad's scale).

    w_t = argmin_w  -u w + t l1 |w| + w^2 / (2 x)      = x sign(u) max(0, |u| - t l1)        u = -(g_1 + ... + g_t),  x = eta / sqrt(q)

The penalty is that of all t steps at once, not of each in turn as in rules.Adaptive: a weight whose gradients cancel in the long run is 0,
however far they have moved it for a while. So few weights are left, and those of frequent features.

A weight is computed when it has a gradient, and every weight at the end of an epoch (`recomputed`); in between it stays as it is, though
its threshold t l1 grows, so that scoring reads weights alone.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import load, root, splat, store, where_nonzero
from widemargin.engine.rules import STEP_SIZE, add_to_sum, catch_up, cut_l1, decays, move, peek


class DualAveraging(NamedTuple):
    """`before`: steps taken before step 0 of the tables. u is the first slot of what is kept apart (Weights.rest). There is no l2."""

    eta: float
    l1: float
    before: int
    average: bool


@decays.when(DualAveraging)
def _(rule):
    return False


@peek.when(DualAveraging)
def _(rule, weights, f, j, now):
    return load(weights.row, f * weights.row_stride + j, weights.lanes)


@catch_up.when(DualAveraging)
def _(rule, weights, f, now):
    t = now - weights.last[f]
    if t <= 0:
        return
    weights.last[f] = now
    if rule.average:
        for j in range(weights.height):
            add_to_sum(weights, f, j, load(weights.row, f * weights.row_stride + j, weights.lanes) * np.float64(t))


@move.when(DualAveraging)
def _(rule, weights, f, g, first, rate, now):
    catch_up(rule, weights, f, now)
    lanes, h = weights.lanes, weights.height
    m = weights.copies[f]
    threshold = rule.l1 * np.float64(rule.before + now + 1)
    for j in range(h):
        i, dual = f * weights.row_stride + j, f * weights.extra * h + j
        gradient = load(g, first + j, lanes)
        x = load(weights.row, i + STEP_SIZE * weights.slot_stride, lanes)
        y = x * gradient * (1.0 / rule.eta)
        x = x / root(y * y + 1.0)
        store(weights.row, i + STEP_SIZE * weights.slot_stride, x)
        u = load(weights.rest, dual, lanes) - gradient
        store(weights.rest, dual, u)
        v = cut_l1(u, splat(g, threshold, lanes)) * (x * m)
        v = where_nonzero(gradient, v, load(weights.row, i, lanes))
        store(weights.row, i, v)
        if rule.average:
            add_to_sum(weights, f, j, v)
    weights.last[f] = now + 1


def recomputed(u: np.ndarray, x: np.ndarray, threshold: float) -> np.ndarray:
    """The weights of all u after t steps, with threshold = t l1; each of one feature."""
    return np.sign(u) * np.maximum(np.abs(u) - u.dtype.type(threshold), 0) * x
