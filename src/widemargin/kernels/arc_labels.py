"""Labels of arcs: maximised or summed out arc by arc, and given their share of what a structure says of the arc.

With p the softmax of an arc's label scores: mu(h, m, r) = mu(h, m) p(r), and cov(h, m, r) = p(r) (cov(h, m) + mu(h, m) (d(r) - E_p[d])).
Arcs without labels answer the same questions with nothing, and compile to nothing.
"""

from typing import NamedTuple

import numpy as np

from .jit import generic
from .lanes import exp, load, splat, store, top, total
from .semiring import NEVER

UNKNOWN = -1


class NoLabels(NamedTuple):
    """Arcs without labels."""

    kinds: int  # 0


class Labels(NamedTuple):
    """Labels of arcs. Row head * (T + 1) + modifier of a table belongs to one arc; A = (T + 1)^2."""

    kinds: int  # R
    lanes: tuple  # 4 * len(lanes) == L
    legal: np.ndarray  # [1, L]  0, and -inf on padding
    score: np.ndarray  # [A, L]
    mu: np.ndarray  # [A, L]
    work: np.ndarray  # [A, L]  augmented scores
    toward: np.ndarray  # [A, L]  the direction of a tilt


class Prices(NamedTuple):
    """What errors cost at a word of known head."""

    head: np.ndarray  # [R + 1]  a wrong head, by the gold label; the last: gold label not known
    label: np.ndarray  # [R, L]  the right head with label k when y is right


@generic
def augment_labels(labels, i, y, price, cost, right, inside):
    """work row i = scores, with the cost of labels on an arc whose head is `right`; inside: of a known label y alone."""
    raise TypeError(labels)


@augment_labels.when(NoLabels)
def _(labels, i, y, price, cost, right, inside):
    pass


@augment_labels.when(Labels)
def _(labels, i, y, price, cost, right, inside):
    row = load(labels.score, i, labels.lanes) + load(labels.legal, 0, labels.lanes)
    if right and y != UNKNOWN and cost != 0.0:
        row += load(price.label, y, labels.lanes) * cost
    store(labels.work, i, row)
    if inside and y != UNKNOWN:
        only = labels.work[i, y]
        store(labels.work, i, splat(labels.work, NEVER, labels.lanes))
        labels.work[i, y] = only


@generic
def best_label(labels, i):
    """The best score of row i, and its label."""
    raise TypeError(labels)


@best_label.when(NoLabels)
def _(labels, i):
    return 0.0, 0


@best_label.when(Labels)
def _(labels, i):
    peak = top(load(labels.work, i, labels.lanes))
    for r in range(labels.kinds):
        if labels.work[i, r] == peak:
            return np.float64(peak), r
    return np.float64(peak), 0


@generic
def sum_labels(labels, i):
    """Log of the sum of row i, and E[d] under its softmax."""
    raise TypeError(labels)


@sum_labels.when(NoLabels)
def _(labels, i):
    return 0.0, 0.0


@sum_labels.when(Labels)
def _(labels, i):
    row = load(labels.work, i, labels.lanes)
    peak = top(row)
    if peak == NEVER:
        return NEVER, 0.0
    p = exp(row - peak)
    z = total(p)
    return np.float64(peak) + np.log(np.float64(z)), np.float64(total(p * load(labels.toward, i, labels.lanes)) / z)


@generic
def share_out(labels, i, chance, slope):
    """mu row i += p(r) (slope + chance (d(r) - E[d])): what an arc is worth, among its labels; chance 0 for plain marginals."""
    raise TypeError(labels)


@share_out.when(NoLabels)
def _(labels, i, chance, slope):
    pass


@share_out.when(Labels)
def _(labels, i, chance, slope):
    row, d = load(labels.work, i, labels.lanes), load(labels.toward, i, labels.lanes)
    p = exp(row - top(row))
    z = total(p)
    mean = total(p * d) / z
    store(labels.mu, i, load(labels.mu, i, labels.lanes) + p * ((d - mean) * (chance / z) + slope / z))


@generic
def add_label(labels, i, r, sign):
    """mu of label r of row i += sign; returns its score."""
    raise TypeError(labels)


@add_label.when(NoLabels)
def _(labels, i, r, sign):
    return 0.0


@add_label.when(Labels)
def _(labels, i, r, sign):
    labels.mu[i, r] += sign
    return np.float64(labels.score[i, r])


@generic
def work_of(labels, i, r):
    """work of label r of row i."""
    raise TypeError(labels)


@work_of.when(NoLabels)
def _(labels, i, r):
    return 0.0


@work_of.when(Labels)
def _(labels, i, r):
    return np.float64(labels.work[i, r])


@generic
def set_work(labels, i, r, score):
    """work of label r of row i = score."""
    raise TypeError(labels)


@set_work.when(NoLabels)
def _(labels, i, r, score):
    pass


@set_work.when(Labels)
def _(labels, i, r, score):
    labels.work[i, r] = score


@generic
def clear_labels(labels, i):
    """mu row i = 0."""
    raise TypeError(labels)


@clear_labels.when(NoLabels)
def _(labels, i):
    pass


@clear_labels.when(Labels)
def _(labels, i):
    store(labels.mu, i, splat(labels.mu, 0.0, labels.lanes))


@generic
def aim_labels(labels, i, y, price, right):
    """Direction row i = the prices of labels on an arc whose head is `right`, else 0."""
    raise TypeError(labels)


@aim_labels.when(NoLabels)
def _(labels, i, y, price, right):
    pass


@aim_labels.when(Labels)
def _(labels, i, y, price, right):
    priced = right and y != UNKNOWN
    store(labels.toward, i, load(price.label, y, labels.lanes) if priced else splat(labels.toward, 0.0, labels.lanes))
