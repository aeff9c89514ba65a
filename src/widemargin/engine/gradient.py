"""Fixed weights: losses, gradients and best outputs of rows low..high, for every target x input x structure x objective.

Each kernel returns the row at which it stopped: `high`, or one for which s or the rows' scratch has no room. All weights are read by one
reader.
"""

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.compiler.lanes import load, store, total
from widemargin.engine.rows import GATHER, Step, apply_gradient, has_residual, row, score
from widemargin.engine.structure import argmax, augment, clear, copy_output, outputs
from widemargin.engine.tables import GRADIENT
from widemargin.engine.terms import measure

ALL = np.float64(0.0)  # residuals above this are passed on


@inner
def row_loss(s, n, gold, price, terms):
    """Loss of a row whose scores are in s; mu_upper - mu_lower is left in mu."""
    high, low = outputs(s)
    clear(s, n)
    return measure(terms.upper, s, gold, price, n, 1.0, high) - measure(terms.lower, s, gold, price, n, -1.0, low)


@kernel
def losses(low, high, rows, s, terms, reader, share):
    """Summed loss of rows low..high, each times share [R]."""
    loss = 0.0
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        if not score(rows.input, s, i, n, reader):
            return loss, i
        loss += share[i] * row_loss(s, n, gold, price, terms)
    return loss, high


@kernel
def gradients(low, high, rows, s, terms, reader, share, into):
    """The same; the gradient is added to `into`, a tuple of Dense."""
    loss = 0.0
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        if not score(rows.input, s, i, n, reader):
            return loss, i
        loss += share[i] * row_loss(s, n, gold, price, terms)
        has_residual(rows.input, s, n, ALL)
        apply_gradient(rows.input, s, i, n, Step(GATHER, share[i], 0.0, ALL, GRADIENT), into, reader)
    return loss, high


@kernel
def decode(low, high, rows, s, reader, at, into):
    """The best outputs of rows low..high; that of row i is kept in `into` from place at[i] on (structure.copy_output)."""
    best, _ = outputs(s)
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        if not score(rows.input, s, i, n, reader):
            return i
        augment(s, gold, price, n, 0.0, False)
        argmax(s, n, best)
        copy_output(s, n, best, at[i], into)
    return high


def decode_all(low: int, high: int, rows, s, reader, at: np.ndarray, into) -> None:
    """decode, for an s that has room for all rows."""
    if decode(low, high, rows, s, reader, at, into) != high:
        raise RuntimeError("a row found no room in its workspace")


@kernel
def score_row(rows, s, i, reader):
    """Scores of row i into s; False where there is no room."""
    n, _, _ = row(rows.target, i)
    return score(rows.input, s, i, n, reader)


@kernel(vectorise=True)
def penalise(low, high, w, g, copies, l2, lanes):
    """Rows low..high: g += l2 w / m; returns l2/2 sum w^2 / m."""
    value = 0.0
    for r in range(low, high):
        here = load(w, r, lanes)
        share = l2 / copies[r]
        store(g, r, load(g, r, lanes) + here * share)
        value += 0.5 * share * total(here * here)
    return value
