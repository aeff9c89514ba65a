"""Cuts: one working set for the whole mean loss (one-slack). A cut is a subgradient, kept sparse over the weight table, and its offset;
the Gram matrix of all cuts grows with them, one row at a time."""

import numpy as np


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
