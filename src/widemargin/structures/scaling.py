"""Scores at a temperature, as one notion for all structures: a distribution p(y) = exp(b score(y)) / Z with b = 1 / temperature.

    H(p) = log Z - E[b score]

Scores are summed in the dtype of the weights and scaled into a second workspace in float64, so that differences of logarithms keep their
digits. A structure answers both questions in its own folder.
"""

from typing import Any, NamedTuple

from widemargin.compiler.jit import generic, inner
from widemargin.engine.rows import Rows, row, score
from widemargin.engine.structure import augment, clear


class Query(NamedTuple):
    """What questions about probabilities read: rows with unknown outputs, fixed weights, and scratch of one thread."""

    rows: Rows
    s: Any  # workspace in the dtype of the weights
    exact: Any  # workspace in float64
    reader: Any  # of the weights
    price: Any  # float64, 0
    factor: float  # b, 1 / temperature


@generic
def scale_scores(exact, s, n, factor):
    """The part scores of s times `factor` (above 0, so that -inf stays -inf) into `exact`, a workspace of the same structure."""
    raise TypeError(exact)


@generic
def mean_score(s, n):
    """E[score], the inner product of the scores in s with the marginals in its mu."""
    raise TypeError(s)


@inner
def copy_times(out, table, rows, factor):
    """out = factor * table in the first rows."""
    for r in range(rows):
        for k in range(table.shape[1]):
            out[r, k] = factor * table[r, k]


@inner
def inner_product(mu, score, rows, columns):
    """sum of mu * score over the parts that occur: 0 * -inf is 0."""
    value = 0.0
    for r in range(rows):
        for k in range(columns):
            if mu[r, k] != 0.0:
                value += mu[r, k] * score[r, k]
    return value


@inner
def take_row(q, i):
    """Scores of row i into s and exact, those of exact ready for argmax and logsum, and its mu = 0; returns the size of the row."""
    n, unknown, _ = row(q.rows.target, i)
    score(q.rows.input, q.s, i, n, q.reader)
    scale_scores(q.exact, q.s, n, q.factor)
    augment(q.exact, unknown, q.price, n, 0.0, False)
    clear(q.exact, n)
    return n
