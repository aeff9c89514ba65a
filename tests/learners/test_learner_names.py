"""Other names of learners mean the same ones, and every learner says what it is."""

import pytest

from widemargin.families.recipes import Recipe
from widemargin.learners import ABOUT, ALIASES, LEARNERS, learner_named, usual_l2, usual_objective
from widemargin.study.grids import axis_of


@pytest.mark.parametrize(("other", "name"), [("adagrad", "ops"), ("dca", "ocp"), ("meta", "smd")])
def test_another_name_is_the_same_learner(other, name):
    assert ALIASES[other] == name
    assert learner_named(other, {"epochs": 3}) == learner_named(name, {"epochs": 3})
    assert learner_named(other).name == name  # what a model keeps
    assert (usual_objective(other), usual_l2(other, 10)) == (usual_objective(name), usual_l2(name, 10))
    assert Recipe("tag", other) == Recipe("tag", name)
    assert axis_of(f"{other}.epochs=1,2").learner == name


def test_every_learner_says_what_it_is():
    assert list(ABOUT) == list(LEARNERS)
    assert "concave-convex procedure" in ABOUT["cccp"]
    assert learner_named("cccp", {"inner": "dca"}).inner.name == "ocp"
