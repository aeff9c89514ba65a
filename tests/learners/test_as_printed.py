"""Two methods of kummerfeld2015 as the paper prints them: OPS on sums over batches, and batch cutting plane."""

import engine_twins as twins
import numpy as np
import pytest
from conformance import Expanded, posed
from engine_corpora import Dense, equal_start, pose, random_sample, to_dense

from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.learners.dual_runs import RUNS

pytestmark = pytest.mark.twice
PAPER = {"rate": 0.2, "initial": 1e-6, "summed": True, "dtype": "float64"}


class OfSums:
    """Algorithm 1: the rule sees the sum over the batch where the twin's loop gives it the mean."""

    def __init__(self, rule):
        self.rule = rule

    def step(self, w, g, seen):
        return self.rule.step(w, g * len(seen.rows), seen)


@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.05), (0.02, 0.0)])
@pytest.mark.parametrize("batch", [3, 5])  # of 14 rows: the last batch is smaller
def test_sums_are_those_of_algorithm_1(batch, l1, l2):
    sample = random_sample(0, rows=14, longest=3, labels=3, nodes=9, rare=4)
    problem, dense = pose(sample, "hinge", l1=l1, l2=l2), Dense(sample, "hinge", l1=l1, l2=l2)
    start, w = equal_start(problem, dense)
    found = learner_named("ops", PAPER | {"batch": batch, "epochs": 3}).fit(problem, start).w
    expected = twins.train(dense, OfSums(twins.AdaGrad(eta=0.2, initial=1e-6)), w, epochs=3, batch=batch)
    np.testing.assert_allclose(to_dense(problem, found), expected, rtol=0, atol=1e-12)


@pytest.mark.wide
@pytest.mark.parametrize("threads", [1, 2])
def test_sums_over_batches_of_trees(threads):
    problem = posed("dependencies", "eisner", l2=0.05, rows=7, threads=threads)
    found = learner_named("ops", PAPER | {"batch": 4, "epochs": 2}).fit(problem).w
    dense = Expanded(problem)
    rule = OfSums(twins.AdaGrad(eta=0.2, initial=1e-6))
    expected = twins.train(dense, rule, np.zeros(len(dense.of) * problem.width), epochs=2, batch=4)
    np.testing.assert_allclose(dense.spread(found), expected, rtol=0, atol=1e-10)


def test_sums_are_means_with_another_first_step():
    """Where all batches are whole: initial by the square of their size, and the penalty by their size, give the same weights."""
    sample = random_sample(0, rows=12, longest=3, labels=3, nodes=9)
    found = [
        learner_named("ops", {"rate": 0.1, "batch": 4, "epochs": 3, "dtype": "float64"} | own).fit(pose(sample, "hinge", l2=l2)).w
        for own, l2 in (({"initial": 0.16, "summed": True}, 0.04), ({"initial": 0.01}, 0.01))
    ]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-12)


def test_batch_cutting_plane_decodes_under_the_same_weights():
    """Nothing moves while rows are decoded; solving then raises the dual, and the end is that of the other learners."""
    problem = pose(random_sample(4, rows=9, longest=3, labels=3, nodes=6), "hinge", l2=0.1)
    learner = learner_named(
        "cutting-plane", {"wait": True, "passes": 100, "solved": 1e-4, "dtype": "float64", "check": 1, "tolerance": 1e-5}
    )
    run = RUNS["cutting-plane"](learner, problem)
    first = run.sweep(np.arange(9), decode=True)
    assert (first.moved, first.added) == (0, 9)
    assert not run.w.any()
    assert first.loss == pytest.approx(problem.value(problem.zeros()))
    wait = learner.fit(problem)
    assert wait.history[0]["loss"] == pytest.approx(problem.value(problem.zeros()))
    other = learner_named("bcfw", {"dtype": "float64", "tolerance": 1e-5, "epochs": 2000}).fit(problem)
    ends = [problem.value(found.w * problem.copies[:, None]) for found in (wait, other)]
    assert ends[0] == pytest.approx(ends[1], rel=2e-4)


def test_refusals():
    for name, settings, words in (
        ("ops", {"summed": True}, "a batch is one row"),
        ("ocp", {"wait": True}, "use cutting-plane"),
        ("cutting-plane", {"wait": True, "passes": 0}, "give passes"),
        ("cutting-plane", {"solved": 2}, "solved"),
    ):
        with pytest.raises(InputError, match=words):
            learner_named(name, settings)
