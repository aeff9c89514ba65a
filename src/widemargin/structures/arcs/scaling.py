"""Scores of dependency trees at a temperature, and their mean (structures/scaling.py): arcs, their labels, and siblings."""

from widemargin.compiler.jit import generic, inner
from widemargin.structures.arcs.arborescence import Arborescence
from widemargin.structures.arcs.eisner import Eisner
from widemargin.structures.arcs.heads import Heads
from widemargin.structures.arcs.labels import Labels, NoLabels
from widemargin.structures.arcs.sibling_parts import width
from widemargin.structures.arcs.siblings import Siblings
from widemargin.structures.scaling import copy_times, inner_product, mean_score, scale_scores


@generic
def scale_labels(exact, labels, n, factor):
    """Scores of the labels of all arcs times `factor` into `exact`."""
    raise TypeError(exact)


@scale_labels.when(NoLabels)
def _(exact, labels, n, factor):
    pass


@scale_labels.when(Labels)
def _(exact, labels, n, factor):
    copy_times(exact.score, labels.score, (n + 1) * (n + 1), factor)


@generic
def mean_label_score(labels, n):
    """E[score of the labels]; rows of mu that are not `fresh` are 0."""
    raise TypeError(labels)


@mean_label_score.when(NoLabels)
def _(labels, n):
    return 0.0


@mean_label_score.when(Labels)
def _(labels, n):
    value = 0.0
    for i in range((n + 1) * (n + 1)):
        if labels.fresh[i]:
            value += inner_product(labels.mu[i : i + 1], labels.score[i : i + 1], 1, labels.kinds)
    return value


@inner
def scale_arcs(exact, arcs, n, factor):
    """Scores of arcs and of their labels times `factor` into `exact`."""
    for h in range(n + 1):
        for m in range(n + 1):
            exact.score[h, m] = factor * arcs.score[h, m]
    scale_labels(exact.labels, arcs.labels, n, factor)


@inner
def mean_arc_score(arcs, n):
    """E[score] of arcs and of their labels."""
    return inner_product(arcs.mu[:, 1:], arcs.score[:, 1:], n + 1, n) + mean_label_score(arcs.labels, n)


def scale_trees(exact, s, n, factor):
    """Of trees that are scored arc by arc."""
    scale_arcs(exact.arcs, s.arcs, n, factor)


def mean_tree_score(s, n):
    """Of trees that are scored arc by arc."""
    return mean_arc_score(s.arcs, n)


for kind in (Eisner, Arborescence, Heads):
    scale_scores.when(kind)(scale_trees)
    mean_score.when(kind)(mean_tree_score)


@scale_scores.when(Siblings)
def _(exact, s, n, factor):
    scale_arcs(exact.arcs, s.arcs, n, factor)
    for p in range(n * (n + 1) * width(n)):
        exact.score[p] = factor * s.score[p]


@mean_score.when(Siblings)
def _(s, n):
    value, across = mean_arc_score(s.arcs, n), width(n)
    for row in range(n * (n + 1)):
        if s.fresh[row]:
            for p in range(row * across, (row + 1) * across):
                if s.mu[p] != 0.0:
                    value += s.mu[p] * s.score[p]
    return value
