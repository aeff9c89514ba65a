"""One label out of K: multi-class classification as the smallest structure."""

import numpy as np

from widemargin.kernels.choice import Choice as Workspace
from widemargin.kernels.decode import answer
from widemargin.kernels.lanes import WIDTH, lanes_for
from widemargin.kernels.terms import UNKNOWN, LogSum, Max, tilt_row

from .base import Legal, Parts, aligned, barrier, masked, refuse_if_empty


class Choice:
    """K alternatives; a row has one token. Scores are Parts(node [1, K])."""

    name = "choice"
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "strata"})

    def __init__(self, labels: int, legal: Legal | None = None, *, base: np.ndarray | None = None):
        self.labels, self.legal = labels, legal
        self.lanes = lanes_for(labels)

    def workspace(self, longest: int, *, per_position: bool, dtype) -> Workspace:
        """Scratch memory; every row has one token."""
        L = WIDTH * len(self.lanes)
        start = barrier(None if self.legal is None else self.legal.start, (1, self.labels), L, dtype)
        stop = barrier(None if self.legal is None else self.legal.stop, (1, self.labels), L, dtype)
        node, mu, work, price = (aligned((1, L), dtype) for _ in range(4))
        return Workspace(self.lanes, self.labels, start, stop, node, mu, np.zeros(1, np.int32), work, price)

    def argmax(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """Best alternative and its indicator."""
        return self._ask(Max(0.0, False), scores, allowed)

    def logsum(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """log of the sum of exp(score), and the probabilities."""
        return self._ask(LogSum(0.0, False), scores, allowed)

    def tilt(self, scores: Parts, direction: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """E[d] and Cov(part, d)."""
        s = self._loaded(scores, allowed)
        s.price[:, : self.labels] = direction.node
        value = tilt_row(s, np.full(1, UNKNOWN, np.int32), s.price, 1)
        return value, Parts(s.mu_node[:, : self.labels].copy())

    def kbest(self, scores: Parts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, Parts]]:
        """The k best alternatives."""
        s = self._loaded(scores, allowed)
        values = (s.node + s.start + s.stop)[0, : self.labels]
        order = [y for y in np.argsort(-values, kind="stable")[:k] if values[y] > -np.inf]
        return [(float(values[y]), Parts(np.eye(self.labels)[y : y + 1])) for y in order]

    def _ask(self, term, scores, allowed):
        s = self._loaded(scores, allowed)
        value = answer(term, s, np.full(1, UNKNOWN, np.int32), s.price, 1)
        return value, Parts(s.mu_node[:, : self.labels].copy())

    def _loaded(self, scores, allowed):
        s = self.workspace(1, per_position=False, dtype=np.float64)
        s.node[:, : self.labels] = masked(np.asarray(scores.node, float).reshape(1, -1), allowed)
        refuse_if_empty((s.node + s.start + s.stop).max())
        return s
