"""MIRA on the k best outputs: one step is the exact solution of the small program over all outputs in a list."""

import engine_twins as twins
import numpy as np
import pytest
from engine_corpora import Dense, equal_start, pose, random_sample, to_dense
from modes import cases

from widemargin.errors import InputError
from widemargin.learners import learner_named, online_run

pytestmark = pytest.mark.twice
KINDS = ["shared edges", "edges per position", "choice"]


def sample_for(kind, seed=0, **more):
    edges = 3 if kind == "edges per position" else 0
    return random_sample(seed, rows=9, longest=4, labels=3, nodes=7, rare=3, edges=edges, single=kind == "choice", **more)


def fitted(problem, start, **settings):
    return learner_named("mira", {"dtype": "float64", "tolerance": 1e-11} | settings).fit(problem, start)


def trained(dense, w, *, k, cap, epochs, average):
    t, sums = 0, np.zeros_like(w)
    for epoch in range(1, epochs + 1):
        for i in np.random.default_rng([1, epoch]).permutation(len(dense.lengths)):
            w = twins.mira_step(dense, i, w, k=k, cap=cap)
            sums, t = sums + w, t + 1
    return sums / t if average else w


@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind == "choice"))
@pytest.mark.parametrize("average", [False, True])
def test_steps_are_those_of_the_program(kind, average):
    """Merged features count as often as they are; the cap binds at some steps, several margins at others."""
    choice = kind == "choice"
    sample = sample_for(kind)
    sample.weight = np.random.default_rng(2).uniform(0.2, 2.0, len(sample.lengths))
    problem, dense = pose(sample, "hinge", choice=choice), Dense(sample, "hinge", choice=choice)
    start, w = equal_start(problem, dense)
    for k, cap in ((2, 0.05), (3, 1e9), (4, 0.3)):
        found = fitted(problem, start, k=k, rate=cap, average=average, epochs=3)
        expected = trained(dense, w, k=k, cap=cap, epochs=3, average=average)
        np.testing.assert_allclose(to_dense(problem, found.w), expected, rtol=0, atol=1e-7)
        assert all(facts["violation"] <= 1e-11 for facts in found.history)


def test_where_labels_are_unknown_the_gold_is_the_best_that_agrees():
    """One pass: where a step has made two outputs equal, later passes may take either."""
    sample = sample_for("edges per position", unknown=0.15)
    problem, dense = pose(sample, "hinge"), Dense(sample, "hinge")
    start, w = equal_start(problem, dense)
    found = fitted(problem, start, k=3, rate=0.3, average=False, epochs=1)
    expected = trained(dense, w, k=3, cap=0.3, epochs=1, average=False)
    np.testing.assert_allclose(to_dense(problem, found.w), expected, rtol=0, atol=1e-7)


def test_values_of_features_enter_the_program():
    sample = sample_for("shared edges")
    sample.node = sample.node * np.random.default_rng(0).uniform(0.5, 2.0, sample.node.shape).astype(np.float32)
    problem, dense = pose(sample, "hinge"), Dense(sample, "hinge")
    found = fitted(problem, None, k=3, rate=0.3, average=False, epochs=2)
    expected = trained(dense, dense.zeros(), k=3, cap=0.3, epochs=2, average=False)
    np.testing.assert_allclose(to_dense(problem, found.w), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_one_output_is_the_closed_form(kind, monkeypatch):
    """The program with k = 1 against min(C, loss / |g|^2)."""
    problem = pose(sample_for(kind), "hinge")
    start, _ = equal_start(problem, Dense(sample_for(kind), "hinge"))
    closed = fitted(problem, start, k=1, rate=0.2, epochs=4)
    assert "violation" not in closed.history[0]
    one = learner_named("mira", {"rate": 0.2, "tolerance": 1e-11})
    monkeypatch.setattr(online_run, "Capped", lambda *_: online_run.margins(one, problem, np.float64, problem.corpus.longest))
    program = fitted(problem, start, k=1, rate=0.2, epochs=4)
    assert program.history[0]["violation"] <= 1e-11
    np.testing.assert_allclose(program.w, closed.w, rtol=0, atol=1e-12)


def test_more_margins_than_outputs_and_rows_of_one_token():
    problem = pose(random_sample(3, rows=6, longest=1, labels=2, nodes=4), "hinge")
    many, all_there = (fitted(problem, None, k=k, epochs=3, rate=1.0).w for k in (7, 2))
    np.testing.assert_allclose(many, all_there, rtol=0, atol=1e-12)


def test_the_tolerance_is_kept_and_reported():
    problem = pose(sample_for("shared edges"), "hinge")
    loose = fitted(problem, None, k=5, tolerance=0.3, epochs=2, rate=1.0)
    assert 0.0 < max(facts["violation"] for facts in loose.history) <= 0.3


def test_refusals():
    with pytest.raises(InputError, match="k is for mira"):
        learner_named("ops", {"k": 3})
    with pytest.raises(InputError, match="k is 0"):
        learner_named("mira", {"k": 0})
    with pytest.raises(InputError, match="hinge"):
        fitted(pose(sample_for("shared edges"), "likelihood"), None, k=2)
