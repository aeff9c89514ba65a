"""Gradients of arcs back to the weights of their features: what sweep.py and batch.py do with residuals, for sentences with trees.

All gradients of a batch are gathered before a step, because arcs share features. A gathered row may have several layers, one behind the
other (Pending.span): curvature behind gradients (meta.py), or the gradients of several trees (tree_margins.py).
"""

import numpy as np

from .arc_codes import count_code, meet, slots_of
from .arc_features import Sentences, label_row
from .arc_labels import Labels, NoLabels
from .arc_tables import add_pair, room
from .jit import generic, inner, phase
from .lanes import load, store, total
from .sibling_features import gather_higher
from .sweep import gathers, lively, pull
from .token_rows import BEND, NORM

FIRST, SECOND = np.int64(0), np.int64(1)  # layers


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


@phase
def gather_arc(plan, codes, h, m, v, lanes, into, layer):
    """v times the features of an arc, its label aside."""
    one, two = slots_of(h, m)
    for t in range(plan.pair.shape[0]):
        add_pair(into, layer, np.uint64(codes.pair[0, h, t] ^ codes.pair[1, m, t]), v, one, two, lanes)
    for t in range(plan.one.shape[0]):
        r = room(into, codes.one[h if plan.one[t, 2] == 0 else m, t], lanes) + layer
        into.g[r, one] += v
        into.g[r, two] += v
    for t in range(len(codes.known)):
        codes.known[t] = 0
    for x in range(min(h, m) + 1, max(h, m)):
        meet(codes.among, codes.seen, codes.known, x)
    for t in range(len(codes.known)):
        base = np.uint64(codes.among[0, h, t] ^ codes.among[1, m, t])
        for j in range(codes.known[t]):
            add_pair(into, layer, base ^ np.uint64(codes.seen[t, j]), v, one, one, lanes)
    for t in range(plan.number.shape[0]):
        k = np.uint64(codes.number[0, h, t] ^ codes.number[1, m, t] ^ count_code(plan.counted[t], codes.before, codes.many, h, m))
        add_pair(into, layer, k, v, one, one, lanes)


@generic
def gather_labels(labels, plan, codes, h, m, n, scale, into, layer):
    """scale * mu of an arc's labels, times the features of labels."""
    raise TypeError(labels)


@gather_labels.when(NoLabels)
def _(labels, plan, codes, h, m, n, scale, into, layer):
    pass


@gather_labels.when(Labels)
def _(labels, plan, codes, h, m, n, scale, into, layer):
    lanes, right = labels.lanes, 1 if m > h else 0
    row = load(labels.mu, h * (n + 1) + m, lanes) * scale
    for t in range(plan.label_pair.shape[0]):
        r = room(into, label_row(codes, h, m, t, right), lanes) + layer
        store(into.g, r, load(into.g, r, lanes) + row)
    for t in range(plan.label_one.shape[0]):
        r = room(into, codes.label_one[2 * (h if plan.label_one[t, 2] == 0 else m) + right, t], lanes) + layer
        store(into.g, r, load(into.g, r, lanes) + row)


@inner
def gather_tree(plan, codes, s, n, scale, skip, lanes, node, edge, layer):
    """scale * mu of all arcs and labels, times their features, into a layer of two gradients."""
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                if abs(s.arcs.mu[h, m]) > skip:
                    gather_arc(plan, codes, h, m, s.arcs.mu[h, m] * scale, lanes, node, layer)
                if loud(s.arcs.labels, h * (n + 1) + m, skip):
                    gather_labels(s.arcs.labels, plan, codes, h, m, n, scale, edge, layer)
    gather_higher(s, plan, codes, n, scale, skip, lanes, node, layer)


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
        gather_tree(rows.plan, rows.codes, s, n, scale, skip, node.lanes, node_pending, edge_pending, SECOND if mode == BEND else FIRST)
    elif scale != 1.0:
        for j in range(node_pending.used[0]):
            store(node_pending.g, j, load(node_pending.g, j, node.lanes) * scale)
        for j in range(edge_pending.used[0]):
            store(edge_pending.g, j, load(edge_pending.g, j, edge.lanes) * scale)
    kept[0] = mode == NORM
    if mode == NORM:
        return square_of(node_pending, node) + square_of(edge_pending, edge)
    return 0.0
