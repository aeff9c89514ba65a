"""Calibration measures against obvious versions, the search for a temperature, and the diagram."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.metrics.calibration import ABSENT, COLDEST, HIDDEN_CODE, HOTTEST, best_temperature, negative_log_likelihood, reliability
from widemargin.show.reliability import draw_reliability


def softmax(scores: np.ndarray) -> np.ndarray:
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def obvious_ece(chance, gold, bins) -> float:
    groups: dict[int, list[tuple[float, bool]]] = {}
    for p, g in zip(chance, gold):
        if g != HIDDEN_CODE:
            confidence = float(max(p))
            at = next(b for b in range(bins) if confidence <= (b + 1) / bins or b == bins - 1)
            groups.setdefault(at, []).append((confidence, list(p).index(max(p)) == g))
    total = sum(len(group) for group in groups.values())
    gaps = [len(g) / total * abs(sum(r for _, r in g) / len(g) - sum(c for c, _ in g) / len(g)) for g in groups.values()]
    return sum(gaps)


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 6), st.sampled_from([1, 4, 15]))
def test_ece_is_that_of_the_obvious_version(seed, tokens, labels, bins):
    random = np.random.default_rng(seed)
    chance = softmax(3 * random.normal(size=(tokens, labels))).astype(np.float32)
    gold = random.choice([*range(labels), HIDDEN_CODE, ABSENT], size=tokens)
    gold[0] = 0
    found = reliability(chance, gold, bins=bins)
    assert found.ece == pytest.approx(obvious_ece(chance, gold, bins), abs=1e-7)
    assert found.tokens == np.count_nonzero(gold != HIDDEN_CODE)
    known = [(p, g) for p, g in zip(chance.astype(float), gold) if g >= 0]
    assert found.nll == pytest.approx(-sum(math.log(p[g]) for p, g in known) / len(known))


def test_a_table_by_hand():
    chance = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.25, 0.75]], np.float32)
    found = reliability(chance, np.array([0, 1, ABSENT, HIDDEN_CODE, 1]), bins=2)
    assert found.count.tolist() == [0, 4]
    assert found.accuracy[1] == 0.5
    assert found.confidence[1] == pytest.approx((0.9 + 0.8 + 0.7 + 0.75) / 4)
    assert found.ece == pytest.approx(0.7875 - 0.5)
    assert found.nll == pytest.approx(-np.log([0.9, 0.2, 0.75]).mean())
    empty, full = found.bins()
    assert empty == {"low": 0.0, "high": 0.5, "count": 0}
    assert full["count"] == 4
    assert found.as_dict()["accuracy"] == 0.5


def test_bounds_of_bins_belong_to_the_bin_below():
    chance = np.array([[0.5, 0.5], [1.0, 0.0], [0.75, 0.25]])
    assert reliability(chance, np.zeros(3, int), bins=4).count.tolist() == [0, 1, 1, 1]


def test_certain_and_wrong_is_costly_but_finite():
    chance = np.array([[1.0, 0.0]], np.float32)
    assert 80 < negative_log_likelihood(chance, np.array([1])) < 90
    assert reliability(chance, np.array([1])).ece == 1.0


def test_without_known_labels_there_is_nothing_to_compare():
    with pytest.raises(InputError, match="are there gold labels, trees or chains in this file"):
        reliability(np.full((2, 2), 0.5), np.array([HIDDEN_CODE, ABSENT]))


@pytest.mark.parametrize("true", [0.2, 0.9, 3.0])
def test_the_temperature_of_drawn_labels_is_found(true):
    random = np.random.default_rng(3)
    scores = 3 * true * random.normal(size=(20_000, 5))
    gold = (scores / true + random.gumbel(size=scores.shape)).argmax(axis=1)  # draws from softmax(scores / true)
    calls = []

    def loss(temperature):
        calls.append(temperature)
        return negative_log_likelihood(softmax(scores / temperature), gold)

    temperature, least = best_temperature(loss)
    assert len(calls) == 16
    assert temperature == pytest.approx(true, rel=0.05)
    assert least == pytest.approx(min(loss(t) for t in np.exp(np.linspace(-3, 3, 200))), rel=1e-3)
    assert reliability(softmax(scores / temperature), gold).ece < 0.01
    assert reliability(softmax(scores), gold).ece > reliability(softmax(scores / temperature), gold).ece


def test_a_search_finds_a_parabola_to_half_a_per_cent_and_stops_at_the_ends():
    for best in (0.05, 0.7, 1.0, 11.0):
        assert best_temperature(lambda t, b=best: math.log(t / b) ** 2)[0] == pytest.approx(best, rel=0.005)
    assert best_temperature(lambda t: t)[0] == pytest.approx(COLDEST, rel=0.01)
    assert best_temperature(lambda t: -t)[0] == pytest.approx(HOTTEST, rel=0.01)


def test_where_every_temperature_is_the_same_nothing_is_changed():
    assert best_temperature(lambda t: 0.5)[0] == 1.0


def test_diagrams_are_drawn_and_the_same_numbers_give_the_same_bytes(tmp_path):
    random = np.random.default_rng(0)
    chance = softmax(2 * random.normal(size=(300, 4)))
    before, after = (reliability(chance, random.integers(0, 4, 300)) for _ in range(2))
    files = {"dev: x": {"temperature 1": before, "temperature 2": after}, "test: $y$": {"temperature 1": before, "temperature 2": after}}
    for stem in ("a", "b"):
        draw_reliability(files, tmp_path / stem, title="Reliability")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.svg", "b.png", "b.svg"]
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
