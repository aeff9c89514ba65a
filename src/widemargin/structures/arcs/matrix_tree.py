"""Sums over all trees, projective or not: the matrix-tree theorem by elimination without a single subtraction.

The sum over trees is a determinant (Koo et al. 2007; Smith and Smith 2007; McDonald and Satta 2007). Its matrix has column sums that are
the weights of the root's arcs, so Gauss can do with arcs alone, as Grassmann, Taksar and Heyman 1985 do for Markov chains. To eliminate
word k, with w(h, m) the weight of the arc h -> m among 0 and the words that are left:

    d = sum over h of w(h, k);    w(h, m) += w(h, k) w(k, m) / d    for all h, m other than k;    sum over trees = product of all d

With a single root, root arcs are left out of every d but the last: what is of the first order in them. The word that is likest to be the
root's child is therefore kept for the end, else its d would be tiny. Sums of positive numbers keep all their digits however close to
singular the determinant is, where an inverse would lose them. Marginals are w(h, m) times the derivative g(h, m) of the log of the sum,
which runs through the same steps backwards:

    g(k, m) = sum over h of g(h, m) w(h, k) / d;      g(h, k) = (1 - sum over m of w(k, m) g(k, m) + sum over m of g(h, m) w(k, m)) / d
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.semiring import (
    LOG_ZERO,
    above,
    add_scaled,
    dot,
    from_log,
    number,
    over,
    plus,
    shifted,
    times,
    to_log,
    total,
)

# What numbers as they are may lose of a row, as a logarithm: weights and products below 1e-300, 20 digits to spare. It goes through the
# elimination like one more arc into every word, from nowhere; while no d is below it, nothing that counts is lost. Derivatives may still
# overflow; the marginals of a word's arcs, which sum to 1, tell.
LOST, SUM_TOLERANCE = -280 * np.log(10.0), 1e-6


@inner
def swap(w, n, a, b):
    """Words a and b change places in a table."""
    for k in range(n + 1):
        w[a, k], w[b, k] = w[b, k], w[a, k]
    for k in range(n + 1):
        w[k, a], w[k, b] = w[k, b], w[k, a]


@inner
def eliminate(kind, single, n, a, pivot, swapped):
    """a (modifier, head) = weights, each word's row in its reduced form when it was eliminated, n first; pivot[k] = d.

    Row 0, which is nobody's, holds what the row of each word may have lost: a word that changes its place takes it along.
    With a single root, word 1, the last, is at each turn the one that the words left can reach least: swapped[k] is not 0 where k and 1
    changed places for that. Returns the log of the sum, NaN where a d is not above what its row may have lost.
    """
    pivot[0] = 0.0
    value, lost = pivot[0], a[0]
    for k in range(n, 0, -1):
        first = 1 if single and k > 1 else 0
        d = total(kind, a[k, first:k])
        swapped[k] = 0.0
        if first > 0 and d.real < total(kind, a[1, 2 : k + 1]).real:
            swapped[k] = 1.0
            swap(a, n, 1, k)
            d = total(kind, a[k, first:k])
        if not d.real > lost[k].real:
            pivot[0] = np.nan
            return pivot[0]
        pivot[k] = d
        value += to_log(kind, d)
        for m in range(1, k):
            if a[m, k].real > kind.zero:
                x = over(kind, a[m, k], d)
                add_scaled(kind, a[m, 0:k], x, a[k, 0:k])
                lost[m] = plus(kind, lost[m], times(kind, x, lost[k]))
    return value


@inner
def differentiate(kind, single, n, a, pivot, g):
    """g (modifier, head) = derivatives of the log of the sum by the weights."""
    for k in range(1, n + 1):
        d = pivot[k]
        spare = 1.0 + d * 0.0
        for h in range(k + 1):
            g[k, h] = kind.zero
        for m in range(1, k):
            g[m, k] = over(kind, dot(kind, g[m, 0:k], a[k, 0:k]), d)
            if a[m, k].real > kind.zero:
                spare -= number(kind, times(kind, a[m, k], g[m, k]))
                add_scaled(kind, g[k, 0:k], a[m, k], g[m, 0:k])
        for h in range(k):
            x = g[k, h] if single and h == 0 and k > 1 else shifted(kind, spare, g[k, h])
            g[k, h] = over(kind, x, d)


@inner
def sum_arborescences(kind, single, n, w, chart):
    """Log of the sum over trees; w becomes the marginals. NaN where too much is lost for this kind of numbers."""
    loss = above(kind, LOST)
    a, g, pivot, swapped = chart[0], chart[1], chart[2, 0], chart[2, 1]
    for m in range(1, n + 1):
        a[0, m] = from_log(kind, loss)
        for h in range(n + 1):
            a[m, h] = w[m, h]
    value = eliminate(kind, single, n, a, pivot, swapped)
    if np.isnan(value.real):
        return value
    differentiate(kind, single, n, a, pivot, g)
    for k in range(2, n + 1):
        if swapped[k].real > 0.0:
            swap(g, n, 1, k)
    for m in range(1, n + 1):
        heads = 0.0
        for h in range(n + 1):
            w[m, h] = number(kind, times(kind, w[m, h], g[m, h])) if h != m else 0.0
            heads += w[m, h].real
        if not abs(heads - 1.0) < SUM_TOLERANCE and loss > LOG_ZERO:
            value *= np.nan
    return value
