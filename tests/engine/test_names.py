"""Names of the field, however they are written."""

import pytest

from widemargin.engine.names import canonical, known
from widemargin.engine.objectives import objective_named
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.learners import learner_named

pytestmark = pytest.mark.twice


@pytest.mark.parametrize(("name", "learner"), [("AdaGrad", "ops"), ("crf", "lbfgs"), ("cutting_plane", "cutting-plane"), ("svm", "bcfw")])
def test_learners(name, learner):
    assert learner_named(name).name == Recipe("chunk", learner=name).learner == learner


@pytest.mark.parametrize(("name", "objective"), [("log_loss", "likelihood"), ("softmax_margin", "softmax-margin"), ("max-margin", "hinge")])
def test_objectives(name, objective):
    assert objective_named(name).name == Recipe("chunk", objective=name).objective == objective


@pytest.mark.parametrize(("name", "structure"), [("mst", "arborescence"), ("non_projective", "arborescence"), ("Projective", "eisner")])
def test_structures(name, structure):
    assert Recipe("depparse", structure=name).structure == structure


def test_an_unknown_name_stays_and_a_slip_gets_a_hint():
    assert canonical("Hinge Loss", ["hinge"]) == "Hinge Loss"
    with pytest.raises(InputError, match=r"rule 'hinje' is not known; choose one of hinge, ramp; did you mean hinge\?"):
        known("rule", "hinje", ["hinge", "ramp"])
    with pytest.raises(InputError, match=r"task 'chnk' is not known; choose one of .*; did you mean chunk\?"):
        Recipe("chnk")
