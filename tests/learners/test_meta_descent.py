"""Stochastic meta-descent ends in the minimum of L-BFGS; that its steps are those of an eager twin is in test_conformance.py."""

import pytest
from engine_corpora import pose, random_sample

from widemargin.errors import InputError
from widemargin.learners import learner_named

pytestmark = pytest.mark.twice
SAMPLE = random_sample(0, rows=5, longest=3, labels=3, nodes=6)


@pytest.mark.compiled  # many epochs
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


@pytest.mark.compiled  # many epochs
def test_gains_that_grow_too_fast_are_told():
    """A meta-rate this large overshoots: the fit stops there and says so."""
    problem = pose(random_sample(7, rows=30, longest=4, labels=3, nodes=8, edges=2), "softmax-margin", l2=0.03, cost="hamming")
    settings = {"dtype": "float64", "skip": 0.0, "rate": 0.1, "batch": 30, "shuffle": False, "delta": 1e-9, "epochs": 3000}
    result = learner_named("smd", settings | {"mu": 100.0}).fit(problem)
    assert result.history[-1]["primal"] > result.history[-2]["primal"]
    assert result.why == "F rose in the last epoch"


@pytest.mark.compiled  # many epochs
def test_it_reaches_the_minimum_of_the_hinge_about():
    problem = pose(random_sample(7, rows=30, longest=4, nodes=8, edges=2), "hinge", l2=0.1, cost="hamming")
    exact = learner_named("bcfw", {"epochs": 500, "tolerance": 1e-4}).fit(problem)
    lowest = problem.value(exact.w * problem.copies[:, None])
    w = learner_named("smd", {"dtype": "float64", "rate": 0.02, "mu": 0.01, "average": True, "epochs": 500, "batch": 10}).fit(problem).w
    assert lowest <= problem.value(w * problem.copies[:, None]) <= 1.02 * lowest


def test_refusals():
    problem = pose(SAMPLE, "risk")
    with pytest.raises(InputError, match="curvature of risk"):
        learner_named("smd").fit(problem)
    with pytest.raises(InputError, match="no l1"):
        learner_named("smd").fit(pose(SAMPLE, "likelihood", l1=0.1))
    with pytest.raises(InputError, match="memory is 2"):
        learner_named("smd", {"memory": 2})
