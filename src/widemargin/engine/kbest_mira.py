"""k-best MIRA: the smallest step that gives every one of the k best outputs a margin as large as its cost (McDonald et al. 2005).

With d_y = Phi' (mu_y - mu_gold) for the k outputs y that score + cost ranks highest, and b_y = score(y) + cost(y) - score(gold),

    min 1/2 |w' - w|^2 + C xi    s.t.  b_y + <w' - w, d_y> <= xi,  xi >= 0        w' = w - sum_y a_y d_y
    max b'a - a'Ga/2             s.t.  a >= 0,  sum a <= C                         G = <d_y, d_z>

The program is solved by SMO until its gradients agree within `tolerance`, which is in units of the loss. For k = 1 it is the closed form
min(C, loss / |d|^2). d_y of the k outputs are gathered side by side, as k layers of one gradient, so that G and the step are sums over the
gathered rows; an input may know a quicker way to G.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic
from widemargin.compiler.lanes import load, splat, store, total
from widemargin.engine.rows import GATHER, Step, apply_gradient, has_residual
from widemargin.engine.simplex import climb
from widemargin.engine.structure import add_output, augment, clear, kbest, listed, outputs
from widemargin.engine.sweep import row_rate, scheduled_rate
from widemargin.engine.tables import ask, for_each, room


class Margins(NamedTuple):
    """The schedule of k-best MIRA: the cap C, and scratch for k outputs of one row."""

    cap: float
    tolerance: float
    limit: int  # steps of SMO
    found: tuple  # the structure's memory of k outputs; found.value [k]: score + cost, then b
    memory: tuple  # what the input needs to make G: a Pending of k layers per table, or something of its own
    gram: np.ndarray  # [k, k]
    a: np.ndarray  # [k]
    slope: np.ndarray  # [k]
    worst: np.ndarray  # [1]      the largest violation that SMO has left


@scheduled_rate.when(Margins)
def _(schedule, step):
    return 0.0


@generic
def find_gram(input, m, s, visit, count, reader):
    """m.gram[p, q] += <d_p, d_q> for q <= p < count, the outputs in m.found against visit.low. mu is overwritten."""


@generic
def combine(input, m, s, visit, count, reader, learning):
    """The step sum_p a_p d_p, handed over: True when it is gathered in learning.pending, times the row's scale, False when mu now is its
    residual."""


@row_rate.when(Margins)
def _(schedule, rate, rows, s, visit, upper, reader, learning):
    m, value = schedule, schedule.found.value
    augment(s, visit.gold, visit.price, visit.n, upper.cost, upper.inside)
    count = kbest(s, visit.n, m.found)
    best = value[0]
    for p in range(len(value)):
        value[p] = visit.loss + (value[p] - best) if p < count else -1.0
        m.a[p] = 0.0
        for q in range(len(value)):
            m.gram[p, q] = 0.0
    find_gram(rows.input, m, s, visit, count, reader)
    for p in range(len(value)):
        for q in range(p):
            m.gram[q, p] = m.gram[p, q]
    _, violation, _ = climb(m.gram, value, m.a, m.cap * visit.scale, m.slope, m.tolerance, m.limit)
    m.worst[0] = max(m.worst[0], violation)
    return 1.0 / visit.scale, combine(rows.input, m, s, visit, count, reader, learning)


# ---- by layers ------------------------------------------------------------------------------------------------------------------------


class Products(NamedTuple):
    """Asked of (weights, layers): gram[p, q] += <layer p, layer q> for q <= p < outputs."""

    outputs: int
    gram: np.ndarray


@ask.when(Products)
def _(question, weights, layers, _):
    lanes, h, wide = layers.lanes, layers.height, layers.layers * layers.height
    for j in range(layers.used[0]):
        copies = weights.copies[layers.feature[j]]
        for p in range(question.outputs):
            for q in range(p + 1):
                for r in range(h):
                    product = load(layers.g, j * wide + p * h + r, lanes) * load(layers.g, j * wide + q * h + r, lanes)
                    question.gram[p, q] += copies * total(product)
    return 0.0


class Combination(NamedTuple):
    """Asked of (weights, layers, pending): pending = scale sum_p a_p layer p; layers are empty then."""

    outputs: int
    a: np.ndarray
    scale: float


@ask.when(Combination)
def _(question, weights, layers, pending):
    lanes, h, wide = layers.lanes, layers.height, layers.layers * layers.height
    for j in range(layers.used[0]):
        f = np.int64(layers.feature[j])
        first = room(pending, f)
        for r in range(h):
            sums = splat(layers.g, 0.0, lanes)
            for p in range(question.outputs):
                sums += load(layers.g, j * wide + p * h + r, lanes) * question.a[p]
            store(pending.g, first + r, sums * question.scale)
        layers.slot[f] = -1
    layers.used[0] = 0
    return 0.0


@find_gram.when(object)
def _(input, m, s, visit, count, reader):
    i, n = visit.i, visit.n
    out, _ = outputs(s)
    for p in range(count):
        clear(s, n)
        listed(m.found, p, n, out)
        add_output(s, n, 1.0, out)
        add_output(s, n, -1.0, visit.low)
        has_residual(input, s, n, 0.0)
        apply_gradient(input, s, i, n, Step(GATHER, 1.0, 0.0, 0.0, np.int64(p)), m.memory, reader)
    for_each(reader.tables, m.memory, m.memory, Products(count, m.gram))


@combine.when(object)
def _(input, m, s, visit, count, reader, learning):
    for_each(reader.tables, m.memory, learning.pending, Combination(count, m.a, visit.scale))
    return True
