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
    cost = parse_link_cost("false_new=3")
    assert cost.prices == (0.5, 3.0, 1.0)
    assert [cost.between(*case) for case in ((True, True, False), (False, True, True), (False, False, True), (False, False, False))] == [
        0,
        3,
        1,
        0.5,
    ]
    for bad, words in (("nosuch=1", "no error of links"), ("hammer", "NAME=NUMBER"), ("false_new=x", "not a number")):
        with pytest.raises(InputError, match=words):
            parse_link_cost(bad)
