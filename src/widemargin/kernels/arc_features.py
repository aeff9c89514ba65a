"""Scores of arcs from their features, and gradients back to the weights: what sweep.py and batch.py do, for sentences with trees.

Arcs have a table of rows of 16 weights (arc_codes.py), relations one of rows of L, a weight per relation. All gradients of a batch are
gathered before a step, because arcs share features.
"""

from typing import NamedTuple

import numpy as np

from .arborescence import Arborescence
from .arc_codes import Codes, Plan, code_labels, code_words, count_code, meet, slots_of
from .arc_labels import Labels, NoLabels, Prices
from .arc_tables import FIRST, add_pair, room, weight_at
from .eisner import Eisner
from .heads import Heads
from .jit import generic, inner, tiny
from .lanes import load, splat, store, total
from .plain import Plain
from .rules import Weights, decays, peek
from .score import score_row
from .sibling_features import gather_higher, score_higher
from .siblings import Siblings
from .sweep import NORM, fill, gathers, lively, pull

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


# ---- scores ---------------------------------------------------------------------------------------------------------------------------


@inner
def pairs(rule, node, codes, h, m, one, two, gap, now):
    """Sum over the templates of pairs."""
    flat, a, b = codes.flat, codes.head[h], codes.modifier[m]
    x, y = flat.dtype.type(0.0), flat.dtype.type(0.0)
    if decays(rule):
        for t in range(len(a)):
            k = np.uint64(a[t] ^ b[t])
            x += weight_at(rule, node, codes, k ^ one, gap, now)
            y += weight_at(rule, node, codes, k ^ two, gap, now)
    else:
        for t in range(len(a)):
            k = np.uint64(a[t] ^ b[t])
            x += flat[k ^ one]
            y += flat[k ^ two]
    return x + y


@inner
def betweens(rule, node, plan, codes, h, m, one, gap, now):
    """Sum over the templates of words between, whose codes are seen; their slot is the direction."""
    flat, slow = codes.flat, decays(rule)
    x = flat.dtype.type(0.0)
    for t in range(len(codes.known)):
        base = np.uint64(codes.among[0, h, t] ^ codes.among[1, m, t]) ^ one
        for j in range(codes.known[t]):
            k = base ^ np.uint64(codes.seen[t, j])
            x += weight_at(rule, node, codes, k, gap, now) if slow else flat[k]
    for t in range(plan.number.shape[0]):
        k = np.uint64(codes.number[0, h, t] ^ codes.number[1, m, t] ^ count_code(plan, codes, t, h, m)) ^ one
        x += weight_at(rule, node, codes, k, gap, now) if slow else flat[k]
    return x


@inner
def sum_sides(rule, node, plan, codes, n, now):
    """Rows of one-sided templates summed per word."""
    for i in range(n + 1):
        for e in range(2):
            sums = splat(codes.sums, 0.0, node.lanes)
            for t in range(plan.one.shape[0]):
                if plan.one[t, 1] == e:
                    sums += peek(rule, node, codes.one[i, t], FIRST, now)
            store(codes.sums, 2 * i + e, sums)


@generic
def score_labels(labels, rule, edge, plan, codes, n, now):
    """Scores of all labels of all arcs."""
    raise TypeError(labels)


@score_labels.when(NoLabels)
def _(labels, rule, edge, plan, codes, n, now):
    pass


@tiny
def label_row(codes, h, m, t, right):
    """The weight row of a pair template for the labels of an arc."""
    return np.int64((codes.label_head[h, t] ^ codes.label_modifier[m, t]) ^ np.uint32(right))


@score_labels.when(Labels)
def _(labels, rule, edge, plan, codes, n, now):
    lanes, templates = labels.lanes, plan.label_pair.shape[0]
    code_labels(plan, n, codes)
    for i in range(n + 1):
        for right in range(2):
            ends = load(labels.legal, 0, lanes), splat(labels.legal, 0.0, lanes)
            head, modifier = ends[0], ends[1]
            for t in range(plan.label_one.shape[0]):
                row = peek(rule, edge, codes.label_one[2 * i + right, t], FIRST, now)
                if plan.label_one[t, 1] == 0:
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
                store(labels.score, h * (n + 1) + m, sums)


@inner
def score_arcs(rows, s, at, n, rule, node, edge, now):
    """Scores of all arcs of the sentence that begins at word `at`, and of their labels."""
    plan, codes, gap = rows.plan, rows.codes, np.uint64(rows.plan.gap)
    code_words(plan, rows.atom, rows.mark, at, n, codes)
    sum_sides(rule, node, plan, codes, n, now)
    for h in range(n + 1):
        for step in (-1, 1):
            for t in range(len(codes.known)):
                codes.known[t] = 0
            m = h + step
            while 0 < m <= n:
                one, two = slots_of(h, m)
                x = codes.sums[2 * h, one] + codes.sums[2 * h, two] + codes.sums[2 * m + 1, one] + codes.sums[2 * m + 1, two]
                x += pairs(rule, node, codes, h, m, one, two, gap, now)
                s.arcs.score[h, m] = x + betweens(rule, node, plan, codes, h, m, one, gap, now)
                meet(codes, m)
                m += step
    score_labels(s.arcs.labels, rule, edge, plan, codes, n, now)
    score_higher(s, rows, n, rule, node, now)


@fill.when(Sentences)
def _(rows, s, i, n, rule, node, edge, now):
    rows.codes.kept[0] = False
    score_arcs(rows, s, rows.token[i], n, rule, node, edge, now)


def score_tree(s, tokens, first, n, w):
    """Under fixed weights."""
    score_arcs(tokens, s, first, n, PLAIN, w.node, w.edge, FIRST)


for kind in (Eisner, Siblings, Arborescence, Heads):
    score_row.when(kind)(score_tree)


# ---- gradients ------------------------------------------------------------------------------------------------------------------------


@gathers.when(Sentences)
def _(rows):
    return True


@generic
def loud(labels, i, skip):
    """Has any label of arc i a residual above skip?"""
    raise TypeError(labels)


@loud.when(NoLabels)
def _(labels, i, skip):
    return False


@loud.when(Labels)
def _(labels, i, skip):
    if labels.fresh[i]:
        for r in range(labels.kinds):
            if abs(labels.mu[i, r]) > skip:
                return True
    return False


@lively.when(Sentences)
def _(rows, s, n, skip, scratch):
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m and (abs(s.arcs.mu[h, m]) > skip or loud(s.arcs.labels, h * (n + 1) + m, skip)):
                return True
    return False


@inner
def gather_arc(rows, h, m, n, v, lanes, into):
    """v times the features of an arc, its label aside."""
    plan, codes, gap = rows.plan, rows.codes, np.uint64(rows.plan.gap)
    one, two = slots_of(h, m)
    for t in range(plan.pair.shape[0]):
        add_pair(into, np.uint64(codes.head[h, t] ^ codes.modifier[m, t]), v, one, two, gap, lanes)
    for t in range(plan.one.shape[0]):
        r = room(into, codes.one[h if plan.one[t, 1] == 0 else m, t], lanes)
        into.g[r, one] += v
        into.g[r, two] += v
    for t in range(len(codes.known)):
        codes.known[t] = 0
    for x in range(min(h, m) + 1, max(h, m)):
        meet(codes, x)
    for t in range(len(codes.known)):
        base = np.uint64(codes.among[0, h, t] ^ codes.among[1, m, t])
        for j in range(codes.known[t]):
            add_pair(into, base ^ np.uint64(codes.seen[t, j]), v, one, one, gap, lanes)
    for t in range(plan.number.shape[0]):
        k = np.uint64(codes.number[0, h, t] ^ codes.number[1, m, t] ^ count_code(plan, codes, t, h, m))
        add_pair(into, k, v, one, one, gap, lanes)


@generic
def gather_labels(labels, rows, h, m, n, scale, into):
    """scale * mu of an arc's labels, times the features of labels."""
    raise TypeError(labels)


@gather_labels.when(NoLabels)
def _(labels, rows, h, m, n, scale, into):
    pass


@gather_labels.when(Labels)
def _(labels, rows, h, m, n, scale, into):
    plan, codes, lanes, right = rows.plan, rows.codes, labels.lanes, 1 if m > h else 0
    row = load(labels.mu, h * (n + 1) + m, lanes) * scale
    for t in range(plan.label_pair.shape[0]):
        r = room(into, label_row(codes, h, m, t, right), lanes)
        store(into.g, r, load(into.g, r, lanes) + row)
    for t in range(plan.label_one.shape[0]):
        r = room(into, codes.label_one[2 * (h if plan.label_one[t, 1] == 0 else m) + right, t], lanes)
        store(into.g, r, load(into.g, r, lanes) + row)


@inner
def gather_tree(rows, s, n, scale, skip, lanes, node, edge):
    """scale * mu of all arcs and labels, times their features, into two gradients."""
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                if abs(s.arcs.mu[h, m]) > skip:
                    gather_arc(rows, h, m, n, s.arcs.mu[h, m] * scale, lanes, node)
                if loud(s.arcs.labels, h * (n + 1) + m, skip):
                    gather_labels(s.arcs.labels, rows, h, m, n, scale, edge)
    gather_higher(s, rows, n, scale, skip, lanes, node)


@inner
def square_of(pending, weights):
    """The squared length of a gathered gradient."""
    square = 0.0
    for j in range(pending.used[0]):
        row = load(pending.g, j * pending.span, weights.lanes)
        square += total(row * row)
    return square


@pull.when(Sentences)
def _(rows, s, i, n, rule, node, edge, node_pending, edge_pending, scale, rate, now, mode, skip, scratch):
    kept = rows.codes.kept
    if not kept[0]:
        gather_tree(rows, s, n, scale, skip, node.lanes, node_pending, edge_pending)
    elif scale != 1.0:
        for j in range(node_pending.used[0]):
            store(node_pending.g, j, load(node_pending.g, j, node.lanes) * scale)
        for j in range(edge_pending.used[0]):
            store(edge_pending.g, j, load(edge_pending.g, j, edge.lanes) * scale)
    kept[0] = mode == NORM
    if mode == NORM:
        return square_of(node_pending, node) + square_of(edge_pending, edge)
    return 0.0
