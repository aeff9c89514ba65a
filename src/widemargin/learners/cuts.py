"""Cuts: one working set for the whole mean loss (one-slack). A cut is a subgradient, kept sparse over the weight table, and its offset;
the Gram matrix of all cuts grows with them, one row at a time."""

import numpy as np

from widemargin.learners.base import other_checkpoint, put_back

PER_NUMBER = 12  # bytes of a position and a value


class Cuts:
    """Planes offset_k + <g_k, w> below the mean loss: g_k as flat positions in the weight table and values; G_kj = sum m g_k g_j."""

    def __init__(self, copies: np.ndarray, shape: tuple[int, int]):
        self.copies, self.shape = copies, shape
        self.at: list[np.ndarray] = []
        self.value: list[np.ndarray] = []
        self.offset, self.mass, self.idle = np.zeros(0), np.zeros(0), np.zeros(0, np.int64)
        self.gram = np.zeros((0, 0))

    def add(self, g: np.ndarray, offset: float, mass: float = 0.0) -> bool:
        """One more plane with that mass; False when it is there already, which then gets the mass."""
        at = np.flatnonzero(g).astype(np.int32 if g.size < 2**31 else np.int64)
        value = g.ravel()[at]
        for k in range(self.planes):
            if self.offset[k] == offset and np.array_equal(self.at[k], at) and np.array_equal(self.value[k], value):
                self.mass[k] += mass
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
        self.offset, self.mass, self.idle = np.append(self.offset, offset), np.append(self.mass, mass), np.append(self.idle, 0)
        return True

    def age(self, prune: int) -> None:
        """One epoch older; planes that have had no mass for more than `prune` epochs go (0: they stay)."""
        self.idle = np.where(self.mass > 0.0, 0, self.idle + 1)
        if prune:
            self._keep(np.flatnonzero(self.idle <= prune))

    def _keep(self, left: np.ndarray) -> None:
        if len(left) < self.planes:
            self.at, self.value = [self.at[k] for k in left], [self.value[k] for k in left]
            self.offset, self.mass, self.idle = self.offset[left], self.mass[left], self.idle[left]
            self.gram = self.gram[np.ix_(left, left)]

    def shrink(self, most: float) -> None:
        """At most so many bytes, or two planes: those without mass go, the one that has been so longest first; then the two lightest become
        their mean, weighed by mass. A mean of planes below the loss is below it, and neither w nor the dual changes."""
        while self.bytes > most and self.planes > 2:
            if (self.mass == 0.0).any():
                self._keep(np.delete(np.arange(self.planes), np.argmax(np.where(self.mass == 0.0, self.idle, -1))))
                continue
            pair = np.argsort(self.mass)[:2]
            parts, mass = self.mass[pair] / self.mass[pair].sum(), self.mass[pair].sum()
            g = np.zeros(self.shape)
            for k, part in zip(pair, parts):
                g.reshape(-1)[self.at[k]] += part * self.value[k]
            offset = float(parts @ self.offset[pair])
            self._keep(np.setdiff1d(np.arange(self.planes), pair))
            self.add(g, offset, mass)

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
        at, value = (np.concatenate(parts) if parts else np.zeros(0, kind) for parts, kind in ((self.at, np.int32), (self.value, float)))
        return {
            "cuts.sizes": sizes,
            "cuts.at": at,
            "cuts.value": value,
            "cuts.offset": self.offset,
            "cuts.mass": self.mass,
            "cuts.idle": self.idle,
            "cuts.gram": self.gram,
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        sizes, at = arrays.get("cuts.sizes", np.zeros((0, 0))), arrays.get("cuts.at", np.zeros(0))
        K, numbers = sizes.size, {"cuts.value": np.zeros(at.size), "cuts.sizes": np.zeros(sizes.size, np.int64)}
        numbers |= {"cuts.idle": np.zeros(K, np.int64), "cuts.gram": np.zeros((K, K))}
        put_back(numbers | {f"cuts.{name}": np.zeros(K) for name in ("offset", "mass")}, arrays)
        inside = at.dtype.kind == "i" and at.ndim == 1 and 0 <= at.min(initial=0) <= at.max(initial=0) < np.prod(self.shape)
        if not inside or sizes.min(initial=0) < 0 or sizes.sum() != len(at):
            raise other_checkpoint()
        ends = np.cumsum(arrays["cuts.sizes"])[:-1]
        some = len(arrays["cuts.sizes"]) > 0
        self.at, self.value = (np.split(np.array(arrays[f"cuts.{name}"]), ends) if some else [] for name in ("at", "value"))
        self.offset, self.mass, self.idle, self.gram = (np.array(arrays[f"cuts.{name}"]) for name in ("offset", "mass", "idle", "gram"))
