"""Trees with siblings beside those without, in one workspace for all lengths; test_trees_enumerated.py has them against lists of trees."""

import numpy as np
import pytest
from modes import COMPILED

from widemargin.engine.terms import LogSum, answer
from widemargin.errors import InputError
from widemargin.structures.arcs.sibling_trees import sibling_places
from widemargin.structures.arcs.trees import TREES, TreeParts, unknown

pytestmark = pytest.mark.twice


@pytest.mark.wide
def test_without_scores_of_siblings_it_is_eisner():
    random = np.random.default_rng(3)
    for n in (1, 9, 30) if COMPILED else (1, 7):
        arc = random.normal(size=(n + 1, n + 1))
        pair = TreeParts(arc, np.zeros((n + 1,) * 3))
        for single in (True, False):
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
    for array in (s.score, s.marginal, s.mu):
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
