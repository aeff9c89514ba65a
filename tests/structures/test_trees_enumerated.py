"""Structures over arcs against lists of all trees up to 5 words: every operation, mask, root rule and objective, labelled or not."""

import numba
import numpy as np
import pytest
import tree_enumeration as brute

from widemargin.kernels.arc_labels import Prices
from widemargin.kernels.batch import clear, measure
from widemargin.kernels.jit import kernel
from widemargin.objectives import OBJECTIVES
from widemargin.structures.trees import TREES

COMPILED = bool(not numba.config.DISABLE_JIT)
# compiled, a few; every other combination would compile for seconds, and is run as plain Python by test_trees_without_jit.py
KINDS = [("eisner", True), ("eisner", False), ("arborescence", True), ("arborescence", False), ("heads", False)]
SIZES = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 1), (2, 3), (3, 2)]  # words, labels
if COMPILED:
    KINDS, SIZES = KINDS[:-1], [(1, 0), (3, 0), (5, 0)]
MASKS = ["none", "arcs", "labelled arcs"]
SCALES = [1.0, 30.0, 500.0]  # 500: numbers underflow, and sums are taken in logarithms


class Case:
    """One structure, random scores, a mask that leaves a tree, and all its trees."""

    def __init__(self, kind, size, mask, seed, scale=1.0):
        (self.name, single), (n, labels) = kind, size
        random = np.random.default_rng([seed, n, labels, MASKS.index(mask)])
        shape = (n + 1, n + 1, labels) if labels else (n + 1, n + 1)
        self.structure = TREES[self.name](labels, single_root=single)
        self.scores, self.direction = random.normal(size=shape) * scale, random.normal(size=shape)
        self.allowed = None
        if mask != "none":
            # one tree is always left: a chain from the root to the last word
            self.allowed = random.random(shape if mask == "labelled arcs" else shape[:2]) < 0.5
            self.allowed[np.arange(n), np.arange(1, n + 1)] = True
        self.trees = brute.every(self.name, n, single, labels, self.allowed)
        self.shape, self.scale, self.n, self.labels, self.random = shape, scale, n, labels, random

    def close(self, found, expected):
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-9 * max(1.0, self.scale))
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-9)


def matrix(test):
    marks = [pytest.mark.parametrize("kind", KINDS), pytest.mark.parametrize("size", SIZES), pytest.mark.parametrize("mask", MASKS)]
    for mark in marks:
        test = mark(test)
    return test


@matrix
def test_argmax_is_the_best_tree(kind, size, mask):
    for seed in range(5):
        case = Case(kind, size, mask, seed)
        case.close(case.structure.argmax(case.scores, case.allowed), brute.best(case.trees, case.scores))


@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_logsum_sums_over_all_trees(kind, size, mask, scale):
    for seed in range(3):
        case = Case(kind, size, mask, seed, scale)
        case.close(case.structure.logsum(case.scores, case.allowed), brute.log_of_sum(case.trees, case.scores))


@pytest.mark.parametrize("kind", KINDS)
def test_sums_where_numbers_overflow_and_underflow(kind):
    """Gaps around those where numbers as they are must give way to logarithms, and ties that hide them."""
    case, random = Case(kind, (4, 0), "none", 0), np.random.default_rng(1458)
    for _ in range(1500 if COMPILED else 100):
        scores = -random.random(case.shape) * random.choice([100, 300, 700, 1500])
        case.scale, scores = 100.0, np.where(random.random(case.shape) < 0.7, scores, 0.0)
        case.close(case.structure.logsum(scores), brute.log_of_sum(case.trees, scores))


@pytest.mark.skipif(not COMPILED, reason="the matrix has it")
def test_labels_compiled():
    case = Case(("arborescence", True), (3, 2), "labelled arcs", 1)
    case.close(case.structure.argmax(case.scores, case.allowed), brute.best(case.trees, case.scores))
    case.close(case.structure.logsum(case.scores, case.allowed), brute.log_of_sum(case.trees, case.scores))


@pytest.mark.skipif(COMPILED, reason="complex numbers would compile for half a minute; test_trees_without_jit.py runs this")
@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_tilt_is_the_covariance_with_a_direction(kind, size, mask, scale):
    for seed in range(2):
        case = Case(kind, size, mask, seed, scale)
        case.close(case.structure.tilt(case.scores, case.direction, case.allowed), brute.tilted(case.trees, case.scores, case.direction))


@matrix
def test_kbest_lists_every_tree_once_and_best_first(kind, size, mask):
    case = Case(kind, size, mask, 7)
    if len(case.trees.heads) > 150:
        wanted = (1, 20)
    else:
        wanted = (1, 2, 7, len(case.trees.heads), len(case.trees.heads) + 3)
    scores = np.sort(brute.scored(case.trees, case.scores))[::-1]
    for k in wanted:
        found = case.structure.kbest(case.scores, k, case.allowed)
        assert len(found) == min(k, len(scores))
        np.testing.assert_allclose([value for value, _ in found], scores[:k], atol=1e-9)
        np.testing.assert_allclose([(mu * case.scores).sum() for _, mu in found], scores[:k], atol=1e-9)
        listed = {mu.tobytes() for _, mu in found}
        assert len(listed) == len(found)
        assert listed <= {mu.tobytes() for mu in case.trees.phi}


@pytest.mark.skipif(COMPILED, reason="seven objectives would compile for minutes; test_trees_without_jit.py runs this")
@pytest.mark.parametrize("objective", [name for name in OBJECTIVES if name != "slack"])  # which trees do not offer
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(1, 0), (3, 0), (4, 0), (2, 3), (3, 2)])
@pytest.mark.parametrize("known", [0.0, 0.5, 1.0])
def test_every_objective_over_arcs(objective, kind, size, known):
    """terms.py knows nothing of trees; G is what agrees with the known heads and labels."""
    for seed in range(3):
        case = Case(kind, size, "none", seed)
        tree = case.random.integers(len(case.trees.heads))
        gold = np.stack([case.trees.heads[tree], case.trees.labels[tree]], axis=1).astype(np.int32)
        gold[case.random.random(gold.shape) >= known] = -1
        s, n = case.structure._loaded(case.scores, None)
        wrong = case.structure.prices(0.7, 0.4)
        row = OBJECTIVES[objective]
        loss = row_loss(row.upper, row.lower, s, gold, wrong, n)
        c = brute.prices(gold, case.shape, 0.7, 0.4)
        expected = brute.objective_value(objective, case.trees, case.scores, c, brute.agreeing(case.trees, gold))
        case.close((loss, case.structure._mu(s)), expected)
        if case.labels:
            np.testing.assert_allclose(s.arcs.mu, expected[1].sum(axis=2), atol=1e-9)


@kernel
def row_loss(upper, lower, s, gold, price, n):
    """What a learner asks for."""
    clear(s, n)
    return measure(upper, s, gold, price, n, 1.0) - measure(lower, s, gold, price, n, -1.0)


def test_prices_may_differ_by_gold_label():
    structure = TREES["eisner"](2)
    s, n = structure._loaded(np.zeros((2, 2, 2)), None)
    price = Prices(np.array([1.0, 2.0, 3.0]), np.array([[0.0, 5.0, 0.0, 0.0], [6.0, 0.0, 0.0, 0.0]]))
    hinge = OBJECTIVES["hinge"]
    if not COMPILED:
        for label, expected in ((0, 5.0), (1, 6.0), (-1, 0.0)):
            assert row_loss(hinge.upper, hinge.lower, s, np.array([[0, label]], np.int32), price, n) == expected
