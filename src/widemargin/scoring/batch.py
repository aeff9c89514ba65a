"""The full gradient of labels at tokens, block by block: residuals of a block's tokens stay in cache while each weight row gathers its own.

A block's rows are scored and inferred in fixed pieces, each with sums of its own, and every weight row adds its residuals in a fixed order:
the result does not depend on the number of threads. (engine/gradient.py, which serves all inputs, needs
a dense gradient per piece instead, to be cleared and summed at every step of L-BFGS.)
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, kernel
from widemargin.compiler.lanes import load, splat, store
from widemargin.engine.gradient import row_loss
from widemargin.engine.rows import row, score
from widemargin.scoring.optional_inputs import times
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice


class Block(NamedTuple):
    """Residuals of the tokens from `first` on."""

    first: int
    node: np.ndarray  # [tokens, L]
    edge: np.ndarray  # [tokens * Y, L], or [0, L] when transitions do not look at the input
    sums: np.ndarray  # [Y, L]  residuals of the shared transitions, of one piece


@generic
def keep_edges(s, n, scale, block, at):
    """Add scale * mu of the edges to the shared sums and, per position, write it to residual rows (at + t) * Y."""
    raise TypeError(s)


@keep_edges.when(Choice)
def _(s, n, scale, block, at):
    pass


@keep_edges.when(Chain)
def _(s, n, scale, block, at):
    residual = block.edge
    for j in range(s.labels if s.edge_stride else 0):
        store(residual, at * s.labels + j, splat(residual, 0.0, s.lanes))  # nothing leads into the first token
    for j in range(s.labels if n > 1 else 0):
        sums = load(block.sums, j, s.lanes)
        for t in range(1, n if s.edge_stride else 2):
            mu = load(s.mu_edge, t * s.edge_stride + j, s.lanes) * scale
            sums += mu
            if s.edge_stride:
                store(residual, (at + t) * s.labels + j, mu)
        store(block.sums, j, sums)


@kernel
def residuals(low, high, rows, s, terms, reader, share, block):
    """Rows low..high: mu_upper - mu_lower, times share [R], into the block. Returns the summed loss. s must have room for all rows."""
    loss = 0.0
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        loss += share[i] * row_loss(s, n, gold, price, terms)
        at = rows.target.token[i] - block.first
        for t in range(n):
            store(block.node, at + t, load(s.mu_node, t, s.lanes) * share[i])
        keep_edges(s, n, share[i], block, at)
    return loss


@kernel(vectorise=True)
def sum_residuals(low, high, group, residual, height, lanes, out):
    """Entries low..high of a block: out[f * h + j] += the sum of residual[place * h + j] over the places where f fires."""
    for e in range(low, high):
        f = group.feature[e]
        for j in range(height):
            sums = splat(out, 0.0, lanes)
            for p in range(group.mark[e], group.mark[e + 1]):
                sums += times(group.value, p, load(residual, group.place[p] * height + j, lanes))
            store(out, f * height + j, load(out, f * height + j, lanes) + sums)
