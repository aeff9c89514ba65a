"""One of several mixed learners, where its shard of the rows is, and the weights that travel to and from it (mixing.py)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from widemargin.engine.mixing import copy_rows
from widemargin.engine.problem import Problem
from widemargin.engine.tables import Weights
from widemargin.errors import InputError
from widemargin.learners.base import Best
from widemargin.learners.online_run import Run, plane_of


class Part(NamedTuple):
    """Some weight rows of a table, or all."""

    rows: np.ndarray | None  # int64 [r], in order; None: all F
    w: np.ndarray  # [*, L]
    stride: int  # rows of lanes from one weight row to the next
    packed: bool  # has w these rows alone, one behind the other? Else row f begins at f * stride
    stepped: np.ndarray = np.empty(0, np.uint8)  # of a learner: in which of the F rows it had a step, a bit each (np.packbits)

    def begin(self, rows: np.ndarray, count: int) -> np.ndarray:
        """Where these rows, of the table's `count`, begin in w; -1 for those that are not in it."""
        if self.rows is None or not self.packed:
            return rows * self.stride
        at = np.full(count, -1, np.int64)
        at[self.rows] = np.arange(len(self.rows)) * self.stride
        return at[rows]


class Done(NamedTuple):
    """What a learner tells after an epoch."""

    facts: dict
    rows: int  # of its shard
    parts: list[Part]  # its weights, one Part per table


def is_lazy(problem: Problem) -> bool:
    """Do weights change only where there is a gradient? With a penalty all of them do."""
    return problem.penalty.l1 == 0.0 and problem.penalty.l2 == 0.0


class ShardRun(Run):
    """One of the mixed learners, where its shard is."""

    shared = False  # is its memory that of the mixture?

    def finish(self, before: int, now: int) -> int:
        """Takes note of the weight rows that had a step: lazy updates set `last` of no others. An epoch may end in several pieces."""
        for had, table in zip(self.stepped, self.weights_of):
            had |= table.last != 0
        return super().finish(before, now)

    def take(self, parts: Sequence[Part]) -> None:
        """Weights from elsewhere."""
        for table, part in zip(self.weights_of, parts):
            rows = np.arange(len(table.last)) if part.rows is None else part.rows
            copy_rows(part.w, part.begin(rows, len(table.last)), table.row, rows * table.row_stride, table.height)

    def mixed_epoch(self, number: int, parts: Sequence[Part]) -> Done:
        """An epoch from these weights."""
        self.take(parts)
        self.stepped = [np.zeros(len(table.last), bool) for table in self.weights_of]
        facts = self.epoch(number)
        lazy = is_lazy(self.problem)
        own = [self._part(table, np.flatnonzero(had) if lazy else None, had) for table, had in zip(self.weights_of, self.stepped)]
        return Done(facts, self.problem.corpus.rows, own)

    def _part(self, table: Weights, rows: np.ndarray | None, had: np.ndarray) -> Part:
        """These rows of a table, or all: the table itself where memory is shared, else a copy of what takes less; a row is 8 bytes of
        number, and its lanes."""
        stepped, width = np.packbits(had), table.row.shape[1]
        if self.shared:
            return Part(rows, table.row, table.row_stride, False, stepped)
        size = table.height * width * self.dtype.itemsize
        if rows is None or len(rows) * (8 + size) >= len(table.last) * size:
            rows = None
        some = np.arange(len(table.last)) if rows is None else rows
        w = np.empty((len(some) * table.height, width), self.dtype)
        copy_rows(table.row, some * table.row_stride, w, np.arange(len(some)) * table.height, table.height)
        return Part(rows, w, table.height, True, stepped)

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
        """The mean loss of the shard."""
        return self.problem.loss(w)


def make_run(learner: Any, shape: tuple[int, int], shared: bool, problem: Callable[[], Problem]) -> ShardRun:
    """The learner of a shard, on the worker that calls this; its weights are of this shape. shared: see ShardRun."""
    made = problem()
    if made.shape != shape:
        raise InputError(f"a shard has weights of shape {made.shape} where the others have {shape}; were files changed meanwhile?")
    run = ShardRun(learner, made, None)
    run.shared = shared
    return run
