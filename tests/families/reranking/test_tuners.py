"""What all tuners share, PRO's sampler and loss, RAMPION, and the numbers that are reported."""

import dataclasses

import numpy as np
import pytest
from tuning_lists import pool_of, random_lists

from widemargin.errors import InputError
from widemargin.families.reranking.tuners import TUNERS, Mira, Pro, Rampion, tuner_named
from widemargin.families.reranking.tuners.lists import chosen, lists_of
from widemargin.families.reranking.tuners.pairs import Sampling, drawn_pairs, pair_loss
from widemargin.families.reranking.tuners.spread import spread_facts

pytestmark = pytest.mark.twice
FEW = {"rm": {"epochs": 3}, "mira": {"epochs": 3}, "pro": {"draws": 50}, "rampion": {"rounds": 3}, "mert": {"restarts": 2}}


@pytest.fixture(scope="module")
def lists():
    return random_lists(8, rows=25, features=4), random_lists(9, rows=10, features=4)


@pytest.mark.parametrize("name", TUNERS)
def test_scaling_changes_no_scores_and_weights_come_back_in_their_own_units(name, lists):
    (pool, metric), dev = lists
    tuner = tuner_named(name, FEW[name] | {"scaling": "true"})
    found = tuner.tune(pool, metric, np.ones(4), dev=dev)
    unit = np.array([1.0, 100.0, 0.01, 7.0])
    other, dev = (dataclasses.replace(p, value=p.value / unit[p.feature]) for p in (pool, dev[0])), dev
    again = tuner.tune((changed := list(other))[0], metric, unit, dev=(changed[1], dev[1]))
    np.testing.assert_allclose(again.weights / unit, found.weights, rtol=1e-6, atol=1e-9)
    assert again.score == pytest.approx(found.score)
    score = metric.total(metric.counts[chosen(lists_of(pool), found.weights)].sum(axis=0))
    assert (found.score, found.dev) == (pytest.approx(score), max(facts["dev"] for facts in found.history))
    assert tuner.tune(pool, metric, np.ones(4), dev=lists[1]).weights.tobytes() == found.weights.tobytes()


@pytest.mark.parametrize("name", TUNERS)
def test_bad_lists_are_refused_by_name_and_constant_features_are_named(name, lists):
    (pool, metric), _ = lists
    tuner = tuner_named(name, FEW[name])
    value = pool.value.copy()
    value[5] = np.nan
    broken = dataclasses.replace(pool, value=value, source="lists.txt", line=np.arange(1, len(pool) + 1))
    with pytest.raises(InputError, match=r"lists.txt:2.*feature 'f1' is nan"):
        tuner.tune(broken, metric)
    x = np.column_stack([pool.dense(), np.full(len(pool), 3.0)])
    constant, again = pool_of(x, np.diff(pool.row_ptr), pool.counts)
    assert "constant, so their weights cannot matter: f4" in tuner.tune(constant, again).notes[0]
    nothing, again = pool_of(np.ones((len(pool), 2)), np.diff(pool.row_ptr), pool.counts)
    with pytest.raises(InputError, match="no feature differs between the hypotheses of any sentence"):
        tuner.tune(nothing, again)
    with pytest.raises(InputError, match="the start must be 4 finite weights"):
        tuner.tune(pool, metric, np.ones(3))
    with pytest.raises(InputError, match="other features than the tuning lists"):
        tuner.tune(pool, metric, dev=(constant, metric))


def test_a_tuning_that_fails_says_so(lists):
    (pool, metric), _ = lists
    assert "weights that are all zero" in Mira(C=0.0, epochs=1).tune(pool, metric, np.zeros(4)).failure
    first_best = dataclasses.replace(pool, row_ptr=pool.row_ptr)
    counts = pool.counts.copy()
    counts[pool.row_ptr[:-1], :4] = counts[pool.row_ptr[:-1], 4:8]  # nothing beats the first of each list
    worse, bleu = pool_of(pool.dense(), np.diff(first_best.row_ptr), counts)
    assert "worse than the first of each list" in Mira(C=1e-9, epochs=1).tune(worse, bleu, np.ones(4)).failure


def test_settings_by_name():
    assert tuner_named("rm", {"B": "inf", "epochs": "3", "by_cost": "yes"}) == TUNERS["rm"](B=np.inf, epochs=3, by_cost=True)
    for name, settings, words in (
        ("x", {}, "tuner 'x' is not known; choose one of rm, mira"),
        ("rm", {"k": 1}, "rm has no setting 'k'; it has C, epochs"),
        ("pro", {"draws": "2.5"}, "draws=2.5 is not a whole number"),
        ("rm", {"method": "x"}, "method 'x' is not known; choose one of pa, cp"),
        ("mert", {"restarts": -1}, "restarts is -1"),
        ("rampion", {"rate": -1.0}, "rate is -1"),
    ):
        with pytest.raises(InputError, match=words):
            tuner_named(name, settings)


# ---- PRO ----------------------------------------------------------------------------------------------------------------------------


def test_pairs_are_drawn_uniformly():
    """4,000 equal lists of three, one draw each: every ordered pair of different hypotheses is drawn as often, but for chance."""
    row_ptr, worth = np.arange(0, 12001, 3), np.tile([1.0, 2.0, 4.0], 4000)
    better, worse = drawn_pairs(row_ptr, worth, np.ones(12000), Sampling(1, 1, 0.0, 0.0), 3)
    assert (worth[better] > worth[worse]).all()
    assert ((better // 3) == (worse // 3)).all()
    counts = np.bincount((better % 3) * 3 + worse % 3, minlength=9)[[3, 6, 7]]  # of 4,000 draws 2/9 each
    assert (np.abs(counts - 4000 * 2 / 9) < 4.5 * np.sqrt(4000 * 2 / 9 * 7 / 9)).all()
    assert abs(len(better) - 4000 * 2 / 3) < 4.5 * np.sqrt(4000 * 2 / 9)


def test_the_largest_differences_are_kept_and_small_ones_and_outliers_are_not():
    random = np.random.default_rng(0)
    row_ptr, worth, length = np.array([0, 1, 21, 60]), random.random(60) * 100.0, random.integers(5, 9, 60).astype(float)
    length[30] = 50.0
    every = drawn_pairs(row_ptr, worth, length, Sampling(300, 300, 20.0, 0.0), 1)
    few = drawn_pairs(row_ptr, worth, length, Sampling(300, 10, 20.0, 0.0), 1)
    assert len(few[0]) == 20  # a list of one has no pair
    for first, end in ((1, 21), (21, 60)):
        of_all, of_few = (worth[b] - worth[w] for b, w in ([p[(p >= first) & (p < end)] for p in pairs] for pairs in (every, few)))
        assert (of_all >= 20.0).all()
        np.testing.assert_array_equal(np.sort(of_few), np.sort(of_all)[-10:])
    assert 30 in np.concatenate(every)
    assert 30 not in np.concatenate(drawn_pairs(row_ptr, worth, length, Sampling(300, 300, 20.0, 2.0), 1))


def test_the_pairs_loss_has_the_gradient_of_its_differences():
    pool, metric = random_lists(3, rows=6, features=5, fill=0.6)
    pairs = drawn_pairs(pool.row_ptr, metric.worth, np.diff(pool.token_ptr) * 1.0, Sampling(30, 5, 1.0, 0.0), 1)
    function, random = pair_loss(lists_of(pool), pairs, 0.1), np.random.default_rng(1)
    w, g, d = np.zeros((1, 16)), np.zeros((1, 16)), np.zeros((1, 16))
    w[0, :5], d[0, :5] = random.normal(size=5), random.normal(size=5)
    x = pool.dense()
    margin = (x[pairs[0]] - x[pairs[1]]) @ w[0, :5]
    assert function(w, g) == pytest.approx(np.log1p(np.exp(-margin)).mean() + 0.05 * (w**2).sum())
    slope = (function(w + 1e-6 * d, g.copy()) - function(w - 1e-6 * d, g.copy())) / 2e-6
    assert (g * d).sum() == pytest.approx(slope, rel=1e-6)


def test_no_pairs_is_said():
    pool, metric = random_lists(3)
    with pytest.raises(InputError, match="no two hypotheses that were drawn differ by 200 in bleu; use a smaller least"):
        Pro(least=200.0).tune(pool, metric)


# ---- RAMPION, and what is reported --------------------------------------------------------------------------------------------------


def test_rampion_is_its_plain_twin():
    pool, metric = random_lists(5, rows=6, features=3)
    x, gain, rate, l2 = pool.dense(), metric.worth / 10.0, 0.05, 0.3
    found = Rampion(rounds=2, passes=2, rate=rate, l2=l2, scaling=False, average=False, seed=4).tune(pool, metric, np.ones(3))
    random, w, order, ends = np.random.default_rng(4), np.ones(3), np.arange(6), []
    for _ in range(2):
        spans = list(zip(pool.row_ptr, pool.row_ptr[1:]))
        hope = [a + (x[a:z] @ w + gain[a:z]).argmax() for a, z in spans]
        for _ in range(2):
            random.shuffle(order)
            for i in order:
                a, z = spans[i]
                fear = a + (x[a:z] @ w - gain[a:z]).argmax()
                w = w - rate * l2 * (w - 1.0) + rate * (x[hope[i]] - x[fear])
        ends.append(w)
    np.testing.assert_allclose(found.weights, ends[found.epoch - 1], atol=1e-12)


def test_spread_and_relative_margin_by_hand():
    counts = np.array([[4, 3, 2, 1, 4, 3, 2, 1, 4, 4], [3, 2, 1, 0, 4, 3, 2, 1, 4, 4], [1, 0, 0, 0, 4, 3, 2, 1, 4, 4]], np.int32)
    pool, metric = pool_of(np.array([[2.0], [3.0], [-1.0]]), [3], counts)
    found = spread_facts(pool, metric, np.array([1.0]))
    assert found["spread"] == pytest.approx(3.0)  # the first is the hope: 2 - (-1)
    assert found["relative_margin"] == pytest.approx((2.0 - 3.0) / 3.0)
    assert spread_facts(pool, metric, np.array([50.0]))["relative_margin"] == pytest.approx(found["relative_margin"])
    assert (found["active"], found["fired"]) == (1, 1)
