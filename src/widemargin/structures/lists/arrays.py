"""One of a row's candidates: arrays in, arrays out."""

import numpy as np

from widemargin.engine.structure import UNKNOWN
from widemargin.engine.terms import LogSum, Max, answer, augment_row, kbest_row, tilt_row
from widemargin.errors import InputError
from widemargin.structures.listing import listable
from widemargin.structures.lists.kernel import ILLEGAL, WRONG, BestCandidates, Gold
from widemargin.structures.lists.kernel import Lists as Workspace


class Lists:
    """One candidate of a list of any length. Scores are [K]; allowed: bool [K], which of them may be chosen."""

    name = "lists"
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "strata", "argmin"})
    part_type = np.int32  # of a candidate as a number (working sets)

    def workspace(self, room: int, *, dtype) -> Workspace:
        """Memory of one thread for rows of up to `room` candidates."""
        score, mu, work, direction = (np.zeros(room, dtype) for _ in range(4))
        return Workspace(score, mu, work, direction, (np.zeros(1, np.int32), np.zeros(1, np.int32)))

    def kbest_memory(self, room: int, k: int, dtype=np.float64) -> BestCandidates:
        """Memory for the k best candidates, fewer where there are fewer."""
        k = listable(k, room, 16)
        return BestCandidates(np.zeros(k), np.zeros(k, np.int32))

    def argmax(self, scores: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """The highest score and the indicator of its candidate, the first if several have it."""
        return self._ask(Max(0.0, False), scores, allowed)

    def logsum(self, scores: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """Log of the sum of exp(score), and the probabilities."""
        return self._ask(LogSum(0.0, False), scores, allowed)

    def tilt(self, scores: np.ndarray, direction: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """E[d] and Cov(candidate, d)."""
        s, gold = self._loaded(scores, allowed)
        s.direction[:] = direction
        return tilt_row(s, gold, s.direction, len(s.score)), s.mu

    def kbest(self, scores: np.ndarray, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, np.ndarray]]:
        """The k best candidates, best first: scores and indicators."""
        s, gold = self._loaded(scores, allowed)
        n, found = len(s.score), self.kbest_memory(len(s.score), k)
        augment_row(s, gold, s.direction, n)
        count = kbest_row(s, n, found)
        return [(float(value), (np.arange(n) == c).astype(float)) for value, c in zip(found.value[:count], found.candidate)]

    def _ask(self, term, scores, allowed):
        s, gold = self._loaded(scores, allowed)
        return answer(term, s, gold, s.direction, len(s.score)), s.mu

    def _loaded(self, scores, allowed) -> tuple[Workspace, Gold]:
        """A workspace with these scores, and a gold of which nothing is known but what is legal."""
        scores = np.asarray(scores, float)
        mark = np.full(scores.shape, WRONG, np.int8)
        if allowed is not None:
            allowed = np.asarray(allowed, bool)
            if allowed.shape != scores.shape:
                raise InputError(f"the mask of allowed candidates has shape {allowed.shape}, and the scores have {scores.shape}")
            mark[~allowed] = ILLEGAL
        if scores.ndim != 1 or not (mark == WRONG).any():
            raise InputError("scores must be one number per candidate, of which at least one is allowed")
        s = self.workspace(len(scores), dtype=np.float64)
        s.score[:] = scores
        return s, Gold(np.int32(UNKNOWN), mark)
