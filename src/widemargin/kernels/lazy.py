"""Catching up: the closed forms of t steps in which a weight had no gradient. Equal to taking the steps one by one."""

import numpy as np

from .jit import inner, tiny
from .lanes import load, store, top, where_nonzero
from .rules import PACE, Adaptive, Sgd, add_to_sum, catch_up, decays, peek


@inner
def skipped(w, a, b, t):
    """|w| after t steps of v <- max(0, v - a) / (1 + b), and the sum of the t values. a, b, w >= 0.

    With r = 1 / (1 + b): v_i = w r^i - a (r + ... + r^i), alive while (1 + b)^i <= 1 + w b / a.
    """
    rate, alive = np.log1p(b), t
    if a > 0.0:
        alive = min(t, np.int64(np.log1p(w * b / a) / rate if b > 0.0 else w / a))
    n = np.float64(alive)
    if n * rate > 1e-2:
        lost = -np.expm1(-n * rate)
        powers = lost / b
        under = (n - powers) / b
    else:
        # sum of r^i = n - b under, by the binomial series: sum_i C(i + k - 1, k) = C(n + k, k + 1)
        under, term = 0.0, n
        for k in range(2, 9):
            term *= (n + k - 1.0) / k * (-b if k > 2 else 1.0)
            under += term
        powers = n - b * under
        lost = b * powers
    return max(w - w * lost - a * powers, 0.0) if alive == t else 0.0, max(w * powers - a * under, 0.0)


@tiny
def few_steps(weights, i, pace, l2, t):
    """w (1 + x l2)^-t where x l2 t is small, as exp(-t log1p(x l2)) by two short series, and whether it is small."""
    w = load(weights.row, i, weights.lanes)
    b = where_nonzero(w, load(weights.row, pace, weights.lanes), w) * l2
    # log1p to b^4 / 4 and exp to z^4 / 24: below 1e-3 both leave less than 1e-15
    z = b * ((b * (b * -0.25 + 1.0 / 3.0) - 0.5) * b + 1.0) * -np.float64(t)
    return w * ((((z * (1.0 / 24.0) + 1.0 / 6.0) * z + 0.5) * z + 1.0) * z + 1.0), top(b) * t < 1e-3


@tiny
def shrink_l2(weights, i, pace, l2, t):
    """w *= (1 + x l2)^-t."""
    w, exact = few_steps(weights, i, pace, l2, t)
    if exact:
        store(weights.row, i, w)
    else:
        for k in range(4 * len(weights.lanes)):
            if weights.row[i, k] != 0.0:
                weights.row[i, k] *= np.exp(-t * np.log1p(l2 * np.float64(weights.row[pace, k])))


@peek.when(Adaptive)
def _(rule, weights, f, j, now):
    i = f * weights.slots * weights.height + j
    t = now - weights.last[f]
    if t > 0 and decays(rule):
        if rule.l1 == 0.0:
            w, exact = few_steps(weights, i, i + PACE * weights.height, rule.l2, t)
            if exact:
                return w
        catch_up(rule, weights, f, now)
    return load(weights.row, i, weights.lanes)


@peek.when(Sgd)
def _(rule, weights, f, j, now):
    i = f * weights.slots * weights.height + j
    if decays(rule):
        if rule.l1 == 0.0:
            return load(weights.row, i, weights.lanes) * (rule.clock[now, 0] / rule.clock[weights.last[f], 0])
        catch_up(rule, weights, f, now)
    return load(weights.row, i, weights.lanes)


@catch_up.when(Adaptive)
def _(rule, weights, f, now):
    t = now - weights.last[f]
    if t <= 0:
        return
    weights.last[f] = now
    h = weights.height
    for j in range(h):
        i = f * weights.slots * h + j
        if not decays(rule):
            if rule.average:
                add_to_sum(weights, f, j, load(weights.row, i, weights.lanes) * np.float64(t))
        elif rule.average or rule.l1 > 0.0:
            s = (f * weights.extra + weights.extra - 1) * h + j
            for k in range(4 * len(weights.lanes)):
                w = np.float64(weights.row[i, k])
                if w != 0.0:
                    x = np.float64(weights.row[i + PACE * h, k])
                    v, added = skipped(abs(w), weights.copies[f] * x * rule.l1, x * rule.l2, t)
                    weights.row[i, k] = v if w > 0.0 else -v
                    if rule.average:
                        weights.rest[s, k] += added if w > 0.0 else -added
        else:
            shrink_l2(weights, i, i + PACE * h, rule.l2, t)


@inner
def last_alive(clock, v, m, since, now):
    """The last step at which something is left of v = |w| / P, which loses m (S_i - S_since)."""
    low, high = since, now
    while low < high:
        middle = (low + high + 1) // 2
        if v > m * (clock[middle, 1] - clock[since, 1]):
            low = middle
        else:
            high = middle - 1
    return low


@catch_up.when(Sgd)
def _(rule, weights, f, now):
    since = np.int64(weights.last[f])
    if now <= since:
        return
    weights.last[f] = now
    clock, h = rule.clock, weights.height
    m = np.float64(weights.copies[f])
    for j in range(h):
        i = f * weights.slots * h + j
        if rule.l1 > 0.0:
            s = (f * weights.extra + weights.extra - 1) * h + j
            for k in range(4 * len(weights.lanes)):
                w = np.float64(weights.row[i, k])
                if w != 0.0:
                    v, sign = abs(w) / clock[since, 0], 1.0 if w > 0.0 else -1.0
                    end = last_alive(clock, v, m, since, now)
                    left = clock[now, 0] * (v - m * (clock[now, 1] - clock[since, 1])) if end == now else 0.0
                    weights.row[i, k] = sign * left
                    if rule.average:
                        sums = (v + m * clock[since, 1]) * (clock[end, 2] - clock[since, 2]) - m * (clock[end, 3] - clock[since, 3])
                        weights.rest[s, k] += sign * sums
        else:
            w = load(weights.row, i, weights.lanes)
            if rule.average:
                add_to_sum(weights, f, j, w * ((clock[now, 2] - clock[since, 2]) / clock[since, 0]))
            if rule.l2 > 0.0:
                store(weights.row, i, w * (clock[now, 0] / clock[since, 0]))
