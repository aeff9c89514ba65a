"""One of several mixed learners, where its shard of the rows is, and the weights that travel to and from it (mixing.py)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from widemargin.engine.mixing import copy_rows
from widemargin.engine.problem import Problem
from widemargin.engine.tables import Weights
from widemargin.errors import InputError
from widemargin.learners.base import Best
from widemargin.learners.mixed_tables import Alone, Part
from widemargin.learners.online_run import Run, plane_of


class Done(NamedTuple):
    """What a learner tells after an epoch."""

    facts: dict
    rows: int  # of its shard
    steps: int  # in this epoch
    parts: list[Part]  # the weights that have changed, one Part per table


def is_lazy(problem: Problem) -> bool:
    """Do weights change only where there is a gradient? With a penalty all of them do."""
    return problem.penalty.l1 == 0.0 and problem.penalty.l2 == 0.0


class Seat(NamedTuple):
    """How a learner sits among the others."""

    shape: tuple[int, int]  # of all weights
    shared: bool  # is its memory that of the mixture?
    apart: bool  # has it only the weight rows that its shard can touch, and settles those alone in which it had a step?


class ShardRun(Run):
    """One of the mixed learners, where its shard is."""

    def __init__(self, learner: Any, problem: Problem, seat: Seat):
        self.seat, self.counts = seat, [spec.rows for spec in problem.specs]
        self.own: Sequence[np.ndarray | None] = [None] * len(self.counts)
        if seat.apart:
            problem, self.own = problem.narrowed()
        super().__init__(learner, problem, None)
        self.settle_all = not seat.apart
        self.alone: Sequence[Alone] = ()  # of each table, where nobody else has some of its rows

    def own_rows(self) -> Sequence[np.ndarray | None]:
        """Which rows it has of each table, in order; None: all."""
        return self.own

    def steps_of_epoch(self) -> int:
        """How many steps it takes in an epoch."""
        return self.sweeps

    def keep_alone(self, alone: Sequence[Alone]) -> None:
        """From now on it keeps these rows to itself: their mix is what it makes of them. Sums are up to date after every epoch, weights
        when they are asked for (`give_alone`)."""
        self.alone = alone

    def give_alone(self) -> None:
        """Its weights of those rows, to the mixture."""
        for table, own, alone in zip(self.weights_of, self.own, self.alone):
            if own is not None:
                alone.keep(np.flatnonzero(alone.rows), own, table, self.epochs, self.sweeps)

    def finish(self, before: int, now: int) -> int:
        """Takes note of the weight rows that had a step: lazy updates set `last` of no others. An epoch may end in several pieces."""
        for had, table in zip(self.stepped, self.weights_of):
            had |= table.last != 0
        return super().finish(before, now)

    def take(self, parts: Sequence[Part]) -> None:
        """Weights from elsewhere."""
        for table, own, count, part in zip(self.weights_of, self.own, self.counts, parts):
            part.put(own, count, table.row, table.row_stride, table.height)

    def mixed_epoch(self, number: int, parts: Sequence[Part]) -> Done:
        """An epoch from these weights."""
        self.take(parts)
        self.stepped = [np.zeros(len(table.last), bool) for table in self.weights_of]
        before, facts = self.steps, self.epoch(number)
        if self.alone:
            for table, rows, alone, had in zip(self.weights_of, self.own, self.alone, self.stepped):
                if self.learner.average and rows is not None:
                    alone.keep(np.flatnonzero(had & alone.rows), rows, table, number, self.sweeps)
                had &= ~alone.rows
        own = [self._part(*found) for found in zip(self.weights_of, self.own, self.stepped)]
        return Done(facts, self.problem.corpus.rows, self.steps - before, own)

    def _part(self, table: Weights, own: np.ndarray | None, had: np.ndarray) -> Part:
        """The rows of a table that have changed: the table itself where memory is shared, else a copy of what takes less; a row is 8 bytes
        of number, and its lanes."""
        width, size = table.row.shape[1], table.height * table.row.shape[1] * self.dtype.itemsize
        at = np.flatnonzero(had) if is_lazy(self.problem) else None
        if at is not None and not self.seat.shared and len(at) * (8 + size) >= len(had) * size:
            at = None
        stepped = np.packbits(had) if at is None else np.empty(0, np.uint8)
        rows = at if own is None or at is None else own[at]
        if self.seat.shared:
            return Part(rows, at, table.row, table.row_stride, stepped)
        some = np.arange(len(had)) if at is None else at
        w = np.empty((len(some) * table.height, width), self.dtype)
        copy_rows(table.row, some * table.row_stride, w, np.arange(len(some)) * table.height, table.height)
        return Part(rows, None, w, table.height, stepped)

    def kept(self) -> dict[str, np.ndarray]:
        """Everything that its next epoch depends on."""
        return self.state(self.epochs, Best(0))

    def put(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on where `kept` was asked for."""
        self.epochs = self.restore((arrays, []), Best(0))[0] - 1

    def sums(self) -> tuple[int, list[np.ndarray]]:
        """How many steps there were, and the sum of the weights after each."""
        return self.steps, [np.ascontiguousarray(plane_of(table, table.slots + table.extra - 1)) for table in self.weights_of]

    def loss(self, w: np.ndarray) -> float:
        """The mean loss of the shard; w: all weights, as `seat.shape` says."""
        first, parts = 0, []
        for table, own, count in zip(self.weights_of, self.own, self.counts):
            size = table.height * table.row.shape[1]
            end = first + count * size // w.shape[1]
            part = w[first:end].reshape(count, size)
            parts.append((part if own is None else part[own]).reshape(-1, w.shape[1]))
            first = end
        return self.problem.loss(np.concatenate(parts))


def make_run(learner: Any, seat: Seat, problem: Callable[[], Problem]) -> ShardRun:
    """The learner of a shard, on the worker that calls this."""
    made = problem()
    if made.shape != seat.shape:
        raise InputError(f"a shard has weights of shape {made.shape} where the others have {seat.shape}; were files changed meanwhile?")
    return ShardRun(learner, made, seat)
