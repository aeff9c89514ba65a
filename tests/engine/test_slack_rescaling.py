"""Slack rescaling against enumeration: the loss, its gradient, and the minimum that every learner of planes reaches."""

import engine_enumeration as brute
import numpy as np
import pytest
from engine_corpora import pose, random_sample
from modes import wide
from one_row import part_gradient, row_of_parts

from widemargin.errors import InputError
from widemargin.families.tagging.costs import Cost, parse_cost
from widemargin.learners import learner_named
from widemargin.learners.duals import DUALS

pytestmark = pytest.mark.twice
EDGES = [brute.SHARED, brute.PER_POSITION, brute.NONE]
LABELS = ("O", "A", "B", "C")
COSTS = ["hamming", "hamming*0.3", "miss=3,false=1,type=2"]


def cost_for(text, Y):
    return parse_cost(text, LABELS[:Y])


@pytest.mark.parametrize("text", COSTS)
@pytest.mark.parametrize("edges", EDGES)
def test_loss_and_gradient_are_those_of_the_worst_output(edges, text):
    random, active = np.random.default_rng(0), 0
    for seed in range(30):
        T, Y = (1 if edges == brute.NONE else int(random.integers(1, 5))), int(random.integers(2, 5))
        legal = brute.random_legal(random, Y) if seed % 3 == 0 else None
        found = brute.outputs(T, Y, edges, legal=legal)
        gold = found.labels[random.integers(len(found.labels))].astype(np.int32)
        scores, cost = brute.random_parts(random, T, Y, edges, random.choice([0.1, 1.0, 5.0])), cost_for(text, Y)
        problem, w = row_of_parts(scores, gold, edges, "slack", cost, legal)
        s, g = brute.flat(scores), problem.zeros()
        c = brute.prices(cost.matrix, gold, len(s))
        value, mu = brute.objective_value("slack", found, s, c, brute.agreeing(found, gold))
        assert problem.value_and_gradient(w, g) == pytest.approx(value, abs=1e-10)
        np.testing.assert_allclose(part_gradient(g, T, Y, edges), mu, atol=1e-10)
        active += value > 0.0
    assert active > 10


@pytest.mark.parametrize(("base", "rows", "tolerance"), [pytest.param(False, 20, 9e-4, marks=pytest.mark.compiled), *wide((True, 4, 2e-2))])
def test_every_learner_of_planes_reaches_the_same_f(base, rows, tolerance):
    sample = random_sample(7, rows=rows, longest=4, nodes=8, edges=2)
    problem = pose(sample, "slack", l2=0.5, cost="miss=2,false=1,type=1")
    if base:
        problem.corpus.__dict__["base"] = np.random.default_rng(2).normal(size=(len(sample.gold), problem.width))
    primal, dual = {}, {}
    for name in (name for name in DUALS if name != "smo"):  # smo knows the hinge alone
        settings = {"tolerance": tolerance, "epochs": 20_000, "check": 10, "dtype": "float64"}
        result = learner_named(name, settings).fit(problem)
        primal[name], dual[name] = problem.value(result.w * problem.copies[:, None]), result.history[-1]["dual"]
        assert result.why.endswith(": converged"), name
    assert max(dual.values()) <= min(primal.values()) * (1 + 1e-12), (primal, dual)
    assert max(primal.values()) <= min(primal.values()) * (1 + tolerance * 1.1), primal


def test_what_cannot_be_counted_is_refused():
    sample = random_sample(1)
    with pytest.raises(InputError, match=r"whole multiples of the smallest, and 'uneven' has others; use hamming, or objective hinge"):
        pose(sample, "slack")
    pose(random_sample(1, single=True), "slack", choice=True)
    with pytest.raises(InputError, match="needs every label; with unknown labels"):
        pose(random_sample(1, unknown=0.5), "slack", cost="hamming")


def test_levels_count_in_units_of_the_smallest_price():
    matrix = np.array([[0.0, 0.5], [1.5, 0.0]])
    np.testing.assert_array_equal(Cost("", LABELS[:2], matrix).levels, [[0, 1], [3, 0]])
    np.testing.assert_array_equal(Cost("", LABELS[:2], np.zeros((2, 2))).levels, np.zeros((2, 2)))
