"""One pass over the data: score, infer, step. One loop serves every target x input x structure x objective x rule, chosen by the types of
its arguments."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, kernel, tiny
from widemargin.engine import lazy  # noqa: F401  (gives catch_up its meanings)
from widemargin.engine.rows import (
    GATHER,
    MOVE,
    Step,
    apply_gradient,
    end_of_step,
    gathers,
    has_residual,
    observe,
    row,
    score,
    squared_length,
)
from widemargin.engine.rules import is_full, record_step
from widemargin.engine.structure import clear, outputs
from widemargin.engine.table_steps import Scale, flush
from widemargin.engine.tables import GRADIENT, Reader, for_each
from widemargin.engine.terms import measure


class Schedule(NamedTuple):
    """Step size of Sgd: rate / (1 + decay * step)^power."""

    rate: float
    decay: float
    power: float


class Capped(NamedTuple):
    """MIRA's step size: min(cap, loss / |g|^2). A type of its own, because only it needs |g|^2, a visit of all features before the step."""

    cap: float


class Learning(NamedTuple):
    """What a sweep moves, and how."""

    rule: tuple
    tables: tuple  # a bundle of weights
    pending: tuple  # a Pending per table, empty between batches
    schedule: tuple
    skip: float  # residuals up to this are taken for 0


class Batches(NamedTuple):
    """Which rows are visited, and how many make one step."""

    order: np.ndarray  # int64 [n]
    size: int
    whole: int  # 0, or the rows are a piece of one batch of so many (batch_shards.py): their gradient is gathered, and no step is taken
    summed: bool  # is a step on the sum of the batch's losses, and not on their mean?


class Progress(NamedTuple):
    """How far a sweep has come: what it is given, and gives back."""

    place: int  # rows of the order that are done
    before: int  # steps taken before the rule's log was begun anew,
    now: int  # and since
    loss: float  # summed over the rows so far, each times its weight
    moved: int  # rows with a residual


class Visit(NamedTuple):
    """One row while the sweep is at it; `low`: the lower term's output."""

    i: int
    n: int
    gold: np.ndarray | tuple
    price: np.ndarray | tuple
    low: np.ndarray | tuple
    loss: float
    scale: float  # of its gradient in the batch's


# ---- step sizes -----------------------------------------------------------------------------------------------------------------------


@generic
def scheduled_rate(schedule, step):
    """The step size at a step, before any row has been looked at."""
    raise TypeError(schedule)


@scheduled_rate.when(Schedule)
def _(schedule, step):
    return schedule.rate / (1.0 + schedule.decay * step) ** schedule.power


@scheduled_rate.when(Capped)
def _(schedule, step):
    return 0.0


@generic
def row_rate(schedule, rate, rows, s, visit, upper, reader, learning):
    """(the step size for this row, is its gradient gathered already?), once its loss and residuals are known.

    A schedule may change mu. If the gradient is gathered, it stands in learning.pending, times the row's scale.
    """
    raise TypeError(schedule)


@row_rate.when(Schedule)
def _(schedule, rate, rows, s, visit, upper, reader, learning):
    return rate, False


@row_rate.when(Capped)
def _(schedule, rate, rows, s, visit, upper, reader, learning):
    square = squared_length(rows.input, s, visit.i, visit.n, learning.skip, learning.pending, reader)
    if gathers(rows.input) and visit.scale != 1.0:
        for_each(reader.tables, learning.pending, learning.pending, Scale(visit.scale))
    # the whole step is rate * scale: passive-aggressive with the cap C * weight
    return min(schedule.cap, visit.loss / (square * visit.scale)) if square > 0.0 else 0.0, gathers(rows.input)


@generic
def gather_curvature(rule, terms, rows, s, visit, reader, learning):
    """Gather the curvature of a row's loss along the rule's direction, for a rule that has one. mu, the row's residuals, may be
    overwritten."""


@gather_curvature.when(object)
def _(rule, terms, rows, s, visit, reader, learning):
    pass


# ---- the loop -------------------------------------------------------------------------------------------------------------------------


@tiny
def pass_on(mode, rate, rows, s, terms, visit, reader, learning):
    """The row's residual, in mu, goes to the weights or to what is gathered; rate: of the batch so far. Returns the rate from here on, and
    1, or 0 where there was no residual."""
    skip, pending, scale = learning.skip, learning.pending, visit.scale
    if not has_residual(rows.input, s, visit.n, skip) or scale == 0.0:
        return rate, 0
    rate, gathered = row_rate(learning.schedule, rate, rows, s, visit, terms.upper, reader, learning)
    if not gathered:
        apply_gradient(rows.input, s, visit.i, visit.n, Step(mode, scale, rate, skip, GRADIENT), pending, reader)
    gather_curvature(learning.rule, terms, rows, s, visit, reader, learning)
    return rate, 1


@kernel
def sweep(batches, rows, s, terms, learning, progress):
    """Visit the rows of batches.order from progress.place on; returns the fields of the Progress where it stopped: at the end, at a row
    for which s or the rows' scratch has no room, or because the rule's log is full. Called again with more room or all weights settled,
    and that progress, it goes on as if it had not stopped.

    Each batch of rows is one step on the mean of its losses, or on their sum. Every weight is up to date only after tables.settle.
    """
    order, batch, whole, summed = batches
    rule, tables, pending, schedule, _ = learning
    place, before, now, loss_sum, moved = progress
    high, low = outputs(s)
    mode = MOVE if batch == 1 and pending[0].layers == 1 and not gathers(rows.input) else GATHER
    for first in range(place - place % batch, len(order), batch):
        rate = scheduled_rate(schedule, before + now)
        last = min(first + batch, len(order))
        share = 1.0 if summed else 1.0 / (whole or last - first)
        reader = Reader(rule, tables, now)
        for b in range(max(first, place), last):
            i = order[b]
            n, gold, price = row(rows.target, i)
            if not score(rows.input, s, i, n, reader):
                return b, before, now, loss_sum, moved
            clear(s, n)
            loss = measure(terms.upper, s, gold, price, n, 1.0, high) - measure(terms.lower, s, gold, price, n, -1.0, low)
            observe(rows.target, s, i, n)
            loss_sum += rows.weight[i] * loss
            visit = Visit(i, n, gold, price, low, loss, rows.weight[i] * share)
            rate, some = pass_on(mode, rate, rows, s, terms, visit, reader, learning)
            moved += some
        if whole:
            continue
        if mode == GATHER:
            flush(tables, pending, rule, rate, now)
        end_of_step(rows.input, rule, rate)
        now += 1
        record_step(rule, rate, now)
        if is_full(rule, now):
            return last, before, now, loss_sum, moved
    return len(order), before, now, loss_sum, moved
