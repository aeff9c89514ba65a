"""Structured SMO on the marginals of a row (Taskar et al. 2003, section 6; Platt 1998), with w in the span of training tokens.

The dual variables of a row are masses over its outputs that sum to 1; the dual depends on them only through the masses of parts, their
marginals m, which for chains may be any that are not negative and agree with each other. A step moves mass from one output z to another y:

    y   the output of highest loss <scores + costs, y>                                        (argmax)
    z   the output of lowest loss among those whose parts all carry mass                      (argmax of the negative, over that support)
    s   = min(least mass of a part of z, violation l2 / (c |Phi' (y - z)|^2))                 (or the former, when |.|^2 <= 0)

where the violation is loss(y) - loss(z): 0 for every row exactly at the maximum of the dual (KKT). At the start all mass is on the gold.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, kernel
from widemargin.compiler.lanes import load, splat, store, where_nonzero
from widemargin.engine.planes import best_length
from widemargin.engine.rows import MOVE, Step, apply_gradient, has_residual, row, score, squared_length
from widemargin.engine.structure import add_output, argmax, augment, clear, output_score, outputs, take_gold
from widemargin.engine.tables import GRADIENT, Reader
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice

NEGLIGIBLE_MASS = 1e-12  # a mass so small is rounding


class Marginals(NamedTuple):
    """Masses of the parts of all rows; edge row t * Y + j holds those from label j into token t."""

    node: np.ndarray  # [N, L]
    edge: np.ndarray  # [N * Y, L], or [0, L] without edges


@generic
def lower_edges(s, z, first, n, marginals):
    """z's edges = minus those of s where there is mass, else -inf."""
    raise TypeError(s)


@lower_edges.when(Choice)
def _(s, z, first, n, marginals):
    pass


@lower_edges.when(Chain)
def _(s, z, first, n, marginals):
    never = splat(z.edge, -np.inf, s.lanes)
    for t in range(1, n):
        for j in range(s.labels):
            mass = load(marginals.edge, (first + t) * s.labels + j, s.lanes)
            store(z.edge, t * s.labels + j, where_nonzero(mass, load(s.edge, t * s.edge_stride + j, s.lanes) * -1.0, never))


@generic
def spare(z, first, n, marginals, out):
    """The least mass of a part of an output; z: either workspace."""
    raise TypeError(z)


@spare.when(Choice)
def _(z, first, n, marginals, out):
    return marginals.node[first, out[0]]


@spare.when(Chain)
def _(z, first, n, marginals, out):
    least = marginals.node[first, out[0]]
    for t in range(1, n):
        least = min(least, marginals.edge[(first + t) * z.labels + out[t - 1], out[t]], marginals.node[first + t, out[t]])
    return least


@inner
def add_mass(table, r, y, step):
    """One part gains mass, or loses it."""
    mass = table[r, y] + step
    table[r, y] = mass if mass > NEGLIGIBLE_MASS else 0.0


@generic
def shift(s, first, n, step, marginals, out):
    """The parts of an output gain `step`."""
    raise TypeError(s)


@shift.when(Choice)
def _(s, first, n, step, marginals, out):
    add_mass(marginals.node, first, out[0], step)


@shift.when(Chain)
def _(s, first, n, step, marginals, out):
    for t in range(n):
        add_mass(marginals.node, first + t, out[t], step)
        if t > 0:
            add_mass(marginals.edge, (first + t) * s.labels + out[t - 1], out[t], step)


@inner
def lowest(s, z, gold, price, first, n, marginals, out):
    """Loss of the worst output whose parts have mass, less the gold's score; it goes to out."""
    never = splat(z.work, -np.inf, s.lanes)
    for t in range(n):
        value = load(s.node, t, s.lanes) + load(price, gold[t], s.lanes)
        store(z.work, t, where_nonzero(load(marginals.node, first + t, s.lanes), value * -1.0, never))
    lower_edges(s, z, first, n, marginals)
    return -argmax(z, n, out)


class Smo(NamedTuple):
    """What structured SMO moves beside the weights; z: a second workspace, with edges per position."""

    z: tuple
    marginals: Marginals
    steps: int  # at most so many in a row
    floor: float  # while its violation is above this


@kernel(vectorise=True)
def climb_marginals(order, rows, s, ascent, smo):
    """One pass over the rows. Returns the summed loss, each row's under the weights that met it, the summed violations likewise, the
    largest, and the steps taken. s and z must have room for all rows."""
    rule, tables, pending, l2 = ascent
    z, marginals, steps, floor = smo
    loss, violations, largest, moved, reader = 0.0, 0.0, 0.0, 0, Reader(rule, tables, np.int64(0))
    (best, right), (least, _) = outputs(s), outputs(z)
    for i in order:
        n, gold, price = row(rows.target, i)
        first = rows.target.token[i]
        share = rows.weight[i] / len(rows.weight)
        for turn in range(steps if share > 0.0 else 0):
            score(rows.input, s, i, n, reader)
            take_gold(s, gold, n, right)
            low = lowest(s, z, gold, price, first, n, marginals, least)
            augment(s, gold, price, n, 1.0, False)
            high = argmax(s, n, best)
            violation = high - low
            if turn == 0:
                loss += share * (high - output_score(s, n, right))
                violations += share * violation
                largest = max(largest, violation)
            if not violation > floor:
                break
            clear(s, n)
            add_output(s, n, 1.0, best)
            add_output(s, n, -1.0, least)
            has_residual(rows.input, s, n, 0.0)
            square = squared_length(rows.input, s, i, n, 0.0, pending, reader)
            step = best_length(violation, square, share, l2, spare(s, first, n, marginals, least))
            if step <= 0.0:
                break
            apply_gradient(rows.input, s, i, n, Step(MOVE, 1.0, step * share / l2, 0.0, GRADIENT), pending, reader)
            shift(s, first, n, -step, marginals, least)
            shift(z, first, n, step, marginals, best)
            moved += 1
    return loss, violations, largest, moved
