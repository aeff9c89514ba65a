"""Sets of sentences within a budget: branch and bound is enumeration, and is HiGHS where there is too much to enumerate."""

import numpy as np
import pytest
from subset_cases import every_set, random_row, random_scores

from widemargin.errors import InputError
from widemargin.structures.subset.arrays import Coverage, Subset
from widemargin.structures.subset.other_solvers import greedy, integer_program

pytestmark = pytest.mark.twice
SEEDS = range(40)
SHORT, LONG = Subset(), Subset(patience=2)  # the bound of multipliers.py from the second node on
both = pytest.mark.parametrize("structure", [SHORT, LONG])


def case(seed):
    """A row and scores: of both signs, all negative, or with sentences that cannot be chosen at all."""
    random = np.random.default_rng(seed)
    row = random_row(random, sentences=int(random.integers(1, 8)) + 3 * (seed % 3 == 1), marked=seed % 3 == 1)
    scores = random_scores(random, row)
    if seed % 5 == 0:
        scores = -np.abs(scores)
    if seed % 7 == 0:
        row = Coverage(row.items, row.entries, row.length + 20, row.budget) if not row.must else row
    return row, scores


@both
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_set_is_that_of_all_sets(seed, structure):
    row, scores = case(seed)
    every = every_set(row)
    found = structure.argmax(scores, row)
    assert found.value == pytest.approx((every @ scores).max(), abs=1e-12)
    assert found.parts.tolist() in every.tolist()
    assert found.parts @ scores == pytest.approx(found.value, abs=1e-12)
    assert found.gap == 0.0


@both
@pytest.mark.parametrize("seed", SEEDS)
def test_the_k_best_sets_are_those_of_all_sets(seed, structure):
    row, scores = case(seed)
    every = every_set(row)
    for k in (1, 3, 1000):
        found = structure.kbest(scores, row, k)
        assert len({f.parts.tobytes() for f in found}) == len(found) == min(k, len(every))
        np.testing.assert_allclose([f.value for f in found], np.sort(every @ scores)[::-1][:k], atol=1e-12)
        assert all(f.parts.tolist() in every.tolist() for f in found)


@both
@pytest.mark.parametrize("seed", SEEDS)
def test_the_worst_set_is_that_of_all_sets(seed, structure):
    row, scores = case(seed)
    random, B = np.random.default_rng(seed), row.items
    prices = np.concatenate([-np.abs(random.normal(size=B)), random.normal(size=len(row.entries)) * (seed % 2)])
    offset, need = float(random.uniform(0, 4)), float(random.normal())
    every = every_set(row)
    cost, violation = offset + every @ prices, every @ scores - need
    losses = np.where((cost > 0) & (violation > 0), cost * violation, 0.0)
    value, parts = structure.worst(scores, row, prices, offset, need)
    assert value == pytest.approx(losses.max(), abs=1e-12)
    if value > 0.0:
        assert (offset + parts @ prices) * (parts @ scores - need) == pytest.approx(value, abs=1e-12)


@both
@pytest.mark.parametrize("seed", range(12))
def test_an_integer_program_agrees(seed, structure):
    pytest.importorskip("scipy")
    random = np.random.default_rng(seed)
    if seed % 2:
        row, scores = case(seed)
    else:
        row = random_row(random, sentences=20, items=40, budget=25)
        scores = random_scores(random, row)
    exact, program = structure.argmax(scores, row), integer_program(scores, row)
    assert program.value == pytest.approx(exact.value, abs=1e-6)
    assert program.gap <= 1e-6
    assert greedy(scores, row).value <= exact.value + 1e-12


def test_greedy_takes_the_densest_sentence_first_and_can_be_wrong():
    row = Coverage(3, [[0, 1, 2], [0], [1, 2]], np.array([5, 1, 4]), 5)
    scores = np.array([1.5, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert greedy(scores, row).sentences.tolist() == [1, 2]
    row = Coverage(3, [[0, 1, 2], [0], [1]], np.array([5, 1, 4]), 5)
    assert greedy(scores, row).value == 2.5 < Subset().argmax(scores, row).value == 3.5


def test_a_search_that_is_given_up_has_a_bound():
    random = np.random.default_rng(0)
    row = random_row(random, sentences=24, items=60, budget=40)
    scores = np.abs(random_scores(random, row))
    exact = Subset().argmax(scores, row)
    gaps = []
    for limit in (1, 10, 50, 10**6):
        found = Subset(limit).argmax(scores, row)
        assert found.value <= exact.value <= found.bound + 1e-12
        gaps.append(found.gap)
    assert gaps[0] > 0.0 == gaps[-1]


def test_the_empty_set_only_where_nothing_fits():
    row = Coverage(2, [[0], [1]], np.array([3, 4]), 2)
    assert Subset().argmax(np.ones(4), row).sentences.tolist() == []
    row = Coverage(2, [[0], [1]], np.array([3, 4]), 3)
    assert Subset().argmax(-np.ones(4), row).sentences.tolist() == [0]
    nothing = Coverage(0, [], np.zeros(0, int), 3)
    for found in (Subset().argmax(np.zeros(0), nothing), greedy(np.zeros(0), nothing), integer_program(np.zeros(0), nothing)):
        assert (found.value, found.sentences.tolist(), found.parts.tolist()) == (0.0, [], [])


BAD = {
    "lengths": (Coverage(2, [[0], [1]], np.array([3, 0]), 2), "whole numbers from 1 up"),
    "items": (Coverage(2, [[0], [2]], np.array([3, 1]), 2), "from 0 to 1"),
    "must": (Coverage(2, [[0], [1]], np.array([3, 1]), 2, must=[0]), "raise the budget"),
    "both": (Coverage(2, [[0], [1]], np.array([3, 1]), 4, must=[0], never=[0]), "must and may not"),
    "nobody": (Coverage(2, [[0], [1]], np.array([3, 1]), 4, never=[2]), "no sentence 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_kernels_cannot_take_is_refused(name):
    row, words = BAD[name]
    with pytest.raises(InputError, match=words):
        Subset().argmax(np.zeros(4), row)
    with pytest.raises(InputError, match="finite numbers"):
        Subset().argmax(np.full(4, np.nan), Coverage(2, [[0], [1]], np.array([3, 1]), 4))
