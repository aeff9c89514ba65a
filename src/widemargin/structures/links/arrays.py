"""Pairs of a candidate and a correct one: arrays in, arrays out."""

import numpy as np

from widemargin.engine.terms import Max, answer
from widemargin.errors import InputError
from widemargin.structures.links.kernel import Links as Workspace
from widemargin.structures.lists.kernel import CORRECT, SEVERAL, WRONG, Gold


class Links:
    """One candidate of a list of which several may be correct. Scores are [K]; correct: bool [K]."""

    name = "links"
    offers = frozenset({"argmax"})
    part_type = np.int64  # of a pair as a number (working sets)

    def workspace(self, room: int, *, dtype) -> Workspace:
        """Memory of one thread for rows of up to `room` candidates."""
        score, mu, work, right = (np.zeros(room, dtype) for _ in range(4))
        return Workspace(score, mu, work, right, (np.zeros(2, np.int32), np.zeros(2, np.int32)))

    def argmax(self, scores: np.ndarray, correct: np.ndarray, price: np.ndarray) -> tuple[float, np.ndarray]:
        """max (score + price) less the highest score of a correct candidate, and the indicator of the one less that of the other [K]."""
        scores, correct, price = np.asarray(scores, float), np.asarray(correct, bool), np.asarray(price, float)
        if scores.ndim != 1 or scores.shape != correct.shape or scores.shape != price.shape or not correct.any():
            raise InputError("scores, correct and price must be one value per candidate, of which at least one is correct")
        s = self.workspace(len(scores), dtype=np.float64)
        s.score[:] = scores
        mark = np.where(correct, CORRECT, WRONG).astype(np.int8)
        return answer(Max(1.0, False), s, Gold(np.int32(SEVERAL), mark), price, len(scores)), s.mu
