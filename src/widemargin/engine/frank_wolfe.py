"""Block-coordinate Frank-Wolfe: each row's masses as one mixture of parts (planes.py; Lacoste-Julien et al. 2013).

A mixture keeps sum_y a_iy r_y of every row in a form that suits the structure. It is a NamedTuple with these fields besides:

    offset [n]        sum_y a_iy b_iy
    cost [n]          sum_y a_iy cost(y)
    live bool [n]     is there mass anywhere but on the gold?
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, kernel
from widemargin.engine.planes import best_length, collect, take_right, take_step
from widemargin.engine.rows import has_residual, row, score
from widemargin.engine.rules import record_step
from widemargin.engine.structure import clear, output_cost, outputs
from widemargin.engine.tables import Reader
from widemargin.engine.terms import measure
from widemargin.errors import InputError

MEGA = 1e6


class Mixed(NamedTuple):
    """How far a pass has come: what it is given, and gives back."""

    place: int  # rows of the order that are done
    loss: float  # summed, each row's under the weights that met it
    gap: float  # likewise
    moved: int  # rows


@generic
def fw_direction(mixture, input, s, i, n, right, out):
    """mu, which is r_y of out against `right`, -= the mixture; returns <scores, mu> and the part of it that no weight can change."""
    raise TypeError(mixture)


@generic
def fw_update(mixture, input, s, i, n, right, out, step):
    """The mixture of row i += step * mu, which fw_direction has left."""
    raise TypeError(mixture)


def refuse_more(needed: float, memory: float) -> None:
    """Refuse a mixture of so many bytes; memory: the megabytes that it may take."""
    if needed / MEGA > memory:
        raise InputError(
            f"bcfw keeps {needed / MEGA:.0f} MB of mixtures, and memory is {memory:g}; raise it (--set memory=...), or use ocp"
        )


@singledispatch
def with_room(mixture, memory: float):
    """A mixture fit for one more pass, within so many megabytes: itself, unless it grows."""
    return mixture


@singledispatch
def like_saved(mixture, arrays: dict[str, np.ndarray]):
    """A mixture of the size of one that was saved, by the names of its fields: itself, unless it grows."""
    return mixture


@kernel
def frank_wolfe_pass(order, rows, s, terms, ascent, mixture, done):
    """One pass with line search, from row done.place of the order on; step `now` of the rule is the place.

    Returns the fields of a Mixed, which stops early where a row finds no room; called again with more, the pass goes on.
    """
    rule, tables, pending, l2 = ascent
    place, loss, gap, moved = done
    out, right = outputs(s)
    for b in range(place, len(order)):
        i = order[b]
        reader = Reader(rule, tables, b)
        n, gold, price = row(rows.target, i)
        share = rows.weight[i] / len(rows.weight)
        if not score(rows.input, s, i, n, reader):
            return b, loss, gap, moved
        take_right(rows.target, s, i, n, gold, right)
        clear(s, n)
        under = measure(terms.lower, s, gold, price, n, -1.0, right)
        loss += share * (measure(terms.upper, s, gold, price, n, 1.0, out) - under)
        cost = output_cost(s, gold, price, n, out)
        # `right` itself may cost something: a plane without residuals
        if share > 0.0 and (mixture.live[i] or cost != 0.0 or has_residual(rows.input, s, n, 0.0)):
            violation, given = fw_direction(mixture, rows.input, s, i, n, right, out)
            cost -= mixture.cost[i]
            violation += cost
            gap += share * violation
            if violation > 0.0:
                square = collect(rows.input, s, i, n, pending, reader)
                step = best_length(violation, square, share, l2, 1.0)
                take_step(rows.input, s, i, n, step * share / l2, pending, reader)
                fw_update(mixture, rows.input, s, i, n, right, out, step)
                mixture.cost[i] += step * cost
                mixture.offset[i] += step * (cost + given)
                mixture.live[i] = True
                moved += 1
        record_step(rule, 0.0, b + 1)
    return len(order), loss, gap, moved
