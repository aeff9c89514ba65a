"""Sums over trees in numbers as they are, scaled word by word, and again in logarithms where those would lose what counts; and tilts.

Every tree has one node for each word, so dividing what covers word t by exp(shift[t]) divides every tree by the same number, and a span by
the product over its words, wherever it is split. Shifts are taken from the best tree: the score of each of its nodes is shared out evenly
among its words, so that its own spans are near 1 (not far below: no tree through them is better). An item that the maxima know but that
leaves 1e-250..1e250 sends the sentence to logarithms. Tilts run on complex numbers (engine/semiring.py).
"""

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.semiring import ALONG, LOG_ZERO, LOGS, PLAIN, REAL, STEP, Along, Logs, Plain, Real
from widemargin.engine.structure import argmax, logsum, tilt
from widemargin.structures.spans.nodes import right_child

LEAST, MOST = 1e-250, 1e250


@generic
def best_inside(s, i, j, n, a):
    """The highest score of symbol a over a span, as the last argmax found it; -inf: there is no such tree."""
    raise TypeError(s)


@generic
def sum_nodes(s, kind, turn, n, chart, sign):
    """Log of the sum over trees under work + turn.step * direction, in numbers of one kind, divided by exp(shift); NaN where such numbers
    may lose too much. mu += sign * marginals, or covariances when going ALONG, unless it is NaN. The charts of an argmax are there."""
    raise TypeError(s)


@generic(tiny=True)
def fits(kind, x):
    """Is the number far from overflow and underflow?"""
    raise TypeError(kind)


@fits.when(Real)
def _(kind, x):
    return LEAST < x.real < MOST


@fits.when(Logs)
def _(kind, x):
    return x.real > kind.zero


@generic(tiny=True)
def measured(turn, x):
    """What mu takes of a marginal: itself, or its derivative."""
    raise TypeError(turn)


@measured.when(Plain)
def _(turn, x):
    return x


@measured.when(Along)
def _(turn, x):
    return x.imag / STEP


@inner
def find_shifts(s, n):
    """shift from the best tree; returns their sum."""
    spans, node, total = s.spans, s.spans.best, 0.0
    for t in range(n):
        spans.shift[t] = 0.0
    for x in range(2 * n - 1):
        i, k, j = node[x, 0], node[x, 1], node[x, 2]
        gain = best_inside(s, i, j, n, node[x, 3])
        if j - i > 1:
            gain -= best_inside(s, i, k, n, node[x + 1, 3]) + best_inside(s, k, j, n, node[right_child(node, x), 3])
        for t in range(i, j):
            spans.shift[t] += gain / (j - i)
        total += gain
    return total


def logsum_nodes(s, n, sign):
    """mu += sign * marginals."""
    if argmax(s, n, s.spans.best) == LOG_ZERO:
        return LOG_ZERO
    total = find_shifts(s, n)
    value = sum_nodes(s, REAL, PLAIN, n, s.sums, sign)
    if np.isnan(value):
        value = sum_nodes(s, LOGS, PLAIN, n, s.sums, sign)
    return value + total


def tilt_nodes(s, n, sign):
    """mu += sign * covariances."""
    if argmax(s, n, s.spans.best) == LOG_ZERO:
        return LOG_ZERO
    find_shifts(s, n)
    value = sum_nodes(s, REAL, ALONG, n, s.tilted, sign)
    if np.isnan(value.real):
        value = sum_nodes(s, LOGS, ALONG, n, s.tilted, sign)
    return value.imag / STEP


def summed(kind):
    """Gives a structure that answers best_inside and sum_nodes, and has charts `sums` and `tilted`, its sums and tilts."""
    logsum.when(kind)(logsum_nodes)
    tilt.when(kind)(tilt_nodes)
    return kind
