"""Scores of arcs from their features: what sweep.py and score.py do, for sentences with trees. Gradients: arc_gradients.py.

Arcs have a table of rows of 16 weights (arc_codes.py), relations one of rows of L, a weight per relation.
"""

from typing import NamedTuple

import numpy as np

from .arborescence import Arborescence
from .arc_codes import Codes, Plan, code_words, count_code, meet, slots_of
from .arc_labels import Labels, NoLabels, Prices
from .arc_tables import FIRST, sum_pairs, weight_at
from .eisner import Eisner
from .heads import Heads
from .jit import generic, inner, phase, tiny
from .lanes import load, splat, store
from .plain import Plain
from .rules import Weights, decays, peek
from .score import score_row
from .sibling_features import score_higher
from .siblings import Siblings
from .sweep import fill

PLAIN = Plain(0.0, 0.0)


class Sentences(NamedTuple):
    """Training sentences: words as hashed atoms, gold heads and labels (-1: not known), prices, weights, and how to see features."""

    token: np.ndarray  # int64 [R+1]
    gold: np.ndarray  # int32 [N, 2]
    price: Prices
    weight: np.ndarray  # [R]
    atom: np.ndarray  # uint64 [N, C]
    mark: np.ndarray  # uint8 [N, M]
    plan: Plan
    codes: Codes


class Tables(NamedTuple):
    """Fixed weights of arcs and of labels."""

    node: Weights
    edge: Weights


@inner
def betweens(rule, node, plan, codes, h, m, one, now):
    """Sum over the templates of words between, whose codes are seen; their slot is the direction."""
    flat, slow = codes.flat, decays(rule)
    x = flat.dtype.type(0.0)
    for t in range(len(codes.known)):
        base = np.uint64(codes.among[0, h, t] ^ codes.among[1, m, t]) ^ one
        for j in range(codes.known[t]):
            k = base ^ np.uint64(codes.seen[t, j])
            x += weight_at(rule, node, codes.row, k, now) if slow else flat[k]
    for t in range(plan.number.shape[0]):
        k = np.uint64(codes.number[0, h, t] ^ codes.number[1, m, t] ^ count_code(plan.counted[t], codes.before, codes.many, h, m)) ^ one
        x += weight_at(rule, node, codes.row, k, now) if slow else flat[k]
    return x


@inner
def sum_sides(rule, node, plan, codes, n, now):
    """Rows of one-sided templates summed per word."""
    for i in range(n + 1):
        for e in range(2):
            sums = splat(codes.sums, 0.0, node.lanes)
            for t in range(plan.one.shape[0]):
                if plan.one[t, 2] == e:
                    sums += peek(rule, node, codes.one[i, t], FIRST, now)
            store(codes.sums, 2 * i + e, sums)


@tiny
def label_row(codes, h, m, t, right):
    """The weight row of a pair template for the labels of an arc."""
    return np.int64((codes.label_pair[0, h, t] ^ codes.label_pair[1, m, t]) ^ np.uint32(right))


@inner
def sum_relations(labels, rule, edge, plan, codes, n, now, table, legal):
    """table[h (n + 1) + m] = scores of all labels of all arcs; legal: -inf on padding, else 0."""
    lanes, templates = labels.lanes, plan.label_pair.shape[0]
    for i in range(n + 1):
        for right in range(2):
            head, modifier = splat(labels.legal, 0.0, lanes), splat(labels.legal, 0.0, lanes)
            if legal:
                head = load(labels.legal, 0, lanes)
            for t in range(plan.label_one.shape[0]):
                row = peek(rule, edge, codes.label_one[2 * i + right, t], FIRST, now)
                if plan.label_one[t, 2] == 0:
                    head += row
                else:
                    modifier += row
            store(codes.label_sums, 2 * (2 * i + right), head)
            store(codes.label_sums, 2 * (2 * i + right) + 1, modifier)
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                right = 1 if m > h else 0
                sums = load(codes.label_sums, 2 * (2 * h + right), lanes) + load(codes.label_sums, 2 * (2 * m + right) + 1, lanes)
                for t in range(templates):
                    sums += peek(rule, edge, label_row(codes, h, m, t, right), FIRST, now)
                store(table, h * (n + 1) + m, sums)


@generic
def score_labels(labels, rule, edge, plan, codes, n, now):
    """Scores of all labels of all arcs."""
    raise TypeError(labels)


@score_labels.when(NoLabels)
def _(labels, rule, edge, plan, codes, n, now):
    pass


@score_labels.when(Labels)
def _(labels, rule, edge, plan, codes, n, now):
    sum_relations(labels, rule, edge, plan, codes, n, now, labels.score, True)


@inner
def sum_arcs(plan, codes, n, rule, node, now, table):
    """table[h, m] = scores of all arcs of the sentence that is coded."""
    sum_sides(rule, node, plan, codes, n, now)
    for h in range(n + 1):
        for step in (-1, 1):
            for t in range(len(codes.known)):
                codes.known[t] = 0
            m = h + step
            while 0 < m <= n:
                one, two = slots_of(h, m)
                x = codes.sums[2 * h, one] + codes.sums[2 * h, two] + codes.sums[2 * m + 1, one] + codes.sums[2 * m + 1, two]
                x += sum_pairs(rule, node, codes, codes.pair[0, h], codes.pair[1, m], one, two, now)
                table[h, m] = x + betweens(rule, node, plan, codes, h, m, one, now)
                meet(codes.among, codes.seen, codes.known, m)
                m += step


@phase
def score_arcs(rows, s, at, n, rule, node, edge, now):
    """Scores of all arcs of the sentence that begins at word `at`, and of their labels."""
    code_words(rows.plan, rows.atom, rows.mark, at, n, rows.codes)
    sum_arcs(rows.plan, rows.codes, n, rule, node, now, s.arcs.score)
    score_labels(s.arcs.labels, rule, edge, rows.plan, rows.codes, n, now)
    score_higher(s, rows.plan, rows.codes, n, rule, node, now)


@fill.when(Sentences)
def _(rows, s, i, n, rule, node, edge, now):
    score_arcs(rows, s, rows.token[i], n, rule, node, edge, now)


def score_tree(s, tokens, first, n, w):
    """Under fixed weights."""
    score_arcs(tokens, s, first, n, PLAIN, w.node, w.edge, FIRST)


for kind in (Eisner, Siblings, Arborescence, Heads):
    score_row.when(kind)(score_tree)
