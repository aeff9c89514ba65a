"""Sums over trees in numbers as they are, which is fast, and again in logarithms where those would lose what counts; and their tilts."""

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.semiring import ALONG, LOG_ZERO, LOGS, PLAIN, REAL, STEP, part
from widemargin.structures.arcs.kernel import logsum_trees, tilt_trees


@generic
def sum_trees(s, kind, n, turn, w, chart):
    """Weighs all parts as numbers of one kind and sums over trees: (log of the sum, sum of the shifts). The sum is NaN where such numbers
    may lose too much, the shift -inf where a word has no arc. w (modifier, head) = marginals; chart: scratch; both complex to go ALONG."""
    raise TypeError(s)


@logsum_trees.when(object)
def _(s, n):
    value, shifts = sum_trees(s, REAL, n, PLAIN, s.arcs.marginal, s.chart)
    if np.isnan(value) and shifts > LOG_ZERO:
        value, shifts = sum_trees(s, LOGS, n, PLAIN, s.arcs.marginal, s.chart)
    return LOG_ZERO if np.isnan(value) else value + shifts


@inner
def tilt_by_sums(s, n):
    """E[d] along s.arcs.direction; marginals and covariances of arcs into marginal and covariance."""
    arcs, w = s.arcs, s.tilted[s.tilted.shape[0] - 1]
    value, shifts = sum_trees(s, REAL, n, ALONG, w, s.tilted)
    if np.isnan(value.real) and shifts > LOG_ZERO:
        value, shifts = sum_trees(s, LOGS, n, ALONG, w, s.tilted)
    if np.isnan(value.real):
        return LOG_ZERO
    part(w, n, arcs.marginal, arcs.covariance)
    return value.imag / STEP


@tilt_trees.when(object)
def _(s, n):
    return tilt_by_sums(s, n)
