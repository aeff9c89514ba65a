"""Dual steps on trees: what planes.py, paths.py and mixtures.py ask, answered for sentences whose words have heads and labels.

A plane is a tree. What a word has is one number, head * kinds + label with kinds = max(1, R). A direction lives in the structure's mu, and
Phi' d is gathered as the gradients of a batch are (arc_gradients.py).

Frank-Wolfe's mixture sum_y a_iy r_y is kept sparse: of the n^2 R parts of a sentence only those that some best tree has had, and the gold's
beside them, are in a list per word. A step adds at most two parts per word.
"""

from typing import NamedTuple

import numpy as np

from .arborescence import Arborescence
from .arc_codes import LINE_BITS, code_words, meet, slots_of
from .arc_features import Sentences, betweens, label_row
from .arc_gradients import FIRST, gather_tree, square_of
from .arc_labels import Labels, NoLabels, add_label
from .arc_tables import pair_at, sum_pairs
from .eisner import Eisner
from .heads import Heads
from .jit import generic, inner, tiny
from .lanes import load, splat, store
from .mixtures import blend, turn
from .paths import fixed_score
from .planes import collect, gold_part, part_at, path_cost, score_planes, set_part, take_step
from .rules import Weights, peek
from .structure import path_score
from .sweep import Pending, Scratch, flush

NOWHERE = -1


class TreeTables(NamedTuple):
    """planes.Tables for trees: weights, and memory for what is gathered."""

    node: Weights
    edge: Weights
    node_pending: Pending
    edge_pending: Pending
    scratch: Scratch


class Lists(NamedTuple):
    """Mixtures of all sentences: parts with masses in chained lists, one per word, and what mixtures.Mixture says of a row."""

    first: np.ndarray  # int32 [N]   the list of a word begins here; -1: it is empty, and so is the mixture there
    next: np.ndarray  # int32 [E]   -1: the last of its list
    part: np.ndarray  # int32 [E]
    mass: np.ndarray  # float64 [E]
    used: np.ndarray  # int64 [1]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]


# ---- outputs --------------------------------------------------------------------------------------------------------------------------


@tiny
def kinds_of(s):
    """Numbers per head."""
    return max(s.arcs.labels.kinds, 1)


def price_tree(s, gold, price, n):
    """Summed prices of a tree."""
    cost = 0.0
    for m in range(1, n + 1):
        y = gold[m - 1, 1]
        if s.arcs.head[m] != gold[m - 1, 0]:
            cost += price.head[y]
        elif s.arcs.labels.kinds > 0:
            cost += price.label[y, s.arcs.label[m]]
    return cost


def head_at(s, t):
    """Head and label of word t + 1."""
    return s.arcs.head[t + 1] * kinds_of(s) + s.arcs.label[t + 1]


def set_head(s, t, part):
    """The tree has them now."""
    s.arcs.head[t + 1], s.arcs.label[t + 1] = part // kinds_of(s), part % kinds_of(s)


def gold_head(s, gold, t):
    """The gold's."""
    return gold[t, 0] * kinds_of(s) + max(gold[t, 1], 0)


def nothing_given(s, rows, first, n):
    """Trees have no base scores."""
    return 0.0


for kind in (Eisner, Arborescence, Heads):
    path_cost.when(kind)(price_tree)
    part_at.when(kind)(head_at)
    set_part.when(kind)(set_head)
    gold_part.when(kind)(gold_head)
    fixed_score.when(kind)(nothing_given)


# ---- scores of few arcs, and steps ----------------------------------------------------------------------------------------------------


@generic
def score_label(labels, rule, edge, plan, codes, h, m, n, now, hot):
    """Scores of the labels of one arc; 0 when it is not hot."""
    raise TypeError(labels)


@score_label.when(NoLabels)
def _(labels, rule, edge, plan, codes, h, m, n, now, hot):
    pass


@score_label.when(Labels)
def _(labels, rule, edge, plan, codes, h, m, n, now, hot):
    lanes, right = labels.lanes, 1 if m > h else 0
    sums = splat(labels.score, 0.0, lanes)
    if hot:
        for t in range(plan.label_one.shape[0]):
            sums += peek(rule, edge, codes.label_one[2 * (h if plan.label_one[t, 2] == 0 else m) + right, t], FIRST, now)
        for t in range(plan.label_pair.shape[0]):
            sums += peek(rule, edge, label_row(codes, h, m, t, right), FIRST, now)
    store(labels.score, h * (n + 1) + m, sums + load(labels.legal, 0, lanes))


@inner
def score_arc(rows, s, h, m, n, rule, tables, now, hot):
    """The score of one arc and of its labels; 0 when it is not hot."""
    plan, codes = rows.plan, rows.codes
    score_label(s.arcs.labels, rule, tables.edge, plan, codes, h, m, n, now, hot)
    s.arcs.score[h, m] = 0.0
    if not hot:
        return
    one, two = slots_of(h, m)
    x = sum_pairs(rule, tables.node, codes, codes.pair[0, h], codes.pair[1, m], one, two, now)
    for t in range(plan.one.shape[0]):
        k = np.uint64(codes.one[h if plan.one[t, 2] == 0 else m, t]) << LINE_BITS
        x += pair_at(rule, tables.node, codes.row, k, one, two, now)
    for t in range(len(codes.known)):
        codes.known[t] = 0
    for between in range(min(h, m) + 1, max(h, m)):
        meet(codes.among, codes.seen, codes.known, between)
    s.arcs.score[h, m] = x + betweens(rule, tables.node, plan, codes, h, m, one, now)


@score_planes.when(Sentences)
def _(rows, i, s, rule, tables, paths, now):
    at, kinds = rows.token[i], kinds_of(s)
    n = rows.token[i + 1] - at
    code_words(rows.plan, rows.atom, rows.mark, at, n, rows.codes)
    for m in range(1, n + 1):
        g, hot = np.int64(rows.gold[at + m - 1, 0]), tables.scratch.hot[m - 1]
        score_arc(rows, s, g, m, n, rule, tables, now, hot)
        for p in range(paths.idle.shape[1] if hot else 0):
            h = paths.part[p, at + m - 1] // kinds
            new = paths.idle[i, p] >= 0 and h != g
            for q in range(p if new else 0):
                new = new and (paths.idle[i, q] < 0 or paths.part[q, at + m - 1] // kinds != h)
            if new:
                score_arc(rows, s, h, m, n, rule, tables, now, hot)


@collect.when(Sentences)
def _(rows, i, s, rule, tables, now):
    n, node, edge = rows.token[i + 1] - rows.token[i], tables.node_pending, tables.edge_pending
    gather_tree(rows.plan, rows.codes, s, n, 1.0, 0.0, tables.node.lanes, node, edge, FIRST)
    return node.used[0] + edge.used[0], square_of(node, tables.node) + square_of(edge, tables.edge)


@take_step.when(Sentences)
def _(rows, i, s, rule, tables, count, rate, now):
    flush(tables.node, tables.node_pending, rule, rate, now)
    flush(tables.edge, tables.edge_pending, rule, rate, now)


# ---- mixtures -------------------------------------------------------------------------------------------------------------------------


@generic
def mu_at(labels, mu, h, m, n, r):
    """mu of an arc with label r."""
    raise TypeError(labels)


@mu_at.when(NoLabels)
def _(labels, mu, h, m, n, r):
    return np.float64(mu[h, m])


@mu_at.when(Labels)
def _(labels, mu, h, m, n, r):
    i = h * (n + 1) + m
    return np.float64(labels.mu[i, r]) if labels.fresh[i] else 0.0


@inner
def add_part(s, m, n, part, mass):
    """mu of the part of word m += mass; returns its score."""
    h, r = part // kinds_of(s), part % kinds_of(s)
    s.arcs.mu[h, m] += mass
    return s.arcs.score[h, m] + add_label(s.arcs.labels, h, m, n, r, mass)


@turn.when(Lists)
def _(mixture, s, rows, i, gold, n):
    at, value = rows.token[i], path_score(s, n)
    for t in range(n):
        value -= add_part(s, t + 1, n, gold_part(s, gold, t), 0.0)
        e = mixture.first[at + t]
        while e != NOWHERE:
            value -= mixture.mass[e] * add_part(s, t + 1, n, mixture.part[e], -mixture.mass[e])
            e = mixture.next[e]
    return value, 0.0


@inner
def mass_of(mixture, word, part):
    """Where the part of a word has its mass: a new place, with no mass yet, if there is none."""
    e = mixture.first[word]
    while e != NOWHERE and mixture.part[e] != part:
        e = mixture.next[e]
    if e == NOWHERE:
        e = mixture.used[0]
        mixture.used[0] += 1
        mixture.part[e], mixture.mass[e] = part, 0.0
        mixture.next[e], mixture.first[word] = mixture.first[word], e
    return e


@blend.when(Lists)
def _(mixture, s, rows, i, gold, n, step):
    at, kinds, labels = rows.token[i], kinds_of(s), s.arcs.labels
    for t in range(n):
        mine, right = part_at(s, t), gold_part(s, gold, t)
        if mine != right:
            mass_of(mixture, at + t, mine)
            mass_of(mixture, at + t, right)
        e = mixture.first[at + t]
        while e != NOWHERE:
            part = mixture.part[e]
            mixture.mass[e] += step * mu_at(labels, s.arcs.mu, part // kinds, t + 1, n, part % kinds)
            e = mixture.next[e]
