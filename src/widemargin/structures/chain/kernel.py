"""First-order chains: the best path, the sum over paths with marginals, and the tilt of the marginals along a direction.

Parts of a row of n tokens over Y labels: node (t, k) and edge (t, j, k) for t >= 1. A table has one row of L lanes per token (nodes) or per
(matrix, previous label) (edges). Edges are shared by all positions (one matrix) or, with observation-dependent transitions, given per
position: `edge_stride` is 0 or Y, and row t * edge_stride + j of an edge table leads from label j into position t.

    argmax   max over y of   sum_t node[t, y_t] + sum_t edge[y_{t-1}, y_t]                    (Viterbi)
    logsum   log sum over y of exp(...), by scaled forward-backward                           (Rabiner 1989, section V.A)
    tilt     d/de of value and marginals at scores + e * direction: E[d] and Cov(part, d)     (Li and Eisner 2009, by dual numbers)
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.compiler.lanes import exp, load, maximum, splat, store, top, total
from widemargin.engine.structure import add_output, argmax, clear, logsum, negate, output_score, tilt
from widemargin.structures.chain.logs import logsum_in_logs, tilt_in_logs
from widemargin.structures.labels_at_tokens import labels_at_tokens
from widemargin.structures.negation import negate_rows

LOW = -1e30  # stands in for the maximum of a row that is all -inf


@labels_at_tokens
class Chain(NamedTuple):
    """A chain's scores, its answer and its scratch memory, allocated once per thread. T: longest row; M: 1 matrix or T."""

    lanes: tuple  # 4 * len(lanes) == L
    labels: int  # Y
    edge_stride: int  # Y when edges differ by position, else 0
    start: np.ndarray  # [1, L]  0 where a row may begin with the label, else -inf; -inf on padding
    stop: np.ndarray  # [1, L]
    transitions: np.ndarray  # [Y, L]   fixed scores of pairs: 0 or a base's where the pair is legal, else -inf
    node: np.ndarray  # [T, L]   scores
    edge: np.ndarray  # [M * Y, L]
    mu_node: np.ndarray  # [T, L]  sum of signed part indicators or marginals
    mu_edge: np.ndarray  # [M * Y, L]  summed over positions when shared
    output: tuple  # two int32 [T]
    work: np.ndarray  # [T, L]   augmented scores, then their exponentials
    saved: np.ndarray  # [T, L]  augmented scores, kept while work holds their exponentials
    alpha: np.ndarray  # [T, L]
    alpha_dot: np.ndarray  # [T, L]  derivative of alpha
    beta: np.ndarray  # [T, L]   backward messages; conditional expectations (tilt in logarithms)
    direction: np.ndarray  # [T, L]  of a tilt
    direction_edge: np.ndarray  # [M * Y, L]
    scale: np.ndarray  # [T]
    exp_edge: np.ndarray  # [M * Y, L]
    exp_edge_T: np.ndarray  # [M * Y, L]  each matrix transposed
    pair: np.ndarray  # [Y, L]
    scratch: np.ndarray  # [4, L]
    strata: np.ndarray  # [S, L]  best prefixes by cost (slack.py), else empty


@argmax.when(Chain)
def _(s, n, out):
    lanes, alpha, edge, Y = s.lanes, s.alpha, s.edge, s.labels
    store(alpha, 0, load(s.work, 0, lanes))
    for t in range(1, n):
        first = t * s.edge_stride
        best = load(edge, first, lanes) + alpha[t - 1, 0]
        for j in range(1, Y):
            best = maximum(best, load(edge, first + j, lanes) + alpha[t - 1, j])
        store(alpha, t, best + load(s.work, t, lanes))
    # no back-pointers: the best predecessor is looked up again along one path only
    y, value = 0, alpha[n - 1, 0]
    for k in range(1, Y):
        if alpha[n - 1, k] > value:
            y, value = k, alpha[n - 1, k]
    out[n - 1] = y
    for t in range(n - 1, 0, -1):
        k, y, first = y, 0, t * s.edge_stride
        best = alpha[t - 1, 0] + edge[first, k]
        for j in range(1, Y):
            v = alpha[t - 1, j] + edge[first + j, k]
            if v > best:
                y, best = j, v
        out[t - 1] = y
    return np.float64(value)


@add_output.when(Chain)
def _(s, n, sign, out):
    s.mu_node[0, out[0]] += sign
    for t in range(1, n):
        s.mu_node[t, out[t]] += sign
        s.mu_edge[t * s.edge_stride + out[t - 1], out[t]] += sign


@output_score.when(Chain)
def _(s, n, out):
    value = np.float64(s.node[0, out[0]])
    for t in range(1, n):
        value += s.node[t, out[t]] + s.edge[t * s.edge_stride + out[t - 1], out[t]]
    return value


@negate.when(Chain)
def _(s, n):
    negate_rows(s.node, n)
    negate_rows(s.edge, n * s.edge_stride if s.edge_stride else s.labels)


@clear.when(Chain)
def _(s, n):
    zero = splat(s.mu_node, 0.0, s.lanes)
    for t in range(n):
        store(s.mu_node, t, zero)
    for r in range(n * s.edge_stride if s.edge_stride else s.labels):
        store(s.mu_edge, r, zero)


@inner
def exp_edges(s, n):
    """exp_edge = exp(edge - shift) and each matrix transposed; returns the sum over positions of the shifts."""
    lanes, Y, shifts = s.lanes, s.labels, 0.0
    for t in range(1, n if s.edge_stride else 2):
        first = t * s.edge_stride
        peak = load(s.edge, first, lanes)
        for j in range(1, Y):
            peak = maximum(peak, load(s.edge, first + j, lanes))
        shift = max(top(peak), LOW)
        for j in range(Y):
            store(s.exp_edge, first + j, exp(load(s.edge, first + j, lanes) - shift))
            for k in range(Y):
                s.exp_edge_T[first + k, j] = s.exp_edge[first + j, k]
        shifts += np.float64(shift) * (1 if s.edge_stride else n - 1)
    return shifts


@inner
def forward(s, n, least):
    """Scaled forward pass over exp(work); returns log of the sum, less the edges' shifts, or NaN when the numbers underflow."""
    lanes, alpha, value = s.lanes, s.alpha, 0.0
    for t in range(n):
        u = load(s.work, t, lanes)
        store(s.saved, t, u)
        peak = max(top(u), LOW)
        u = exp(u - peak)
        store(s.work, t, u)
        if t > 0:
            first = t * s.edge_stride
            reach = load(s.exp_edge, first, lanes) * alpha[t - 1, 0]
            for j in range(1, s.labels):
                reach += load(s.exp_edge, first + j, lanes) * alpha[t - 1, j]
            u *= reach
        z = total(u)
        if not z > least:
            # copy the scores still to come, for the pass in logarithms
            for later in range(t + 1, n):
                store(s.saved, later, load(s.work, later, lanes))
            return np.nan
        s.scale[t] = 1.0 / z
        store(alpha, t, u * s.scale[t])
        value += np.float64(peak) + np.log(np.float64(z))
    return value


@inner
def backward(s, n):
    """Scaled backward messages into s.beta; False when they show that the forward pass has dropped labels that matter.

    A label whose alpha fell below the smallest number is lost; it mattered if its beta is as large as that number is small.
    """
    lanes, highest = s.lanes, 1e25 if s.work.itemsize == 4 else 1e200
    beta = splat(s.work, 1.0, lanes)
    store(s.beta, n - 1, beta)
    for t in range(n - 1, 0, -1):
        store(s.scratch, 0, load(s.work, t, lanes) * beta * s.scale[t])
        first = t * s.edge_stride
        beta = load(s.exp_edge_T, first, lanes) * s.scratch[0, 0]
        for j in range(1, s.labels):
            beta += load(s.exp_edge_T, first + j, lanes) * s.scratch[0, j]
        store(s.beta, t - 1, beta)
        if not top(beta) < highest:
            return False
    return True


@inner
def least_sum(s):
    """Below this a scaled sum may have lost terms that matter."""
    return 1e-28 if s.work.itemsize == 4 else 1e-250


@logsum.when(Chain)
def _(s, n, sign):
    lanes, Y = s.lanes, s.labels
    shifts = exp_edges(s, n)
    value = forward(s, n, least_sum(s))
    if np.isnan(value) or not backward(s, n):
        return logsum_in_logs(s, n, sign)
    for j in range(Y if s.edge_stride == 0 else 0):
        store(s.pair, j, splat(s.work, 0.0, lanes))
    for t in range(n):
        beta = load(s.beta, t, lanes)
        store(s.mu_node, t, load(s.mu_node, t, lanes) + load(s.alpha, t, lanes) * beta * sign)
        if t > 0:
            c = load(s.work, t, lanes) * beta * s.scale[t]
            for j in range(Y):
                if s.edge_stride:
                    r = t * s.edge_stride + j
                    p = load(s.exp_edge, r, lanes) * c * (s.alpha[t - 1, j] * sign)
                    store(s.mu_edge, r, load(s.mu_edge, r, lanes) + p)
                else:
                    store(s.pair, j, load(s.pair, j, lanes) + c * s.alpha[t - 1, j])
    for j in range(Y if s.edge_stride == 0 and n > 1 else 0):
        store(s.mu_edge, j, load(s.mu_edge, j, lanes) + load(s.pair, j, lanes) * load(s.exp_edge, j, lanes) * sign)
    return value + shifts


@tilt.when(Chain)
def _(s, n, sign):
    lanes, Y = s.lanes, s.labels
    exp_edges(s, n)
    if np.isnan(forward(s, n, least_sum(s))) or not backward(s, n):
        return tilt_in_logs(s, n, sign)
    # alpha' by the product rule, with the same scaling as alpha
    for t in range(n):
        dot = load(s.alpha, t, lanes) * load(s.direction, t, lanes)
        if t > 0:
            reach = splat(s.work, 0.0, lanes)
            for j in range(Y):
                r = t * s.edge_stride + j
                reach += load(s.exp_edge, r, lanes) * (load(s.direction_edge, r, lanes) * s.alpha[t - 1, j] + s.alpha_dot[t - 1, j])
            dot += reach * load(s.work, t, lanes) * s.scale[t]
        store(s.alpha_dot, t, dot)
    mean = total(load(s.alpha_dot, n - 1, lanes))
    beta_dot = splat(s.work, 0.0, lanes)
    for t in range(n - 1, -1, -1):
        a, beta = load(s.alpha, t, lanes), load(s.beta, t, lanes)
        covariance = load(s.alpha_dot, t, lanes) * beta + a * beta_dot - a * beta * mean
        store(s.mu_node, t, load(s.mu_node, t, lanes) + covariance * sign)
        if t > 0:
            u = load(s.work, t, lanes) * s.scale[t]
            c, e = u * beta, u * (beta_dot + load(s.direction, t, lanes) * beta)
            for j in range(Y):
                r = t * s.edge_stride + j
                edge, d = load(s.exp_edge, r, lanes), load(s.direction_edge, r, lanes)
                s.scratch[1, j] = total(edge * (e + d * c))
                pair = c * (d * s.alpha[t - 1, j] + (s.alpha_dot[t - 1, j] - s.alpha[t - 1, j] * mean)) + e * s.alpha[t - 1, j]
                store(s.mu_edge, r, load(s.mu_edge, r, lanes) + pair * edge * sign)
            beta_dot = load(s.scratch, 1, lanes)
    return np.float64(mean)
