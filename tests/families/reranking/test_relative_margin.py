"""MIRA and relative margin on lists: each step is the solution of its program, and the whole run is that of ten plain lines."""

import dataclasses

import numpy as np
import pytest
from tuning_lists import random_lists, relative_margin_program

from widemargin.errors import InputError
from widemargin.families.reranking.tuners import Mira, Rm
from widemargin.families.reranking.tuners.gains import gain_of, in_context
from widemargin.families.reranking.tuners.lists import chosen, lists_of

pytestmark = pytest.mark.twice
ONCE = {"epochs": 1, "average": False, "gain": "sentence", "scale": 5.0, "shuffle": False}
SEEDS = range(6)


def one_list(seed):
    """A list, its vectors and gains, weights, and the hope."""
    pool, metric = random_lists(seed, sizes=[6], features=3)
    w, x, gain = np.random.default_rng([seed, 1]).normal(size=3) * 3.0, pool.dense(), 5.0 * metric.worth / 100.0
    return pool, metric, w, x, gain, int((x @ w + gain).argmax())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("C", [0.02, 50.0])
def test_a_margin_step_solves_its_program(seed, C):
    pool, metric, w, x, gain, hope = one_list(seed)
    fear = int((x @ w - gain).argmax())
    found = Mira(C=C, **ONCE).tune(pool, metric, w).weights
    expected = relative_margin_program(w, x, gain, hope, C, 0.0, 0.0, margins=[fear], uppers=[], lowers=[])
    np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("D", [0.02, 50.0])
def test_a_bound_step_solves_its_program(seed, D):
    pool, metric, w, x, gain, hope = one_list(seed)
    s = x @ w
    upper = Rm(C=0.0, B=0.5, D=D, **ONCE).tune(pool, metric, w).weights
    expected = relative_margin_program(w, x, gain, hope, 0.0, 0.5, D, margins=[], uppers=[int(s.argmin())], lowers=[])
    np.testing.assert_allclose(upper, expected, atol=2e-5)
    scaled = Rm(C=0.0, B=0.5, D=D, by_cost=True, **ONCE).tune(pool, metric, w).weights
    bound = 0.5 * abs(gain[hope] - gain[s.argmin()])
    expected = relative_margin_program(w, x, gain, hope, 0.0, bound, D, margins=[], uppers=[int(s.argmin())], lowers=[])
    np.testing.assert_allclose(scaled, expected, atol=2e-5)


def test_the_lower_bound_is_on_the_highest_score_and_shares_the_budget():
    moved = 0
    for seed in range(20):
        pool, metric, w, x, gain, hope = one_list(seed)
        w = w * 10.0
        hope, s = int((x @ w + gain).argmax()), x @ w
        upper = Rm(C=0.0, B=0.0, D=0.05, hope="max-bleu", **ONCE).tune(pool, metric, w).weights
        both = Rm(C=0.0, B=0.0, D=0.05, hope="max-bleu", bounds="both", **ONCE).tune(pool, metric, w).weights
        hope = int(gain.argmax())
        if s[hope] > s.min():  # the upper bound's step took all of D, or reached its bound
            first = np.abs(upper - w).max() / np.abs(x[hope] - x[s.argmin()]).max()
            assert first <= 0.05 + 1e-12
            continue
        moved += 1
        expected = relative_margin_program(w, x, gain, hope, 0.0, 0.0, 0.05, margins=[], uppers=[], lowers=[int(s.argmax())])
        np.testing.assert_allclose(both, expected, atol=2e-5)
    assert moved


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("C", "B", "D"), [(0.05, 0.5, 0.02), (1.0, 0.2, 0.3), (20.0, 1.0, 20.0)])
def test_cutting_planes_solve_the_program_of_the_whole_list(seed, C, B, D):
    pool, metric, w, x, gain, hope = one_list(seed)
    everything = list(range(len(x)))
    tuned = Rm(C=C, B=B, D=D, method="cp", bounds="both", **ONCE).tune(pool, metric, w)
    expected = relative_margin_program(w, x, gain, hope, C, B, D, margins=everything, uppers=everything, lowers=everything)
    np.testing.assert_allclose(tuned.weights, expected, atol=5e-5)
    assert tuned.history[0]["open"] <= 1e-6


def test_cutting_planes_settle_where_margins_and_bounds_pull_against_each_other():
    pool, metric = random_lists(3, rows=20, features=4)
    start = np.full(4, 30.0)
    found = Rm(C=10.0, B=0.1, D=100.0, method="cp", epochs=4, scale=20.0).tune(pool, metric, start)
    assert max(facts["open"] for facts in found.history) < 1e-4
    assert found.history[-1]["spread"] < 1.0


@pytest.mark.parametrize("gain", ["background", "pseudo-document", "sentence", "corpus"])
def test_without_a_bound_relative_margin_is_mira_to_the_byte(gain):
    pool, metric = random_lists(3, rows=8, fill=0.6)
    settings = {"gain": gain, "epochs": 5, "C": 0.1}
    mira, rm = Mira(**settings).tune(pool, metric), Rm(B=np.inf, **settings).tune(pool, metric)
    assert mira.weights.tobytes() == rm.weights.tobytes()
    assert mira.history == rm.history
    assert Rm(B=0.1, **settings).tune(pool, metric).weights.tobytes() != mira.weights.tobytes()


def plain_mira(pool, metric, C, epochs):
    """Cherry and Foster 2012 in plain lines: no shuffling; weights after each update, and the start, are averaged."""
    x, counts, w, background = pool.dense(), metric.counts.astype(float), np.ones(len(pool.names)), np.ones(10)
    averaged = []
    kept = [w]
    for _ in range(epochs):
        for a, z in zip(pool.row_ptr, pool.row_ptr[1:]):
            c = counts[a:z] + background
            bleu = np.exp(np.log(c[:, :4] / c[:, 4:8]).mean(axis=1) + np.minimum(0.0, 1.0 - c[:, 9] / c[:, 8]))
            s, g = x[a:z] @ w, bleu * c[:, 9]
            hope, fear = (s + g).argmax(), (s - g).argmax()
            if g[hope] > g[fear]:
                d = x[a + hope] - x[a + fear]
                loss = (g[hope] - g[fear]) - d @ w
                if loss > 0.0 and d @ d > 0.0:
                    w = w + min(C, loss / (d @ d)) * d
                    kept.append(w)
                background = 0.999 * background + counts[a + hope]
        averaged.append(np.mean(kept, axis=0))
    return averaged


def test_mira_is_its_plain_twin():
    pool, metric = random_lists(5, rows=9, fill=0.7)
    expected = plain_mira(pool, metric, 0.05, 4)
    found = Mira(C=0.05, epochs=4, shuffle=False).tune(pool, metric)
    np.testing.assert_allclose(found.weights, expected[found.epoch - 1], atol=1e-10)
    scores = [metric.total(metric.counts[chosen(lists_of(pool), w)].sum(axis=0)) for w in expected]
    np.testing.assert_allclose([facts["score"] for facts in found.history], scores)
    assert found.epoch - 1 == int(np.argmax(scores))


def test_spread_falls_to_its_bound_where_mira_leaves_it():
    pool, metric = random_lists(7, rows=30, features=5)
    start = np.full(5, 30.0)
    mira, rm = Mira(epochs=20, C=0.01).tune(pool, metric, start), Rm(epochs=20, C=0.01, D=1.0, B=1.0).tune(pool, metric, start)
    assert mira.history[-1]["spread"] > 20.0
    assert rm.history[-1]["spread"] < 3.0
    after = Rm(epochs=20, C=0.01, D=1.0, B=1.0, worst="after").tune(pool, metric, start)
    assert after.history[-1]["spread"] < 3.0


@pytest.mark.parametrize("hope", ["model", "max-bleu", "local", "bold"])
@pytest.mark.parametrize("fear", ["cost", "metric", "prediction"])
def test_hopes_and_fears_by_name(hope, fear):
    pool, metric, w, x, gain, _ = one_list(11)
    s = x @ w
    plus = {"model": (s + gain).argmax(), "max-bleu": gain.argmax(), "local": gain.argmax(), "bold": metric.worth.argmax()}[hope]
    minus = {"cost": (s - gain).argmax(), "metric": gain.argmin(), "prediction": s.argmax()}[fear]
    d = x[plus] - x[minus]
    loss = gain[plus] - gain[minus] - d @ w
    expected = w + (min(0.1, loss / (d @ d)) * d if loss > 0.0 and gain[plus] > gain[minus] else 0.0)
    np.testing.assert_allclose(Mira(C=0.1, hope=hope, fear=fear, **ONCE).tune(pool, metric, w).weights, expected, atol=1e-12)


def test_gains_in_context_are_the_metric_of_half_the_others_with_it():
    pool, metric = random_lists(2, rows=5)
    w = np.arange(4.0)
    choice = chosen(lists_of(pool), w)
    found = in_context(metric, lists_of(pool), w, 3.0).gain
    for h, i in enumerate(pool.row):
        others = np.delete(metric.counts[choice], i, axis=0).sum(axis=0)
        assert found[h] == pytest.approx(0.03 * metric.total(0.5 * others + metric.counts[h]))


def test_other_metrics_and_words_are_refused():
    for settings, words in (
        ({"gain": "x"}, "gain 'x' is not known; choose one of background"),
        ({"hope": "x"}, "hope 'x' is not known; choose one of model"),
        ({"C": -1.0}, "C is -1"),
    ):
        with pytest.raises(InputError, match=words):
            Mira(**settings)
    with pytest.raises(InputError, match="B is -2"):
        Rm(B=-2.0)
    with pytest.raises(InputError, match="is for BLEU, and the metric is comet; use gain=sentence"):
        gain_of("background", dataclasses.replace(random_lists(1)[1], name="comet"), 1.0)
