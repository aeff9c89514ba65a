"""What structures over arcs share: arrays in, kernels, arrays out.

Parts are arcs: scores, indicators, marginals and directions are arrays [n+1, n+1] by (head, modifier), or [n+1, n+1, R] with R labels.
Head 0 is the root. Column 0 and the diagonal are no arcs: not read, and 0 in answers. A mask `allowed` has the same shape, or that of arcs.
"""

from typing import Any

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.engine.tables import aligned
from widemargin.engine.terms import LogSum, Max, answer, augment_row, kbest_row, tilt_row
from widemargin.errors import InputError
from widemargin.structures.arcs.kbest import BestTrees, NoLists, best_trees
from widemargin.structures.arcs.kernel import Arcs, Tree
from widemargin.structures.arcs.labels import ALL_ARCS, UNKNOWN, Labels, NoLabels, Prices
from widemargin.structures.listing import listable, outcomes

DERIVATIONS = 64 * 32  # bytes of derivations for each tree that is listed, where they are listed lazily


class Trees:
    """What the structures share: arrays in, kernels, arrays out."""

    name = ""
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "argmin"})
    counts_roots = True  # can it be told that the root has one child?
    part_type = np.int32  # of a head and a label as one number (working sets)

    def __init__(self, labels: int = 0, *, single_root: bool = True):
        """labels: how many an arc may have; 0: arcs without labels. single_root: the root has one child."""
        self.labels, self.single_root = labels, single_root

    def workspace(self, longest: int, *, dtype) -> Any:
        """Scratch memory for sentences of up to `longest` words."""
        raise NotImplementedError

    def argmax(self, scores: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """Best tree: its score and its indicator over arcs."""
        return self._ask(Max(0.0, False), scores, allowed)

    def logsum(self, scores: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """log of the sum of exp(score) over trees, and the arcs' marginals."""
        return self._ask(LogSum(0.0, False), scores, allowed)

    def tilt(self, scores: np.ndarray, direction: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """E[d] and Cov(arc, d) under exp(score)/Z: the derivatives of logsum and of the marginals along d."""
        s, n = self._loaded(scores, allowed)
        direction = np.asarray(direction, float)
        if direction.shape != self._shape(n):
            raise InputError(f"the direction has shape {direction.shape}, the scores of arcs {self._shape(n)}; they must be the same")
        if self.labels:
            s.arcs.labels.direction[:, : self.labels], s.arcs.labels.direction_head[:] = direction.reshape(-1, self.labels), ALL_ARCS
            s.arcs.direction[:] = 0.0
        else:
            s.arcs.direction[:] = direction.T
        return self._value(tilt_row(s, unknown(n), self.prices(), n)), self._mu(s)

    def kbest(self, scores: np.ndarray, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, np.ndarray]]:
        """The k best trees, best first (fewer when there are fewer)."""
        s, n = self._loaded(scores, allowed)
        augment_row(s, unknown(n), self.prices(), n)
        value, heads, labels = self.kbest_trees(s, n, k)
        return [(float(value[i]), self._indicator(heads[i, 1:], labels[i, 1:])) for i in range(len(value))]

    def kbest_trees(self, s, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values [<= k], heads and labels int32 [<= k, T+1] of the k best trees under s.arcs.work."""
        found = self.kbest_memory(len(s.arcs.work) - 1, k, s.arcs.work.dtype)
        count = self._list_trees(s, n, found)
        return found.value[:count], found.head[:count], found.label[:count]

    def kbest_memory(self, longest: int, k: int, dtype) -> BestTrees:
        """Memory for the k best trees of a sentence, fewer where there are fewer."""
        exist = outcomes(longest * max(1, self.labels), longest)
        return best_trees(longest, listable(k, exist, DERIVATIONS + 16 * (longest + 3)), dtype)

    def _list_trees(self, s, n: int, found: BestTrees) -> int:
        """Trees into `found`, by branching, for any structure; returns how many there are."""
        return kbest_row(s, n, found)

    def kbest_lists(self, longest: int, room: int) -> Any:
        """What listing trees needs besides kbest_memory: nothing, by branching; a structure that lists lazily, room for derivations."""
        return NoLists(0)

    def prices(self, head: float = 0.0, label: float = 0.0, *, dtype=np.float64) -> Prices:
        """The same price for every wrong head, and for every wrong label at a right head."""
        L = width_of(lanes_for(self.labels))
        wrong = np.zeros((self.labels, L), dtype)
        wrong[:, : self.labels] = label * (1 - np.eye(self.labels))
        return Prices(np.full(self.labels + 1, head, dtype), wrong)

    def arcs(self, longest: int, dtype) -> Arcs:
        """Tables for the arcs of a sentence."""
        across = longest + 1

        def table(kind=dtype):
            return aligned((across, across), kind)

        labels: NoLabels | Labels = NoLabels(0)
        if self.labels:
            lanes = lanes_for(self.labels)
            A, L = across * across, width_of(lanes)
            legal = np.full((1, L), -np.inf, dtype)
            legal[:, : self.labels] = 0.0
            labels = Labels(
                kinds=self.labels,
                lanes=lanes,
                legal=legal,
                score=aligned((A, L), dtype),
                mu=aligned((A, L), dtype),
                fresh=np.zeros(A, np.bool_),
                work=aligned((across + 1, L), dtype),
                direction=aligned((A, L), dtype),
                right=np.full(across, UNKNOWN, np.int32),
                direction_head=np.full(across, UNKNOWN, np.int32),
                only=np.full(across, UNKNOWN, np.int32),
            )
        output = tuple(Tree(np.zeros(across, np.int32), np.zeros(across, np.int32)) for _ in range(2))
        return Arcs(labels, table(), table(), output, table(), *(table(np.float64) for _ in range(3)))

    def _shape(self, n):
        return (n + 1, n + 1, *([self.labels] if self.labels else []))

    def _indicator(self, heads, labels):
        mu, words = np.zeros(self._shape(len(heads))), np.arange(1, len(heads) + 1)
        mu[(heads, words, labels) if self.labels else (heads, words)] = 1.0
        return mu

    def _ask(self, term, scores, allowed):
        s, n = self._loaded(scores, allowed)
        return self._value(answer(term, s, unknown(n), self.prices(), n)), self._mu(s)

    def _loaded(self, scores, allowed):
        scores = np.asarray(scores, float)
        if scores.ndim < 2 or scores.shape != self._shape(len(scores) - 1) or len(scores) < 2:
            tail = f", {self.labels}" if self.labels else ""
            raise InputError(f"arc scores have shape {scores.shape}; [n+1, n+1{tail}] by (head, modifier), for n >= 1 words, was expected")
        n = len(scores) - 1
        if allowed is not None:
            allowed = np.asarray(allowed, bool)
            if allowed.shape not in (scores.shape, scores.shape[:2]):
                raise InputError(f"the mask of allowed arcs has shape {allowed.shape}, the scores {scores.shape}; they must be the same")
            scores = np.where(allowed if allowed.ndim == scores.ndim else allowed[..., None], scores, -np.inf)
        possible = np.isfinite(scores if scores.ndim == 2 else scores.max(axis=2)) & ~np.eye(n + 1, dtype=bool)
        if not possible[:, 1:].any(axis=0).all():
            raise InputError(
                f"word {1 + int(np.argmin(possible[:, 1:].any(axis=0)))} has no allowed head; allow at least one for every word"
            )
        s = self.workspace(n, dtype=np.float64)
        if self.labels:
            s.arcs.score[:] = np.where(possible, 0.0, -np.inf)
            s.arcs.labels.score[:] = s.arcs.labels.legal
            s.arcs.labels.score[:, : self.labels] = scores.reshape(-1, self.labels)
        else:
            s.arcs.score[:] = scores
        return s, n

    def _value(self, value):
        if not np.isfinite(value):
            rule = "with one child of the root" if self.single_root else "at all"
            raise InputError(f"nothing is allowed under this mask: it leaves no tree of {self.name} {rule}; allow more arcs")
        return value

    def _mu(self, s):
        if not self.labels:
            return s.arcs.mu.copy()
        across, labels = len(s.arcs.mu), s.arcs.labels
        return np.where(labels.fresh[:, None], labels.mu[:, : self.labels], 0.0).reshape(across, across, self.labels)


def unknown(n: int) -> np.ndarray:
    """A gold of which nothing is known."""
    return np.full((n, 2), UNKNOWN, np.int32)
