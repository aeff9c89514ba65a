"""The full gradient, block by block: residuals of a block's tokens stay in cache while each weight row gathers its own.

A block's rows are scored and inferred in fixed pieces, each with sums of its own, and every weight row adds its residuals in a fixed order:
the result does not depend on the number of threads.
"""

from .chain import Chain
from .choice import Choice
from .given import times
from .jit import generic, inner, kernel
from .lanes import load, splat, store, total
from .score import score_row
from .structure import clear
from .terms import measure


@generic
def keep_edges(s, n, scale, sums, residual, at):
    """Add scale * mu of the edges to the shared sums [Y, L] and, per position, write it to residual rows (at + t) * Y."""
    raise TypeError(s)


@keep_edges.when(Choice)
def _(s, n, scale, sums, residual, at):
    pass


@keep_edges.when(Chain)
def _(s, n, scale, sums, residual, at):
    for j in range(s.labels if s.pitch else 0):
        store(residual, at * s.labels + j, splat(residual, 0.0, s.lanes))  # nothing leads into the first token
    for j in range(s.labels if n > 1 else 0):
        row = load(sums, j, s.lanes)
        for t in range(1, n if s.pitch else 2):
            mu = load(s.mu_edge, t * s.pitch + j, s.lanes) * scale
            row += mu
            if s.pitch:
                store(residual, (at + t) * s.labels + j, mu)
        store(sums, j, row)


@inner
def row_loss(i, tokens, gold, price, s, upper, lower, w):
    """Loss of row i under fixed weights; mu_upper - mu_lower is left in the structure's mu."""
    at = tokens.token[i]
    n = tokens.token[i + 1] - at
    score_row(s, tokens, at, n, w)
    clear(s, n)
    y = gold[at : at + n]
    return measure(upper, s, y, price, n, 1.0) - measure(lower, s, y, price, n, -1.0)


@kernel
def residuals(low, high, first, tokens, gold, price, weight, s, upper, lower, w, node, edge, sums):
    """Rows low..high: mu_upper - mu_lower, times the row's weight, into node [tokens, L] and edge, counted from token `first`.

    Returns the summed loss; sums [Y, L] gains the residuals of the shared transitions.
    """
    loss = 0.0
    for i in range(low, high):
        at = tokens.token[i]
        n = tokens.token[i + 1] - at
        loss += weight[i] * row_loss(i, tokens, gold, price, s, upper, lower, w)
        for t in range(n):
            store(node, at - first + t, load(s.mu_node, t, s.lanes) * weight[i])
        keep_edges(s, n, weight[i], sums, edge, at - first)
    return loss


@kernel(vectorise=True)
def gather(low, high, group, residual, height, lanes, out):
    """Entries low..high of a block: out[f * h + j] += the sum of residual[place * h + j] over the places where f fires."""
    for e in range(low, high):
        f = group.feature[e]
        for j in range(height):
            sums = splat(out, 0.0, lanes)
            for p in range(group.mark[e], group.mark[e + 1]):
                sums += times(group.value, p, load(residual, group.place[p] * height + j, lanes))
            store(out, f * height + j, load(out, f * height + j, lanes) + sums)


@kernel
def losses(low, high, tokens, gold, price, weight, s, upper, lower, w):
    """Summed loss of rows low..high."""
    loss = 0.0
    for i in range(low, high):
        loss += weight[i] * row_loss(i, tokens, gold, price, s, upper, lower, w)
    return loss


@kernel(vectorise=True)
def penalise(low, high, w, g, copies, l2, lanes):
    """Rows low..high: g += l2 w / m; returns l2/2 sum w^2 / m."""
    value = 0.0
    for r in range(low, high):
        row = load(w, r, lanes)
        share = l2 / copies[r]
        store(g, r, load(g, r, lanes) + row * share)
        value += 0.5 * share * total(row * row)
    return value
