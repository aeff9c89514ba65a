"""Sums over projective trees with siblings: the items of siblings.py with plus for max and times for plus, inside and outside.

All tables are by right end, rows over left ends. Weights are exp(score - shift of the modifier), one shift for arcs and one for parts, so
that what eisner_sums.py says of sizes holds here. The way out is the way in backwards: each turn gives the derivatives of the sum by the
rows that it used, then those by the items that it completed.
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.semiring import (
    LOG_ZERO,
    STEP,
    above,
    add_scaled,
    from_log,
    number,
    over,
    plus,
    times,
    to_log,
)
from widemargin.structures.arcs.eisner_sums import GROWTH, LEAST
from widemargin.structures.arcs.sibling_parts import TO_RIGHT, row_of


@inner
def weigh_parts(kind, s, n, across, u):
    """u = weights of parts; returns the sum of the shifts. The root is nobody's modifier and, if single, its children have no siblings."""
    score, peak, first = s.score, s.peak, 1 if s.single else 0
    for m in range(n + 1):
        peak[m] = LOG_ZERO
    for j in range(1, n + 1):
        for k in range(j):
            p = row_of(j, k, TO_RIGHT) * across
            for i in range(min(first, k), k + 1):
                peak[j] = max(peak[j], np.float64(score[p + i]))
            for i in range(1, k + 1):
                peak[i] = max(peak[i], np.float64(score[p + across + i]))
    shifts = 0.0
    for j in range(1, n + 1):
        shifts += peak[j]
        for k in range(j):
            p = row_of(j, k, TO_RIGHT) * across
            u[p], u[p + across] = kind.zero, kind.zero
            for i in range(min(first, k), k + 1):
                u[p + i] = from_log(kind, score[p + i] - peak[j])
            for i in range(1, k + 1):
                u[p + across + i] = from_log(kind, score[p + across + i] - peak[i])
    return shifts


@inner
def add_parts(kind, out, x, a, u):
    """out += x * a * u."""
    for i in range(out.shape[0]):
        out[i] = plus(kind, out[i], times(kind, x, times(kind, a[i], u[i])))


@inner
def inside(kind, first, n, across, w, u, chart):
    """Items of all spans from `first` on; row j of an unfinished item holds its sums so far."""
    right, left, rise, opened, fall = chart[0], chart[1], chart[2], chart[3], chart[4]
    one = from_log(kind, 0.0)
    for j in range(first, n + 1):
        right[j, j], left[j, j] = one, one
        for k in range(j - 1, first - 1, -1):
            p = row_of(j, k, TO_RIGHT) * across
            q = p + across
            joined = left[j, k + 1]
            opened[j, k] = plus(kind, opened[j, k], joined)
            rise[j, k] = times(kind, w[j, k], plus(kind, rise[j, k], times(kind, u[p + k], joined)))
            fall[j, k] = times(kind, w[k, j], plus(kind, fall[j, k], times(kind, u[q + k], right[j - 1, k])))
            left[j, k] = plus(kind, left[j, k], fall[j, k])
            right[j, k] = plus(kind, right[j, k], rise[j, k])
            add_scaled(kind, right[j, first:k], right[j, k], rise[k, first:k])
            add_scaled(kind, left[j, first:k], fall[j, k], left[k, first:k])
            add_parts(kind, rise[j, first:k], opened[j, k], rise[k, first:k], u[p + first : p + k])
            add_scaled(kind, opened[j, first:k], joined, right[k, first:k])
            add_parts(kind, fall[j, first:k], fall[j, k], opened[k, first:k], u[q + first : q + k])


@inner
def give(kind, to, x, a, to_a):
    """Backwards from out += x * a: to_a += to * x; returns sum of to * a, the derivative by x."""
    value = times(kind, kind.zero, x)
    for i in range(to.shape[0]):
        to_a[i] = plus(kind, to_a[i], times(kind, to[i], x))
        value = plus(kind, value, times(kind, to[i], a[i]))
    return value


@inner
def give_parts(kind, to, x, a, u, to_a):
    """Backwards from out += x * a * u; u becomes the marginals."""
    value = times(kind, kind.zero, x)
    for i in range(to.shape[0]):
        y = times(kind, to[i], u[i])
        to_a[i] = plus(kind, to_a[i], times(kind, y, x))
        y = times(kind, y, a[i])
        value = plus(kind, value, y)
        u[i] = number(kind, times(kind, y, x))
    return value


@inner
def outside(kind, first, n, across, w, u, chart):
    """Derivatives of the sum by all items, from those already given to complete items; chart[5:] in the order of chart[:5].

    Those by rise and fall are, once they are final, those by what w multiplies. w and u become the marginals.
    """
    right, left, rise, opened, fall = chart[0], chart[1], chart[2], chart[3], chart[4]
    to_right, to_left, to_rise, to_open, to_fall = chart[5], chart[6], chart[7], chart[8], chart[9]
    for j in range(n, first, -1):
        for k in range(first, j):
            p = row_of(j, k, TO_RIGHT) * across
            q = p + across
            joined = left[j, k + 1]
            x = give_parts(kind, to_fall[j, first:k], fall[j, k], opened[k, first:k], u[q + first : q + k], to_open[k, first:k])
            x = plus(kind, x, give(kind, to_left[j, first:k], fall[j, k], left[k, first:k], to_left[k, first:k]))
            y = give(kind, to_open[j, first:k], joined, right[k, first:k], to_right[k, first:k])
            z = give_parts(kind, to_rise[j, first:k], opened[j, k], rise[k, first:k], u[p + first : p + k], to_rise[k, first:k])
            to_open[j, k] = plus(kind, to_open[j, k], z)
            z = give(kind, to_right[j, first:k], right[j, k], rise[k, first:k], to_rise[k, first:k])
            to_right[j, k] = plus(kind, to_right[j, k], z)
            # the items of the span from k to j
            x = plus(kind, plus(kind, to_fall[j, k], x), to_left[j, k])
            z = plus(kind, to_rise[j, k], to_right[j, k])
            to_fall[j, k], to_rise[j, k] = times(kind, x, w[k, j]), times(kind, z, w[j, k])
            w[k, j], w[j, k] = number(kind, times(kind, x, fall[j, k])), number(kind, times(kind, z, rise[j, k]))
            x, z = times(kind, to_fall[j, k], u[q + k]), times(kind, to_rise[j, k], u[p + k])
            to_right[j - 1, k] = plus(kind, to_right[j - 1, k], x)
            to_left[j, k + 1] = plus(kind, plus(kind, to_left[j, k + 1], plus(kind, y, z)), to_open[j, k])
            u[q + k], u[p + k] = number(kind, times(kind, x, right[j - 1, k])), number(kind, times(kind, z, joined))


@inner
def sum_siblings(kind, single, n, across, w, u, chart):
    """Log of the sum over trees; w and u become the marginals. NaN where too much is lost for this kind of numbers."""
    first = 1 if single else 0
    for a in range(10):
        for i in range(first, n + 1):
            for j in range(first, n + 1):
                chart[a, i, j] = kind.zero
    inside(kind, first, n, across, w, u, chart)
    right, left, to_right, to_left = chart[0], chart[1], chart[5], chart[6]
    whole = right[n, first] if not single else times(kind, kind.zero, w[1, 0])
    for r in range(1, n + 1 if single else 1):
        x = times(kind, w[r, 0], u[row_of(r, 0, TO_RIGHT) * across])
        whole = plus(kind, whole, times(kind, x, times(kind, left[r, 1], right[n, r])))
    if not whole.real > from_log(kind, above(kind, LEAST + n * GROWTH)):
        w[0, 0] = np.nan
        return w[0, 0]
    share = over(kind, from_log(kind, 0.0), whole)
    for r in range(1, n + 1 if single else 1):
        p = row_of(r, 0, TO_RIGHT) * across
        x = times(kind, share, times(kind, w[r, 0], u[p]))
        to_left[r, 1], to_right[n, r] = times(kind, x, right[n, r]), plus(kind, to_right[n, r], times(kind, x, left[r, 1]))
        w[r, 0] = number(kind, times(kind, to_left[r, 1], left[r, 1]))
        u[p] = w[r, 0]
    if not single:
        to_right[n, 0] = share
    outside(kind, first, n, across, w, u, chart)
    for j in range(1, n + 1):
        w[j, j] = 0.0
        for k in range(j):
            p = row_of(j, k, TO_RIGHT) * across
            u[p + across] = 0.0
            if single and k > 0:
                u[p] = 0.0
    return to_log(kind, whole)


@inner
def part_siblings(s, n, across):
    """Covariances of parts, in s.marginal, from their tilted marginals."""
    for j in range(1, n + 1):
        for k in range(j):
            p = row_of(j, k, TO_RIGHT) * across
            for i in range(k + 1):
                s.marginal[p + i], s.marginal[p + across + i] = s.leaning[p + i].imag / STEP, s.leaning[p + across + i].imag / STEP
