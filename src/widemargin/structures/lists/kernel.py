"""One of the n candidates of a row. n is known at run time only, so there are no lanes: everything is a sum or a maximum over n numbers.

What is known of the gold is a mark per candidate: one is correct, or several are (which of them is meant is latent), or none is marked and
nothing is known. Marks also say which candidates may not be chosen at all. A price is the candidate's own, whatever is known of the gold.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.rows import row, size
from widemargin.engine.structure import (
    UNKNOWN,
    add_output,
    argmax,
    augment,
    clear,
    copy_output,
    gold_part,
    kbest,
    listed,
    logsum,
    negate,
    output_cost,
    output_score,
    outputs,
    part_at,
    set_direction,
    set_part,
    slots,
    take_gold,
    tilt,
    worst,
)
from widemargin.structures.negation import negate_numbers

ILLEGAL, WRONG, CORRECT = -1, 0, 1  # marks
SEVERAL = -2  # more than one candidate is correct


class Gold(NamedTuple):
    """What is known of the gold of a row."""

    right: int | np.integer  # the only correct candidate; UNKNOWN: none is marked; SEVERAL
    mark: np.ndarray  # int8 [n]


class Candidates(NamedTuple):
    """A target: the candidates of all rows, N of them. A row's price is the prices [n] of its candidates."""

    at: np.ndarray  # int64 [R+1]  where the candidates of a row begin
    right: np.ndarray  # int32 [R]  as Gold has it
    mark: np.ndarray  # int8 [N]
    price: np.ndarray  # [N]


@size.when(Candidates)
def _(target, i):
    return target.at[i + 1] - target.at[i]


@row.when(Candidates)
def _(target, i):
    first, end = target.at[i], target.at[i + 1]
    return end - first, Gold(target.right[i], target.mark[first:end]), target.price[first:end]


class Lists(NamedTuple):
    """Scores and scratch of one row with up to K candidates. An output is int32 [1]: a candidate."""

    score: np.ndarray  # [K]
    mu: np.ndarray  # [K]
    work: np.ndarray  # [K]  augmented scores
    direction: np.ndarray  # [K]  of a tilt
    output: tuple  # two outputs


@augment.when(Lists)
def _(s, gold, price, n, cost, inside):
    within = inside and gold.right != UNKNOWN
    for k in range(n):
        may = gold.mark[k] == CORRECT if within else gold.mark[k] != ILLEGAL
        s.work[k] = s.score[k] + cost * price[k] if may else -np.inf


@take_gold.when(Lists)
def _(s, gold, n, out):
    if gold.right < 0:
        return False
    out[0] = gold.right
    return True


@set_direction.when(Lists)
def _(s, gold, price, n):
    for k in range(n):
        s.direction[k] = price[k]


@argmax.when(Lists)
def _(s, n, out):
    best = 0
    for k in range(1, n):
        if s.work[k] > s.work[best]:
            best = k
    out[0] = best
    return np.float64(s.work[best])


@inner
def exponentiate(s, n):
    """work = exp(work - its peak); returns the peak and the sum."""
    peak, z = s.work[0], 0.0
    for k in range(1, n):
        peak = max(peak, s.work[k])
    for k in range(n):
        s.work[k] = np.exp(s.work[k] - peak)
        z += s.work[k]
    return np.float64(peak), z


@logsum.when(Lists)
def _(s, n, sign):
    peak, z = exponentiate(s, n)
    for k in range(n):
        s.mu[k] += s.work[k] * (sign / z)
    return peak + np.log(z)


@tilt.when(Lists)
def _(s, n, sign):
    _, z = exponentiate(s, n)
    mean = 0.0
    for k in range(n):
        mean += s.work[k] / z * s.direction[k]
    for k in range(n):
        s.mu[k] += s.work[k] * (sign / z) * (s.direction[k] - mean)
    return mean


@add_output.when(Lists)
def _(s, n, sign, out):
    s.mu[out[0]] += sign


@output_score.when(Lists)
def _(s, n, out):
    return np.float64(s.score[out[0]])


@negate.when(Lists)
def _(s, n):
    negate_numbers(s.score, n)


@clear.when(Lists)
def _(s, n):
    for k in range(n):
        s.mu[k] = 0.0


@outputs.when(Lists)
def _(s):
    return s.output


@copy_output.when(Lists)
def _(s, n, out, at, into):
    into[at] = out[0]


# ---- the best few, and the worst ------------------------------------------------------------------------------------------------------


class BestCandidates(NamedTuple):
    """Memory for the k best candidates."""

    value: np.ndarray  # [k]  best first
    candidate: np.ndarray  # int32 [k]


@listed.when(BestCandidates)
def _(found, p, n, out):
    out[0] = found.candidate[p]


@kbest.when(Lists)
def _(s, n, found):
    value, candidate = found
    count = 0
    for k in range(n):
        place = count
        while place > 0 and s.work[k] > value[place - 1]:
            place -= 1
        if place < len(value) and s.work[k] > -np.inf:
            count = min(count + 1, len(value))
            for p in range(count - 1, place, -1):
                value[p], candidate[p] = value[p - 1], candidate[p - 1]
            value[place], candidate[place] = s.work[k], k
    return np.int64(count)


@worst.when(Lists)
def _(s, gold, price, n, need, out):
    value, cost = 0.0, 0.0
    for k in range(n):
        loss = price[k] * (np.float64(s.work[k]) - need) if price[k] > 0.0 else 0.0
        if loss > value:
            value, cost = loss, np.float64(price[k])
            out[0] = k
    return value, cost


# ---- outputs as numbers: one slot per row ---------------------------------------------------------------------------------------------


@slots.when(Lists)
def _(s, n):
    return np.int64(1)


@output_cost.when(Lists)
def _(s, gold, price, n, out):
    return np.float64(price[out[0]])


@part_at.when(Lists)
def _(s, out, t):
    return out[0]


@set_part.when(Lists)
def _(s, out, t, part):
    out[0] = part


@gold_part.when(Lists)
def _(s, gold, t):
    return gold.right
