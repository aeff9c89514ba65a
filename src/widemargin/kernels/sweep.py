"""One pass over the data: score, infer, step. One loop serves every structure x objective x rule, chosen by the types of its arguments."""

from typing import NamedTuple

import numpy as np

from . import lazy  # noqa: F401  (gives catch_up its meanings)
from .given import base_row
from .jit import generic, inner, kernel
from .lanes import store
from .rules import Adaptive, Sgd, move, set_back, tick, worn
from .structure import clear
from .terms import measure
from .token_rows import FIRST, KEEP, MOVE, NORM, ONE, Rows, add_scores, find_hot, pull_edges, score_edges, visit


class Pending(NamedTuple):
    """Gradient rows gathered over a batch: a dense block plus the list of its features, cleared in O(active)."""

    slot: np.ndarray  # int32 [F]   -1 or the feature's place below
    feature: np.ndarray  # int32 [capacity]
    g: np.ndarray  # [capacity * span * h, L]
    used: np.ndarray  # int64 [1]   how many places are taken
    span: int = 1  # 2: behind each gradient stands a second block, of curvature


class Schedule(NamedTuple):
    """Step size of Sgd: rate / (1 + decay * step)^power."""

    rate: float
    decay: float
    power: float


class Capped(NamedTuple):
    """MIRA's step size: min(cap, loss / |g|^2). A type of its own, because only it needs |g|^2, a visit of all features before the step."""

    cap: float


class Scratch(NamedTuple):
    """One gathered gradient row, and which tokens have a residual."""

    g: np.ndarray  # [Y, L]
    hot: np.ndarray  # bool [T]


# ---- what kinds of rows differ in: labels at tokens here, heads of words in arc_features.py -------------------------------------------


@generic
def fill(rows, s, i, n, rule, node, edge, now):
    """Scores of row i, with the weights of step `now`, into the structure."""
    raise TypeError(rows)


@fill.when(Rows)
def _(rows, s, i, n, rule, node, edge, now):
    for t in range(n):
        store(s.node, t, base_row(rows.base, rows.token[i] + t, s))
    add_scores(s.node, ONE, rows.node, i, FIRST, rule, node, now)
    score_edges(s, rows, i, n, rule, edge, now)


@generic
def lively(rows, s, n, skip, scratch):
    """Has the row a residual above `skip`? Where they are is noted in scratch."""
    raise TypeError(rows)


@lively.when(Rows)
def _(rows, s, n, skip, scratch):
    return find_hot(s.mu_node, s.lanes, n, skip, scratch.hot)


@generic
def gathers(rows):
    """Are all gradients gathered before a step, even if a batch is one row?"""
    raise TypeError(rows)


@gathers.when(Rows)
def _(rows):
    return False


@generic
def pull(rows, s, i, n, rule, node, edge, node_pending, edge_pending, scale, rate, now, mode, skip, scratch):
    """The gradient of row i, handed over as `mode` says; returns its squared length where that is asked for."""
    raise TypeError(rows)


@pull.when(Rows)
def _(rows, s, i, n, rule, node, edge, node_pending, edge_pending, scale, rate, now, mode, skip, scratch):
    square = visit(rows.node, i, FIRST, s.mu_node, ONE, scratch.hot, node, node_pending, rule, scale, rate, now, mode, scratch.g)
    return square + pull_edges(s, rows, i, n, rule, edge, edge_pending, scratch, scale, rate, now, mode)


@inner
def flush(weights, pending, rule, rate, now):
    """One step of every row that the batch touched."""
    for j in range(pending.used[0]):
        f = np.int64(pending.feature[j])
        move(rule, weights, f, pending.g, j * pending.span * weights.height, rate, now)
        pending.slot[f] = -1
    pending.used[0] = 0


@generic
def pace(schedule, step):
    """The step size at a step, before any row has been looked at."""
    raise TypeError(schedule)


@pace.when(Schedule)
def _(schedule, step):
    return schedule.rate / (1.0 + schedule.decay * step) ** schedule.power


@pace.when(Capped)
def _(schedule, step):
    return 0.0


@generic
def stretch(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch):
    """The step size for row i, once its loss and residuals are known; a schedule may also change the residuals."""
    raise TypeError(schedule)


@stretch.when(Schedule)
def _(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch):
    return rate


@stretch.when(Capped)
def _(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch):
    square = pull(rows, s, i, n, rule, node, edge, node_pending, edge_pending, 1.0, 0.0, now, NORM, skip, scratch)
    lively(rows, s, n, skip, scratch)  # which looking at transitions has overwritten
    # the whole step is rate * scale: passive-aggressive with the cap C * weight
    return min(schedule.cap, loss / (square * scale)) if square > 0.0 else 0.0


@generic
def bend(rule, upper, lower, rows, s, i, n, gold, scale, node, edge, node_pending, edge_pending, now, skip, scratch):
    """Gather the curvature of row i's loss along the rule's direction, for a rule that has one."""
    raise TypeError(rule)


@bend.when(Sgd)
def _(rule, upper, lower, rows, s, i, n, gold, scale, node, edge, node_pending, edge_pending, now, skip, scratch):
    pass


@bend.when(Adaptive)
def _(rule, upper, lower, rows, s, i, n, gold, scale, node, edge, node_pending, edge_pending, now, skip, scratch):
    pass


@inner
def end_step(rule, node, edge, rate, before, now):
    """Step `now` has been taken, after `before` in earlier sweeps. Returns both counts, set back when the rule's clock is worn."""
    now += 1
    tick(rule, rate, now)
    if worn(rule, now):
        set_back(rule, node, now)
        set_back(rule, edge, now)
        return before + now, np.int64(0)
    return before, now


@kernel
def sweep(order, batch, whole, rows, s, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, before, now, skip, scratch):
    """Visit the rows in `order`; before, now: steps in earlier sweeps and in this one. Returns the summed loss, the steps taken, those of
    the clock, and the rows that moved.

    Each batch of rows is one step on the mean of its losses. Every weight is up to date only after rules.settle. whole: 0, or the rows are
    a piece of a batch of so many (pieces.py): their gradient is gathered, and no step is taken.
    """
    loss_sum, moved = 0.0, 0
    mode = MOVE if batch == 1 and node_pending.span == 1 and not gathers(rows) else KEEP
    for first in range(0, len(order), batch):
        rate = pace(schedule, before + now)
        last = min(first + batch, len(order))
        for b in range(first, last):
            i = order[b]
            n = rows.token[i + 1] - rows.token[i]
            gold = rows.gold[rows.token[i] : rows.token[i + 1]]
            fill(rows, s, i, n, rule, node, edge, now)
            clear(s, n)
            loss = measure(upper, s, gold, rows.price, n, 1.0) - measure(lower, s, gold, rows.price, n, -1.0)
            loss_sum += rows.weight[i] * loss
            scale = rows.weight[i] / (whole or last - first)
            if not lively(rows, s, n, skip, scratch) or scale == 0.0:
                continue
            moved += 1
            rate = stretch(
                schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch
            )
            pull(rows, s, i, n, rule, node, edge, node_pending, edge_pending, scale, rate, now, mode, skip, scratch)
            bend(rule, upper, lower, rows, s, i, n, gold, scale, node, edge, node_pending, edge_pending, now, skip, scratch)
        if whole:
            continue
        if mode == KEEP:
            flush(node, node_pending, rule, rate, now)
            flush(edge, edge_pending, rule, rate, now)
        before, now = end_step(rule, node, edge, rate, before, now)
    return loss_sum, before + now, now, moved
