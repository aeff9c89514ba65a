"""n working sets, one per row, of outputs (engine/working_sets.py): how much room they have, and what goes when it is not used."""

import numpy as np

from widemargin.engine.problem import Problem
from widemargin.engine.working_sets import WorkingSets
from widemargin.errors import InputError
from widemargin.learners.base import put_back

KEPT = ("part", "cost", "offset", "mass", "idle", "rest", "gap")  # of WorkingSets; the others are scratch
ROOM = 4  # planes per row at the start; doubled when some row needs more


class OutputSets:
    """Outputs with masses, by row; room grows when a row has filled its own with planes that carry mass."""

    def __init__(self, problem: Problem):
        corpus = problem.corpus
        self.rows, self.share = corpus.rows, corpus.weight / corpus.rows
        if not hasattr(problem.structure, "part_type"):
            raise InputError(f"working sets need outputs as numbers, which {problem.structure.name} does not offer; use one-slack or ops")
        self.slots, self.type = problem.slots(), problem.structure.part_type
        self.tables = self._tables(ROOM, np.ones(self.rows), np.zeros(self.rows))

    def _tables(self, room: int, rest: np.ndarray, gap: np.ndarray) -> WorkingSets:
        cost, offset, mass = (np.zeros((self.rows, room)) for _ in range(3))
        idle = np.full((self.rows, room), -1, np.int16)
        part, most = np.zeros((room, int(self.slots[-1])), self.type), int(np.diff(self.slots).max())
        right, hot = np.zeros(most, np.int64), np.zeros(most, np.bool_)
        return WorkingSets(self.slots, part, cost, offset, mass, idle, rest, gap, right, hot, np.zeros(room))

    @property
    def room(self) -> int:
        return len(self.tables.part)

    def grow(self, most: float) -> None:
        """Twice the room, if that takes at most so many bytes."""
        if 2 * self.bytes > most:
            return
        old, room = self.tables, self.room
        self.tables = self._tables(2 * room, old.rest, old.gap)
        self.tables.part[:room] = old.part
        for name in ("cost", "offset", "mass", "idle"):
            getattr(self.tables, name)[:, :room] = getattr(old, name)

    def age(self, prune: int) -> None:
        """One epoch older; planes that have had no mass for more than `prune` epochs go (0: they stay)."""
        idle, there = self.tables.idle, self.tables.idle >= 0
        idle[there] = np.where(self.tables.mass[there] > 0.0, 0, np.minimum(idle[there] + 1, np.iinfo(np.int16).max - 1))
        if prune:
            idle[idle > prune] = -1

    @property
    def offset(self) -> float:
        """sum_i c_i sum_y a_iy b_iy."""
        return float((self.share[:, None] * self.tables.mass * self.tables.offset).sum())  # no BLAS: its threads would spin

    @property
    def planes(self) -> int:
        return int((self.tables.idle >= 0).sum())

    @property
    def bytes(self) -> int:
        return sum(getattr(self.tables, name).nbytes for name in KEPT)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything, for a checkpoint."""
        return {f"paths.{name}": getattr(self.tables, name) for name in KEPT}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        room = len(arrays.get("paths.part", self.tables.part))
        self.tables = self._tables(room, np.ones(self.rows), np.zeros(self.rows))
        put_back(self.arrays(), arrays)
