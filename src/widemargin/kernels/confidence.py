"""Confidence: probabilities of labels, sequences and events, and entropies, of a distribution at a sharpness b = 1 / temperature.

    p(y) = exp(b score(y)) / Z        P(A) = Z(A) / Z        H = log Z - E[b score]

Z sums over the legal outputs of a row, Z(A) over those with an allowed label at each token. Scores are summed as the weights are stored, in
`s`; `exact` is a workspace in float64, so that differences of logarithms keep their digits.
"""

import numpy as np

from .chain import Chain
from .choice import Choice
from .jit import generic, inner, kernel
from .score import score_row
from .structure import argmax, augment, clear, logsum


@inner
def copy_times(out, table, rows, b):
    """out = b * table in the first rows; b > 0, so -inf stays -inf."""
    for r in range(rows):
        for k in range(table.shape[1]):
            out[r, k] = b * table[r, k]


@inner
def inner_product(mu, score, rows, labels):
    """sum of mu * score over the parts that occur: 0 * -inf is 0."""
    value = 0.0
    for r in range(rows):
        for k in range(labels):
            if mu[r, k] != 0.0:
                value += mu[r, k] * score[r, k]
    return value


@generic
def sharpen(exact, s, n, b):
    """The scores of s times b into exact."""
    raise TypeError(exact)


@sharpen.when(Chain)
def _(exact, s, n, b):
    copy_times(exact.node, s.node, n, b)
    copy_times(exact.edge, s.edge, n * s.pitch if s.pitch else s.labels, b)


@sharpen.when(Choice)
def _(exact, s, n, b):
    copy_times(exact.node, s.node, n, b)


@generic
def mean_score(s, n):
    """E[score] from the marginals in mu."""
    raise TypeError(s)


@mean_score.when(Chain)
def _(s, n):
    edges = inner_product(s.mu_edge, s.edge, n * s.pitch if s.pitch else s.labels, s.labels)
    return edges + inner_product(s.mu_node, s.node, n, s.labels)


@mean_score.when(Choice)
def _(s, n):
    return inner_product(s.mu_node, s.node, n, s.labels)


@inner
def take_row(i, tokens, s, exact, w, b, unknown):
    """Scores of row i at sharpness b into exact, under its legal masks in work, and mu = 0; returns the number of tokens."""
    at = tokens.token[i]
    n = tokens.token[i + 1] - at
    score_row(s, tokens, at, n, w)
    sharpen(exact, s, n, b)
    augment(exact, unknown, exact.price, n, 0.0, False)
    clear(exact, n)
    return n


@kernel
def marginals(low, high, tokens, s, exact, w, b, unknown, out, value):
    """Probability of each label at each token into out [N, Y], and log Z of rows low..high into value [R]; unknown: int32 [T] of -1."""
    for i in range(low, high):
        n = take_row(i, tokens, s, exact, w, b, unknown)
        value[i] = logsum(exact, n, 1.0)
        for t in range(n):
            for k in range(exact.labels):
                out[tokens.token[i] + t, k] = exact.mu_node[t, k]


@kernel
def entropies(low, high, tokens, s, exact, w, b, unknown, of_row, of_token):
    """Entropy in nats of each row's output into of_row [R], of each token's label into of_token [N]."""
    for i in range(low, high):
        n = take_row(i, tokens, s, exact, w, b, unknown)
        value = logsum(exact, n, 1.0)
        of_row[i] = max(value - mean_score(exact, n), 0.0)
        for t in range(n):
            h = 0.0
            for k in range(exact.labels):
                p = exact.mu_node[t, k]
                if p > 0.0:
                    h -= p * np.log(p)
            of_token[tokens.token[i] + t] = max(h, 0.0)


@kernel
def events(low, high, tokens, s, exact, w, b, unknown, row, begin, ptr, allowed, out):
    """log P of events low..high into out [E].

    Event e: in row[e], the tokens from begin[e] on have labels that rows ptr[e]..ptr[e+1] of allowed (bool [M, Y]) let through. A row is
    scored once for all its events that stand together.
    """
    held, n, whole = np.int64(-1), np.int64(0), 0.0
    for e in range(low, high):
        if row[e] != held:
            held = row[e]
            n = take_row(held, tokens, s, exact, w, b, unknown)
            whole = logsum(exact, n, 1.0)
        augment(exact, unknown, exact.price, n, 0.0, False)
        for m in range(ptr[e], ptr[e + 1]):
            for k in range(exact.labels):
                if not allowed[m, k]:
                    exact.work[begin[e] + m - ptr[e], k] = -np.inf
        possible = argmax(exact, n) > -np.inf
        out[e] = min(logsum(exact, n, 1.0) - whole, 0.0) if possible else -np.inf
