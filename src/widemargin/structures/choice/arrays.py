"""One label out of K: multi-class classification as the smallest structure."""

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.engine.tables import aligned
from widemargin.engine.terms import UNKNOWN, LogSum, Max, answer, tilt_row
from widemargin.errors import InputError
from widemargin.structures.base import Legal, Parts, barrier, masked, refuse_if_empty
from widemargin.structures.choice.kernel import BestLabels
from widemargin.structures.choice.kernel import Choice as Workspace
from widemargin.structures.listing import listable


class Choice:
    """One label for each token by itself. A row has one token and K alternatives; scores are Parts(node [1, K])."""

    name = "choice"
    splits_rows = True  # every token is a row of its own, and there are no transitions
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "strata", "argmin"})
    part_type = np.int16  # of a label as a number (working sets)

    def __init__(self, labels: int, legal: Legal | None = None, *, base: np.ndarray | None = None):
        if base is not None and np.any(base):
            raise InputError("a choice has no transitions for base scores to be added to; use a chain")
        self.labels, self.legal = labels, legal
        self.lanes = lanes_for(labels)

    def workspace(self, longest: int, *, per_position: bool, dtype) -> Workspace:
        """Scratch memory; every row has one token."""
        L = width_of(self.lanes)
        start = barrier(None if self.legal is None else self.legal.start, (1, self.labels), L, dtype)
        stop = barrier(None if self.legal is None else self.legal.stop, (1, self.labels), L, dtype)
        node, mu, work, direction = (aligned((1, L), dtype) for _ in range(4))
        output = np.zeros(1, np.int32), np.zeros(1, np.int32)
        return Workspace(self.lanes, self.labels, start, stop, node, mu, output, work, direction)

    def argmax(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """Best alternative and its indicator."""
        return self._ask(Max(0.0, False), scores, allowed)

    def logsum(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """log of the sum of exp(score), and the probabilities."""
        return self._ask(LogSum(0.0, False), scores, allowed)

    def tilt(self, scores: Parts, direction: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """E[d] and Cov(part, d)."""
        s = self._loaded(scores, allowed)
        s.direction[:, : self.labels] = direction.node
        value = tilt_row(s, np.full(1, UNKNOWN, np.int32), s.direction, 1)
        return value, Parts(s.mu_node[:, : self.labels].copy())

    def kbest(self, scores: Parts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, Parts]]:
        """The k best alternatives."""
        s = self._loaded(scores, allowed)
        values = (s.node + s.start + s.stop)[0, : self.labels]
        order = [y for y in np.argsort(-values, kind="stable")[:k] if values[y] > -np.inf]
        return [(float(values[y]), Parts(np.eye(self.labels)[y : y + 1])) for y in order]

    def kbest_memory(self, longest: int, k: int, dtype=np.float64) -> BestLabels:
        """Memory for the k best alternatives, fewer where there are fewer."""
        k = listable(k, self.labels, 16)
        return BestLabels(np.zeros(k), np.zeros(k, np.int32))

    def _ask(self, term, scores, allowed):
        s = self._loaded(scores, allowed)
        value = answer(term, s, np.full(1, UNKNOWN, np.int32), s.direction, 1)
        return value, Parts(s.mu_node[:, : self.labels].copy())

    def _loaded(self, scores, allowed):
        s = self.workspace(1, per_position=False, dtype=np.float64)
        s.node[:, : self.labels] = masked(np.asarray(scores.node, float).reshape(1, -1), allowed)
        refuse_if_empty((s.node + s.start + s.stop).max())
        return s
