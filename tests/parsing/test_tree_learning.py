"""Learning on trees: gradients against differences, every step of every rule against a dense one, the same result on any threads."""

import dataclasses

import numpy as np
import pytest
from parsing_data import alone, problem, random_weights

from widemargin.learners import learner_named
from widemargin.structures.trees import TREES

FIRST_ORDER = [name for name in TREES if name != "siblings"]  # whose tests are in test_sibling_features.py
SMOOTH = ["likelihood", "softmax-margin", "jensen", "risk"]


@pytest.mark.parametrize(
    ("structure", "labelled", "objective"),
    [*(("eisner", True, name) for name in SMOOTH), *(("arborescence", False, name) for name in SMOOTH), ("heads", True, "likelihood")],
)
def test_gradients_are_those_of_differences(structure, objective, labelled):
    posed = problem(structure=structure, objective=objective, labelled=labelled, sentences=4, l2=0.01)
    w, g = random_weights(posed), posed.zeros()
    value = posed.value_and_gradient(w, g)
    assert value == pytest.approx(posed.value(w), rel=1e-9)
    random = np.random.default_rng(1)
    for _ in range(4):
        d = random.normal(size=w.shape)
        rise = (posed.value(w + 1e-5 * d) - posed.value(w - 1e-5 * d)) / 2e-5
        assert (g * d).sum() == pytest.approx(rise, rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("objective", ["perceptron", "hinge", "ramp"])
@pytest.mark.parametrize("structure", FIRST_ORDER)
def test_subgradients_of_maxima(structure, objective):
    posed = problem(structure=structure, objective=objective, sentences=4)
    w, g = random_weights(posed), posed.zeros()
    value = posed.value_and_gradient(w, g)
    d = np.random.default_rng(2).normal(size=w.shape)
    assert posed.value(w + 1e-7 * d) == pytest.approx(value + 1e-7 * (g * d).sum(), abs=1e-9)


def dense(posed, learner):
    """Two epochs with every weight moved at every step, and the average over steps."""
    w, total, steps = posed.zeros(), posed.zeros(), 0
    q = np.full(posed.shape, learner.initial)
    rows, l1, l2 = posed.corpus.rows, posed.penalty.l1, posed.penalty.l2
    for epoch in range(1, learner.epochs + 1):
        order = np.random.default_rng([learner.seed, epoch]).permutation(rows)
        for first in range(0, rows, learner.batch):
            chosen, g, loss = order[first : first + learner.batch], posed.zeros(), 0.0
            for i in chosen:
                one = posed.zeros()
                loss += alone(posed, i).value_and_gradient(w, one)
                g += one / len(chosen)
            rate = learner.step
            if learner.name == "perceptron":
                rate = 1.0
            if learner.name == "mira":
                rate = min(learner.step, loss / (g**2).sum()) if g.any() else 0.0
            if learner.name == "ops":
                q += g**2
                rate = learner.step / np.sqrt(q)
            w = w - rate * g
            w = np.sign(w) * np.maximum(np.abs(w) - rate * l1, 0.0) / (1.0 + rate * l2)
            total, steps = total + w, steps + 1
    return total / steps if learner.average else w


CASES = [
    ("perceptron", "perceptron", {}, 0.0, 0.0),
    ("mira", "hinge", {"rate": 0.05}, 0.0, 0.0),
    ("ops", "hinge", {"rate": 0.1}, 0.0, 0.0),
    ("ops", "hinge", {"rate": 0.1, "batch": 3}, 0.001, 0.01),
    ("ops", "likelihood", {"rate": 0.1, "skip": 0.0}, 0.0, 0.02),
    ("sgd", "softmax-margin", {"rate": 0.1, "skip": 0.0, "schedule": "fixed", "average": True}, 0.0, 0.01),
    ("sgd", "hinge", {"rate": 0.1, "schedule": "fixed"}, 0.001, 0.0),
]


@pytest.mark.parametrize(
    ("structure", "labelled", "name", "objective", "settings", "l1", "l2"),
    [*(("eisner", True, *case) for case in CASES), *(("arborescence", False, *CASES[i]) for i in (1, 3))],
)
def test_sweeps_move_as_dense_steps_do(name, objective, settings, l1, l2, structure, labelled):
    posed = problem(structure=structure, objective=objective, labelled=labelled, sentences=7, l1=l1, l2=l2)
    learner = learner_named(name, {"epochs": 2, "dtype": "float64", **settings})
    np.testing.assert_allclose(learner.fit(posed).w, dense(posed, learner), rtol=1e-7, atol=1e-9)


def test_unknown_heads_and_relations_are_latent():
    posed = problem(objective="likelihood", sentences=6)
    hidden = posed.corpus.gold.copy()
    hidden[::3, 0], hidden[1::4, 1] = -1, -1
    latent = dataclasses.replace(posed, corpus=dataclasses.replace(posed.corpus, gold=hidden))
    w, g, d = random_weights(posed), posed.zeros(), random_weights(posed, 5)
    value = latent.value_and_gradient(w, g)
    assert value < posed.value(w)
    assert (g * d).sum() == pytest.approx((latent.value(w + 1e-5 * d) - latent.value(w - 1e-5 * d)) / 2e-5, rel=1e-4, abs=1e-6)


def test_all_threads_give_the_same_bytes():
    posed = problem(objective="likelihood", sentences=12, l2=0.01)
    many = dataclasses.replace(posed, threads=3)
    w, g, h = random_weights(posed), posed.zeros(), posed.zeros()
    assert posed.value_and_gradient(w, g) == many.value_and_gradient(w, h)
    np.testing.assert_array_equal(g, h)


@pytest.mark.parametrize("structure", ["eisner", "arborescence"])
def test_smooth_learners_reach_the_same_value(structure):
    posed = problem(structure=structure, objective="likelihood", sentences=12, l2=0.02)
    best = posed.value(learner_named("lbfgs", {"dtype": "float64", "delta": 1e-12, "epochs": 400}).fit(posed).w)
    for name, settings in (("ops", {"rate": 0.3, "initial": 1.0}), ("sgd", {"rate": 0.5})):
        fitted = learner_named(name, {"epochs": 150, "dtype": "float64", "skip": 0.0, **settings}).fit(posed)
        assert best <= posed.value(fitted.w) <= best * 1.002


def test_one_slack_and_steps_reach_the_same_hinge():
    posed = problem(objective="hinge", sentences=10, l2=0.1)
    cut = posed.value(learner_named("one-slack", {"epochs": 300}).fit(posed).w)
    ops = posed.value(learner_named("sgd", {"epochs": 300, "dtype": "float64", "rate": 1.0, "average": False}).fit(posed).w)
    assert cut <= ops * 1.001
    assert ops <= cut * 1.03
