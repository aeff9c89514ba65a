"""Structures over arcs against lists of all trees up to 5 words: every operation, mask, root rule and objective, labelled or not."""

import engine_enumeration as brute
import numpy as np
import pytest
from modes import COMPILED, cases
from tree_cases import KINDS, MASKS, SCALES, SIZES, Case, flat, row_loss

from widemargin.engine.objectives import OBJECTIVES
from widemargin.structures.arcs.trees import TREES

pytestmark = pytest.mark.twice
CHEAP = ("heads", "arborescence")  # to compile; complex numbers, labels or seven objectives for the others take minutes


def matrix(wide):
    """Every structure x size x mask; those with labels, or of which wide(name) holds, are not compiled by `make test`."""
    axes = cases(KINDS, SIZES, MASKS, wide=lambda kind, size, mask: wide(kind[0]) or (size[1] > 0 and (kind[0], size) != ("heads", (3, 2))))
    return pytest.mark.parametrize(("kind", "size", "mask"), axes)


@matrix(wide=lambda name: False)
def test_argmax_is_the_best_tree(kind, size, mask):
    for seed in range(5):
        case = Case(kind, size, mask, seed)
        case.agrees(case.structure.argmax(case.asked, case.allowed), brute.best(case.trees, case.numbers))


@matrix(wide=lambda name: False)
@pytest.mark.parametrize("scale", SCALES)
def test_logsum_sums_over_all_trees(kind, size, mask, scale):
    for seed in range(3):
        case = Case(kind, size, mask, seed, scale)
        case.agrees(case.structure.logsum(case.asked, case.allowed), brute.log_of_sum(case.trees, case.numbers))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[0] != "siblings"])
def test_sums_where_numbers_overflow_and_underflow(kind):
    """Gaps around those where numbers as they are must give way to logarithms, and ties that hide them."""
    case, random = Case(kind, (4, 0)), np.random.default_rng(1458)
    for _ in range(1500 if COMPILED else 100):
        scores = -random.random(case.shape) * random.choice([100, 300, 700, 1500])
        case.scale, scores = 100.0, np.where(random.random(case.shape) < 0.7, scores, 0.0)
        case.agrees(case.structure.logsum(scores), brute.log_of_sum(case.trees, scores.reshape(-1)))


@matrix(wide=lambda name: name not in CHEAP)
@pytest.mark.parametrize("scale", SCALES)
def test_tilt_is_the_covariance_with_a_direction(kind, size, mask, scale):
    for seed in range(2):
        case = Case(kind, size, mask, seed, scale)
        found = case.structure.tilt(case.asked, case.direction, case.allowed)
        case.agrees(found, brute.tilted(case.trees, case.numbers, case.row(case.direction)))


@matrix(wide=lambda name: False)
def test_kbest_lists_every_tree_once_and_best_first(kind, size, mask):
    case = Case(kind, size, mask, 7)
    scores = np.sort(case.trees.phi @ case.numbers)[::-1]
    for k in (1, 2, 20) if len(scores) > 100 else (1, 2, 7, len(scores), len(scores) + 3):
        found = case.structure.kbest(case.asked, k, case.allowed)
        assert len(found) == min(k, len(scores))
        np.testing.assert_allclose([value for value, _ in found], scores[:k], atol=1e-9)
        rows = np.array([flat(mu) for _, mu in found])
        np.testing.assert_allclose(rows @ case.numbers, scores[:k], atol=1e-9)
        listed = {row.tobytes() for row in rows}
        assert len(listed) == len(found)
        assert listed <= {phi.tobytes() for phi in case.trees.phi}


@pytest.mark.parametrize("name", cases(["heads", "eisner", "arborescence"], wide=lambda name: name != "heads"))
def test_prices_may_differ_by_gold_label(name):
    structure, hinge = TREES[name](2), OBJECTIVES["hinge"]
    s, n = structure._loaded(np.zeros((2, 2, 2)), None)
    price = structure.prices()
    price.head[:], price.label[:, :2] = [1.0, 2.0, 3.0], [[0.0, 5.0], [6.0, 0.0]]
    for label, expected in ((0, 5.0), (1, 6.0), (-1, 0.0)):
        assert row_loss(hinge.upper, hinge.lower, s, np.array([[0, label]], np.int32), price, n) == expected
