"""One of K: the structure of a single decision. Scores of one row of L lanes; everything is a sum or a maximum over them."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import exp, load, splat, store, top, total
from widemargin.engine.structure import add_output, argmax, clear, kbest, listed, logsum, negate, output_score, tilt, worst
from widemargin.structures.labels_at_tokens import labels_at_tokens
from widemargin.structures.negation import negate_rows


@labels_at_tokens
class Choice(NamedTuple):
    """Scores, answer and scratch of one decision; tables have one row, and the names a chain uses."""

    lanes: tuple
    labels: int
    start: np.ndarray  # [1, L]  0 where the label is allowed, else -inf; -inf on padding
    stop: np.ndarray  # [1, L]   likewise
    node: np.ndarray  # [1, L]
    mu_node: np.ndarray  # [1, L]
    output: tuple  # two int32 [1]
    work: np.ndarray  # [1, L]
    direction: np.ndarray  # [1, L]  of a tilt


@argmax.when(Choice)
def _(s, n, out):
    best = 0
    for k in range(1, s.labels):
        if s.work[0, k] > s.work[0, best]:
            best = k
    out[0] = best
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
    d = load(s.direction, 0, s.lanes)
    mean = total(p * d)
    store(s.mu_node, 0, load(s.mu_node, 0, s.lanes) + p * (d - mean) * sign)
    return np.float64(mean)


@add_output.when(Choice)
def _(s, n, sign, out):
    s.mu_node[0, out[0]] += sign


@output_score.when(Choice)
def _(s, n, out):
    return np.float64(s.node[0, out[0]])


@negate.when(Choice)
def _(s, n):
    negate_rows(s.node, 1)


@clear.when(Choice)
def _(s, n):
    store(s.mu_node, 0, splat(s.mu_node, 0.0, s.lanes))


class BestLabels(NamedTuple):
    """Memory for the k best labels."""

    value: np.ndarray  # [k]  best first
    label: np.ndarray  # int32 [k]


@listed.when(BestLabels)
def _(found, p, n, out):
    out[0] = found.label[p]


@kbest.when(Choice)
def _(s, n, found):
    value, label = found
    for rank in range(len(value)):
        best = -1
        for y in range(s.labels):
            taken = False
            for other in range(rank):
                taken = taken or label[other] == y
            if not taken and s.work[0, y] > -np.inf and (best < 0 or s.work[0, y] > s.work[0, best]):
                best = y
        if best < 0:
            return np.int64(rank)
        label[rank], value[rank] = best, s.work[0, best]
    return np.int64(len(value))


@worst.when(Choice)
def _(s, gold, price, n, need, out):
    value, best = 0.0, gold[0]
    for k in range(s.labels):
        loss = price[gold[0], k] * (s.work[0, k] - need) if price[gold[0], k] > 0.0 else 0.0
        if loss > value:
            value, best = loss, k
    if value > 0.0:
        out[0] = best
    return value, price[gold[0], best]
