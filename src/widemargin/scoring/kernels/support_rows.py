"""Weights in the span of training tokens: score[t, y] = sum_u alpha[u, y] K(x_u, x_t), transitions linear (Taskar et al. 2003).

D distinct tokens share the rows of the Gram matrix K. To a learner alpha is a table of weights like any other, each token's only feature
being which of the D it is. Beside it the scores of all D are kept up to date, so that a row of the corpus is scored without touching K, and
a step costs one Gram row and an axpy per label for each token that it moves:

    |Phi' d|^2 = sum_{t, t'} K(x_t, x_t') <d_t, d_t'>,      alpha[u] -= rate d_u,      score[., y] -= rate d_uy K(x_u, .)

The penalty shrinks all of alpha alike, so of the scores it is one number (yu-lam2008). K need not be positive definite (tanh): |Phi' d|^2
may be negative, and then a step of SMO goes to the end of the box.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.compiler.lanes import load, store, total
from widemargin.engine.rows import MOVE, apply_gradient, end_of_step, gathers, has_residual, score, squared_length
from widemargin.scoring.indexed import Indexed, Norm, apply_transitions, find_hot, score_transitions
from widemargin.scoring.kernels.gram_rows import Cache, Curve, Vectors, fetch
from widemargin.scoring.optional_inputs import base_row

LOWEST = 1e-6  # the scale at which it is multiplied into the scores


class Supported(NamedTuple):
    """An input: rows of tokens scored by a kernel. For rules without l1 whose step size is the same for all weights."""

    indexed: Indexed  # the features of a token: its distinct token; and those of transitions
    which: np.ndarray  # int32 [N]   the distinct token of each token
    score: np.ndarray  # float64 [Y, D]   K alpha / scale
    scale: np.ndarray  # float64 [1]
    vectors: Vectors
    curve: Curve
    cache: Cache


@score.when(Supported)
def _(input, s, i, n, reader):
    first = input.indexed.token[i]
    if n > s.node.shape[0] or n > len(input.indexed.hot):
        return False
    for t in range(n):
        store(s.node, t, base_row(input.indexed.base, first + t, s))
        d = input.which[first + t]
        for y in range(s.labels):
            s.node[t, y] += input.scale[0] * input.score[y, d]
    score_transitions(s, input.indexed, i, n, reader)
    return True


@has_residual.when(Supported)
def _(input, s, n, skip):
    return find_hot(s.mu_node, s.lanes, n, skip, input.indexed.hot)


@gathers.when(Supported)
def _(input):
    return False


@inner
def axpy(x, row, out):
    """out += x row."""
    for v in range(len(out)):
        out[v] += x * row[v]


@inner
def move_scores(input, first, n, s, rate):
    """K alpha -= rate K mu at the hot tokens of a row."""
    for t in range(n):
        if input.indexed.hot[t]:
            k = fetch(np.int64(input.which[first + t]), input.vectors, input.curve, input.cache)
            for y in range(s.labels):
                change = -rate * s.mu_node[t, y]
                if change != 0.0:
                    axpy(change, input.cache.row[k], input.score[y])


@inner
def square_tokens(input, first, n, s):
    """|Phi' mu|^2 over the hot tokens of a row."""
    square, hot = 0.0, input.indexed.hot
    for t in range(n):
        if hot[t]:
            k = fetch(np.int64(input.which[first + t]), input.vectors, input.curve, input.cache)
            d = load(s.mu_node, t, s.lanes)
            for other in range(n):
                if hot[other]:
                    square += input.cache.row[k, input.which[first + other]] * total(d * load(s.mu_node, other, s.lanes))
    return square


@apply_gradient.when(Supported)
def _(input, s, i, n, step, into, reader):
    if step.mode == MOVE:
        move_scores(input, input.indexed.token[i], n, s, step.rate * step.scale / input.scale[0])
    apply_gradient(input.indexed, s, i, n, step, into, reader)


@squared_length.when(Supported)
def _(input, s, i, n, skip, into, reader):
    square = square_tokens(input, input.indexed.token[i], n, s)
    return square + apply_transitions(s, input.indexed, i, n, Norm(1.0), into, reader)


@end_of_step.when(Supported)
def _(input, rule, rate):
    input.scale[0] /= 1.0 + rate * rule.l2
    if input.scale[0] < LOWEST:
        for y in range(len(input.score)):
            for u in range(input.score.shape[1]):
                input.score[y, u] *= input.scale[0]
        input.scale[0] = 1.0
