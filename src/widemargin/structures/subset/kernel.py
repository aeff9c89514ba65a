"""Sets of sentences within a budget, as the engine asks for them (cover.py says what parts and outputs are).

    score(y) = sum of the scores of the items that y covers + sum of the scores of its sentences

Maxima alone: sums over all sets are #P-hard. search.py finds the best set, the k best and the worst.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.rows import observe
from widemargin.engine.structure import (
    add_output,
    argmax,
    augment,
    clear,
    copy_output,
    gold_part,
    kbest,
    listed,
    output_cost,
    output_score,
    outputs,
    part_at,
    set_part,
    slots,
    take_gold,
    worst,
)
from widemargin.structures.subset.bounds import Scratch
from widemargin.structures.subset.cover import Cover, Covers
from widemargin.structures.subset.goals import HighestScore, LargestLoss
from widemargin.structures.subset.search import STOPPED, search


class BestSets(NamedTuple):
    """Memory for the k best outputs."""

    value: np.ndarray  # [k]  best first
    part: np.ndarray  # int8 [k, n]


class Subset(NamedTuple):
    """Scores and scratch of one row with up to n parts."""

    score: np.ndarray  # [n]
    mu: np.ndarray  # [n]
    work: np.ndarray  # [n]  augmented scores
    price: np.ndarray  # [n]  what `worst` looks at
    offset: np.ndarray  # float64 [1]  what is added to every augmented score
    row: np.ndarray  # int64 [1]  which row of the cover this is
    cover: Cover
    scratch: Scratch
    limit: int | np.integer  # nodes of a search
    patience: int | np.integer  # nodes before multipliers are worth their time
    report: np.ndarray  # float64 [3]  of the last search: nodes, an upper bound on its value, 1 where it was given up
    best: BestSets  # of one set
    output: tuple  # two outputs


@augment.when(Subset)
def _(s, gold, price, n, cost, inside):
    s.row[0] = gold.row
    s.offset[0] = cost * price.offset
    for k in range(n):
        s.work[k] = s.score[k] + cost * price.part[k]
        s.price[k] = 0.0


@take_gold.when(Subset)
def _(s, gold, n, out):
    if gold.known:
        for k in range(n):
            out[k] = gold.part[k]
    return gold.known


@argmax.when(Subset)
def _(s, n, out):
    search(s, n, HighestScore(s.offset[0]), s.best)
    copy_listed(s.best, 0, n, out)
    return np.float64(s.best.value[0])


@inner
def copy_listed(found, p, n, out):
    """out = output p of a list."""
    for k in range(n):
        out[k] = found.part[p, k]


@kbest.when(Subset)
def _(s, n, found):
    return search(s, n, HighestScore(s.offset[0]), found)


@listed.when(BestSets)
def _(found, p, n, out):
    copy_listed(found, p, n, out)


@worst.when(Subset)
def _(s, gold, price, n, need, out):
    for k in range(n):
        s.price[k] = price.part[k]
    search(s, n, LargestLoss(price.offset, need), s.best)
    value = s.best.value[0]
    if not value > 0.0:
        return 0.0, 0.0
    copy_listed(s.best, 0, n, out)
    return np.float64(value), output_cost(s, gold, price, n, out)


@kernel
def worst_row(s, gold, price, n, need):
    """worst at the scores in s; its output is the first of outputs(s)."""
    augment(s, gold, price, n, 0.0, False)
    return worst(s, gold, price, n, need, s.output[0])


@add_output.when(Subset)
def _(s, n, sign, out):
    for k in range(n):
        s.mu[k] += sign * out[k]


@output_score.when(Subset)
def _(s, n, out):
    total = 0.0
    for k in range(n):
        total += np.float64(s.score[k]) * out[k]
    return total


@output_cost.when(Subset)
def _(s, gold, price, n, out):
    total = np.float64(price.offset)
    for k in range(n):
        total += np.float64(price.part[k]) * out[k]
    return total


@clear.when(Subset)
def _(s, n):
    for k in range(n):
        s.mu[k] = 0.0


@outputs.when(Subset)
def _(s):
    return s.output


@copy_output.when(Subset)
def _(s, n, out, at, into):
    for k in range(n):
        into[at + k] = out[k]


@observe.when(Covers)
def _(target, s, i, n):
    target.stopped[0] += np.int64(s.report[STOPPED])


# ---- outputs as numbers: one slot per part --------------------------------------------------------------------------------------------


@slots.when(Subset)
def _(s, n):
    return n


@part_at.when(Subset)
def _(s, out, t):
    return out[t]


@set_part.when(Subset)
def _(s, out, t, part):
    out[t] = part


@gold_part.when(Subset)
def _(s, gold, t):
    return gold.part[t]
