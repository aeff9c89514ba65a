"""One structure over arcs, random scores, a mask that leaves a tree, and all its trees: what the matrix of tree tests runs over."""

import numpy as np
import tree_enumeration as brute

from widemargin.compiler.jit import kernel
from widemargin.engine.structure import clear, outputs
from widemargin.engine.terms import measure
from widemargin.structures.arcs.trees import TREES, TreeParts

ROOTED = ["eisner", "arborescence", "siblings"]
KINDS = [(name, single) for name in ROOTED for single in (True, False)] + [("heads", False)]  # structure, single root
SIZES = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 1), (2, 3), (3, 2)]  # words, labels
MASKS = ["none", "arcs", "labelled arcs"]
SCALES = [1.0, 30.0, 500.0]  # 500: numbers underflow, and sums are taken in logarithms


def flat(parts):
    """Scores or marginals of all parts in one row."""
    return np.concatenate([table.reshape(-1) for table in (parts if isinstance(parts, TreeParts) else (parts,))])


class Case:
    """asked: scores as the structure takes them; numbers: the same in one row; trees: their 0/1 rows."""

    def __init__(self, kind, size, mask="none", seed=0, scale=1.0):
        (self.name, single), (n, labels) = kind, size
        random = np.random.default_rng([seed, n, labels, MASKS.index(mask)])
        self.shape = (n + 1, n + 1, labels) if labels else (n + 1, n + 1)
        self.structure = TREES[self.name](labels, single_root=single)
        self.asked, self.direction, self.allowed = random.normal(size=self.shape) * scale, random.normal(size=self.shape), None
        if mask != "none":
            # one tree is always left: a chain from the root to the last word
            self.allowed = random.random(self.shape if mask == "labelled arcs" else self.shape[:2]) < 0.5
            self.allowed[np.arange(n), np.arange(1, n + 1)] = True
        found = brute.every(self.name, n, single, labels, self.allowed)
        if self.name == "siblings":
            self.asked = TreeParts(self.asked, random.normal(size=(n + 1,) * 3) * scale)
            siblings = [brute.siblings_of(heads).reshape(-1) for heads in found.heads.tolist()]
            found = found._replace(phi=np.concatenate([found.phi, siblings], axis=1))
        self.trees = found
        self.numbers, self.scale, self.n, self.labels, self.random = flat(self.asked), scale, n, labels, random

    def row(self, arcs):
        """Numbers of arcs, and 0 for parts of higher order."""
        return np.concatenate([arcs.reshape(-1), np.zeros(len(self.numbers) - arcs.size)])

    def random_gold(self, known):
        """One of the trees, [n, 2], each head and label known with this probability."""
        tree = self.random.integers(len(self.trees.heads))
        gold = np.stack([self.trees.heads[tree], self.trees.labels[tree]], axis=1).astype(np.int32)
        gold[self.random.random(gold.shape) >= known] = -1
        return gold

    def agrees(self, found, expected):
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-9 * max(1.0, self.scale))
        np.testing.assert_allclose(flat(found[1]), expected[1], rtol=1e-9, atol=1e-9)


@kernel
def row_loss(upper, lower, s, gold, price, n):
    """What a learner asks for."""
    clear(s, n)
    high, low = outputs(s)
    return measure(upper, s, gold, price, n, 1.0, high) - measure(lower, s, gold, price, n, -1.0, low)
