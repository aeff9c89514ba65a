"""Catching up: the closed forms of t steps in which a weight had no gradient. Equal to taking the steps one by one."""

import numpy as np

from widemargin.compiler.jit import inner, phase, tiny
from widemargin.compiler.lanes import exp, is_single, load, root, splat, store, top, where_nonzero
from widemargin.engine.rules import STEP_SIZE, Adaptive, Sgd, add_to_sum, catch_up, cut_l1, decays, peek

SMALL_DECAY = 1e-3


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


@phase
def skip_row(rule, weights, f, j, t):
    """`skipped` for every weight of row j of weight row f; their sums go to the running sum when averaging."""
    row, rest, i = weights.row, weights.rest, f * weights.row_stride + j
    step_size, s = i + STEP_SIZE * weights.slot_stride, (f * weights.extra + weights.extra - 1) * weights.height + j
    l1, l2, average = weights.copies[f] * rule.l1, rule.l2, rule.average
    for k in range(row.shape[1]):
        w = np.float64(row[i, k])
        if w != 0.0:
            x = np.float64(row[step_size, k])
            v, added = skipped(abs(w), x * l1, x * l2, t)
            row[i, k] = v if w > 0.0 else -v
            if average:
                rest[s, k] += added if w > 0.0 else -added


@inner
def shrunk_by_exp(w, b, t):
    """w (1 + b)^-t = w exp(-t log1p(b)) for b <= SMALL_DECAY: log1p to b^4 / 4 leaves less than 1e-15."""
    return w * exp(b * ((b * (b * -0.25 + 1.0 / 3.0) - 0.5) * b + 1.0) * -np.float64(t))


def series(l2, reach, steps, dtype):
    """Rows t = 0, 1, ... of Adaptive.powers, while t reach is so small that what is left out does not count: to x^6, in float32 to x^3.

    (1 + b)^-t = sum_k C(t + k - 1, k) (-b)^k with b = x l2, where reach <= SMALL_DECAY bounds b.
    """
    terms = 3 if dtype == np.float32 else 6
    t = np.arange(min(steps, int(10.0 * SMALL_DECAY / reach)) + 1 if 0.0 < reach <= SMALL_DECAY else 0, dtype=np.float64)
    powers, term = np.zeros((len(t), terms)), np.ones(len(t))
    for k in range(terms):
        term = term * (t + k) / (k + 1) * -l2
        powers[:, k] = term
    powers[np.abs(powers) < 1e-30] = 0.0  # denormal numbers are slow
    return powers.astype(dtype)


@tiny
def is_near(rule, x):
    """Are all step sizes x of a row so small that x l2 is at most SMALL_DECAY? AdaGrad's have a bound, AdaDelta's are looked at."""
    return rule.reach <= SMALL_DECAY or top(x) * rule.l2 <= SMALL_DECAY


@tiny
def shrunk_l2(w, x, t, rule):
    """w (1 + x l2)^-t, for step sizes that are near."""
    c = rule.powers
    if t < len(c):
        if is_single(w):
            return w + w * (((x * c[t, 2] + c[t, 1]) * x + c[t, 0]) * x)
        return w + w * ((((((x * c[t, 5] + c[t, 4]) * x + c[t, 3]) * x + c[t, 2]) * x + c[t, 1]) * x + c[t, 0]) * x)
    return shrunk_by_exp(w, x * rule.l2, t)


@inner
def log1p(b, most):
    """log(1 + b) of lanes, 0 <= b <= most: twice log(1 + b / (1 + sqrt(1 + b))) until b is small, then 2 atanh(b / (2 + b)) as a series."""
    times = 2.0
    while most > 0.1:
        b = b / (root(b + 1.0) + 1.0)
        most = most / (np.sqrt(most + 1.0) + 1.0)
        times *= 2.0
    z = b / (b + 2.0)
    s = z * z
    return ((((s * (1.0 / 9.0) + 1.0 / 7.0) * s + 0.2) * s + 1.0 / 3.0) * s + 1.0) * z * times


@phase
def shrink_far(row, lanes, i, step_size, l2, t):
    """w *= (1 + x l2)^-t for any x. Where w is 0, x is often the largest of all, and does not count."""
    w = load(row, i, lanes)
    b = where_nonzero(w, load(row, step_size, lanes), w) * l2
    store(row, i, w * exp(log1p(b, np.float64(top(b))) * -np.float64(t)))


@phase
def catch_up_now(rule, weights, f, now):
    """catch_up where it is rare, and therefore not inlined."""
    catch_up(rule, weights, f, now)


@peek.when(Adaptive)
def _(rule, weights, f, j, now):
    i = f * weights.row_stride + j
    t = now - weights.last[f]
    if t > 0 and decays(rule):
        x = load(weights.row, i + STEP_SIZE * weights.slot_stride, weights.lanes)
        if rule.l1 == 0.0 and is_near(rule, x):
            return shrunk_l2(load(weights.row, i, weights.lanes), x, t, rule)
        if rule.l2 == 0.0:
            return cut_l1(load(weights.row, i, weights.lanes), x * (weights.copies[f] * rule.l1 * t))
        catch_up_now(rule, weights, f, now)
    return load(weights.row, i, weights.lanes)


@peek.when(Sgd)
def _(rule, weights, f, j, now):
    w = load(weights.row, f * weights.row_stride + j, weights.lanes)
    if decays(rule):
        log, since = rule.decay_log, weights.last[f]
        if rule.l1 == 0.0:
            return w * (log[now, 0] / log[since, 0])
        a = weights.copies[f] * (log[now, 1] - log[since, 1])
        return cut_l1(w / log[since, 0], splat(weights.row, a, weights.lanes)) * log[now, 0]
    return w


@catch_up.when(Adaptive)
def _(rule, weights, f, now):
    t = now - weights.last[f]
    if t <= 0:
        return
    weights.last[f] = now
    for j in range(weights.height):
        i = f * weights.row_stride + j
        if not decays(rule):
            if rule.average:
                add_to_sum(weights, f, j, load(weights.row, i, weights.lanes) * np.float64(t))
        elif rule.l2 == 0.0 and not rule.average:
            x = load(weights.row, i + STEP_SIZE * weights.slot_stride, weights.lanes)
            store(weights.row, i, cut_l1(load(weights.row, i, weights.lanes), x * (weights.copies[f] * rule.l1 * t)))
        elif rule.average or rule.l1 > 0.0:
            skip_row(rule, weights, f, j, t)
        else:
            x = load(weights.row, i + STEP_SIZE * weights.slot_stride, weights.lanes)
            if is_near(rule, x):
                store(weights.row, i, shrunk_l2(load(weights.row, i, weights.lanes), x, t, rule))
            else:
                shrink_far(weights.row, weights.lanes, i, i + STEP_SIZE * weights.slot_stride, rule.l2, t)


@inner
def last_alive(log, v, m, since, now):
    """The last step at which something is left of v = |w| / P, which loses m (S_i - S_since)."""
    low, high = since, now
    while low < high:
        middle = (low + high + 1) // 2
        if v > m * (log[middle, 1] - log[since, 1]):
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
    log, h = rule.decay_log, weights.height
    m = np.float64(weights.copies[f])
    for j in range(h):
        i = f * weights.row_stride + j
        if rule.l1 > 0.0:
            s = (f * weights.extra + weights.extra - 1) * h + j
            for k in range(weights.row.shape[1]):
                w = np.float64(weights.row[i, k])
                if w != 0.0:
                    v, sign = abs(w) / log[since, 0], 1.0 if w > 0.0 else -1.0
                    end = last_alive(log, v, m, since, now)
                    left = log[now, 0] * (v - m * (log[now, 1] - log[since, 1])) if end == now else 0.0
                    weights.row[i, k] = sign * left
                    if rule.average:
                        sums = (v + m * log[since, 1]) * (log[end, 2] - log[since, 2]) - m * (log[end, 3] - log[since, 3])
                        weights.rest[s, k] += sign * sums
        else:
            w = load(weights.row, i, weights.lanes)
            if rule.average:
                add_to_sum(weights, f, j, w * ((log[now, 2] - log[since, 2]) / log[since, 0]))
            if rule.l2 > 0.0:
                store(weights.row, i, w * (log[now, 0] / log[since, 0]))
