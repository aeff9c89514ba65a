"""One pass over the data: score, infer, step. One loop serves every structure x objective x rule, chosen by the types of its arguments."""

from typing import NamedTuple

import numpy as np

from . import lazy  # noqa: F401  (gives catch_up its meanings)
from .chain import Chain
from .choice import Choice
from .given import Base, NoBase, Ones, Values, base_row, times
from .jit import generic, inner, kernel, tiny
from .lanes import load, magnitude, prefetch, splat, store, top, total
from .rules import Adaptive, Sgd, move, peek, set_back, tick, worn
from .score import AHEAD
from .structure import clear
from .terms import measure

# np.int64, not int: Numba compiles a function anew for every literal it is called with
NORM, MOVE, KEEP, BEND = np.int64(0), np.int64(1), np.int64(2), np.int64(3)
FIRST, ONE = np.int64(0), np.int64(1)


class Occurrences(NamedTuple):
    """Where features fire, row by row (kernels/group.py)."""

    at: np.ndarray  # int64 [R+1]      entries of a row
    feature: np.ndarray  # int32 [E]
    mark: np.ndarray  # int64 [E+1]    places of an entry
    place: np.ndarray  # int32 [nnz]   token within the row
    value: Ones | Values  # of the places


class Rows(NamedTuple):
    """Training rows: their tokens, gold labels (-1: not known), prices of errors, weights, and features."""

    token: np.ndarray  # int64 [R+1]
    gold: np.ndarray  # int32 [N]
    price: np.ndarray  # [Y, L]   cost of guessing k when y is right
    weight: np.ndarray  # [R]     how much a row counts
    node: Occurrences
    edge: Occurrences
    base: NoBase | Base


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


@inner
def add_scores(table, pitch, occurrences, i, shift, rule, weights, now):
    """table[place * pitch + j] += w[f, j] for every occurrence in row i, with the weights of step `now`."""
    lanes = weights.lanes
    mark, place = occurrences.mark, occurrences.place
    end = occurrences.at[i + 1]
    for e in range(occurrences.at[i], end):
        f = occurrences.feature[e] + shift
        if e + AHEAD < end:
            prefetch(weights.row, (occurrences.feature[e + AHEAD] + shift) * weights.pitch)
        for j in range(weights.height):
            w = peek(rule, weights, f, j, now)
            for p in range(mark[e], mark[e + 1]):
                r = place[p] * pitch + j
                store(table, r, load(table, r, lanes) + times(occurrences.value, p, w))


@generic
def score_edges(s, rows, i, n, rule, edge, now):
    """Edge scores of row i; a structure without edges has none."""
    raise TypeError(s)


@score_edges.when(Choice)
def _(s, rows, i, n, rule, edge, now):
    pass


@score_edges.when(Chain)
def _(s, rows, i, n, rule, edge, now):
    for j in range(s.labels):
        shared = peek(rule, edge, FIRST, j, now) + load(s.step, j, s.lanes)
        for t in range(n if s.pitch else 1):
            store(s.edge, t * s.pitch + j, shared)
    if s.pitch:
        add_scores(s.edge, s.pitch, rows.edge, i, ONE, rule, edge, now)


@tiny
def hand_over(weights, pending, rule, f, g, scale, rate, now, mode):
    """What becomes of a gathered gradient row: its squared length, a step, or a place in the batch's block (KEEP, or BEND behind it)."""
    lanes, h = weights.lanes, weights.height
    if mode == NORM:
        square = 0.0
        for j in range(h):
            row = load(g, j, lanes)
            square += total(row * row)
        return square * weights.copies[f]
    if scale != 1.0:
        for j in range(h):
            store(g, j, load(g, j, lanes) * scale)
    if mode == MOVE:
        move(rule, weights, f, g, FIRST, rate, now)
    else:
        slot = np.int64(pending.slot[f])
        if slot < 0:
            slot = pending.used[0]
            pending.used[0] += 1
            pending.slot[f], pending.feature[slot] = slot, f
            for j in range(pending.span * h):
                store(pending.g, slot * pending.span * h + j, splat(g, 0.0, lanes))
        first = slot * pending.span * h + (h if mode == BEND else 0)
        for j in range(h):
            store(pending.g, first + j, load(pending.g, first + j, lanes) + load(g, j, lanes))
    return 0.0


@inner
def hand_over_shared(weights, pending, rule, g, scale, rate, now, mode):
    """hand_over of row 0, once per row of data and therefore not inlined."""
    return hand_over(weights, pending, rule, FIRST, g, scale, rate, now, mode)


@inner
def visit(occurrences, i, shift, mu, pitch, hot, weights, pending, rule, scale, rate, now, mode, g):
    """Gather the gradient of every weight row that row i touches, mu summed over its hot places, and hand it over."""
    lanes, h, square = weights.lanes, weights.height, 0.0
    mark, place = occurrences.mark, occurrences.place
    for e in range(occurrences.at[i], occurrences.at[i + 1]):
        lively = False
        for p in range(mark[e], mark[e + 1]):
            lively = lively or hot[place[p]]
        if lively:
            for j in range(h):
                sums = splat(g, 0.0, lanes)
                for p in range(mark[e], mark[e + 1]):
                    if hot[place[p]]:
                        sums += times(occurrences.value, p, load(mu, place[p] * pitch + j, lanes))
                store(g, j, sums)
            square += hand_over(weights, pending, rule, occurrences.feature[e] + shift, g, scale, rate, now, mode)
    return square


@generic
def pull_edges(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    """Gradient of row i into the shared transitions (edge row 0) and the observation-dependent ones."""
    raise TypeError(s)


@pull_edges.when(Choice)
def _(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    return 0.0


@pull_edges.when(Chain)
def _(s, rows, i, n, rule, edge, pending, scratch, scale, rate, now, mode):
    if n == 1:
        return 0.0
    for j in range(s.labels):
        sums = load(s.mu_edge, j, s.lanes)
        for t in range(1, n if s.pitch else 1):
            sums += load(s.mu_edge, t * s.pitch + j, s.lanes)
        store(scratch.g, j, sums)
    square = hand_over_shared(edge, pending, rule, scratch.g, scale, rate, now, mode)
    if s.pitch:
        for t in range(n):
            scratch.hot[t] = t > 0
        square += visit(rows.edge, i, ONE, s.mu_edge, s.pitch, scratch.hot, edge, pending, rule, scale, rate, now, mode, scratch.g)
    return square


@inner
def find_hot(mu, lanes, n, skip, hot):
    """Which tokens have a residual worth passing on (more than `skip` anywhere); returns whether any has."""
    some = False
    for t in range(n):
        hot[t] = top(magnitude(load(mu, t, lanes))) > skip
        some = some or hot[t]
    return some


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


@tiny
def learn_row(rows, s, i, size, rate, mode, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, now, skip, scratch):
    """Score, infer and hand on the gradient of row i, one of a batch of `size`. Returns its loss, whether it moves, and the step size."""
    n = rows.token[i + 1] - rows.token[i]
    gold = rows.gold[rows.token[i] : rows.token[i + 1]]
    fill(rows, s, i, n, rule, node, edge, now)
    clear(s, n)
    loss = measure(upper, s, gold, rows.price, n, 1.0) - measure(lower, s, gold, rows.price, n, -1.0)
    scale = rows.weight[i] / size
    moves = lively(rows, s, n, skip, scratch) and scale != 0.0
    if moves:
        rate = stretch(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch)
        pull(rows, s, i, n, rule, node, edge, node_pending, edge_pending, scale, rate, now, mode, skip, scratch)
        bend(rule, upper, lower, rows, s, i, n, gold, scale, node, edge, node_pending, edge_pending, now, skip, scratch)
    return rows.weight[i] * loss, moves, rate


@tiny
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
def sweep(order, batch, rows, s, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, before, skip, scratch):
    """Visit the rows in `order`; `before`: steps taken in earlier sweeps. Returns the summed loss, the steps taken and the rows that moved.

    Each batch of rows is one step on the mean of its losses. Every weight is up to date only after rules.settle.
    """
    loss_sum, moved, now = 0.0, 0, np.int64(0)
    mode = MOVE if batch == 1 and node_pending.span == 1 and not gathers(rows) else KEEP
    for first in range(0, len(order), batch):
        rate = pace(schedule, before + now)
        size = min(batch, len(order) - first)
        for b in range(first, first + size):
            i = order[b]
            loss, moves, rate = learn_row(
                rows, s, i, size, rate, mode, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, now, skip, scratch
            )
            loss_sum += loss
            moved += moves
        if mode == KEEP:
            flush(node, node_pending, rule, rate, now)
            flush(edge, edge_pending, rule, rate, now)
        before, now = end_step(rule, node, edge, rate, before, now)
    return loss_sum, before + now, now, moved
