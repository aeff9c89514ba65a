"""MERT's line search against a dense grid, its envelopes against brute force."""

import numpy as np
import pytest
from tuning_lists import random_lists

from widemargin.errors import InputError
from widemargin.families.reranking.metrics import Metric, error_rate, first_best
from widemargin.families.reranking.tuners import Mert
from widemargin.families.reranking.tuners.hulls import Space, breaks_for, find_breaks, search_line, sorted_slopes, sums_of

pytestmark = pytest.mark.twice


def along(seed, *, rounded=False, sizes=None):
    """Lists, and a line through them."""
    pool, metric = random_lists(seed, rows=7, features=3, sizes=sizes)
    random = np.random.default_rng([seed, 2])
    x = pool.dense()
    score, slope = x @ random.normal(size=3), x @ random.normal(size=3)
    if rounded:  # equal slopes, equal lines, lines through one point
        score, slope = np.round(score), np.round(slope)
    counts = metric.counts.astype(float)
    return pool, metric, score, slope, Space(sums_of(metric), pool.row_ptr, counts, breaks_for(pool.row_ptr, counts))


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_breaks_are_where_the_best_hypothesis_changes(seed, rounded):
    """Between breakpoints everything is constant, and it is what brute force finds best there."""
    pool, _, score, slope, space = along(seed, rounded=rounded)
    line, breaks = sorted_slopes(pool.row_ptr, slope), space.breaks
    many = find_breaks(pool.row_ptr, score, first_best(pool.row_ptr, score), line, space.counts, breaks)
    order = np.argsort(breaks.x[:many], kind="stable")
    ends = np.concatenate([[-1e4], breaks.x[order], [1e4]])
    sums = breaks.sums.copy()
    for t, (a, b) in enumerate(zip(ends, ends[1:])):
        if b - a > 1e-6:
            for x in a + (b - a) * np.array([0.01, 0.5, 0.99]):
                best = first_best(pool.row_ptr, np.round(score + x * slope, 9))
                np.testing.assert_array_equal(sums, space.counts[best].sum(axis=0))
        if t < many:
            sums += space.counts[breaks.new[order[t]]] - space.counts[breaks.old[order[t]]]


@pytest.mark.parametrize("seed", range(8))
def test_the_best_point_on_a_line_is_that_of_a_dense_grid(seed):
    pool, metric, score, slope, space = along(seed, sizes=[1, 9, 4, 12, 2, 7])
    x, worth = search_line(space, score, first_best(pool.row_ptr, score), sorted_slopes(pool.row_ptr, slope))

    def at(point):
        return metric.total(space.counts[first_best(pool.row_ptr, score + point * slope)].sum(axis=0))

    assert worth == pytest.approx(at(x), rel=1e-12)
    assert worth >= max(at(point) for point in np.linspace(-30.0, 30.0, 6001)) - 1e-9


def test_error_rates_are_made_small():
    pool, _ = random_lists(4, rows=8, features=3)
    random = np.random.default_rng(1)
    counts = np.column_stack([random.integers(0, 9, len(pool)), np.full(len(pool), 10)])
    metric = Metric("wer", counts, error_rate, error_rate(counts), lower_is_better=True)
    found = Mert(restarts=3).tune(pool, metric)
    first, best = (error_rate(counts[choice].sum(axis=0)) for choice in (pool.row_ptr[:-1], metric.best(pool)))
    assert best <= found.score < first


def test_a_climb_never_ends_below_its_start_and_random_directions_are_searched():
    pool, metric = random_lists(6, rows=12, features=4)
    start = np.array([1.0, -1.0, 0.5, 0.0])
    alone = Mert(restarts=0).tune(pool, metric, start)
    assert alone.score >= metric.total(metric.counts[first_best(pool.row_ptr, pool.scores(start))].sum(axis=0))
    more = Mert(restarts=0, directions=5).tune(pool, metric, start)
    assert more.history[0]["searches"] > alone.history[0]["searches"] - 12
    assert Mert(restarts=8).tune(pool, metric, start).score >= alone.score
    again = Mert(restarts=8).tune(pool, metric, start)
    assert again.weights.tobytes() == Mert(restarts=8).tune(pool, metric, start).weights.tobytes()


def test_too_many_features_and_other_metrics_are_refused():
    pool, metric = random_lists(1, features=201)
    with pytest.raises(InputError, match="mert searches each of 201 features in turn, and takes at most 200; use rm, mira or pro"):
        Mert().tune(pool, metric)
    pool, _ = random_lists(1)
    chrf = Metric("chrf", np.ones((len(pool), 3)), lambda sums: sums[..., 0], np.ones(len(pool)))
    with pytest.raises(InputError, match="which chrf does not have; use bleu"):
        Mert().tune(pool, chrf)
