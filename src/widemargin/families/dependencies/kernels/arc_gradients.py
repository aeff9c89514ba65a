"""Gradients of arcs back to the weights of their features.

All gradients of a batch are gathered before a step, because arcs share features.
"""

import numpy as np

from widemargin.compiler.jit import generic, phase
from widemargin.compiler.lanes import load, store
from widemargin.engine.rows import gather, has_residual
from widemargin.engine.tables import room
from widemargin.families.dependencies.kernels.arc_scores import Sentences, label_row
from widemargin.families.dependencies.kernels.codes import count_code, meet, slots_of
from widemargin.families.dependencies.kernels.sibling_features import gather_higher
from widemargin.scoring.hashed import add_pair
from widemargin.structures.arcs.labels import Labels, NoLabels


@generic
def label_has_residual(labels, i, skip):
    """Has any label of arc i a residual above skip?"""
    raise TypeError(labels)


@label_has_residual.when(NoLabels)
def _(labels, i, skip):
    return False


@label_has_residual.when(Labels)
def _(labels, i, skip):
    if labels.fresh[i]:
        for r in range(labels.kinds):
            if abs(labels.mu[i, r]) > skip:
                return True
    return False


@has_residual.when(Sentences)
def _(input, s, n, skip):
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m and (abs(s.arcs.mu[h, m]) > skip or label_has_residual(s.arcs.labels, h * (n + 1) + m, skip)):
                return True
    return False


@phase
def gather_arc(plan, codes, h, m, v, into, layer):
    """v times the features of an arc, its label aside."""
    one, two = slots_of(h, m)
    for t in range(plan.bigram.shape[0]):
        add_pair(into, layer, np.uint64(codes.bigram[0, h, t] ^ codes.bigram[1, m, t]), v, one, two)
    for t in range(plan.unigram.shape[0]):
        r = room(into, codes.unigram[h if plan.unigram[t, 2] == 0 else m, t]) + layer
        into.g[r, one] += v
        into.g[r, two] += v
    for t in range(len(codes.known)):
        codes.known[t] = 0
    for x in range(min(h, m) + 1, max(h, m)):
        meet(codes.between, codes.seen, codes.known, x)
    for t in range(len(codes.known)):
        base = np.uint64(codes.between[0, h, t] ^ codes.between[1, m, t])
        for j in range(codes.known[t]):
            add_pair(into, layer, base ^ np.uint64(codes.seen[t, j]), v, one, one)
    for t in range(plan.between_count.shape[0]):
        code = count_code(plan.counted[t], codes.before, codes.count_codes, h, m)
        k = np.uint64(codes.between_count[0, h, t] ^ codes.between_count[1, m, t] ^ code)
        add_pair(into, layer, k, v, one, one)


@generic
def gather_labels(labels, plan, codes, h, m, n, step, into):
    """step.scale * mu of an arc's labels, times the features of labels."""
    raise TypeError(labels)


@gather_labels.when(NoLabels)
def _(labels, plan, codes, h, m, n, step, into):
    pass


@gather_labels.when(Labels)
def _(labels, plan, codes, h, m, n, step, into):
    lanes, right = labels.lanes, 1 if m > h else 0
    row = load(labels.mu, h * (n + 1) + m, lanes) * step.scale
    for t in range(plan.label_bigram.shape[0]):
        r = room(into, label_row(codes, h, m, t, right)) + step.layer
        store(into.g, r, load(into.g, r, lanes) + row)
    for t in range(plan.label_unigram.shape[0]):
        r = room(into, codes.label_unigram[2 * (h if plan.label_unigram[t, 2] == 0 else m) + right, t]) + step.layer
        store(into.g, r, load(into.g, r, lanes) + row)


@gather.when(Sentences)
def _(input, s, i, n, step, into):
    plan, codes, arcs = input.plan, input.codes, s.arcs
    for h in range(n + 1):
        for m in range(1, n + 1):
            if h != m:
                if abs(arcs.mu[h, m]) > step.skip:
                    gather_arc(plan, codes, h, m, arcs.mu[h, m] * step.scale, into[0], step.layer)
                if label_has_residual(arcs.labels, h * (n + 1) + m, step.skip):
                    gather_labels(arcs.labels, plan, codes, h, m, n, step, into[1])
    gather_higher(s, plan, codes, n, step, into[0])
