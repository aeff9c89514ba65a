"""What all structures over arcs share: a sentence's words 1..n choose heads among 0..n, 0 being the root, and maybe labels for their arcs.

The score of a labelled arc is score[head, modifier] + label score[head, modifier, r]. Labels belong to one arc each, so they are maximised
or summed out first, arc by arc (arc_labels.py); then a structure (eisner.py, siblings.py, arborescence.py, heads.py) answers three
questions about plain arcs: `best`, the best tree; `spread`, log of the sum and marginals; `lean`, E[d], marginals and covariances. A
structure with parts of more than one arc (siblings.py) keeps their scores and mu itself, and answers four more.

gold is int32 [n, 2]: head and label of each word, -1 where not known: G is the set of trees that agree with all that is known. Costs are
counted at words of known head: `Prices`.
"""

from typing import NamedTuple

import numpy as np

from .arc_labels import (
    UNKNOWN,
    Labels,
    NoLabels,
    add_label,
    aim_labels,
    augment_labels,
    best_label,
    best_score,
    clear_labels,
    share_out,
    sum_labels,
)
from .jit import generic, inner
from .semiring import NEVER
from .structure import add_path, aim, argmax, augment, clear, logsum, path_score, take_gold, tilt


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


# ---- what a structure with parts of higher order answers besides ----------------------------------------------------------------------


@generic
def clear_higher(s, n):
    """mu of its parts of higher order = 0."""
    raise TypeError(s)


@generic
def add_higher(s, n, sign):
    """mu += sign * indicator of those of the tree in arcs.head."""
    raise TypeError(s)


@generic
def higher_score(s, n):
    """The sum of their scores."""
    raise TypeError(s)


@generic
def share_higher(s, n, sign):
    """mu += sign * the marginals that `spread` found, or the covariances that `lean` did."""
    raise TypeError(s)


def nothing_to_clear(s, n):
    """Arcs alone."""


def nothing_to_add(s, n, sign):
    """Arcs alone."""


def no_score(s, n):
    """Arcs alone."""
    return 0.0


# ---- the answers of structure.py, for every structure that has `arcs` -----------------------------------------------------------------


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
                v = NEVER
            arcs.work[m, h] = v


def take_gold_heads(s, gold, n):
    """The gold tree to head and label."""
    for m in range(1, n + 1):
        if gold[m - 1, 0] == UNKNOWN or (gold[m - 1, 1] == UNKNOWN and s.arcs.labels.kinds > 0):
            return False
        s.arcs.head[m], s.arcs.label[m] = gold[m - 1, 0], max(gold[m - 1, 1], 0)
    return True


def aim_at_arcs(s, gold, price, n):
    """toward = price against the gold."""
    arcs = s.arcs
    for m in range(1, n + 1):
        g, y = gold[m - 1, 0], gold[m - 1, 1]
        aim_labels(arcs.labels, m, g, y, price, n)
        for h in range(n + 1):
            arcs.toward[m, h] = 0.0 if g == UNKNOWN or h == g else price.head[y]


@inner
def label_tree(arcs, n):
    """The best labels of the arcs of a tree."""
    for m in range(1, n + 1):
        arcs.label[m] = best_label(arcs.labels, arcs.head[m], m, n)


@inner
def maximise_labels(arcs, n):
    """work of an arc becomes that of its best label."""
    if arcs.labels.kinds > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > NEVER:
                    arcs.work[m, h] += best_score(arcs.labels, h, m, n)


def argmax_tree(s, n):
    """Labels maximised arc by arc, then the best tree."""
    arcs = s.arcs
    maximise_labels(arcs, n)
    value = best(s, n)
    if value > NEVER:
        label_tree(arcs, n)
    return value


@inner
def sum_out_labels(arcs, n, tilting):
    """work of an arc and, when tilting, toward become those of its labels together."""
    if arcs.labels.kinds > 0:
        for m in range(1, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > NEVER:
                    value, along = sum_labels(arcs.labels, h, m, n, tilting, arcs.toward[m, h])
                    arcs.work[m, h] += value
                    if tilting:
                        arcs.toward[m, h] = along


def logsum_trees(s, n, sign):
    """mu += sign * marginals."""
    arcs = s.arcs
    sum_out_labels(arcs, n, False)
    value = spread(s, n)
    if value == NEVER:
        return value
    for m in range(1, n + 1):
        for h in range(n + 1):
            p = arcs.chance[m, h] * sign
            if p != 0.0:
                arcs.mu[h, m] += p
                share_out(arcs.labels, h, m, n, 0.0, p)
    share_higher(s, n, sign)
    return value


def tilt_trees(s, n, sign):
    """mu += sign * covariances."""
    arcs = s.arcs
    sum_out_labels(arcs, n, True)
    mean = lean(s, n)
    if mean == NEVER:
        return mean
    for m in range(1, n + 1):
        for h in range(n + 1):
            if arcs.chance[m, h] > 0.0:
                arcs.mu[h, m] += arcs.slope[m, h] * sign
                share_out(arcs.labels, h, m, n, arcs.chance[m, h] * sign, arcs.slope[m, h] * sign)
    share_higher(s, n, sign)
    return mean


def add_tree(s, n, sign):
    """mu += sign * indicator of the tree."""
    arcs = s.arcs
    for m in range(1, n + 1):
        arcs.mu[arcs.head[m], m] += sign
        add_label(arcs.labels, arcs.head[m], m, n, arcs.label[m], sign)
    add_higher(s, n, sign)


def tree_score(s, n):
    """Sum over the tree's arcs."""
    arcs, value = s.arcs, higher_score(s, n)
    for m in range(1, n + 1):
        value += arcs.score[arcs.head[m], m] + add_label(arcs.labels, arcs.head[m], m, n, arcs.label[m], 0.0)
    return value


def clear_arcs(s, n):
    """mu = 0."""
    arcs = s.arcs
    for h in range(n + 1):
        for m in range(1, n + 1):
            arcs.mu[h, m] = 0.0
    clear_labels(arcs.labels, n)
    clear_higher(s, n)


def over_arcs(kind):
    """Gives a structure with a field `arcs`, and with the three answers above, those of structure.py; parts of higher order it has none."""
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
        clear_higher: nothing_to_clear,
        add_higher: nothing_to_add,
        higher_score: no_score,
        share_higher: nothing_to_add,
    }
    for question, body in bodies.items():
        question.when(kind)(body)
    return kind
