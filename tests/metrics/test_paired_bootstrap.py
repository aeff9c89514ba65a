"""The paired bootstrap against a loop that draws sentences one sample at a time."""

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.metrics import bootstrap
from widemargin.metrics.bootstrap import accuracy_from_counts, f1_from_counts, paired_bootstrap


def systems(sentences, worse):
    """Counts [S, 3] of two systems on the same gold, the second with a share of the first's correct spans lost."""
    random = np.random.default_rng(1)
    gold = random.integers(1, 9, sentences)
    right = random.binomial(gold, 0.9)
    return np.stack([right, gold, gold], axis=1), np.stack([random.binomial(right, 1 - worse), gold, gold], axis=1)


def slow_twin(a, b, samples, seed):
    random = np.random.default_rng(seed)
    differences = []
    for _ in range(samples):
        rows = random.integers(0, len(a), len(a))
        score_a, score_b = (200 * c[rows, 0].sum() / (c[rows, 1].sum() + c[rows, 2].sum()) for c in (a, b))
        differences.append(score_a - score_b)
    return np.array(differences)


@pytest.mark.parametrize("worse", [0.0, 0.01, 0.3])
def test_agrees_with_the_slow_twin(worse):
    a, b = systems(100, worse)
    result, differences = paired_bootstrap(a, b, samples=4000), slow_twin(a, b, 4000, 7)
    assert result.difference == pytest.approx(100 * (a[:, 0].sum() - b[:, 0].sum()) / a[:, 1].sum())
    assert result.p_value == pytest.approx(np.mean(differences <= 0), abs=0.03)
    assert [result.low, result.high] == pytest.approx(np.percentile(differences, [2.5, 97.5]), abs=0.3)


def test_equal_systems_and_order():
    a, b = systems(50, 0.2)
    same = paired_bootstrap(a, a, samples=100)
    assert (same.difference, same.p_value, same.low, same.high) == (0, 1, 0, 0)
    one, other = paired_bootstrap(a, b, samples=500), paired_bootstrap(b, a, samples=500)
    assert (one.difference, one.p_value, one.low) == pytest.approx((-other.difference, other.p_value, -other.high))
    assert one.p_value == 1 / 501


def test_the_seed_decides_and_the_blocks_do_not_matter_to_the_draws(monkeypatch):
    a, b = systems(64, 0.02)
    first = paired_bootstrap(a, b, samples=300, seed=3)
    assert first == paired_bootstrap(a, b, samples=300, seed=3) != paired_bootstrap(a, b, samples=300, seed=4)
    monkeypatch.setattr(bootstrap, "RESAMPLES_AT_ONCE", 64 * 10)
    assert first == paired_bootstrap(a, b, samples=300, seed=3)


def test_other_scores_and_wrong_shapes():
    counts = np.array([[1, 2], [3, 4]])
    assert paired_bootstrap(counts, counts - [1, 0], score=accuracy_from_counts, samples=50).difference == pytest.approx(100 / 3)
    assert f1_from_counts(np.zeros(3)) == 0
    with pytest.raises(InputError, match=r"shapes \(2, 2\) and \(1, 2\)"):
        paired_bootstrap(counts, counts[:1])
    with pytest.raises(InputError, match="too few"):
        paired_bootstrap(counts, counts, samples=0)
