"""Update rules: how a weight moves when it has a gradient, and how it catches up on the steps where it had none.

One step of every rule is the prox step of loss_i + l1 |w| + l2/2 w^2 with a step size x (Duchi et al. 2011; kummerfeld2015, Algorithm 1):

    w <- shrink(w - x g),    shrink(v) = sign(v) max(0, |v| - x l1) / (1 + x l2)

`Sgd` has one step size for all weights at a time (perceptron: 1; MIRA: min(C, loss / |g|^2); SGD: fixed or decaying). `Adaptive` has one
per weight that changes only when the weight has a gradient: AdaGrad x = eta / sqrt(q), q += g^2, kept as 1/x^2 += g^2 / eta^2; AdaDelta
(Zeiler 2012) x = rms(dx) / rms(g).

Laziness: between gradients g = 0, so t skipped steps are a closed form (catch_up, in engine/lazy.py), applied before a weight is read or
moved. A row that stands for m merged features holds the *sum* of their m equal weights: it moves m times as far, and its l1 threshold is m
times as large.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, tiny
from widemargin.compiler.lanes import load, magnitude, maximum, root, signed, splat, store, where_nonzero

STEP_SIZE = 1  # the slot of the step size


class Sgd(NamedTuple):
    """One step size for all. `decay_log` [steps + 1, 4] holds, after each step since it was begun anew: P = prod 1/(1 + x l2),
    S = sum x l1 / P_before, and the running sums of P and of P S, which is what a skipped weight needs."""

    decay_log: np.ndarray
    l1: float
    l2: float
    average: bool


class Adaptive(NamedTuple):
    """A step size per weight; rho = 0 is AdaGrad, otherwise AdaDelta with that memory. reach: a bound on l2 times any step size.

    powers [steps, 3 or 6]: row t has the first terms of (1 + x l2)^-t - 1 as a series in x, in float32 three of them (lazy.series).
    """

    eta: float
    l1: float
    l2: float
    reach: float
    rho: float
    epsilon: float
    average: bool
    powers: np.ndarray


class GradientStep(NamedTuple):
    """w -= rate g, and nothing happens to a weight in between: no penalty, no running sum. Dual learners that do not average move by it
    (their penalty is in their masses), and weights that nobody moves are read by it. l1 and l2 are 0."""

    l1: float
    l2: float


FIXED = GradientStep(0.0, 0.0)


@generic(tiny=True)
def catch_up(rule, weights, f, now):
    """Bring row f to step `now`: the shrinkage and the running sum of the steps in which it had no gradient."""
    raise TypeError(rule)


@generic(tiny=True)
def peek(rule, weights, f, j, now):
    """Lanes j of weight row f as they are at step `now`; the row itself need not be brought there, so that scoring seldom writes."""
    raise TypeError(rule)


@generic(tiny=True)
def move(rule, weights, f, g, first, rate, now):
    """Step `now` -> `now` + 1 of row f with gradient g[first : first + h]."""
    raise TypeError(rule)


@generic
def record_step(rule, rate, now):
    """Tell the rule that step `now` has been taken at this rate. Most do not ask."""


@record_step.when(object)
def _(rule, rate, now):
    pass


@generic(tiny=True)
def decays(rule):
    """Does what a rule reads change while it has no gradient?"""
    raise TypeError(rule)


def penalised(rule):
    """Weights do, under a penalty."""
    return rule.l1 > 0.0 or rule.l2 > 0.0


decays.when(Sgd)(penalised)
decays.when(Adaptive)(penalised)
decays.when(GradientStep)(penalised)


@tiny
def cut_l1(v, a):
    """v with a taken from its magnitude, down to 0."""
    return signed(maximum(magnitude(v) - a, v - v), v)


@tiny
def shrunk(v, threshold, x, l1, l2):
    """The prox of the penalty: threshold = m x l1 per weight, x the step sizes."""
    if l1 > 0.0:
        v = cut_l1(v, threshold)
    if l2 > 0.0:
        v = v / (x * l2 + 1.0)
    return v


@tiny
def add_to_sum(weights, f, j, v):
    """The running sum of w, for averaging."""
    i = (f * weights.extra + weights.extra - 1) * weights.height + j
    store(weights.rest, i, load(weights.rest, i, weights.lanes) + v)


@move.when(Adaptive)
def _(rule, weights, f, g, first, rate, now):
    catch_up(rule, weights, f, now)
    lanes, h = weights.lanes, weights.height
    m = weights.copies[f]
    for j in range(h):
        i = f * weights.row_stride + j
        gradient = load(g, first + j, lanes)
        x = load(weights.row, i + STEP_SIZE * weights.slot_stride, lanes)
        if rule.rho == 0.0:
            y = x * gradient * (1.0 / rule.eta)
            x = x / root(y * y + 1.0)
        else:
            x = adadelta_step_size(rule, weights, x, f * weights.extra * h + j, gradient)
        store(weights.row, i + STEP_SIZE * weights.slot_stride, x)
        v = load(weights.row, i, lanes) - x * gradient * m
        v = shrunk(v, x * (m * rule.l1), x, rule.l1, rule.l2)
        store(weights.row, i, v)
        if rule.average:
            add_to_sum(weights, f, j, v)
    weights.last[f] = now + 1


@tiny
def adadelta_step_size(rule, weights, x, r, gradient):
    """x = rms of past moves / rms of gradients; both memories advance only where there is a gradient."""
    lanes, h, rho, epsilon = weights.lanes, weights.height, rule.rho, rule.epsilon
    q, moves = load(weights.rest, r, lanes), load(weights.rest, r + h, lanes)
    square = gradient * gradient
    new_q = q * rho + square * (1.0 - rho)
    new_x = root(moves + epsilon) / root(new_q + epsilon) * rule.eta
    store(weights.rest, r, where_nonzero(gradient, new_q, q))
    store(weights.rest, r + h, where_nonzero(gradient, moves * rho + new_x * new_x * square * (1.0 - rho), moves))
    return where_nonzero(gradient, new_x, x)


@move.when(Sgd)
def _(rule, weights, f, g, first, rate, now):
    catch_up(rule, weights, f, now)
    lanes, h = weights.lanes, weights.height
    m = weights.copies[f]
    for j in range(h):
        i = f * weights.row_stride + j
        v = load(weights.row, i, lanes) - load(g, first + j, lanes) * (m * rate)
        x = splat(g, rate, lanes)
        v = shrunk(v, x * (m * rule.l1), x, rule.l1, rule.l2)
        store(weights.row, i, v)
        if rule.average:
            add_to_sum(weights, f, j, v)
    weights.last[f] = now + 1


@record_step.when(Sgd)
def _(rule, rate, now):
    log = rule.decay_log
    before = log[now - 1, 0]
    log[now, 0] = before / (1.0 + rate * rule.l2)
    log[now, 1] = log[now - 1, 1] + rate * rule.l1 / before
    log[now, 2] = log[now - 1, 2] + log[now, 0]
    log[now, 3] = log[now - 1, 3] + log[now, 0] * log[now, 1]


@generic
def is_full(rule, now):
    """Must every weight be brought to step `now`, and that step be called 0? For Sgd, when the product of decays is small; others need no
    log."""


@is_full.when(object)
def _(rule, now):
    return False


@is_full.when(Sgd)
def _(rule, now):
    return rule.decay_log[now, 0] < 1e-2


@peek.when(GradientStep)
def _(rule, weights, f, j, now):
    return load(weights.row, f * weights.row_stride + j, weights.lanes)


@catch_up.when(GradientStep)
def _(rule, weights, f, now):
    pass


@move.when(GradientStep)
def _(rule, weights, f, g, first, rate, now):
    step = weights.copies[f] * rate
    for j in range(weights.height):
        i = f * weights.row_stride + j
        store(weights.row, i, load(weights.row, i, weights.lanes) - load(g, first + j, weights.lanes) * step)
