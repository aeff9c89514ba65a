"""Steps on trees that are more than a gradient: margins over k trees, gains by curvature; rates of their own; batches on threads."""

import dataclasses

import numpy as np
import pytest
from parsing_data import alone, gold_tree, prices_of, problem, random_weights, scores_of, weighted
from scipy.optimize import minimize

from widemargin.learners import learner_named, rates, sweeping
from widemargin.objectives import objective_named

CASES = [("eisner", True), ("arborescence", False)]


def features_of(posed, i, mu):
    """Phi' (mu - mu_gold) of a tree: likelihood's gradient is E[f] - f(gold), so that of two golds differs by it."""
    likelihood = dataclasses.replace(alone(posed, i), objective=objective_named("likelihood", posed.structure))
    likelihood.corpus.weight[:] = 1.0
    gold = np.stack(np.argwhere(np.moveaxis(mu, 1, 0) > 0.0).T[1:], axis=1)
    if not posed.labels:
        gold = np.column_stack([gold, np.full(len(gold), -1)])
    other = dataclasses.replace(likelihood, corpus=dataclasses.replace(likelihood.corpus, gold=gold.astype(np.int32)))
    right, wrong, w = posed.zeros(), posed.zeros(), posed.zeros()
    likelihood.value_and_gradient(w, right)
    other.value_and_gradient(w, wrong)
    return right - wrong


def best_program(G, b, cap):
    """max b'a - a'Ga/2 over a >= 0, sum a <= cap, by a general solver."""
    within = {"type": "ineq", "fun": lambda a: cap - a.sum(), "jac": lambda a: -np.ones(len(a))}
    best = minimize(
        lambda a: a @ G @ a / 2 - b @ a,
        np.zeros(len(b)),
        jac=lambda a: G @ a - b,
        bounds=[(0.0, cap)] * len(b),
        constraints=[within],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return best.x


@pytest.mark.parametrize(("structure", "labelled"), CASES)
def test_k_best_mira_solves_its_program(structure, labelled):
    posed = weighted(problem(structure=structure, labelled=labelled, sentences=5))
    w, k, cap = random_weights(posed, scale=0.1), 3, 0.1
    settings = {"k": k, "rate": cap, "epochs": 1, "average": False, "dtype": "float64", "tolerance": 1e-11}
    found = learner_named("mira", settings).fit(posed, w)
    for i in np.random.default_rng([1, 1]).permutation(posed.corpus.rows):
        scores, prices = scores_of(posed, i, w), prices_of(posed, i)
        best = posed.structure.kbest(scores + prices, k)
        b = np.array([value for value, _ in best]) - (gold_tree(posed, i) * scores).sum()
        d = np.array([features_of(posed, i, mu).ravel() for _, mu in best])
        w = w - (best_program(d @ d.T, b, cap * posed.corpus.weight[i]) @ d).reshape(w.shape)
    np.testing.assert_allclose(found.w, w, rtol=0, atol=1e-6)
    assert found.history[0]["violation"] <= 1e-11


def test_one_tree_is_the_closed_form(monkeypatch):
    posed = weighted(problem(sentences=6))
    closed, start = learner_named("mira", {"rate": 0.2, "epochs": 3, "dtype": "float64"}), random_weights(posed, scale=0.1)
    expected = closed.fit(posed, start)
    one = learner_named("mira", {"rate": 0.2, "tolerance": 1e-11})
    monkeypatch.setattr(sweeping, "Capped", lambda *_: sweeping.margins(one, posed, np.float64))
    np.testing.assert_allclose(closed.fit(posed, start).w, expected.w, rtol=0, atol=1e-12)


def descend(posed, learner, w):
    """Meta-descent on dense vectors (meta.py); curvature by differences of gradients."""
    l2, v, x = posed.penalty.l2, posed.zeros(), np.full(posed.shape, learner.step)

    def gradient(w, rows):
        g, sums = posed.zeros(), posed.zeros()
        for i in rows:
            alone(posed, i).value_and_gradient(w, g)
            sums += g / len(rows)
        return sums

    for epoch in range(1, learner.epochs + 1):
        order = np.random.default_rng([learner.seed, epoch]).permutation(posed.corpus.rows)
        for first in range(0, len(order), learner.batch):
            rows = order[first : first + learner.batch]
            g, turned = gradient(w, rows), (gradient(w + 1e-5 * v, rows) - gradient(w - 1e-5 * v, rows)) / 2e-5
            if posed.objective.name == "hinge":
                turned = 0.0
            x = np.where(g != 0.0, x * np.maximum(0.5, 1.0 - learner.mu * (g + l2 * w) * v), x)
            w = (w - x * g) / (1.0 + x * l2)
            v = (learner.memory * (v - x * turned) - x * (g + l2 * w)) / (1.0 + x * l2)
    return w


@pytest.mark.parametrize(
    ("structure", "labelled", "objective", "l2", "hidden", "batch"),
    [
        ("eisner", True, "likelihood", 0.0, False, 1),
        ("eisner", True, "likelihood", 0.0, True, 3),
        ("eisner", True, "jensen", 0.0, False, 3),
        ("eisner", True, "hinge", 0.05, False, 1),
        ("arborescence", False, "likelihood", 0.0, False, 3),
    ],
)
def test_meta_descent_knows_the_curvature(structure, labelled, objective, l2, hidden, batch):
    """With l2 = 0 for sums: a gradient of exactly 0 leaves a gain alone, and rounding makes it 1e-17."""
    posed = problem(structure=structure, labelled=labelled, objective=objective, sentences=5, l2=l2)
    if hidden:
        posed.corpus.gold[::3, 0] = posed.corpus.gold[1::4, 1] = -1
    settings = {"rate": 0.2, "mu": 0.4, "memory": 0.9, "skip": 0.0, "epochs": 2, "batch": batch, "dtype": "float64"}
    learner, w = learner_named("smd", settings), random_weights(posed)
    np.testing.assert_allclose(learner.fit(posed, w).w, descend(posed, learner, w), rtol=0, atol=1e-8)


def test_meta_descent_lowers_f():
    posed = problem(objective="likelihood", sentences=10, l2=0.02)
    lowest = posed.value(learner_named("lbfgs", {"dtype": "float64", "delta": 1e-10, "epochs": 300}).fit(posed).w)
    reached = posed.value(learner_named("smd", {"dtype": "float64", "epochs": 40, "rate": 0.2}).fit(posed).w)
    assert lowest <= reached < 1.1 * lowest


@pytest.mark.parametrize("name", ["sgd", "smd", "ops"])
def test_rates_choose_themselves(name, monkeypatch):
    monkeypatch.setattr(rates, "SAMPLE", 6)
    posed = problem(objective="likelihood", sentences=10, l2=0.01)
    facts = learner_named(name, {"rate": "auto", "epochs": 1, "dtype": "float64"}).fit(posed).history[0]
    assert facts["rate"] == min(facts["trials"], key=lambda trial: trial[1])[0]


@pytest.mark.parametrize(
    ("name", "settings", "l1"), [("ops", {}, 0.0), ("ops", {}, 0.001), ("sgd", {"average": True}, 0.0), ("smd", {}, 0.0)]
)
def test_threads_change_no_byte(name, settings, l1):
    posed = problem(objective="likelihood", sentences=12, l1=l1, l2=0.01)
    learner = learner_named(name, {"batch": 5, "epochs": 3, "dtype": "float64", **settings})
    found = [learner.fit(dataclasses.replace(posed, threads=threads)) for threads in (1, 2, 4)]
    assert {result.w.tobytes() for result in found} == {found[0].w.tobytes()}
    assert all(result.history == found[0].history for result in found)
