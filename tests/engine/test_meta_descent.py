"""Stochastic meta-descent: lazy = eager, curvature = covariance over all outputs, and the same minimum as L-BFGS."""

import engine_twins as twins
import numba
import numpy as np
import pytest
from engine_corpora import Dense, equal_start, pose, random_sample, to_dense

from widemargin.errors import InputError
from widemargin.learners import learner_named

COMPILED = not numba.config.DISABLE_JIT
compiled_only = pytest.mark.skipif(not COMPILED, reason="many epochs: compiled only")
SETTINGS = {"rate": 0.2, "mu": 0.4, "memory": 0.9}


def sample_for(kind, seed=0):
    edges = 3 if kind == "edges per position" else 0
    return random_sample(seed, rows=14, longest=3, labels=3, nodes=9, rare=4, edges=edges, unknown=0.15, single=kind == "choice")


def trained(dense, rule, w, *, epochs, batch, average):
    n, t, sums = len(dense.lengths), 0, np.zeros_like(w)
    for epoch in range(1, epochs + 1):
        order = np.random.default_rng([1, epoch]).permutation(n)
        for first in range(0, n, batch):
            rows = order[first : first + batch]
            g = sum(dense.weight[i] * dense.row(i, w)[1] for i in rows) / len(rows)
            w = rule.step(w, g, rows)
            sums, t = sums + w, t + 1
    return sums / t if average else w


def compare(kind, objective, l2, *, batch, average, memory=0.9, epochs=3, merged=True):
    sample, choice = sample_for(kind), kind == "choice"
    problem, dense = pose(sample, objective, l2=l2, choice=choice, merged=merged), Dense(sample, objective, l2=l2, choice=choice)
    start, w = equal_start(pose(sample, objective, choice=choice), dense)
    if not merged:
        start = problem.zeros()
        start[:, : problem.labels] = w.reshape(-1, problem.labels)
    settings = SETTINGS | {"memory": memory}
    learner = learner_named("smd", settings | {"dtype": "float64", "skip": 0.0, "epochs": epochs, "batch": batch, "average": average})
    found = to_dense(problem, learner.fit(problem, start).w)
    expected = trained(dense, twins.Smd(dense, **settings), w, epochs=epochs, batch=batch, average=average)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["shared edges", "edges per position", "choice"])
@pytest.mark.parametrize("l2", [0.0, 1e-3, 0.3])
@pytest.mark.parametrize("objective", ["likelihood", "softmax-margin", "hinge", "jensen"])
def test_lazy_is_eager(kind, l2, objective):
    if COMPILED and (kind == "choice" or (kind == "shared edges" and objective != "likelihood")):
        pytest.skip("one more compilation; runs without the JIT")
    for batch, average, memory in ((1, False, 0.9), (3, True, 1.0), (3, False, 0.0)):
        compare(kind, objective, l2, batch=batch, average=average, memory=memory)


@pytest.mark.parametrize("l2", [0.0, 0.05])
def test_merging_changes_nothing(l2):
    compare("edges per position", "likelihood", l2, batch=2, average=True, merged=False)


def test_row_weights_scale_gradient_and_curvature():
    sample = sample_for("edges per position")
    sample.weight = np.random.default_rng(0).uniform(0.0, 2.0, len(sample.lengths))
    sample.weight[3] = 0.0
    problem, dense = pose(sample, "likelihood", l2=0.05), Dense(sample, "likelihood", l2=0.05)
    start, w = equal_start(problem, dense)
    learner = learner_named("smd", SETTINGS | {"dtype": "float64", "skip": 0.0, "epochs": 2, "batch": 3})
    expected = trained(dense, twins.Smd(dense, **SETTINGS), w, epochs=2, batch=3, average=False)
    np.testing.assert_allclose(to_dense(problem, learner.fit(problem, start).w), expected, rtol=0, atol=1e-10)


@compiled_only
@pytest.mark.parametrize("objective", ["likelihood", "softmax-margin"])
def test_it_reaches_the_minimum(objective):
    """With all rows in a batch it is descent with gains of its own, and faster than the same without (mu = 0)."""
    problem = pose(random_sample(7, rows=30, longest=4, labels=3, nodes=8, edges=2), objective, l2=0.03, cost="hamming")
    exact = learner_named("lbfgs", {"epochs": 500, "delta": 1e-12, "history": "float64", "dtype": "float64"}).fit(problem)
    lowest = problem.value(exact.w * problem.copies[:, None])
    settings = {"dtype": "float64", "skip": 0.0, "rate": 0.1, "batch": 30, "shuffle": False}
    found = {mu: learner_named("smd", settings | {"mu": mu, "delta": 1e-9, "epochs": 3000}).fit(problem) for mu in (20.0, 0.0)}
    for result in found.values():
        assert abs(result.history[-1]["primal"] - lowest) <= 1e-5 * lowest
        assert result.why == "F fell by less than 1e-09 of itself in an epoch"
    assert len(found[20.0].history) < 0.7 * len(found[0.0].history)


@compiled_only
def test_gains_that_grow_too_fast_are_told():
    """A meta-rate this large overshoots: the fit stops there and says so."""
    problem = pose(random_sample(7, rows=30, longest=4, labels=3, nodes=8, edges=2), "softmax-margin", l2=0.03, cost="hamming")
    settings = {"dtype": "float64", "skip": 0.0, "rate": 0.1, "batch": 30, "shuffle": False, "delta": 1e-9, "epochs": 3000}
    result = learner_named("smd", settings | {"mu": 100.0}).fit(problem)
    assert result.history[-1]["primal"] > result.history[-2]["primal"]
    assert result.why == "F rose in the last epoch"


@compiled_only
def test_it_reaches_the_minimum_of_the_hinge_about():
    problem = pose(random_sample(7, rows=30, longest=4, nodes=8, edges=2), "hinge", l2=0.1, cost="hamming")
    exact = learner_named("bcfw", {"epochs": 500, "tolerance": 1e-4}).fit(problem)
    lowest = problem.value(exact.w * problem.copies[:, None])
    w = learner_named("smd", {"dtype": "float64", "rate": 0.02, "mu": 0.01, "average": True, "epochs": 500, "batch": 10}).fit(problem).w
    assert lowest <= problem.value(w * problem.copies[:, None]) <= 1.02 * lowest


def test_refusals():
    problem = pose(sample_for("shared edges"), "risk")
    with pytest.raises(InputError, match="curvature of risk"):
        learner_named("smd").fit(problem)
    with pytest.raises(InputError, match="no l1"):
        learner_named("smd").fit(pose(sample_for("shared edges"), "likelihood", l1=0.1))
    with pytest.raises(InputError, match="memory is 2"):
        learner_named("smd", {"memory": 2})
