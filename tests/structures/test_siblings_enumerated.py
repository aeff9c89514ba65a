"""Trees with siblings against lists of all projective trees up to 5 words: every operation, mask, root rule and objective."""

import numpy as np
import pytest
import tree_enumeration as brute
from test_trees_enumerated import COMPILED, MASKS, SCALES, Case, row_loss

from widemargin.errors import InputError
from widemargin.kernels.decode import answer
from widemargin.kernels.terms import LogSum
from widemargin.objectives import OBJECTIVES
from widemargin.structures.siblings import sibling_places
from widemargin.structures.trees import TREES, TreeParts, unknown

ROOTS = [True, False]
SIZES = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 1), (2, 3), (3, 2)]  # words, labels
if COMPILED:
    SIZES = [(1, 0), (3, 0), (5, 0)]


class SiblingCase(Case):
    """Arcs and siblings in one row of numbers per tree, so that the twins of tree_enumeration.py hold as they are."""

    def __init__(self, single, size, mask, seed, scale=1.0):
        super().__init__(("siblings", single), size, mask, seed, scale)
        self.pair = TreeParts(self.scores, self.random.normal(size=(self.n + 1,) * 3) * scale)
        siblings = np.array([brute.siblings_of(heads) for heads in self.trees.heads.tolist()])
        flat = [table.reshape(len(self.trees.heads), -1) for table in (self.trees.phi, siblings)]
        self.rows = self.trees._replace(phi=np.concatenate(flat, axis=1))
        self.numbers = joined(self.pair)

    def agrees(self, found, expected):
        self.close((found[0], joined(found[1])), expected)


def joined(pair):
    """Arcs and siblings in one row."""
    return np.concatenate([pair.arc.reshape(-1), pair.sibling.reshape(-1)])


def matrix(test):
    marks = [pytest.mark.parametrize("single", ROOTS), pytest.mark.parametrize("size", SIZES), pytest.mark.parametrize("mask", MASKS)]
    for mark in marks:
        test = mark(test)
    return test


@matrix
def test_argmax_is_the_best_tree(single, size, mask):
    for seed in range(5):
        case = SiblingCase(single, size, mask, seed)
        case.agrees(case.structure.argmax(case.pair, case.allowed), brute.best(case.rows, case.numbers))


@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_logsum_sums_over_all_trees(single, size, mask, scale):
    for seed in range(3):
        case = SiblingCase(single, size, mask, seed, scale)
        case.agrees(case.structure.logsum(case.pair, case.allowed), brute.log_of_sum(case.rows, case.numbers))


@pytest.mark.skipif(COMPILED, reason="complex numbers would compile for half a minute; test_trees_without_jit.py runs this")
@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_tilt_is_the_covariance_with_a_direction(single, size, mask, scale):
    case = SiblingCase(single, size, mask, 2, scale)
    direction = joined(TreeParts(case.direction, np.zeros((case.n + 1,) * 3)))
    case.agrees(case.structure.tilt(case.pair, case.direction, case.allowed), brute.tilted(case.rows, case.numbers, direction))


@matrix
def test_kbest_lists_every_tree_once_and_best_first(single, size, mask):
    case = SiblingCase(single, size, mask, 7)
    scores = np.sort(brute.scored(case.rows, case.numbers))[::-1]
    for k in (1, 2, 20) if len(scores) > 100 else (1, 2, 7, len(scores), len(scores) + 3):
        found = case.structure.kbest(case.pair, k, case.allowed)
        assert len(found) == min(k, len(scores))
        np.testing.assert_allclose([value for value, _ in found], scores[:k], atol=1e-9)
        np.testing.assert_allclose([joined(mu) @ case.numbers for _, mu in found], scores[:k], atol=1e-9)
        assert len({mu.arc.tobytes() for _, mu in found}) == len(found)


@pytest.mark.skipif(COMPILED, reason="seven objectives would compile for minutes; test_trees_without_jit.py runs this")
@pytest.mark.parametrize("objective", [name for name in OBJECTIVES if name != "slack"])  # which trees do not offer
@pytest.mark.parametrize("single", ROOTS)
@pytest.mark.parametrize("size", [(1, 0), (3, 0), (4, 0), (2, 3), (3, 2)])
@pytest.mark.parametrize("known", [0.0, 0.5, 1.0])
def test_every_objective_over_arcs_and_siblings(objective, single, size, known):
    for seed in range(3):
        case = SiblingCase(single, size, "none", seed)
        tree = case.random.integers(len(case.trees.heads))
        gold = np.stack([case.trees.heads[tree], case.trees.labels[tree]], axis=1).astype(np.int32)
        gold[case.random.random(gold.shape) >= known] = -1
        s, n = case.structure._loaded(case.pair, None)
        row = OBJECTIVES[objective]
        loss = row_loss(row.upper, row.lower, s, gold, case.structure.prices(0.7, 0.4), n)
        price = TreeParts(brute.prices(gold, case.shape, 0.7, 0.4), np.zeros((n + 1,) * 3))
        agreeing = brute.agreeing(case.trees, gold)
        keep = [i for i, phi in enumerate(case.trees.phi) if any((phi == other).all() for other in agreeing.phi)]
        inside = brute.Listed(*(table[keep] for table in case.rows))
        expected = brute.objective_value(objective, case.rows, case.numbers, joined(price), inside)
        case.agrees((loss, case.structure._mu(s)), expected)


def test_without_scores_of_siblings_it_is_eisner():
    random = np.random.default_rng(3)
    for n in (1, 9, 30) if COMPILED else (1, 7):
        arc = random.normal(size=(n + 1, n + 1))
        pair = TreeParts(arc, np.zeros((n + 1,) * 3))
        for single in ROOTS:
            first, second = TREES["eisner"](single_root=single), TREES["siblings"](single_root=single)
            np.testing.assert_allclose(second.argmax(pair)[1].arc, first.argmax(arc)[1])
            (value, mu), (total, chance) = first.logsum(arc), second.logsum(pair)
            np.testing.assert_allclose(total, value)
            np.testing.assert_allclose(chance.arc, mu, atol=1e-12)
            np.testing.assert_allclose(chance.sibling.sum(axis=1), mu, atol=1e-12)


def test_one_space_serves_sentences_of_any_length():
    """Rows of parts are as long as the sentence needs, so what an earlier one left must not be seen."""
    random = np.random.default_rng(5)
    structure = TREES["siblings"]()

    s = structure.workspace(9, dtype=np.float64)
    for array in (s.score, s.chance, s.mu):
        array[:] = 1e6
    for n in (9, 3, 8, 2):
        pair = TreeParts(random.normal(size=(n + 1, n + 1)), random.normal(size=(n + 1,) * 3))
        part, place, row = sibling_places(n)
        s.arcs.score[: n + 1, : n + 1], s.score[place] = pair.arc, pair.sibling[part]
        value = answer(LogSum(0.0, False), s, unknown(n), structure.prices(), n)
        expected, mu = structure.logsum(pair)
        np.testing.assert_allclose(value, expected)
        np.testing.assert_allclose(np.where(s.fresh[row], s.mu[place], 0.0), mu.sibling[part], atol=1e-12)


def test_the_wrong_shape_is_refused():
    with pytest.raises(InputError, match="by \\(head, sibling, modifier\\)"):
        TREES["siblings"]().argmax(TreeParts(np.zeros((3, 3)), np.zeros((3, 3))))
