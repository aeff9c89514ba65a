"""Stochastic meta-descent on trees: the scores of the direction v as the direction of a tilt (meta.py)."""

from .arc_features import Sentences, sum_arcs, sum_relations
from .arc_labels import EVERYWHERE, Labels, NoLabels
from .jit import generic
from .lanes import load, store
from .meta import steer


@generic
def steer_labels(labels, rule, edge, plan, codes, n, now, arc):
    """The direction of an arc with a label = that of the arc, arc[h, m], and that of the label."""
    raise TypeError(labels)


@steer_labels.when(NoLabels)
def _(labels, rule, edge, plan, codes, n, now, arc):
    pass


@steer_labels.when(Labels)
def _(labels, rule, edge, plan, codes, n, now, arc):
    sum_relations(labels, rule, edge, plan, codes, n, now, labels.toward, False)
    for m in range(1, n + 1):
        labels.aimed[m] = EVERYWHERE
        for h in range(n + 1):
            if h != m:
                i = h * (n + 1) + m
                store(labels.toward, i, load(labels.toward, i, labels.lanes) + arc[h, m])


@steer.when(Sentences)
def _(rows, s, i, n, along, node, edge, now, skip, scratch):
    """Here curvature is passed on wherever it is itself above skip: mu of all labels is too much to remember."""
    arcs = s.arcs
    sum_arcs(rows.plan, rows.codes, n, along, node, now, arcs.work)
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m:
                arcs.toward[m, h] = arcs.work[h, m]
    steer_labels(arcs.labels, along, edge, rows.plan, rows.codes, n, now, arcs.work)
