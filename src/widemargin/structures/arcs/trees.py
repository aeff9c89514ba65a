"""Dependency trees over a sentence of n words: eisner (projective), arborescence (any tree) and heads (each word alone); siblings.py."""

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.structures.arcs.arborescence import Arborescence as ArborescenceSpace
from widemargin.structures.arcs.arrays import Trees, unknown
from widemargin.structures.arcs.eisner import BLOCK
from widemargin.structures.arcs.eisner import Eisner as EisnerSpace
from widemargin.structures.arcs.eisner_kbest import DerivationLists, kbest_projective
from widemargin.structures.arcs.heads import Heads as HeadsSpace
from widemargin.structures.arcs.kbest import BestTrees
from widemargin.structures.arcs.sibling_trees import Siblings, TreeParts

__all__ = ["TREES", "Arborescence", "Eisner", "Heads", "Siblings", "TreeParts", "Trees", "unknown"]


class Eisner(Trees):
    """Projective trees: no arc crosses another."""

    name = "eisner"

    def workspace(self, longest: int, *, dtype) -> EisnerSpace:
        across, wide = longest + 1, -(-(longest + 2) // BLOCK)
        blocks = aligned(((4 * across + 6) * wide, BLOCK), dtype)
        return EisnerSpace(
            arcs=self.arcs(longest, dtype),
            single=self.single_root,
            lanes=lanes_of(BLOCK),
            rows=blocks[: 4 * across * wide].reshape(4, across, wide * BLOCK),
            so_far=blocks[4 * across * wide :].reshape(-1),
            in_blocks=blocks,
            stack=np.zeros((2 * across, 3), np.int32),
            chart=np.zeros((12, across, across)),
            tilted=np.zeros((13, across, across), np.complex128),
        )

    def kbest_lists(self, longest: int, room: int) -> DerivationLists:
        return lists_of(longest, room)

    def _list_trees(self, s, n: int, found: BestTrees) -> int:
        """Lazily, over the chart."""
        work = s.arcs.work.copy()
        room = 64 * (n + len(found.value))
        while (count := kbest_projective(s, n, lists_of(n, room), found)) < 0:
            s.arcs.work[:], room = work, 4 * room
        return count


def lists_of(n: int, room: int) -> DerivationLists:
    """Empty lists of derivations of a sentence's items, `room` in all."""
    items, deep = 4 * (n + 1) ** 2 + 1, 8 * (n + 1)
    waiting, first, last = (np.zeros(items, np.int32) for _ in range(3))
    return DerivationLists(
        value=np.zeros(room),
        split=np.zeros(room, np.int32),
        choice=np.zeros((room, 3), np.int32),
        then=np.zeros(room, np.int32),
        used=np.zeros(1, np.int64),
        waiting=waiting,
        first=first,
        last=last,
        ended=np.zeros(items, np.bool_),
        asked=np.zeros((deep, 2), np.int32),
        stack=np.zeros((deep, 4), np.int32),
    )


class Arborescence(Trees):
    """All trees; arcs may cross."""

    name = "arborescence"

    def workspace(self, longest: int, *, dtype) -> ArborescenceSpace:
        across = longest + 1
        blocks = aligned((across * -(-(longest + 1) // BLOCK), BLOCK), np.float64)
        state, path, live, place, name = (np.zeros(across, np.int32) for _ in range(5))
        taken, above = (np.zeros(2 * across, np.int32) for _ in range(2))
        return ArborescenceSpace(
            arcs=self.arcs(longest, dtype),
            single=self.single_root,
            lanes=lanes_of(BLOCK),
            gain=blocks.reshape(across, -1),
            in_blocks=blocks,
            from_root=np.zeros(across),
            origin=np.zeros((across, across), np.int32),
            state=state,
            path=path,
            live=live,
            place=place,
            name=name,
            taken=taken,
            above=above,
            chart=np.zeros((3, across, across)),
            tilted=np.zeros((4, across, across), np.complex128),
        )


class Heads(Trees):
    """Every word chooses its head alone: no promise that the arcs are a tree."""

    name = "heads"
    counts_roots = False

    def __init__(self, labels: int = 0, *, single_root: bool = False):
        super().__init__(labels, single_root=False)
        if single_root:
            raise InputError("heads are chosen word by word, so the root may have any number of children; use eisner or arborescence")

    def workspace(self, longest: int, *, dtype) -> HeadsSpace:
        return HeadsSpace(self.arcs(longest, dtype))


TREES: dict[str, type[Trees]] = {"eisner": Eisner, "siblings": Siblings, "arborescence": Arborescence, "heads": Heads}
