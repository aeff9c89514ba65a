"""Rows under fixed weights at a temperature, for questions about probabilities (structures/scaling.py), whatever the family."""

from typing import Any, NamedTuple

from widemargin.compiler.jit import inner
from widemargin.engine.rows import Rows, row, score
from widemargin.engine.structure import augment, clear
from widemargin.structures.scaling import scale_scores


class Query(NamedTuple):
    """What such questions read: rows of whose outputs nothing is known, fixed weights, and scratch of one thread."""

    rows: Rows
    s: Any  # workspace in the dtype of the weights
    exact: Any  # workspace in float64
    reader: Any  # of the weights
    price: Any  # the structure's prices in float64, 0
    factor: float  # b, 1 / temperature


@inner
def take_row(q, i):
    """Scores of row i into s and exact, those of exact ready for argmax and logsum, and its mu = 0; returns the size of the row."""
    n, unknown, _ = row(q.rows.target, i)
    score(q.rows.input, q.s, i, n, q.reader)
    scale_scores(q.exact, q.s, n, q.factor)
    augment(q.exact, unknown, q.price, n, 0.0, False)
    clear(q.exact, n)
    return n
