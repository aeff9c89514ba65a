"""Head selection: every word chooses its head alone, tree or no tree. A row of softmaxes, and the cheapest of decoders.

Zhang, Cheng and Lapata 2017, "Dependency parsing as head selection".
"""

from typing import NamedTuple

import numpy as np

from .arcs import Arcs, best, lean, over_arcs, spread
from .semiring import NEVER


@over_arcs
class Heads(NamedTuple):
    """No scratch of its own."""

    arcs: Arcs


@best.when(Heads)
def _(s, n):
    work, value = s.arcs.work, 0.0
    for m in range(1, n + 1):
        h = 0
        for k in range(1, n + 1):
            if work[m, k] > work[m, h]:
                h = k
        s.arcs.head[m] = h
        value += work[m, h]
    return value


@spread.when(Heads)
def _(s, n):
    work, chance, value = s.arcs.work, s.arcs.chance, 0.0
    for m in range(1, n + 1):
        peak = NEVER
        for h in range(n + 1):
            peak = max(peak, np.float64(work[m, h]))
        if peak == NEVER:
            return NEVER
        z = 0.0
        for h in range(n + 1):
            chance[m, h] = np.exp(work[m, h] - peak)
            z += chance[m, h]
        for h in range(n + 1):
            chance[m, h] /= z
        value += peak + np.log(z)
    return value


@lean.when(Heads)
def _(s, n):
    if spread(s, n) == NEVER:
        return NEVER
    arcs, value = s.arcs, 0.0
    for m in range(1, n + 1):
        mean = 0.0
        for h in range(n + 1):
            mean += arcs.chance[m, h] * arcs.toward[m, h]
        for h in range(n + 1):
            arcs.slope[m, h] = arcs.chance[m, h] * (arcs.toward[m, h] - mean)
        value += mean
    return value
