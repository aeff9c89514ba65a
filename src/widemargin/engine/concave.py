"""Differences of convex functions: F = U - L + penalty, where L is replaced by its tangent at some weights w0 (Yuille and Rangarajan 2003).

    L(w) >= L(w0) + <v, w - w0>,  v a subgradient of L at w0,    so that    F(w) <= U(w) - L(w0) - <v, w - w0> + penalty,  equal at w0.

The right-hand side is convex. Learners that need only its value and gradient are given v. Dual learners work row by row: where the lower
term is a maximum, each row's best output under w0 is kept, and is the right one in place of the gold (planes.py), while costs are counted
against what is known of the gold (Yu and Joachims 2009).
"""

from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.engine.planes import right_part
from widemargin.engine.rows import GATHER, Step, apply_gradient, has_residual, row, score, size
from widemargin.engine.structure import clear, outputs, part_at, slots
from widemargin.engine.tables import GRADIENT
from widemargin.engine.terms import measure


class Frozen(NamedTuple):
    """A target that keeps an output per row, by its parts: those of row i begin at at[i]."""

    of: Any
    at: np.ndarray  # int64 [R+1]
    part: np.ndarray  # integers [N]


@size.when(Frozen)
def _(target, i):
    return size(target.of, i)


@row.when(Frozen)
def _(target, i):
    return row(target.of, i)


@right_part.when(Frozen)
def _(target, s, i, gold, t):
    return target.part[target.at[i] + t]


@kernel
def freeze(low, high, rows, s, term, reader, share, into):
    """For a term that is one output's: its value summed over rows low..high, each times share [R], and the row at which it stopped.

    rows.target is Frozen: the outputs go there. The gradient is added to `into`, a tuple of Dense.
    """
    value = 0.0
    best, _ = outputs(s)
    kept = rows.target
    for i in range(low, high):
        n, gold, price = row(kept, i)
        if not score(rows.input, s, i, n, reader):
            return value, i
        clear(s, n)
        value += share[i] * measure(term, s, gold, price, n, 1.0, best)
        for t in range(slots(s, n)):
            kept.part[kept.at[i] + t] = part_at(s, best, t)
        has_residual(rows.input, s, n, 0.0)
        apply_gradient(rows.input, s, i, n, Step(GATHER, share[i], 0.0, 0.0, GRADIENT), into, reader)
    return value, high
