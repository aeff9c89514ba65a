"""Labels of arcs: maximised or summed out arc by arc, and given their share of what a structure says of the arc.

With p the softmax of an arc's label scores: mu(h, m, r) = mu(h, m) p(r), and cov(h, m, r) = p(r) (cov(h, m) + mu(h, m) (d(r) - E_p[d])).
Costs and directions concern one arc of each word, that of its gold head, so augmented scores and directions are one row per word, not per
arc. Arcs without labels answer the same questions with nothing, and compile to nothing.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import exp, load, splat, store, top, total
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.negation import negate_rows

UNKNOWN, ALL_ARCS = -1, -2


class NoLabels(NamedTuple):
    """Arcs without labels."""

    kinds: int  # 0


class Labels(NamedTuple):
    """Labels of arcs. Row h (n + 1) + m of a table belongs to the arc h -> m; A = (T + 1)^2."""

    kinds: int  # R
    lanes: tuple  # 4 * len(lanes) == L
    legal: np.ndarray  # [1, L]  0, and -inf on padding
    score: np.ndarray  # [A, L]  -inf on padding
    mu: np.ndarray  # [A, L]  where `fresh`; elsewhere it is 0, whatever stands there
    fresh: np.ndarray  # bool [A]
    work: np.ndarray  # [T+2, L]  augmented scores of the arc from `right` to each word; the last: one row of scratch
    direction: np.ndarray  # [A, L]  the direction of a tilt, on the arc from `direction_head` to each word
    right: np.ndarray  # int32 [T+1]  -1: no arc of this word is augmented
    direction_head: np.ndarray  # int32 [T+1]  -1: the direction is 0 at this word, -2: it is given on all its arcs
    only: np.ndarray  # int32 [T+1]  the one label that this word may have, or -1


class Prices(NamedTuple):
    """What errors cost at a word of known head."""

    head: np.ndarray  # [R + 1]  a wrong head, by the gold label; the last: gold label not known
    label: np.ndarray  # [R, L]  the right head with label k when y is right


@generic
def augment_labels(labels, m, g, y, price, cost, inside, n):
    """Adds the cost of labels to the arc of word m from its gold head g; inside: a known label y alone is left."""
    raise TypeError(labels)


@augment_labels.when(NoLabels)
def _(labels, m, g, y, price, cost, inside, n):
    pass


@augment_labels.when(Labels)
def _(labels, m, g, y, price, cost, inside, n):
    labels.right[m], labels.only[m] = UNKNOWN, y if inside else UNKNOWN
    if g != UNKNOWN and y != UNKNOWN and cost != 0.0 and not inside:
        labels.right[m] = g
        store(labels.work, m, load(labels.score, g * (n + 1) + m, labels.lanes) + load(price.label, y, labels.lanes) * cost)


@inner
def row_of(labels, h, m, n):
    """The augmented scores of an arc's labels."""
    if labels.right[m] == h:
        return load(labels.work, m, labels.lanes)
    i, y = h * (n + 1) + m, labels.only[m]
    if y == UNKNOWN:
        return load(labels.score, i, labels.lanes)
    last = labels.work.shape[0] - 1
    store(labels.work, last, splat(labels.work, LOG_ZERO, labels.lanes))
    labels.work[last, y] = labels.score[i, y]
    return load(labels.work, last, labels.lanes)


@inner
def touch(labels, i):
    """Makes row i of mu fit to be added to."""
    if not labels.fresh[i]:
        labels.fresh[i] = True
        store(labels.mu, i, splat(labels.mu, 0.0, labels.lanes))


@generic
def best_score(labels, h, m, n):
    """The best score of an arc's labels."""
    raise TypeError(labels)


@best_score.when(NoLabels)
def _(labels, h, m, n):
    return 0.0


@best_score.when(Labels)
def _(labels, h, m, n):
    return np.float64(top(row_of(labels, h, m, n)))


@generic
def best_label(labels, h, m, n):
    """The best label of an arc."""
    raise TypeError(labels)


@best_label.when(NoLabels)
def _(labels, h, m, n):
    return 0


@best_label.when(Labels)
def _(labels, h, m, n):
    if labels.only[m] != UNKNOWN:
        return int(labels.only[m])
    peak = top(row_of(labels, h, m, n))
    for r in range(labels.kinds):
        if work_of(labels, h, m, n, r) == peak:
            return r
    return 0


@generic
def sum_labels(labels, h, m, n, tilting, along):
    """Log of the sum of an arc's labels; when tilting, also the direction `along` of the arc with E[d] of its labels added.

    A direction that is given on all labels of a word's arcs is all of it, and `along` is what an earlier tilt has left there."""
    raise TypeError(labels)


@sum_labels.when(NoLabels)
def _(labels, h, m, n, tilting, along):
    return 0.0, along


@sum_labels.when(Labels)
def _(labels, h, m, n, tilting, along):
    row, everywhere = row_of(labels, h, m, n), labels.direction_head[m] == ALL_ARCS
    peak = top(row)
    if peak == LOG_ZERO:
        return LOG_ZERO, along
    p = exp(row - peak)
    z = total(p)
    if tilting and (labels.direction_head[m] == h or everywhere):
        mean = np.float64(total(p * load(labels.direction, h * (n + 1) + m, labels.lanes)) / z)
        along = mean if everywhere else along + mean
    return np.float64(peak) + np.log(np.float64(z)), along


@generic
def share_out(labels, h, m, n, marginal, covariance):
    """mu of an arc's labels += p(r) (covariance + marginal (d(r) - E[d])); marginal 0 for plain marginals."""
    raise TypeError(labels)


@share_out.when(NoLabels)
def _(labels, h, m, n, marginal, covariance):
    pass


@share_out.when(Labels)
def _(labels, h, m, n, marginal, covariance):
    row, i = row_of(labels, h, m, n), h * (n + 1) + m
    p = exp(row - top(row))
    z = total(p)
    touch(labels, i)
    old = load(labels.mu, i, labels.lanes)
    if marginal != 0.0 and (labels.direction_head[m] == h or labels.direction_head[m] == ALL_ARCS):
        d = load(labels.direction, i, labels.lanes)
        store(labels.mu, i, old + p * ((d - total(p * d) / z) * (marginal / z) + covariance / z))
    else:
        store(labels.mu, i, old + p * (covariance / z))


@generic
def add_label(labels, h, m, n, r, sign):
    """mu of label r of an arc += sign; returns its score."""
    raise TypeError(labels)


@add_label.when(NoLabels)
def _(labels, h, m, n, r, sign):
    return 0.0


@add_label.when(Labels)
def _(labels, h, m, n, r, sign):
    i = h * (n + 1) + m
    if sign != 0.0:
        touch(labels, i)
        labels.mu[i, r] += sign
    return np.float64(labels.score[i, r])


@generic
def work_of(labels, h, m, n, r):
    """The augmented score of label r of an arc."""
    raise TypeError(labels)


@work_of.when(NoLabels)
def _(labels, h, m, n, r):
    return 0.0


@work_of.when(Labels)
def _(labels, h, m, n, r):
    return np.float64(labels.work[m, r] if labels.right[m] == h else labels.score[h * (n + 1) + m, r])


@generic
def set_work(labels, h, m, n, r, score):
    """The augmented score of label r of an arc = score."""
    raise TypeError(labels)


@set_work.when(NoLabels)
def _(labels, h, m, n, r, score):
    pass


@set_work.when(Labels)
def _(labels, h, m, n, r, score):
    if labels.right[m] == h:
        labels.work[m, r] = score
    else:
        labels.score[h * (n + 1) + m, r] = score


@generic
def clear_labels(labels, n):
    """mu = 0."""
    raise TypeError(labels)


@clear_labels.when(NoLabels)
def _(labels, n):
    pass


@clear_labels.when(Labels)
def _(labels, n):
    for i in range((n + 1) * (n + 1)):
        labels.fresh[i] = False


@generic
def direct_labels(labels, m, g, y, price, n):
    """The direction at word m = the prices of labels on the arc from its gold head g."""
    raise TypeError(labels)


@direct_labels.when(NoLabels)
def _(labels, m, g, y, price, n):
    pass


@direct_labels.when(Labels)
def _(labels, m, g, y, price, n):
    labels.direction_head[m] = UNKNOWN
    if g != UNKNOWN and y != UNKNOWN:
        labels.direction_head[m] = g
        store(labels.direction, g * (n + 1) + m, load(price.label, y, labels.lanes))


@generic
def negate_labels(labels, n):
    """Scores of labels change signs."""
    raise TypeError(labels)


@negate_labels.when(NoLabels)
def _(labels, n):
    pass


@negate_labels.when(Labels)
def _(labels, n):
    negate_rows(labels.score, (n + 1) * (n + 1))
