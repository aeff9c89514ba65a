"""Confidence: probabilities of labels, sequences and events, and entropies, of a distribution at a sharpness b = 1 / temperature.

    p(y) = exp(b score(y)) / Z        P(A) = Z(A) / Z        H = log Z - E[b score]

Z sums over the legal outputs of a row, Z(A) over those with an allowed label at each token. Scores are summed as the weights are stored, in
`s`; `exact` is a workspace in float64, so that differences of logarithms keep their digits.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.rows import row, score
from widemargin.engine.structure import argmax, augment, clear, logsum, outputs
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice
from widemargin.structures.scaling import copy_times, inner_product, mean_score, scale_scores


class Distribution(NamedTuple):
    """What gives rows their distributions, with scratch of one thread."""

    s: tuple  # a workspace in the precision of the weights
    exact: tuple  # one in float64
    reader: tuple  # of the weights
    sharpness: float  # b


class Events(NamedTuple):
    """Event e: in row[e], the tokens from begin[e] on have labels that rows ptr[e]..ptr[e+1] of allowed let through."""

    row: np.ndarray  # int64 [E]
    begin: np.ndarray  # int64 [E]
    ptr: np.ndarray  # int64 [E+1]
    allowed: np.ndarray  # bool [M, Y]


@scale_scores.when(Chain)
def _(exact, s, n, b):
    copy_times(exact.node, s.node, n, b)
    copy_times(exact.edge, s.edge, n * s.edge_stride if s.edge_stride else s.labels, b)


@scale_scores.when(Choice)
def _(exact, s, n, b):
    copy_times(exact.node, s.node, n, b)


@mean_score.when(Chain)
def _(s, n):
    edges = inner_product(s.mu_edge, s.edge, n * s.edge_stride if s.edge_stride else s.labels, s.labels)
    return edges + inner_product(s.mu_node, s.node, n, s.labels)


@mean_score.when(Choice)
def _(s, n):
    return inner_product(s.mu_node, s.node, n, s.labels)


@inner
def take_row(i, rows, p):
    """Scores of row i at sharpness b into exact, under its legal masks in work, and mu = 0; returns the number of tokens."""
    n, unknown, _ = row(rows.target, i)
    score(rows.input, p.s, i, n, p.reader)
    scale_scores(p.exact, p.s, n, p.sharpness)
    augment(p.exact, unknown, p.exact.direction, n, 0.0, False)  # no label is known: prices are not read
    clear(p.exact, n)
    return n


@kernel
def marginals(low, high, rows, p, out, value):
    """Probability of each label at each token into out [N, Y], and log Z of rows low..high into value [R]; rows: with unknown labels."""
    exact = p.exact
    for i in range(low, high):
        n = take_row(i, rows, p)
        value[i] = logsum(exact, n, 1.0)
        for t in range(n):
            for k in range(exact.labels):
                out[rows.target.token[i] + t, k] = exact.mu_node[t, k]


@kernel
def pairs(low, high, rows, p, wanted, out):
    """Sums over pairs of neighbours (j, k) in rows low..high of a chain with edges by position. wanted: two masks [Y, Y]; out: P(k) [N, Y],
    P(k, and the pair with the token before is in the first mask), P(j, and the pair with the token behind is in the second)."""
    exact, (ahead, behind), (own, before, after) = p.exact, wanted, out
    for i in range(low, high):
        n, first = take_row(i, rows, p), rows.target.token[i]
        logsum(exact, n, 1.0)
        for t in range(n):
            for k in range(exact.labels):
                own[first + t, k] = exact.mu_node[t, k]
            for j in range(exact.labels if t else 0):
                for k in range(exact.labels):
                    chance = exact.mu_edge[t * exact.edge_stride + j, k]
                    before[first + t, k] += chance * ahead[j, k]
                    after[first + t - 1, j] += chance * behind[j, k]


@kernel
def entropies(low, high, rows, p, of_row, of_token):
    """Entropy in nats of each row's output into of_row [R], of each token's label into of_token [N]."""
    exact = p.exact
    for i in range(low, high):
        n = take_row(i, rows, p)
        value = logsum(exact, n, 1.0)
        of_row[i] = max(value - mean_score(exact, n), 0.0)
        for t in range(n):
            h = 0.0
            for k in range(exact.labels):
                chance = exact.mu_node[t, k]
                if chance > 0.0:
                    h -= chance * np.log(chance)
            of_token[rows.target.token[i] + t] = max(h, 0.0)


@kernel
def events(low, high, rows, p, wanted, out):
    """log P of the wanted Events low..high into out [E]. A row is scored once for all its events that stand together."""
    exact, (best, _) = p.exact, outputs(p.exact)
    held, n, whole = np.int64(-1), np.int64(0), 0.0
    for e in range(low, high):
        if wanted.row[e] != held:
            held = wanted.row[e]
            n = take_row(held, rows, p)
            whole = logsum(exact, n, 1.0)
        _, unknown, _ = row(rows.target, held)
        augment(exact, unknown, exact.direction, n, 0.0, False)
        for m in range(wanted.ptr[e], wanted.ptr[e + 1]):
            for k in range(exact.labels):
                if not wanted.allowed[m, k]:
                    exact.work[wanted.begin[e] + m - wanted.ptr[e], k] = -np.inf
        possible = argmax(exact, n, best) > -np.inf
        out[e] = min(logsum(exact, n, 1.0) - whole, 0.0) if possible else -np.inf
