"""Update rules: how a weight moves when it has a gradient, and how it catches up on the steps where it had none.

One step of every rule is the prox step of loss_i + l1 |w| + l2/2 w^2 with a step size x (Duchi et al. 2011; kummerfeld2015, Algorithm 1):

    w <- shrink(w - x g),    shrink(v) = sign(v) max(0, |v| - x l1) / (1 + x l2)

`Sgd` has one step size for all weights at a time (perceptron: 1; MIRA: min(C, loss / |g|^2); SGD: fixed or decaying). `Adaptive` has one per weight
that changes only when the weight has a gradient: AdaGrad x = eta / sqrt(q), q += g^2; AdaDelta (Zeiler 2012) x = rms(dx) / rms(g).

Laziness: between gradients g = 0, so t skipped steps are a closed form (catch_up), applied before the weight is read or moved. Weights live in
slots of one row, [F, S, L], so that a visit touches neighbouring cache lines. A row that stands for m merged features holds the *sum* of
their m equal weights: it moves m times as far, and its l1 threshold is m times as large.
"""

from typing import NamedTuple

import numpy as np

from .jit import generic, inner, kernel

W, PACE = 0, 1
SQUARE, MOVED = 0, 1


class Weights(NamedTuple):
    """Rows of one kind of part (node or edge): what scoring reads, and apart from it what only a step reads."""

    lanes: tuple  # 4 * len(lanes) == D when D is to be known to the compiler, else ()
    row: np.ndarray  # [F, 1 or 2, D]   w, and for Adaptive its step size
    rest: np.ndarray  # [F, S, D]       for Adaptive the squares (AdaDelta: also of the moves); last, the running sum when averaging
    last: np.ndarray  # int32 [F]   the step up to which the row is settled
    copies: np.ndarray  # [F]


class Sgd(NamedTuple):
    """One step size for all. `clock` [steps + 1, 4] holds, after each step since the clock was set to zero: P = prod 1/(1 + x l2),
    S = sum x l1 / P_before, and the running sums of P and of P S, which is what a skipped weight needs."""

    clock: np.ndarray
    l1: float
    l2: float
    average: bool


class Adaptive(NamedTuple):
    """A step size per weight; rho = 0 is AdaGrad, otherwise AdaDelta with that memory."""

    eta: float
    l1: float
    l2: float
    rho: float
    epsilon: float
    average: bool


@inner
def width(weights):
    """D, a constant where the compiler can use one."""
    return 4 * len(weights.lanes) if len(weights.lanes) else weights.row.shape[2]


@generic
def decays(rule):
    """Does a weight change while it has no gradient?"""
    raise TypeError(rule)


@decays.when(Sgd)
def _(rule):
    return rule.l1 > 0.0 or rule.l2 > 0.0


@decays.when(Adaptive)
def _(rule):
    return rule.l1 > 0.0 or rule.l2 > 0.0


@generic
def catch_up(rule, weights, f, now):
    """Bring row f to step `now`: the shrinkage and the running sum of the steps in which it had no gradient."""
    raise TypeError(rule)


@generic
def move(rule, weights, f, g, rate, now):
    """Step `now` -> `now` + 1 of row f with gradient g [D]."""
    raise TypeError(rule)


@inner
def skipped(w, a, r, t):
    """|w| after t steps of v <- max(0, (v - a)) r, and the sum of the t values. a >= 0, 0 < r <= 1, w >= 0."""
    if r < 1.0:
        # before it reaches 0: v_i = r^i (w + c) - c with c = a r / (1 - r)
        c = a * r / (1.0 - r)
        steps = t
        if a > 0.0:
            alive = np.log(c / (w + c)) / np.log(r)
            steps = min(t, np.int64(max(alive, 0.0)))
        power = r**steps
        total = (w + c) * r * (1.0 - power) / (1.0 - r) - c * steps
        v = power * (w + c) - c
    else:
        steps = t if a * t <= w else np.int64(w / a)
        v = w - a * steps
        total = steps * w - a * steps * (steps + 1) / 2.0
    if steps < t:
        v = 0.0
    return max(v, 0.0), max(total, 0.0)


@catch_up.when(Adaptive)
def _(rule, weights, f, now):
    t = now - weights.last[f]
    if t <= 0:
        return
    weights.last[f] = now
    row = weights.row[f]
    w, pace = row[W], row[PACE]
    D = width(weights)
    m = weights.copies[f]
    if rule.average:
        total = weights.rest[f, weights.rest.shape[1] - 1]
        for k in range(D):
            if w[k] != 0.0:
                x = pace[k]
                v, added = skipped(abs(w[k]), m * x * rule.l1, 1.0 / (1.0 + x * rule.l2), t)
                total[k] += added if w[k] > 0.0 else -added
                w[k] = v if w[k] > 0.0 else -v
    elif rule.l1 > 0.0:
        for k in range(D):
            if w[k] != 0.0:
                x = pace[k]
                v, added = skipped(abs(w[k]), m * x * rule.l1, 1.0 / (1.0 + x * rule.l2), t)
                w[k] = v if w[k] > 0.0 else -v
    else:
        shrink_l2(w, pace, D, rule.l2, t)


@inner
def shrink_l2(w, pace, D, l2, t):
    """w *= (1 + x l2)^-t, exact and without a power per weight when x l2 t is small: exp(-t log1p(x l2)) by two short series."""
    top = 0.0
    for k in range(D):
        top = max(top, np.float64(pace[k]) if w[k] != 0.0 else 0.0)
    if top * l2 * t < 1e-3:
        for k in range(D):
            b = l2 * pace[k]
            # log1p(b) to b^4 / 4 and exp to z^4 / 24: below 1e-3 both leave less than 1e-15
            z = -t * b * (1.0 - b * (0.5 - b * (1.0 / 3.0 - 0.25 * b)))
            w[k] *= 1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z / 24.0)))
    elif top > 0.0:
        for k in range(D):
            if w[k] != 0.0:
                w[k] *= np.exp(-t * np.log1p(l2 * pace[k]))


@move.when(Adaptive)
def _(rule, weights, f, g, rate, now):
    catch_up(rule, weights, f, now)
    row = weights.row[f]
    w, pace, q = row[W], row[PACE], weights.rest[f, SQUARE]
    m, D = weights.copies[f], width(weights)
    a, b = rule.l1, rule.l2
    for k in range(D):
        if rule.rho == 0.0:
            s = q[k] + g[k] * g[k]
            q[k] = s
            x = rule.eta / np.sqrt(s)
        else:
            x = pace[k]
            if g[k] != 0.0:
                q[k] = rule.rho * q[k] + (1.0 - rule.rho) * g[k] * g[k]
                x = rule.eta * np.sqrt(weights.rest[f, MOVED, k] + rule.epsilon) / np.sqrt(q[k] + rule.epsilon)
                weights.rest[f, MOVED, k] = rule.rho * weights.rest[f, MOVED, k] + (1.0 - rule.rho) * (x * g[k]) ** 2
        pace[k] = x
        v = w[k] - m * x * g[k]
        if a > 0.0:
            v = np.sign(v) * max(abs(v) - m * x * a, 0.0)
        w[k] = v / (1.0 + x * b)
    if rule.average:
        total = weights.rest[f, weights.rest.shape[1] - 1]
        for k in range(D):
            total[k] += w[k]
    weights.last[f] = now + 1


@catch_up.when(Sgd)
def _(rule, weights, f, now):
    since = weights.last[f]
    if now <= since:
        return
    weights.last[f] = now
    row = weights.row[f]
    w = row[W]
    total = weights.rest[f, weights.rest.shape[1] - 1]
    m, D = weights.copies[f], width(weights)
    if rule.l1 > 0.0:
        clock = rule.clock
        for k in range(D):
            if w[k] != 0.0:
                # v = |w| / P loses S_i - S_since; find the last step at which something is left
                v = abs(w[k]) / clock[since, 0]
                end = now
                if v <= m * (clock[now, 1] - clock[since, 1]):
                    low, high = since, now
                    while low < high:
                        middle = (low + high + 1) // 2
                        if v > m * (clock[middle, 1] - clock[since, 1]):
                            low = middle
                        else:
                            high = middle - 1
                    end = low
                sign = 1.0 if w[k] > 0.0 else -1.0
                if rule.average:
                    sums = (v + m * clock[since, 1]) * (clock[end, 2] - clock[since, 2]) - m * (clock[end, 3] - clock[since, 3])
                    total[k] += sign * sums
                w[k] = sign * clock[end, 0] * (v - m * (clock[end, 1] - clock[since, 1])) if end == now else 0.0
    elif rule.l2 > 0.0:
        start = rule.clock[since, 0]
        factor, sums = rule.clock[now, 0] / start, (rule.clock[now, 2] - rule.clock[since, 2]) / start
        for k in range(D):
            if rule.average:
                total[k] += w[k] * sums
            w[k] *= factor
    elif rule.average:
        for k in range(D):
            total[k] += w[k] * (now - since)


@move.when(Sgd)
def _(rule, weights, f, g, rate, now):
    catch_up(rule, weights, f, now)
    row = weights.row[f]
    w = row[W]
    m, D = weights.copies[f], width(weights)
    for k in range(D):
        v = w[k] - m * rate * g[k]
        if rule.l1 > 0.0:
            v = np.sign(v) * max(abs(v) - m * rate * rule.l1, 0.0)
        w[k] = v / (1.0 + rate * rule.l2)
    if rule.average:
        total = weights.rest[f, weights.rest.shape[1] - 1]
        for k in range(D):
            total[k] += w[k]
    weights.last[f] = now + 1


@kernel
def settle(rule, weights, now):
    """Bring every row to step `now`."""
    for f in range(len(weights.last)):
        catch_up(rule, weights, f, now)


@generic
def tick(rule, rate, now):
    """Tell the rule that step `now` has been taken at this rate."""
    raise TypeError(rule)


@tick.when(Adaptive)
def _(rule, rate, now):
    pass


@tick.when(Sgd)
def _(rule, rate, now):
    clock = rule.clock
    before = clock[now - 1, 0]
    clock[now, 0] = before / (1.0 + rate * rule.l2)
    clock[now, 1] = clock[now - 1, 1] + rate * rule.l1 / before
    clock[now, 2] = clock[now - 1, 2] + clock[now, 0]
    clock[now, 3] = clock[now - 1, 3] + clock[now, 0] * clock[now, 1]
