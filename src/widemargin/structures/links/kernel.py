"""A candidate y of a row together with a correct one g: the latent hinge in the way of Kummerfeld et al. (2015), for dual learners.

    max_y (s_y + c_y) - max_{g correct} s_g        at    y, g = the two maxima;    an output is the pair, its parts e_y - e_g

A dual learner keeps pairs as planes, so a plane keeps the correct candidate that was best when it was found. The gold is the pair that is 0
everywhere. F is the latent hinge, but a plane whose g is no longer the best lies above it: a dual is then no lower bound, and learners that
stop by their gap may stop early. The concave-convex procedure on lists has no such fault.
"""

from typing import NamedTuple

import numpy as np

from widemargin.engine.structure import (
    UNKNOWN,
    add_output,
    argmax,
    augment,
    clear,
    copy_output,
    gold_part,
    output_cost,
    output_score,
    outputs,
    part_at,
    set_part,
    slots,
    take_gold,
)
from widemargin.structures.lists.kernel import CORRECT, ILLEGAL

SHIFT = np.int64(1 << 32)


class Links(NamedTuple):
    """Scores and scratch of one row with up to K candidates. An output is int32 [2]: a candidate and a correct one."""

    score: np.ndarray  # [K]
    mu: np.ndarray  # [K]
    work: np.ndarray  # [K]  augmented scores
    right: np.ndarray  # [K]  scores of those that are correct, -inf elsewhere
    output: tuple  # two outputs


@augment.when(Links)
def _(s, gold, price, n, cost, inside):
    known = gold.right != UNKNOWN
    for k in range(n):
        legal, correct = gold.mark[k] != ILLEGAL, gold.mark[k] == CORRECT if known else gold.mark[k] != ILLEGAL
        s.right[k] = s.score[k] if correct else -np.inf
        s.work[k] = s.score[k] + cost * price[k] if legal and (correct or not inside) else -np.inf


@argmax.when(Links)
def _(s, n, out):
    best, right = 0, 0
    for k in range(1, n):
        if s.work[k] > s.work[best]:
            best = k
        if s.right[k] > s.right[right]:
            right = k
    out[0], out[1] = best, right
    return np.float64(s.work[best]) - np.float64(s.right[right])


@take_gold.when(Links)
def _(s, gold, n, out):
    out[0], out[1] = 0, 0
    return True


@add_output.when(Links)
def _(s, n, sign, out):
    s.mu[out[0]] += sign
    s.mu[out[1]] -= sign


@output_score.when(Links)
def _(s, n, out):
    return np.float64(s.score[out[0]]) - np.float64(s.score[out[1]])


@clear.when(Links)
def _(s, n):
    for k in range(n):
        s.mu[k] = 0.0


@outputs.when(Links)
def _(s):
    return s.output


@copy_output.when(Links)
def _(s, n, out, at, into):
    into[at] = out[0]


# ---- outputs as numbers: one slot per row ---------------------------------------------------------------------------------------------


@slots.when(Links)
def _(s, n):
    return np.int64(1)


@output_cost.when(Links)
def _(s, gold, price, n, out):
    return np.float64(price[out[0]])


@part_at.when(Links)
def _(s, out, t):
    return np.int64(out[0]) * SHIFT + np.int64(out[1])


@set_part.when(Links)
def _(s, out, t, part):
    out[0], out[1] = part // SHIFT, part % SHIFT


@gold_part.when(Links)
def _(s, gold, t):
    return np.int64(0)
