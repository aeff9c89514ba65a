"""What all structures over arcs share: a sentence's words 1..n choose heads among 0..n, 0 being the root, and maybe labels for their arcs.

The score of a labelled arc is score[head, modifier] + label score[head, modifier, r]. Labels belong to one arc each, so they are maximised or
summed out first, arc by arc; then a structure (eisner.py, arborescence.py with matrixtree.py, heads.py) answers three questions about
the plain arcs, and what it says of an arc is shared out among its labels:

    best      the best tree                       label of an arc: the best one
    spread    log of the sum, and marginals       mu(h, m, r) = mu(h, m) p(r),      p(r) the softmax of the label scores of (h, m)
    lean      E[d], marginals, covariances        cov(h, m, r) = p(r) (cov(h, m) + mu(h, m) (d(r) - E_p[d]))

gold is int32 [n, 2]: head and label of each word, -1 where not known: G is the set of trees that agree with all that is known. Costs are
counted at words of known head: `Prices`.
"""

from typing import NamedTuple

import numpy as np

from .jit import generic, inner
from .lanes import exp, load, splat, store, top, total
from .semiring import NEVER
from .structure import add_path, aim, argmax, augment, clear, logsum, path_score, take_gold, tilt

UNKNOWN = -1


class NoLabels(NamedTuple):
    """Arcs without labels."""

    count: int  # 0


class Labels(NamedTuple):
    """Labels of arcs. Row head * (T + 1) + modifier of a table belongs to one arc; A = (T + 1)^2."""

    count: int  # R
    lanes: tuple  # 4 * len(lanes) == L
    legal: np.ndarray  # [1, L]  0, and -inf on padding
    score: np.ndarray  # [A, L]
    mu: np.ndarray  # [A, L]
    work: np.ndarray  # [A, L]  augmented scores
    toward: np.ndarray  # [A, L]  the direction of a tilt


class Arcs(NamedTuple):
    """Scores, answer and scratch of a sentence's arcs. Tables [T+1, T+1] are by (head, modifier) or, inside, by (modifier, head)."""

    labels: NoLabels | Labels
    score: np.ndarray  # (head, modifier); -inf: not allowed. Column 0 and the diagonal are not read
    mu: np.ndarray  # (head, modifier)  sum of signed indicators, marginals or covariances
    head: np.ndarray  # int32 [T+1]  the answer: head of each word, from place 1 on
    label: np.ndarray  # int32 [T+1]
    work: np.ndarray  # (modifier, head)  augmented scores; with labels, of the arc's best label or of their sum
    toward: np.ndarray  # float64 (modifier, head)  the direction of a tilt
    chance: np.ndarray  # float64 (modifier, head)  marginals
    slope: np.ndarray  # float64 (modifier, head)  covariances with the direction


class Prices(NamedTuple):
    """What errors cost at a word of known head."""

    head: np.ndarray  # [R + 1]  a wrong head, by the gold label; the last: gold label not known
    label: np.ndarray  # [R, L]  the right head with label k when y is right


# ---- what a structure over arcs answers -----------------------------------------------------------------------------------------------


@generic
def best(s, n):
    """Best value over arcs.work; the tree goes to arcs.head. -inf when there is no tree."""
    raise TypeError(s)


@generic
def spread(s, n):
    """Log of the sum over arcs.work; marginals go to arcs.chance."""
    raise TypeError(s)


@generic
def lean(s, n):
    """E[d] along arcs.toward; marginals go to arcs.chance, covariances to arcs.slope."""
    raise TypeError(s)


# ---- labels ---------------------------------------------------------------------------------------------------------------------------


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
    for r in range(labels.count):
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
def ban_label(labels, i, r):
    """work of label r of row i becomes -inf; returns what it was."""
    raise TypeError(labels)


@ban_label.when(NoLabels)
def _(labels, i, r):
    return 0.0


@ban_label.when(Labels)
def _(labels, i, r):
    was = np.float64(labels.work[i, r])
    labels.work[i, r] = NEVER
    return was


@generic
def allow_label(labels, i, r, score):
    """work of label r of row i becomes `score` again."""
    raise TypeError(labels)


@allow_label.when(NoLabels)
def _(labels, i, r, score):
    pass


@allow_label.when(Labels)
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


# ---- the answers of structure.py, for every structure that has `arcs` -----------------------------------------------------------------


def augment_arcs(s, gold, price, n, cost, inside):
    """work = score + cost * price, by modifier."""
    arcs, across = s.arcs, s.arcs.score.shape[1]
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        wrong = 0.0 if g == UNKNOWN else cost * price.head[y]
        for h in range(n + 1):
            v = arcs.score[h, m] + (0.0 if h == g else wrong)
            if h == m or (inside and h != g and g != UNKNOWN):
                v = NEVER
            arcs.work[m, h] = v
            if v > NEVER:
                augment_labels(arcs.labels, h * across + m, y, price, cost, h == g, inside)


def take_gold_heads(s, gold, n):
    """The gold tree to head and label."""
    for m in range(1, n + 1):
        if gold[m - 1, 0] == UNKNOWN or (gold[m - 1, 1] == UNKNOWN and s.arcs.labels.count > 0):
            return False
        s.arcs.head[m], s.arcs.label[m] = gold[m - 1, 0], max(gold[m - 1, 1], 0)
    return True


def aim_at_arcs(s, gold, price, n):
    """toward = price against the gold."""
    arcs, across = s.arcs, s.arcs.score.shape[1]
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        for h in range(n + 1):
            arcs.toward[m, h] = 0.0 if g == UNKNOWN or h == g else price.head[y]
            aim_labels(arcs.labels, h * across + m, y, price, h == g)


@inner
def label_tree(arcs, n):
    """The best labels of the arcs of a tree."""
    for m in range(1, n + 1):
        arcs.label[m] = best_label(arcs.labels, arcs.head[m] * arcs.score.shape[1] + m)[1]


def argmax_tree(s, n):
    """Labels maximised arc by arc, then the best tree."""
    arcs, across = s.arcs, s.arcs.score.shape[1]
    if arcs.labels.count > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > NEVER:
                    arcs.work[m, h] += best_label(arcs.labels, h * across + m)[0]
    value = best(s, n)
    if value > NEVER:
        label_tree(arcs, n)
    return value


@inner
def sum_out_labels(arcs, n, tilting):
    """work of an arc and, when tilting, toward become those of its labels together."""
    across = arcs.score.shape[1]
    if arcs.labels.count > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > NEVER:
                    value, mean = sum_labels(arcs.labels, h * across + m)
                    arcs.work[m, h] += value
                    if tilting:
                        arcs.toward[m, h] += mean


def logsum_trees(s, n, sign):
    """mu += sign * marginals."""
    arcs, across = s.arcs, s.arcs.score.shape[1]
    sum_out_labels(arcs, n, False)
    value = spread(s, n)
    if value == NEVER:
        return value
    for m in range(1, n + 1):
        for h in range(n + 1):
            p = arcs.chance[m, h] * sign
            if p != 0.0:
                arcs.mu[h, m] += p
                share_out(arcs.labels, h * across + m, 0.0, p)
    return value


def tilt_trees(s, n, sign):
    """mu += sign * covariances."""
    arcs, across = s.arcs, s.arcs.score.shape[1]
    sum_out_labels(arcs, n, True)
    mean = lean(s, n)
    if mean == NEVER:
        return mean
    for m in range(1, n + 1):
        for h in range(n + 1):
            if arcs.chance[m, h] > 0.0:
                arcs.mu[h, m] += arcs.slope[m, h] * sign
                share_out(arcs.labels, h * across + m, arcs.chance[m, h] * sign, arcs.slope[m, h] * sign)
    return mean


def add_tree(s, n, sign):
    """mu += sign * indicator of the tree."""
    arcs = s.arcs
    for m in range(1, n + 1):
        arcs.mu[arcs.head[m], m] += sign
        add_label(arcs.labels, arcs.head[m] * arcs.score.shape[1] + m, arcs.label[m], sign)


def tree_score(s, n):
    """Sum over the tree's arcs."""
    arcs, value = s.arcs, 0.0
    for m in range(1, n + 1):
        value += arcs.score[arcs.head[m], m] + add_label(arcs.labels, arcs.head[m] * arcs.score.shape[1] + m, arcs.label[m], 0.0)
    return value


def clear_arcs(s, n):
    """mu = 0."""
    arcs = s.arcs
    for h in range(n + 1):
        for m in range(1, n + 1):
            arcs.mu[h, m] = 0.0
            clear_labels(arcs.labels, h * arcs.score.shape[1] + m)


def over_arcs(kind):
    """Gives a structure with a field `arcs`, and with the three answers above, all answers of structure.py."""
    bodies = {
        augment: augment_arcs,
        take_gold: take_gold_heads,
        aim: aim_at_arcs,
        argmax: argmax_tree,
        logsum: logsum_trees,
        tilt: tilt_trees,
        add_path: add_tree,
        path_score: tree_score,
        clear: clear_arcs,
    }
    for question, body in bodies.items():
        question.when(kind)(body)
    return kind
