"""Projective trees with scores of neighbouring siblings (structures/arcs/siblings.py): parts are pairs of arcs and siblings."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.structures.arcs.arrays import Trees
from widemargin.structures.arcs.eisner import BLOCK
from widemargin.structures.arcs.siblings import ITEMS
from widemargin.structures.arcs.siblings import Siblings as SiblingSpace


class TreeParts(NamedTuple):
    """Scores, indicators or marginals of arcs, and [n+1, n+1, n+1] of siblings by (head, next sibling inside, modifier).

    Siblings are on one side of the head; where the modifier is the innermost, the head stands for its sibling. Other places are not read.
    """

    arc: np.ndarray
    sibling: np.ndarray


class Siblings(Trees):
    """Projective trees with scores of neighbouring siblings."""

    name = "siblings"

    def workspace(self, longest: int, *, dtype) -> SiblingSpace:
        across, wide = longest + 1, longest // BLOCK + 1
        blocks = aligned(((ITEMS * across + 2 * ITEMS) * wide, BLOCK), dtype)
        parts = longest * across * wide  # blocks of parts; only those of the sentences at hand are ever touched
        score = aligned((parts, BLOCK), dtype)
        return SiblingSpace(
            arcs=self.arcs(longest, dtype),
            single=self.single_root,
            lanes=lanes_of(BLOCK),
            score=score.reshape(-1),
            score_blocks=score,
            mu=np.zeros(parts * BLOCK, dtype),
            fresh=np.zeros(longest * across, np.bool_),
            inside=np.zeros(across, np.int32),
            last=np.zeros(across, np.int32),
            rows=blocks[: ITEMS * across * wide].reshape(ITEMS, across, wide * BLOCK),
            so_far=blocks[ITEMS * across * wide :].reshape(-1),
            in_blocks=blocks,
            stack=np.zeros((4 * across, 3), np.int32),
            chart=np.zeros((10, across, across)),
            marginal=np.zeros(parts * BLOCK),
            peak=np.zeros(across),
            tilted=np.zeros((11, across, across), np.complex128),
            leaning=np.zeros(parts * BLOCK, np.complex128),
        )

    def sibling_scores(self, s, n: int) -> np.ndarray:
        """[n+1, n+1, n+1] by (head, sibling, modifier) of the sentence that has been scored; 0 where there is no part."""
        part, place, _ = sibling_places(n)
        scores = np.zeros((n + 1, n + 1, n + 1))
        scores[part] = s.score[place]
        return scores

    def _loaded(self, scores, allowed):
        s, n = super()._loaded(scores.arc, allowed)
        siblings = np.asarray(scores.sibling, float)
        if siblings.shape != (n + 1, n + 1, n + 1):
            raise InputError(f"sibling scores have shape {siblings.shape}; {(n + 1,) * 3} by (head, sibling, modifier) was expected")
        part, place, _ = sibling_places(n)
        s.score[place] = siblings[part]
        return s, n

    def _mu(self, s):
        n = len(s.arcs.mu) - 1
        part, place, row = sibling_places(n)
        mu = np.zeros((n + 1, n + 1, n + 1))
        mu[part] = np.where(s.fresh[row], s.mu[place], 0.0)
        return TreeParts(super()._mu(s), mu)

    def _indicator(self, heads, labels):
        mu = np.zeros((len(heads) + 1,) * 3)
        for m, h in enumerate(heads.tolist(), 1):
            between = [x for x in range(min(h, m) + 1, max(h, m)) if heads[x - 1] == h]
            mu[h, min(between, key=lambda x: abs(x - m), default=h), m] = 1.0
        return TreeParts(super()._indicator(heads, labels), mu)


def sibling_places(n: int) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """All parts (head, sibling, modifier) of a sentence of n words, and the place and row of each in the tables of siblings.py."""
    h, s, m = np.indices((n + 1, n + 1, n + 1)).reshape(3, -1)
    keep = (m > 0) & (m != h) & ((s == h) | ((s > np.minimum(h, m)) & (s < np.maximum(h, m))))
    h, s, m = h[keep], s[keep], m[keep]
    right = h < m
    row = np.where(right, m * (m - 1) + 2 * s, h * (h - 1) + 2 * np.where(s == h, m, s) + 1)
    return (h, s, m), row * (n // BLOCK + 1) * BLOCK + np.where(right, h, m), row
