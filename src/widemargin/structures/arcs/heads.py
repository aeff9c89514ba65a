"""Head selection: every word chooses its head alone, tree or no tree. A row of softmaxes, and the cheapest of decoders.

Zhang, Cheng and Lapata 2017, "Dependency parsing as head selection".
"""

from typing import NamedTuple

import numpy as np

from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.arcs.kernel import Arcs, argmax_tree, logsum_trees, tilt_trees
from widemargin.structures.arcs.over_arcs import over_arcs


@over_arcs
class Heads(NamedTuple):
    """No scratch of its own."""

    arcs: Arcs


@argmax_tree.when(Heads)
def _(s, n, out):
    work, value = s.arcs.work, 0.0
    for m in range(1, n + 1):
        h = 0
        for k in range(1, n + 1):
            if work[m, k] > work[m, h]:
                h = k
        out.head[m] = h
        value += work[m, h]
    return value


@logsum_trees.when(Heads)
def _(s, n):
    work, marginal, value = s.arcs.work, s.arcs.marginal, 0.0
    for m in range(1, n + 1):
        peak = LOG_ZERO
        for h in range(n + 1):
            peak = max(peak, np.float64(work[m, h]))
        if peak == LOG_ZERO:
            return LOG_ZERO
        z = 0.0
        for h in range(n + 1):
            marginal[m, h] = np.exp(work[m, h] - peak)
            z += marginal[m, h]
        for h in range(n + 1):
            marginal[m, h] /= z
        value += peak + np.log(z)
    return value


@tilt_trees.when(Heads)
def _(s, n):
    if logsum_trees(s, n) == LOG_ZERO:
        return LOG_ZERO
    arcs, value = s.arcs, 0.0
    for m in range(1, n + 1):
        mean = 0.0
        for h in range(n + 1):
            mean += arcs.marginal[m, h] * arcs.direction[m, h]
        for h in range(n + 1):
            arcs.covariance[m, h] = arcs.marginal[m, h] * (arcs.direction[m, h] - mean)
        value += mean
    return value
