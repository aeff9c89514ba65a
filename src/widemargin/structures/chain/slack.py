"""Slack rescaling on chains: the largest cost(y) (s(y) - need), exactly (terms.Rescaled).

The best score is found in every stratum, the outputs of one cost, by a Viterbi search that counts. All prices must be whole multiples of
the smallest; alpha[t, e, k] is the best prefix that ends with label k at token t and costs e units:

    alpha[t, e, k] = s(t, k) + max_j alpha[t - 1, e - price(t, k), j] + edge(j, k)
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.compiler.lanes import load, maximum, splat, store
from widemargin.engine.structure import worst
from widemargin.structures.chain.kernel import Chain


@inner
def smallest(price, Y):
    """The unit in which costs are counted, 1 when nothing costs anything; and the largest price in it."""
    unit, most = np.inf, 0.0
    for y in range(Y):
        for k in range(Y):
            most = max(most, price[y, k])
            if price[y, k] > 0.0:
                unit = min(unit, price[y, k])
    return (unit, round(most / unit)) if most > 0.0 else (1.0, 0)


@inner
def stratify(s, gold, price, n, need, units):
    """The largest e unit (alpha - need) of whole outputs, at least 0, its stratum e and its last label."""
    unit, most = units
    lanes, Y, alpha = s.lanes, s.labels, s.strata
    strata = n * most + 1  # strata per token
    never = splat(alpha, -np.inf, lanes)
    for t in range(n):
        for e in range((t + 1) * most + 1):
            store(alpha, t * strata + e, never)
        for e in range(t * most + 1):
            reach = load(s.work, t, lanes)
            if t > 0:
                before, first = (t - 1) * strata + e, t * s.edge_stride
                best = load(s.edge, first, lanes) + alpha[before, 0]
                for j in range(1, Y):
                    best = maximum(best, load(s.edge, first + j, lanes) + alpha[before, j])
                reach += best
            store(s.scratch, 0, reach)
            for k in range(Y):
                alpha[t * strata + e + round(price[gold[t], k] / unit), k] = s.scratch[0, k]
    value, stratum, last = 0.0, 0, 0
    for e in range(1, strata):
        for k in range(Y):
            loss = e * unit * (alpha[(n - 1) * strata + e, k] - need)
            if loss > value:
                value, stratum, last = loss, e, k
    return value, stratum, last


@inner
def trace(s, gold, price, n, units, found, out):
    """out = the output that stratify has found: a stratum and a last label."""
    unit, most = units
    stratum, last = found
    strata = n * most + 1
    out[n - 1] = last
    for t in range(n - 1, 0, -1):
        k = out[t]
        stratum -= round(price[gold[t], k] / unit)
        before, y = (t - 1) * strata + stratum, 0
        for j in range(1, s.labels):
            if s.strata[before, j] + s.edge[t * s.edge_stride + j, k] > s.strata[before, y] + s.edge[t * s.edge_stride + y, k]:
                y = j
        out[t - 1] = y


@worst.when(Chain)
def _(s, gold, price, n, need, out):
    units = smallest(price, s.labels)
    value, stratum, last = stratify(s, gold, price, n, need, units)
    if value > 0.0:
        trace(s, gold, price, n, units, (stratum, last), out)
    return value, stratum * units[0]
