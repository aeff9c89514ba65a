"""Stochastic meta-descent on trees: the scores of the direction v as the direction of a tilt (engine/meta_descent.py)."""

from widemargin.compiler.jit import generic
from widemargin.compiler.lanes import load, store
from widemargin.engine.meta_descent import score_direction
from widemargin.families.dependencies.kernels.arc_scores import Sentences, lines_of, sum_arcs, sum_relations
from widemargin.structures.arcs.labels import ALL_ARCS, Labels, NoLabels


@generic
def direct_labels(labels, plan, codes, n, arc, reader):
    """The direction of an arc with a label = that of the arc, arc[h, m], and that of the label."""
    raise TypeError(labels)


@direct_labels.when(NoLabels)
def _(labels, plan, codes, n, arc, reader):
    pass


@direct_labels.when(Labels)
def _(labels, plan, codes, n, arc, reader):
    sum_relations(labels, plan, codes, n, labels.direction, False, reader)
    for m in range(1, n + 1):
        labels.direction_head[m] = ALL_ARCS
        for h in range(n + 1):
            if h != m:
                i = h * (n + 1) + m
                store(labels.direction, i, load(labels.direction, i, labels.lanes) + arc[h, m])


@score_direction.when(Sentences)
def _(input, s, i, n, reader):
    """Curvature will be passed on wherever it is itself above skip: mu of all labels is too much to remember."""
    arcs, plan, codes = s.arcs, input.plan, input.codes
    sum_arcs(lines_of(reader, codes), plan, codes, n, arcs.work)
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m:
                arcs.direction[m, h] = arcs.work[h, m]
    direct_labels(arcs.labels, plan, codes, n, arcs.work, reader)
