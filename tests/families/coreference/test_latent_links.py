"""Latent antecedents: gradients of objectives, the concave-convex procedure, and costs that do not say what is correct."""

import dataclasses

import numpy as np
import pytest
from conformance import SMALL, posed, random_weights, value_of

from widemargin.engine.objectives import OBJECTIVES
from widemargin.errors import InputError
from widemargin.families.coreference.costs import parse_link_cost
from widemargin.families.recipes import pose, train
from widemargin.learners import learner_named
from widemargin.structures.links.arrays import Links

pytestmark = pytest.mark.wide
FIRST = ("coreference", "lists")


def latent(objective="hinge", **more):
    problem = posed(*FIRST, objective, **more)
    assert problem.latent
    assert (problem.corpus.counts > 1).any()
    return problem


def losses(problem, w, name):
    """By the definition: maxima and sums over candidates, those of the chain for the gold."""
    small, total = SMALL["coreference"], 0.0
    for i, share in enumerate(problem.corpus.weight / problem.corpus.rows):
        _, inside, price = small.outputs(problem, i)
        s = small.scores(problem, i, w)
        gold = s[inside.labels[:, 0]]
        upper, lower = {
            "hinge": ((s + price).max(), gold.max()),
            "perceptron": (s.max(), gold.max()),
            "likelihood": (np.logaddexp.reduce(s), np.logaddexp.reduce(gold)),
            "softmax-margin": (np.logaddexp.reduce(s + price), np.logaddexp.reduce(gold)),
        }[name]
        total += share * (upper - lower)
    return total


@pytest.mark.parametrize("name", ["hinge", "perceptron", "likelihood", "softmax-margin"])
def test_latent_objectives_are_differences_of_maxima_or_sums(name):
    problem = latent(name)
    for seed in range(3):
        w = random_weights(problem, seed)
        assert problem.value(w) == pytest.approx(losses(problem, w, name), abs=1e-9)


@pytest.mark.parametrize(("objective", "inner"), [("hinge", "bcfw"), ("hinge", "ocp"), ("hinge", "cutting-plane"), ("likelihood", "lbfgs")])
def test_rounds_of_the_concave_convex_procedure_never_raise_f(objective, inner):
    problem = latent(objective, l2=0.1, weighted=False)
    w = random_weights(problem, 3)
    values = [problem.value(w)]
    for _ in range(4):
        settings = {"inner": inner, "rounds": 1, "tolerance": 1e-4} | ({"epochs": 100} if inner != "lbfgs" else {})
        found = learner_named("cccp", settings).fit(problem, w)
        w = found.w * problem.copies[:, None]
        values.append(value_of(problem, found))
    assert (np.diff(values) <= 1e-3 * np.abs(values[:-1])).all(), values
    assert values[-1] < values[0]


def test_duals_alone_refuse_latent_antecedents():
    small = SMALL["coreference"]
    recipe = dataclasses.replace(small.RECIPES["lists"], learner="ocp", l2=0.1)
    with pytest.raises(InputError, match="ocp needs every label"):
        train(recipe, small.data())


# ---- planes that keep their own correct antecedent ------------------------------------------------------------------------------------


def test_a_pair_is_two_maxima():
    random = np.random.default_rng(0)
    for _ in range(20):
        n = int(random.integers(1, 7))
        s, c, correct = random.normal(size=n), random.random(n), random.random(n) < 0.5
        correct[int(random.integers(n))] = True
        value, mu = Links().argmax(s, correct, c)
        y, g = int((s + c).argmax()), int(np.where(correct, s, -np.inf).argmax())
        assert value == pytest.approx((s + c)[y] - s[g])
        np.testing.assert_array_equal(mu, np.eye(n)[y] - np.eye(n)[g])
    with pytest.raises(InputError, match="at least one is correct"):
        Links().argmax(np.zeros(2), np.zeros(2, bool), np.zeros(2))


def test_pairs_have_the_f_and_gradient_of_lists():
    for objective in ("hinge", "perceptron"):
        lists, pairs = (posed(*FIRST, objective, l2=0.1, structure=structure) for structure in ("lists", "links"))
        assert not pairs.latent
        for seed in range(3):
            w, g, h = random_weights(lists, seed), lists.zeros(), lists.zeros()
            assert pairs.value_and_gradient(w, g) == pytest.approx(lists.value_and_gradient(w, h), abs=1e-12)
            np.testing.assert_allclose(g, h, atol=1e-12)
    with pytest.raises(InputError, match="does not offer"):
        posed(*FIRST, "likelihood", structure="links")


@pytest.mark.parametrize("learner", ["ocp", "cutting-plane", "bcfw", "one-slack"])
def test_duals_on_pairs(learner):
    """With one correct antecedent each they are those of lists; with several, F falls."""
    settings = {"epochs": 60, "tolerance": 1e-3, "dtype": "float64", "check": 5}
    known = [posed(*FIRST, "hinge", l2=0.5, rows=3, unknown=False, structure=structure) for structure in ("lists", "links")]
    values = [value_of(problem, learner_named(learner, settings).fit(problem)) for problem in known]
    assert values[0] == pytest.approx(values[1], rel=5e-3)
    problem = latent("hinge", l2=0.1)
    pairs = posed(*FIRST, "hinge", l2=0.1, structure="links")
    found = value_of(pairs, learner_named(learner, settings | {"epochs": 10}).fit(pairs))
    assert found < problem.value(problem.zeros())


def test_what_is_correct_is_not_what_is_free():
    """With false_anaphor=0 a wrong link of a new mention is free, and still wrong."""
    small = SMALL["coreference"]
    recipe = dataclasses.replace(small.RECIPES["lists"], cost="false_anaphor=0,false_new=0,wrong_link=0", learner="ops")
    problem = pose(recipe, small.data()).problem
    for i in range(problem.corpus.rows):
        _, inside, price = small.outputs(problem, i)
        assert not price.any()
        known = problem.corpus.chain[problem.corpus.mention[i]] >= 0
        assert len(inside.labels) == (problem.corpus.correct(i).sum() if known else problem.corpus.sizes[i])
    w = random_weights(problem, 1)
    free = dataclasses.replace(problem, objective=OBJECTIVES["perceptron"])
    assert problem.value(w) == pytest.approx(free.value(w)) != 0.0


def test_costs_as_people_write_them():
    assert parse_link_cost("hamming*2").prices == (2.0, 2.0, 2.0)
    assert parse_link_cost("durrett-klein").prices == (0.1, 3.0, 1.0)
    assert parse_link_cost("false_new=3").prices == (0.5, 3.0, 1.0)
    for bad, words in (("nosuch=1", "not an error of links"), ("hammer", "NAME=NUMBER"), ("false_new=x", "not a number")):
        with pytest.raises(InputError, match=words):
            parse_link_cost(bad)
