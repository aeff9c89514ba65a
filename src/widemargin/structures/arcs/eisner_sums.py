"""Sums over projective trees: the items of eisner.py with plus for max and times for plus, inside and outside (Paskin 2001).

Weights are exp(score - shift of the modifier), the best arc into a word having weight 1. No item is then larger than 7^n, so numbers as
they are lose nothing that counts while the sum is above 7^n 1e-250; where it is not, everything is done again in logarithms.
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.semiring import (
    above,
    add_scaled,
    dot,
    from_log,
    number,
    over,
    plus,
    times,
    to_log,
)

GROWTH, LEAST = np.log(7.0), -250 * np.log(10.0)


@inner
def inside(kind, first, n, w, chart):
    """Items of all spans from `first` on. right, left by left end and by right end, rise by left end, fall by right end."""
    right, right_by_end, left, left_by_end, rise, fall = chart[0], chart[1], chart[2], chart[3], chart[4], chart[5]
    one = from_log(kind, 0.0)
    for j in range(first, n + 1):
        right[j, j], right_by_end[j, j], left[j, j], left_by_end[j, j] = one, one, one, one
        for i in range(j - 1, first - 1, -1):
            joint = dot(kind, right[i, i:j], left_by_end[j, i + 1 : j + 1])
            rise[i, j] = times(kind, joint, w[j, i])
            fall[j, i] = times(kind, joint, w[i, j])
            left[i, j] = dot(kind, left[i, i:j], fall[j, i:j])
            right[i, j] = dot(kind, rise[i, i + 1 : j + 1], right_by_end[j, i + 1 : j + 1])
            left_by_end[j, i], right_by_end[j, i] = left[i, j], right[i, j]


@inner
def outside(kind, first, n, w, chart):
    """Derivatives of the sum by all items, from those already given to complete items; chart[6:] in the order of chart[:6].

    What reaches a complete item along its left end and along its right end is added up apart: rows only.
    """
    right, right_by_end, left, left_by_end, rise, fall = chart[0], chart[1], chart[2], chart[3], chart[4], chart[5]
    to_right, to_right_by_end, to_left, to_left_by_end, to_rise, to_fall = chart[6], chart[7], chart[8], chart[9], chart[10], chart[11]
    for j in range(n, first, -1):
        for i in range(first, j):
            x = plus(kind, to_right[i, j], to_right_by_end[j, i])
            add_scaled(kind, to_rise[i, i + 1 : j + 1], x, right_by_end[j, i + 1 : j + 1])
            add_scaled(kind, to_right_by_end[j, i + 1 : j + 1], x, rise[i, i + 1 : j + 1])
            x = plus(kind, to_left[i, j], to_left_by_end[j, i])
            add_scaled(kind, to_left[i, i:j], x, fall[j, i:j])
            add_scaled(kind, to_fall[j, i:j], x, left[i, i:j])
            x = plus(kind, times(kind, to_rise[i, j], w[j, i]), times(kind, to_fall[j, i], w[i, j]))
            add_scaled(kind, to_right[i, i:j], x, left_by_end[j, i + 1 : j + 1])
            add_scaled(kind, to_left_by_end[j, i + 1 : j + 1], x, right[i, i:j])


@inner
def sum_projective(kind, single, n, w, chart):
    """Log of the sum over trees; w becomes the marginals. NaN where too much is lost for this kind of numbers."""
    first = 1 if single else 0
    for a in range(12):
        for i in range(first, n + 1):
            for j in range(first, n + 1):
                chart[a, i, j] = kind.zero
    inside(kind, first, n, w, chart)
    right, left_by_end, rise, fall = chart[0], chart[3], chart[4], chart[5]
    to_right, to_left, to_rise, to_fall = chart[6], chart[8], chart[10], chart[11]
    whole = right[0, n]
    if single:
        whole = times(kind, w[1, 0], right[1, n])
        for r in range(2, n + 1):
            whole = plus(kind, whole, times(kind, w[r, 0], times(kind, left_by_end[r, 1], right[r, n])))
    if not whole.real > from_log(kind, above(kind, LEAST + n * GROWTH)):
        w[0, 0] = np.nan
        return w[0, 0]
    one = from_log(kind, 0.0)
    share = over(kind, one, whole)
    if single:
        for r in range(1, n + 1):
            x = times(kind, share, w[r, 0])
            to_left[1, r], to_right[r, n] = times(kind, x, right[r, n]), plus(kind, to_right[r, n], times(kind, x, left_by_end[r, 1]))
            w[r, 0] = number(kind, times(kind, to_left[1, r], left_by_end[r, 1]))
    else:
        to_right[0, n] = share
    outside(kind, first, n, w, chart)
    for j in range(1, n + 1):
        w[j, j] = 0.0
        for i in range(first, j):
            w[j, i] = number(kind, times(kind, to_rise[i, j], rise[i, j]))
            w[i, j] = number(kind, times(kind, to_fall[j, i], fall[j, i]))
    return to_log(kind, whole)
