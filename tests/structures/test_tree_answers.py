"""Trees beyond enumeration: long sentences, extreme scores, ties, masks that leave nothing, counts that are known, refusals."""

import math

import numpy as np
import pytest
from modes import COMPILED

from widemargin.errors import InputError
from widemargin.structures.arcs.trees import Arborescence, Eisner, Heads

pytestmark = pytest.mark.twice
BOTH = pytest.mark.parametrize("kind", [Eisner, Arborescence])
ROOTS = pytest.mark.parametrize("single", [True, False])
LONG = 150 if COMPILED else 12


def heads_of(mu):
    return mu.argmax(axis=0)[1:]


@ROOTS
def test_with_equal_scores_logsum_counts_trees(single):
    """Cayley's formula, and the ternary numbers of projective trees."""
    for n in range(1, 9):
        zero = np.zeros((n + 1, n + 1))
        trees = n ** (n - 1) if single else (n + 1) ** (n - 1)
        projective = math.comb(3 * n - 2, n - 1) // n if single else math.comb(3 * n, n) // (2 * n + 1)
        np.testing.assert_allclose(Arborescence(single_root=single).logsum(zero)[0], math.log(trees), atol=1e-10)
        np.testing.assert_allclose(Eisner(single_root=single).logsum(zero)[0], math.log(projective), atol=1e-10)


@BOTH
@ROOTS
@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_long_sentences_and_extreme_scores(kind, single, scale):
    random = np.random.default_rng(3)
    scores = random.uniform(-scale, scale, size=(LONG + 1, LONG + 1))
    structure = kind(single_root=single)
    best, mu = structure.argmax(scores)
    total, chance = structure.logsum(scores)
    np.testing.assert_allclose((mu * scores).sum(), best)
    assert best - 1e-9 * abs(best) <= total <= best + LONG * math.log(LONG + 1)
    np.testing.assert_allclose(chance.sum(axis=0)[1:], 1.0, atol=1e-8)
    assert chance.min() > -1e-9
    roots = chance[0].sum()
    assert abs(roots - 1.0) < 1e-8 if single else roots > 1.0 - 1e-8
    direction, step = random.normal(size=scores.shape), 1e-4
    slope = (structure.logsum(scores + step * direction)[0] - structure.logsum(scores - step * direction)[0]) / (2 * step)
    np.testing.assert_allclose(slope, (chance * direction).sum(), atol=1e-5)


@pytest.mark.parametrize("kind", [Eisner, Arborescence, Heads])
def test_scores_that_are_no_numbers(kind):
    """They come from weights that have overflowed: there may be no best tree then, but there is an end."""
    random = np.random.default_rng(4)
    for _ in range(100):
        n = random.integers(1, 12)
        scores = random.normal(size=(n + 1, n + 1))
        scores[random.random(size=scores.shape) < random.choice([0.1, 0.5, 0.9])] = np.nan
        try:
            value, mu = kind().argmax(scores)
        except InputError as error:
            assert "no allowed head" in str(error) or "nothing is allowed" in str(error)  # noqa: PT017  (either may be)
        else:
            assert np.isfinite(value)
            assert mu.sum() == n


@BOTH
def test_a_strong_cycle_loses_no_digits(kind):
    """Two words that want each other: the determinant is 1e-26 of its terms, and an inverse would have no digit of the marginals right."""
    scores = np.zeros((3, 3))
    scores[0, 1] = scores[0, 2] = -60.0
    total, chance = kind().logsum(scores)
    np.testing.assert_allclose(total, -60.0 + math.log(2.0), rtol=1e-14)
    np.testing.assert_allclose(chance, [[0, 0.5, 0.5], [0, 0, 0.5], [0, 0.5, 0]], rtol=1e-12)


@BOTH
@ROOTS
def test_the_best_tree_beats_its_neighbours(kind, single):
    """Forbidding any arc of the best tree does not lead to a better one, and forcing the tree leads back to it."""
    random = np.random.default_rng(6)
    n, structure = 9, kind(single_root=single)
    scores = random.normal(size=(n + 1, n + 1))
    value, mu = structure.argmax(scores)
    np.testing.assert_array_equal(structure.argmax(scores, mu > 0)[1], mu)
    for m, h in enumerate(heads_of(mu), 1):
        allowed = np.ones(scores.shape, bool)
        allowed[h, m] = False
        assert structure.argmax(scores, allowed)[0] <= value


def test_heads_come_word_by_word_and_trees_only_where_they_must():
    random = np.random.default_rng(7)
    scores = random.normal(size=(7, 7))
    np.fill_diagonal(scores, -9.0)
    assert Heads().argmax(scores)[0] >= Arborescence(single_root=False).argmax(scores)[0] >= Arborescence().argmax(scores)[0]
    assert Arborescence().argmax(scores)[0] >= Eisner().argmax(scores)[0]


@BOTH
def test_ties_still_give_trees_and_full_lists(kind):
    found = kind().kbest(np.zeros((4, 4)), 50)
    assert len({mu.tobytes() for _, mu in found}) == len(found) == (7 if kind is Eisner else 9)
    assert {value for value, _ in found} == {0.0}
    _, mu = kind().argmax(np.zeros((6, 6)))
    assert mu.sum() == 5.0
    assert mu[0].sum() == 1.0


@BOTH
def test_a_word_that_must_be_the_root(kind):
    """The root is known and nothing else: a latent gold."""
    random = np.random.default_rng(8)
    scores, allowed = random.normal(size=(6, 6)), np.ones((6, 6), bool)
    allowed[1:, 4] = False
    total, chance = kind().logsum(scores, allowed)
    np.testing.assert_allclose(chance[0], [0, 0, 0, 0, 1, 0], atol=1e-12)
    assert total < kind().logsum(scores)[0]


@BOTH
@pytest.mark.parametrize("operation", ["argmax", "logsum"])
def test_masks_that_leave_no_tree_are_refused(kind, operation):
    allowed = np.zeros((4, 4), bool)
    allowed[0, 1] = allowed[0, 2] = allowed[2, 3] = True  # two roots
    ask = getattr(kind(), operation)
    with pytest.raises(InputError, match=r"nothing is allowed .* one child of the root"):
        ask(np.zeros((4, 4)), allowed)
    value, _ = getattr(kind(single_root=False), operation)(np.zeros((4, 4)), allowed)
    assert value == 0.0
    allowed[0, 1], allowed[2, 1], allowed[0, 2], allowed[1, 2] = False, True, False, True  # a cycle
    with pytest.raises(InputError, match="nothing is allowed"):
        getattr(kind(single_root=False), operation)(np.zeros((4, 4)), allowed)


def test_what_does_not_fit_is_refused_in_a_sentence():
    with pytest.raises(InputError, match=r"shape \(3, 4\)"):
        Eisner().argmax(np.zeros((3, 4)))
    with pytest.raises(InputError, match=r"n\+1, 2\]"):
        Eisner(2).argmax(np.zeros((3, 3)))
    with pytest.raises(InputError, match="mask"):
        Eisner().argmax(np.zeros((3, 3)), np.ones((2, 2), bool))
    with pytest.raises(InputError, match="word 2 has no allowed head"):
        Eisner().argmax(np.zeros((3, 3)), np.array([[0, 1, 0], [0, 0, 0], [0, 1, 1]], bool))
    with pytest.raises(InputError, match="at least 1"):
        Eisner().kbest(np.zeros((3, 3)), 0)
    with pytest.raises(InputError, match="direction"):
        Eisner().tilt(np.zeros((3, 3)), np.zeros((2, 2)))
    with pytest.raises(InputError, match="use eisner or arborescence"):
        Heads(single_root=True)
