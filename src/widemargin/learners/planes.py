"""Working sets of planes: what dual learners keep of the outputs they have met.

`PathSets`: n sets, one per row, whose planes are paths (n-slack, kernels/planes.py). `Cuts`: one set, whose planes are subgradients of the
whole mean loss, kept sparse over the weight table with their Gram matrix (one-slack).
"""

import numpy as np

from widemargin.kernels.planes import Paths
from widemargin.problem import Problem

ROOM = 4  # planes per row at the start; doubled when some row needs more


class PathSets:
    """Paths with masses, by row; room grows when a row has filled its own with planes that carry mass."""

    def __init__(self, problem: Problem):
        corpus = problem.corpus
        self.tokens, self.rows, self.share = len(corpus.gold), corpus.rows, corpus.weight / corpus.rows
        self.paths = Paths(*self._tables(ROOM), np.ones(self.rows))

    def _tables(self, room: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        n = self.rows
        return np.zeros((room, self.tokens), np.int16), np.zeros((n, room)), np.zeros((n, room)), np.full((n, room), -1, np.int16)

    @property
    def room(self) -> int:
        return len(self.paths.label)

    def grow(self) -> None:
        """Twice the room."""
        old, room = self.paths, self.room
        self.paths = Paths(*self._tables(2 * room), old.rest)
        self.paths.label[:room] = old.label
        for name in ("offset", "mass", "idle"):
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
        return float(self.share @ (self.paths.mass * self.paths.offset).sum(axis=1))

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


class Cuts:
    """Planes offset_k + <g_k, w> below the mean loss: g_k as flat positions in the weight table and values; G_kj = sum m g_k g_j."""

    def __init__(self, copies: np.ndarray, shape: tuple[int, int]):
        self.copies, self.shape = copies, shape
        self.at: list[np.ndarray] = []
        self.value: list[np.ndarray] = []
        self.offset, self.mass, self.idle = np.zeros(0), np.zeros(0), np.zeros(0, np.int64)
        self.gram = np.zeros((0, 0))

    def add(self, g: np.ndarray, offset: float) -> bool:
        """One more plane, with no mass; False when it is there already."""
        at = np.flatnonzero(g)
        value = g.ravel()[at]
        for k in range(self.planes):
            if self.offset[k] == offset and np.array_equal(self.at[k], at) and np.array_equal(self.value[k], value):
                return False
        there = (g * self.copies[:, None]).ravel()
        self.at.append(at)
        self.value.append(value)
        column = np.array([v @ there[a] for a, v in zip(self.at, self.value)])
        K = len(column)
        gram = np.zeros((K, K))
        gram[:-1, :-1] = self.gram
        gram[-1], gram[:, -1] = column, column
        self.gram = gram
        self.offset, self.mass, self.idle = np.append(self.offset, offset), np.append(self.mass, 0.0), np.append(self.idle, 0)
        return True

    def age(self, prune: int) -> None:
        """One epoch older; planes that have had no mass for more than `prune` epochs go (0: they stay)."""
        self.idle = np.where(self.mass > 0.0, 0, self.idle + 1)
        if prune and (self.idle > prune).any():
            left = np.flatnonzero(self.idle <= prune)
            self.at, self.value = [self.at[k] for k in left], [self.value[k] for k in left]
            self.offset, self.mass, self.idle, self.gram = (
                self.offset[left],
                self.mass[left],
                self.idle[left],
                self.gram[np.ix_(left, left)],
            )

    def weights(self, l2: float) -> np.ndarray:
        """w = -1/l2 sum_k a_k g_k; a row of m merged features holds the sum of theirs."""
        w = np.zeros(self.shape)
        flat = w.reshape(-1)
        for a, at, value in zip(self.mass, self.at, self.value):
            if a > 0.0:
                flat[at] -= a / l2 * value
        return w * self.copies[:, None]

    @property
    def planes(self) -> int:
        return len(self.offset)

    @property
    def bytes(self) -> int:
        return sum(a.nbytes + v.nbytes for a, v in zip(self.at, self.value)) + self.gram.nbytes

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything, for a checkpoint."""
        sizes = np.array([len(a) for a in self.at], np.int64)
        at, value = (np.concatenate(parts) if parts else np.zeros(0) for parts in (self.at, self.value))
        return {
            "cuts.sizes": sizes,
            "cuts.at": at.astype(np.int64),
            "cuts.value": value,
            "cuts.offset": self.offset,
            "cuts.mass": self.mass,
            "cuts.idle": self.idle,
            "cuts.gram": self.gram,
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        ends = np.cumsum(arrays["cuts.sizes"])[:-1]
        some = len(arrays["cuts.sizes"]) > 0
        self.at, self.value = (np.split(np.array(arrays[f"cuts.{name}"]), ends) if some else [] for name in ("at", "value"))
        self.offset, self.mass, self.idle, self.gram = (np.array(arrays[f"cuts.{name}"]) for name in ("offset", "mass", "idle", "gram"))
