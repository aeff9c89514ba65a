"""One of K: the structure of a single decision. Scores of one row of L lanes; everything is a sum or a maximum over them."""

from typing import NamedTuple

import numpy as np

from .lanes import exp, load, splat, store, top, total
from .structure import add_path, argmax, clear, logsum, path_score, tilt


class Choice(NamedTuple):
    """Scores, answer and scratch of one decision; tables have one row, and the names a chain uses."""

    lanes: tuple
    labels: int
    start: np.ndarray  # [1, L]  0 where the label is allowed, else -inf; -inf on padding
    stop: np.ndarray  # [1, L]   likewise
    node: np.ndarray  # [1, L]
    mu_node: np.ndarray  # [1, L]
    path: np.ndarray  # int32 [1]
    work: np.ndarray  # [1, L]
    price: np.ndarray  # [1, L]


@argmax.when(Choice)
def _(s, n):
    best = 0
    for k in range(1, s.labels):
        if s.work[0, k] > s.work[0, best]:
            best = k
    s.path[0] = best
    return np.float64(s.work[0, best])


@logsum.when(Choice)
def _(s, n, sign):
    u = load(s.work, 0, s.lanes)
    peak = top(u)
    p = exp(u - peak)
    z = total(p)
    store(s.mu_node, 0, load(s.mu_node, 0, s.lanes) + p * (sign / z))
    return np.float64(peak) + np.log(np.float64(z))


@tilt.when(Choice)
def _(s, n, sign):
    u = load(s.work, 0, s.lanes)
    p = exp(u - top(u))
    p /= splat(s.work, total(p), s.lanes)
    d = load(s.price, 0, s.lanes)
    mean = total(p * d)
    store(s.mu_node, 0, load(s.mu_node, 0, s.lanes) + p * (d - mean) * sign)
    return np.float64(mean)


@add_path.when(Choice)
def _(s, n, sign):
    s.mu_node[0, s.path[0]] += sign


@path_score.when(Choice)
def _(s, n):
    return np.float64(s.node[0, s.path[0]])


@clear.when(Choice)
def _(s, n):
    store(s.mu_node, 0, splat(s.mu_node, 0.0, s.lanes))
