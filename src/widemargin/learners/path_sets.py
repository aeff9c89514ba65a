"""n working sets, one per row, of paths or trees (kernels/paths.py): how much room they have, and what goes when it is not used."""

import numpy as np

from widemargin.kernels.paths import Paths
from widemargin.problem import Problem
from widemargin.problem_arcs import ArcProblem

ROOM = 4  # planes per row at the start; doubled when some row needs more


class PathSets:
    """Paths with masses, by row; room grows when a row has filled its own with planes that carry mass."""

    def __init__(self, problem: Problem):
        corpus = problem.corpus
        self.tokens, self.rows, self.share = len(corpus.gold), corpus.rows, corpus.weight / corpus.rows
        self.type = np.int32 if isinstance(problem, ArcProblem) else np.int16
        self.paths = self._tables(ROOM, np.ones(self.rows), np.zeros(self.rows))

    def _tables(self, room: int, rest: np.ndarray, gap: np.ndarray) -> Paths:
        cost, offset, mass = (np.zeros((self.rows, room)) for _ in range(3))
        idle = np.full((self.rows, room), -1, np.int16)
        return Paths(np.zeros((room, self.tokens), self.type), cost, offset, mass, idle, rest, gap)

    @property
    def room(self) -> int:
        return len(self.paths.part)

    def grow(self, most: float) -> None:
        """Twice the room, if that takes at most so many bytes."""
        if 2 * self.bytes > most:
            return
        old, room = self.paths, self.room
        self.paths = self._tables(2 * room, old.rest, old.gap)
        self.paths.part[:room] = old.part
        for name in ("cost", "offset", "mass", "idle"):
            getattr(self.paths, name)[:, :room] = getattr(old, name)

    def age(self, prune: int) -> None:
        """One epoch older; planes that have had no mass for more than `prune` epochs go (0: they stay)."""
        idle, there = self.paths.idle, self.paths.idle >= 0
        idle[there] = np.where(self.paths.mass[there] > 0.0, 0, np.minimum(idle[there] + 1, np.iinfo(np.int16).max - 1))
        if prune:
            idle[idle > prune] = -1

    @property
    def offset(self) -> float:
        """sum_i c_i sum_y a_iy b_iy."""
        return float((self.share[:, None] * self.paths.mass * self.paths.offset).sum())  # no BLAS: its threads would spin

    @property
    def planes(self) -> int:
        return int((self.paths.idle >= 0).sum())

    @property
    def bytes(self) -> int:
        return sum(table.nbytes for table in self.paths)

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything, for a checkpoint."""
        return {f"paths.{name}": table for name, table in self.paths._asdict().items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.paths = Paths(*(np.array(arrays[f"paths.{name}"]) for name in Paths._fields))
