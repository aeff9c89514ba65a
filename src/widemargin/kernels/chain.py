"""First-order chains: the best path, the sum over paths with marginals, and the tilt of the marginals along a direction.

Parts of a row of n tokens over Y labels: node (t, k) and edge (t, j, k) for t >= 1. Labels are padded to L lanes, a compile-time constant, so that
every loop over labels becomes vector code. Edges are shared by all positions (one matrix) or, with observation-dependent transitions, given
per position; `pitch` is 0 or 1 and edge[t * pitch] is the matrix into position t.

    argmax   max over y of   sum_t node[t, y_t] + sum_t edge[y_{t-1}, y_t]                    (Viterbi)
    logsum   log sum over y of exp(...), scaled forward-backward (Rabiner 1989, section V.A)
    tilt     d/de of value and marginals at node + e * direction: E[d] and Cov(part, d)       (Li and Eisner 2009, by dual numbers)
"""

from typing import NamedTuple

import numpy as np

from .chain_logs import logsum_in_logs, tilt_in_logs
from .jit import generic, inner
from .vexp import exp_into

NEVER = -np.inf


class Chain(NamedTuple):
    """A chain's scores, its answer and its scratch memory, allocated once per thread. T: longest row."""

    lanes: tuple  # 4 * len(lanes) == L
    labels: int  # Y
    pitch: int  # 1 when edges differ by position, else 0
    start: np.ndarray  # [L]     0 where a row may begin with the label, else -inf; -inf on padding
    stop: np.ndarray  # [L]
    step: np.ndarray  # [Y, L]   0 where the pair is legal, else -inf
    node: np.ndarray  # [T, L]   scores
    edge: np.ndarray  # [1 or T, Y, L]
    mu_node: np.ndarray  # [T, L]  sum of signed part indicators or marginals
    mu_edge: np.ndarray  # [1 or T, Y, L]  summed over positions when shared
    path: np.ndarray  # int32 [T]
    back: np.ndarray  # int32 [T, L]
    work: np.ndarray  # [T, L]   augmented scores, then their exponentials
    alpha: np.ndarray  # [T, L]
    exp_edge: np.ndarray  # [1 or T, Y, L]
    exp_turn: np.ndarray  # [1 or T, Y, L]  its transpose
    pair: np.ndarray  # [Y, L]
    scale: np.ndarray  # [T]
    line: np.ndarray  # [6, L]
    power: np.ndarray  # int64 [T * L], scratch of exp
    saved: np.ndarray  # [T, L]  augmented scores, kept while work holds their exponentials
    dot: np.ndarray  # [T, L]   derivative of alpha
    price: np.ndarray  # [T, L]   the direction of a tilt


@generic
def lanes_of(structure):
    """Padded label count, known to the compiler."""
    raise TypeError(structure)


@lanes_of.when(Chain)
def _(s):
    return 4 * len(s.lanes)


@generic
def argmax(structure, n):
    """Best value over structure.work (augmented node scores); the answer goes to structure.path."""
    raise TypeError(structure)


@generic
def logsum(structure, n, sign):
    """Log of the sum over structure.work; adds sign * marginals to mu."""
    raise TypeError(structure)


@generic
def tilt(structure, direction, n, sign):
    """Expectation of a node direction [n, L] under structure.work; adds sign * covariances to mu."""
    raise TypeError(structure)


@generic
def add_path(structure, n, sign):
    """Adds sign * indicator of structure.path to mu."""
    raise TypeError(structure)


@generic
def path_score(structure, n):
    """Score of structure.path under the unaugmented scores."""
    raise TypeError(structure)


@argmax.when(Chain)
def _(s, n):
    L = 4 * len(s.lanes)
    best, new = s.line[0], s.line[1]
    for k in range(L):
        best[k] = s.work[0, k]
    for t in range(1, n):
        edge, back = s.edge[t * s.pitch], s.back[t]
        first = best[0]
        for k in range(L):
            new[k] = first + edge[0, k]
            back[k] = 0
        for j in range(1, s.labels):
            here = best[j]
            for k in range(L):
                v = here + edge[j, k]
                better = v > new[k]
                new[k] = v if better else new[k]
                back[k] = j if better else back[k]
        for k in range(L):
            best[k] = new[k] + s.work[t, k]
    top = 0
    for k in range(1, s.labels):
        if best[k] > best[top]:
            top = k
    value = best[top]
    s.path[n - 1] = top
    for t in range(n - 1, 0, -1):
        top = s.back[t, top]
        s.path[t - 1] = top
    return value


@add_path.when(Chain)
def _(s, n, sign):
    for t in range(n):
        s.mu_node[t, s.path[t]] += sign
    for t in range(1, n):
        s.mu_edge[t * s.pitch, s.path[t - 1], s.path[t]] += sign


@path_score.when(Chain)
def _(s, n):
    value = s.node[0, s.path[0]]
    for t in range(1, n):
        value += s.node[t, s.path[t]] + s.edge[t * s.pitch, s.path[t - 1], s.path[t]]
    return value


@inner
def exp_edges(s, n):
    """exp_edge = exp(edge - shift) and its transpose, per matrix; returns the sum over positions of the shifts."""
    L = 4 * len(s.lanes)
    Y = s.labels
    total = 0.0
    for m in range(s.pitch, n if s.pitch else 1):
        top = NEVER
        for j in range(Y):
            for k in range(Y):
                top = max(top, s.edge[m, j, k])
        top = top if top > NEVER else 0.0
        into, turn = s.exp_edge[m], s.exp_turn[m]
        for j in range(Y):
            for k in range(L):
                into[j, k] = s.edge[m, j, k] - top
        exp_into(into.reshape(Y * L), Y * L, s.power)
        for j in range(Y):
            for k in range(Y):
                turn[k, j] = into[j, k]
        total += top if s.pitch else top * (n - 1)
    return total


@inner
def forward(s, n):
    """Scaled forward pass over exp(work); returns log of the sum, less the edges' shifts, or NaN when everything underflowed."""
    L = 4 * len(s.lanes)
    Y = s.labels
    value = 0.0
    for t in range(n):
        top = NEVER
        for k in range(L):
            top = max(top, s.work[t, k])
        top = top if top > NEVER else 0.0
        for k in range(L):
            s.saved[t, k] = s.work[t, k]
            s.work[t, k] -= top
        value += top
    exp_into(s.work.reshape(s.work.size), n * L, s.power)
    for t in range(n):
        here, u = s.alpha[t], s.work[t]
        if t == 0:
            for k in range(L):
                here[k] = u[k]
        else:
            before, edge = s.alpha[t - 1], s.exp_edge[t * s.pitch]
            for k in range(L):
                here[k] = 0.0
            for j in range(Y):
                a = before[j]
                for k in range(L):
                    here[k] += a * edge[j, k]
            for k in range(L):
                here[k] *= u[k]
        z = 0.0
        for k in range(L):
            z += here[k]
        if not z > 1e-250:
            return np.nan
        r = 1.0 / z
        s.scale[t] = r
        value += np.log(z)
        for k in range(L):
            here[k] *= r
    return value


@logsum.when(Chain)
def _(s, n, sign):
    L = 4 * len(s.lanes)
    Y = s.labels
    shift = exp_edges(s, n) if n > 1 else 0.0
    value = forward(s, n)
    if np.isnan(value):
        return logsum_in_logs(s, n, sign)
    beta, c, pair = s.line[0], s.line[1], s.pair
    for k in range(L):
        beta[k] = 1.0 if k < Y else 0.0
    for j in range(Y):
        for k in range(L):
            pair[j, k] = 0.0
    for t in range(n - 1, -1, -1):
        r, mu, a = s.scale[t], s.mu_node[t], s.alpha[t]
        for k in range(L):
            c[k] = s.work[t, k] * beta[k] * r
            mu[k] += sign * a[k] * beta[k]
        if t > 0:
            before, turn = s.alpha[t - 1], s.exp_turn[t * s.pitch]
            for k in range(L):
                beta[k] = 0.0
            for j in range(Y):
                b, a_j = c[j], before[j]
                for k in range(L):
                    beta[k] += b * turn[j, k]
                    pair[j, k] += a_j * c[k]
            if s.pitch:
                for j in range(Y):
                    for k in range(L):
                        s.mu_edge[t, j, k] += sign * pair[j, k] * s.exp_edge[t, j, k]
                        pair[j, k] = 0.0
    if s.pitch == 0 and n > 1:
        for j in range(Y):
            for k in range(L):
                s.mu_edge[0, j, k] += sign * pair[j, k] * s.exp_edge[0, j, k]
    return value + shift


@tilt.when(Chain)
def _(s, direction, n, sign):
    L = 4 * len(s.lanes)
    Y = s.labels
    if n > 1:
        exp_edges(s, n)
    if np.isnan(forward(s, n)):
        return tilt_in_logs(s, direction, n, sign)
    # alpha' by the product rule, with the same scaling as alpha
    for t in range(n):
        here, u, d = s.dot[t], s.work[t], direction[t]
        for k in range(L):
            here[k] = 0.0
        if t > 0:
            before, edge = s.dot[t - 1], s.exp_edge[t * s.pitch]
            for j in range(Y):
                a = before[j]
                for k in range(L):
                    here[k] += a * edge[j, k]
        r = s.scale[t]
        for k in range(L):
            here[k] = here[k] * u[k] * r + s.alpha[t, k] * d[k]
    mean = 0.0
    for k in range(L):
        mean += s.dot[n - 1, k]
    beta, slope, c, e = s.line[0], s.line[1], s.line[2], s.line[3]
    for k in range(L):
        beta[k] = 1.0 if k < Y else 0.0
        slope[k] = 0.0
    for t in range(n - 1, -1, -1):
        r, mu = s.scale[t], s.mu_node[t]
        for k in range(L):
            m = s.alpha[t, k] * beta[k]
            mu[k] += sign * (s.dot[t, k] * beta[k] + s.alpha[t, k] * slope[k] - m * mean)
            c[k] = s.work[t, k] * beta[k] * r
            e[k] = s.work[t, k] * (slope[k] + direction[t, k] * beta[k]) * r
        if t > 0:
            before, before_dot, edge, turn = s.alpha[t - 1], s.dot[t - 1], s.exp_edge[t * s.pitch], s.exp_turn[t * s.pitch]
            into = s.mu_edge[t * s.pitch]
            for k in range(L):
                beta[k] = 0.0
                slope[k] = 0.0
            for j in range(Y):
                for k in range(L):
                    beta[k] += c[j] * turn[j, k]
                    slope[k] += e[j] * turn[j, k]
                    into[j, k] += sign * edge[j, k] * (before_dot[j] * c[k] + before[j] * e[k] - before[j] * c[k] * mean)
    return mean
