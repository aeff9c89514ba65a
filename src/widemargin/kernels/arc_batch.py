"""Sentences with trees under fixed weights: the full gradient, and parsing."""

import numpy as np

from . import arc_features  # noqa: F401  (gives score_row its meaning for trees)
from .arc_gradients import FIRST, gather_tree
from .batch import row_loss
from .jit import kernel
from .score import score_row
from .structure import argmax, augment

ALL = np.float64(0.0)


@kernel
def tree_residuals(low, high, rows, s, upper, lower, w, mean, node, edge):
    """Rows low..high: the summed loss; gradients are added to node and edge (arc_gradients.Dense)."""
    loss = 0.0
    for i in range(low, high):
        n = rows.token[i + 1] - rows.token[i]
        loss += mean[i] * row_loss(i, rows, rows.gold, rows.price, s, upper, lower, w)
        gather_tree(rows.plan, rows.codes, s, n, mean[i], ALL, w.node.lanes, node, edge, FIRST)
    return loss


@kernel
def parse(low, high, rows, s, w, unknown, head, label):
    """Best trees of rows low..high into head and label int32 [N]; unknown: int32 [T, 2] of -1."""
    for i in range(low, high):
        at = rows.token[i]
        n = rows.token[i + 1] - at
        score_row(s, rows, at, n, w)
        augment(s, unknown, rows.price, n, 0.0, False)
        argmax(s, n)
        for t in range(n):
            head[at + t], label[at + t] = s.arcs.head[t + 1], s.arcs.label[t + 1]


@kernel
def score_sentence(s, rows, first, n, w):
    """score_row for Python."""
    score_row(s, rows, first, n, w)
