"""Wilcoxon's signed-rank test: against scipy's, against all signs, and by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from widemargin.errors import InputError
from widemargin.metrics.wilcoxon import signed_rank


@pytest.mark.parametrize("seed", range(60))
def test_against_scipy(seed):
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 120))
    a, b = (random.normal(size=(2, size)) + [[0.2], [0]]) if seed % 2 else random.integers(0, 8, (2, size)).astype(float)
    found = signed_rank(a, b)
    if not found.n:
        assert found.p_value == 1
        return
    other = stats.wilcoxon((a - b)[a != b], correction=False, method="exact" if found.exact else "asymptotic")
    assert found.w == pytest.approx(other.statistic)
    assert found.p_value == pytest.approx(other.pvalue, rel=1e-10)
    assert found.n == np.count_nonzero(a != b)
    assert found.exact == (found.n <= 50 and len(np.unique(np.abs(a - b)[a != b])) == found.n)


@given(st.lists(st.booleans(), min_size=1, max_size=9))
def test_exact_probabilities_are_those_of_all_signs(signs):
    n = len(signs)
    found = signed_rank([k + 1 if sign else -k - 1 for k, sign in enumerate(signs)], [0] * n)
    sums = [sum(k + 1 for k in range(n) if chosen[k]) for chosen in itertools.product([False, True], repeat=n)]
    as_extreme = sum(min(total, n * (n + 1) // 2 - total) <= found.w for total in sums)
    assert found.p_value == pytest.approx(as_extreme / 2**n)
    assert found.positive == sum(k + 1 for k in range(n) if signs[k])


def test_by_hand():
    found = signed_rank([125, 115, 130, 140, 140, 115, 140, 125, 140, 135], [110, 122, 125, 120, 140, 124, 123, 137, 135, 145])
    assert (found.n, found.w, found.positive, found.exact) == (9, 18, 27, False)  # the pair of equal ones dropped, two tied at 5
    assert found.p_value == pytest.approx(0.5936, abs=1e-4)
    one, other = signed_rank([1, 2, 3], [0, 0, 5]), signed_rank([0, 0, 5], [1, 2, 3])
    assert (one.w, one.p_value) == (other.w, other.p_value)


def test_all_differences_of_one_size():
    assert signed_rank([1] * 6, [0] * 6).p_value == pytest.approx(stats.wilcoxon([1] * 6, method="asymptotic", correction=False).pvalue)


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([[1]], [[1]]), ([1, np.nan], [1, 2]), ([np.inf], [np.inf])])
def test_numbers_that_are_no_pairs(a, b):
    with pytest.raises(InputError, match="as many finite numbers"):
        signed_rank(a, b)
