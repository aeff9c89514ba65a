"""What all structures over arcs share: a sentence's words 1..n choose heads among 0..n, 0 being the root, and maybe labels for their arcs.

The score of a labelled arc is score[head, modifier] + label score[head, modifier, r]. Labels belong to one arc each, so they are maximised
or summed out first, arc by arc (labels.py); then a structure (eisner.py, siblings.py, arborescence.py, heads.py) answers three questions
about plain arcs: argmax_tree, logsum_trees and tilt_trees. A structure with parts of more than one arc (siblings.py) keeps their scores
and mu itself, and answers five more.

gold is int32 [n, 2]: head and label of each word, -1 where not known: G is the set of trees that agree with all that is known. Costs are
counted at words of known head: `Prices`.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.arcs.labels import (
    UNKNOWN,
    Labels,
    NoLabels,
    add_label,
    augment_labels,
    best_label,
    best_score,
    clear_labels,
    direct_labels,
    negate_labels,
    share_out,
    sum_labels,
)
from widemargin.structures.negation import negate_numbers


class Tree(NamedTuple):
    """An output: head and label of each word, from place 1 on."""

    head: np.ndarray  # int32 [T+1]
    label: np.ndarray  # int32 [T+1]


class Arcs(NamedTuple):
    """Scores, answer and scratch of a sentence's arcs. Tables [T+1, T+1] are by (head, modifier) or, inside, by (modifier, head)."""

    labels: NoLabels | Labels
    score: np.ndarray  # (head, modifier); -inf: not allowed. Column 0 and the diagonal are not read
    mu: np.ndarray  # (head, modifier)  sum of signed indicators, marginals or covariances
    output: tuple  # two Trees
    work: np.ndarray  # (modifier, head)  augmented scores; with labels, of the arc's best label or of their sum
    direction: np.ndarray  # float64 (modifier, head)  the direction of a tilt
    marginal: np.ndarray  # float64 (modifier, head)  marginals
    covariance: np.ndarray  # float64 (modifier, head)  covariances with the direction


# ---- what a structure over arcs answers -----------------------------------------------------------------------------------------------


@generic
def argmax_tree(s, n, out):
    """The highest sum of arcs.work over trees, whose heads go to out; -inf when there is no tree, and then out may be half written.

    work may be overwritten."""
    raise TypeError(s)


@generic
def logsum_trees(s, n):
    """Log of the sum over arcs.work; marginals go to arcs.marginal. -inf when there is no tree."""
    raise TypeError(s)


@generic
def tilt_trees(s, n):
    """E[d] along arcs.direction; marginals go to arcs.marginal, covariances to arcs.covariance."""
    raise TypeError(s)


# ---- what a structure with parts of higher order answers besides ----------------------------------------------------------------------


@generic
def clear_higher(s, n):
    """mu of its parts of higher order = 0."""
    raise TypeError(s)


@generic
def add_higher(s, n, sign, out):
    """mu += sign * indicator of those of a tree."""
    raise TypeError(s)


@generic
def higher_score(s, n, out):
    """The sum of the scores of those of a tree."""
    raise TypeError(s)


@generic
def share_higher(s, n, sign):
    """mu += sign * the marginals that `logsum_trees` found, or the covariances that `tilt_trees` did."""
    raise TypeError(s)


@generic
def negate_higher(s, n):
    """Their scores change signs (structure.negate)."""
    raise TypeError(s)


def nothing_to_clear(s, n):
    """clear_higher of a structure of arcs alone."""


def nothing_to_add(s, n, sign, out):
    """add_higher of a structure of arcs alone."""


def no_score(s, n, out):
    """higher_score of a structure of arcs alone."""
    return 0.0


def nothing_to_share(s, n, sign):
    """share_higher of a structure of arcs alone."""


def nothing_to_negate(s, n):
    """negate_higher of a structure of arcs alone."""


# ---- the answers of engine/structure.py (over_arcs.py) ------------------------------------------------------------------------------


def augment_arcs(s, gold, price, n, cost, inside):
    """work = score + cost * price, by modifier."""
    arcs = s.arcs
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        wrong = 0.0 if g == UNKNOWN else cost * price.head[y]
        augment_labels(arcs.labels, m, g, y, price, cost, inside, n)
        for h in range(n + 1):
            v = arcs.score[h, m] + (0.0 if h == g else wrong)
            if h == m or (inside and h != g and g != UNKNOWN):
                v = LOG_ZERO
            arcs.work[m, h] = v


def take_gold_heads(s, gold, n, out):
    """out = the gold tree; without labels every label is 0."""
    for m in range(1, n + 1):
        if gold[m - 1, 0] == UNKNOWN or (gold[m - 1, 1] == UNKNOWN and s.arcs.labels.kinds > 0):
            return False
        out.head[m], out.label[m] = gold[m - 1, 0], max(gold[m - 1, 1], 0)
    return True


def direct_at_arcs(s, gold, price, n):
    """direction = price against the gold."""
    arcs = s.arcs
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        direct_labels(arcs.labels, m, g, y, price, n)
        for h in range(n + 1):
            arcs.direction[m, h] = 0.0 if g == UNKNOWN or h == g else price.head[y]


@inner
def label_tree(arcs, n, out):
    """The best labels of the arcs of a tree."""
    for m in range(1, n + 1):
        out.label[m] = best_label(arcs.labels, out.head[m], m, n)


@inner
def maximise_labels(arcs, n):
    """work of an arc becomes that of its best label."""
    if arcs.labels.kinds > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > LOG_ZERO:
                    arcs.work[m, h] += best_score(arcs.labels, h, m, n)


def argmax_with_labels(s, n, out):
    """Labels maximised arc by arc, then the best tree."""
    arcs = s.arcs
    maximise_labels(arcs, n)
    value = argmax_tree(s, n, out)
    if value > LOG_ZERO:
        label_tree(arcs, n, out)
    return value


@inner
def sum_out_labels(arcs, n, tilting):
    """work of an arc and, when tilting, direction become those of its labels together."""
    if arcs.labels.kinds > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > LOG_ZERO:
                    value, along = sum_labels(arcs.labels, h, m, n, tilting, arcs.direction[m, h])
                    arcs.work[m, h] += value
                    if tilting:
                        arcs.direction[m, h] = along


def logsum_with_labels(s, n, sign):
    """mu += sign * marginals."""
    arcs = s.arcs
    sum_out_labels(arcs, n, False)
    value = logsum_trees(s, n)
    if value == LOG_ZERO:
        return value
    for m in range(1, n + 1):
        for h in range(n + 1):
            p = arcs.marginal[m, h] * sign
            if p != 0.0:
                arcs.mu[h, m] += p
                share_out(arcs.labels, h, m, n, 0.0, p)
    share_higher(s, n, sign)
    return value


def tilt_with_labels(s, n, sign):
    """mu += sign * covariances."""
    arcs = s.arcs
    sum_out_labels(arcs, n, True)
    mean = tilt_trees(s, n)
    if mean == LOG_ZERO:
        return mean
    for m in range(1, n + 1):
        for h in range(n + 1):
            if arcs.marginal[m, h] > 0.0:
                arcs.mu[h, m] += arcs.covariance[m, h] * sign
                share_out(arcs.labels, h, m, n, arcs.marginal[m, h] * sign, arcs.covariance[m, h] * sign)
    share_higher(s, n, sign)
    return mean


def add_tree(s, n, sign, out):
    """mu += sign * indicator of the tree."""
    arcs = s.arcs
    for m in range(1, n + 1):
        arcs.mu[out.head[m], m] += sign
        add_label(arcs.labels, out.head[m], m, n, out.label[m], sign)
    add_higher(s, n, sign, out)


def tree_score(s, n, out):
    """Sum over the tree's arcs."""
    arcs, value = s.arcs, higher_score(s, n, out)
    for m in range(1, n + 1):
        value += arcs.score[out.head[m], m] + add_label(arcs.labels, out.head[m], m, n, out.label[m], 0.0)
    return value


def clear_arcs(s, n):
    """mu = 0."""
    arcs = s.arcs
    for h in range(n + 1):
        for m in range(1, n + 1):
            arcs.mu[h, m] = 0.0
    clear_labels(arcs.labels, n)
    clear_higher(s, n)


def negate_arcs(s, n):
    """Scores of arcs, labels and whatever else change signs."""
    for h in range(n + 1):
        negate_numbers(s.arcs.score[h], n + 1)
    negate_labels(s.arcs.labels, n)
    negate_higher(s, n)
