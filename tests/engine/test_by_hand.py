"""A structure whose argmax is Python code learns as one whose argmax is compiled: the same steps, the same bytes."""

import numpy as np
import pytest
from list_data import pose_lists, random_lists
from modes import wide

from widemargin.engine.by_hand import BY_HAND, is_by_hand, kernel_for
from widemargin.engine.gradient import decode
from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.sweep import sweep
from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.learners.online_run import Run
from widemargin.structures.lists.arrays import Lists

pytestmark = pytest.mark.twice

CASES = [
    ("ops", "hinge", {"batch": 3}),
    ("mira", "hinge", {}),
    ("sgd", "ramp", {"average": True, "schedule": "root"}),
    *wide(
        ("perceptron", "perceptron", {}),
        ("mira", "hinge", {"k": 3}),
        ("adadelta", "hinge", {}),
        ("smd", "hinge", {"batch": 4}),
    ),
]


class HandLists(Lists):
    """Lists, searched by NumPy."""

    name = "lists by hand"
    calls = 0

    def argmax_in_python(self, s, n, out):
        self.calls += 1
        out[0] = np.argmax(s.work[:n])
        return s.work[out[0]]


@pytest.mark.parametrize("latent", [False, True])
@pytest.mark.parametrize(("name", "objective", "settings"), CASES)
def test_the_same_weights_by_hand_and_compiled(name, objective, settings, latent):
    sample = random_lists(1, rows=25, features=20, latent=latent, illegal=True)
    learner, found = learner_named(name, {"epochs": 3, "dtype": "float64", **settings}), []
    for structure in (Lists(), HandLists()):
        problem = pose_lists(sample, objective, l2=0.0 if name in ("mira", "perceptron") else 0.1, structure=structure)
        result = learner.fit(problem)
        found.append((result.w.tobytes(), [facts["moved"] for facts in result.history], [facts["loss"] for facts in result.history]))
    (compiled, moved, loss), (by_hand, moved_by_hand, loss_by_hand) = found
    assert compiled == by_hand
    assert moved == moved_by_hand
    np.testing.assert_allclose(loss, loss_by_hand, rtol=1e-12)
    assert structure.calls >= 3 * 25


@pytest.mark.parametrize(("name", "settings"), [("ops", {}), ("ops", {"batch": 3}), ("mira", {"k": 3})])
def test_a_sweep_by_hand_stops_and_goes_on(name, settings):
    sample, found = random_lists(1, sizes=[1, 3, 9, 2, 40, 5, 60], features=6), []
    learner = learner_named(name, {"epochs": 2, "dtype": "float64", **settings})
    for room in (0, 2):
        run = Run(learner, pose_lists(sample, structure=HandLists()), None, room=room)
        facts = [run.epoch(epoch) for epoch in (1, 2)]
        found.append((run.weights().tobytes(), facts))
        assert run.shards or run.desk.room >= 60
    assert found[0] == found[1]


@pytest.mark.parametrize("objective", ["perceptron", "hinge", "ramp"])
def test_f_its_gradient_and_best_outputs_by_hand(objective):
    sample, found = random_lists(2, rows=20, features=6, latent=True, illegal=True), []
    for structure in (Lists(), HandLists()):
        problem = pose_lists(sample, objective, l2=0.1, structure=structure)
        w, g = problem.table(np.random.default_rng(0).normal(size=6)), problem.zeros()
        found.append([problem.value(w), problem.value_and_gradient(w, g), *g.ravel(), *problem.choose(w)])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert structure.calls > 0


def test_one_slack_and_chosen_rates_work_by_hand():
    sample = random_lists(3, rows=12)
    for name, settings in (("one-slack", {"epochs": 30}), ("sgd", {"epochs": 2, "rate": "auto", "delta": 1e-9})):
        ends = [learner_named(name, settings).fit(pose_lists(sample, l2=0.2, structure=kind())).w for kind in (Lists, HandLists)]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_only_differences_of_maxima_are_offered():
    for objective in set(OBJECTIVES) - {"perceptron", "hinge", "ramp"}:
        with pytest.raises(InputError, match="perceptron, hinge and ramp work"):
            pose_lists(random_lists(0), objective, structure=HandLists())


@pytest.mark.parametrize("name", ["bcfw", "ocp", "cutting-plane", "cccp"])
def test_duals_that_go_row_by_row_refuse(name):
    with pytest.raises(InputError, match="needs a compiled argmax"):
        learner_named(name).fit(pose_lists(random_lists(0), l2=0.1, structure=HandLists()))


def test_who_is_by_hand():
    assert not is_by_hand(Lists())
    assert is_by_hand(HandLists())
    assert kernel_for(Lists(), sweep) is sweep
    assert kernel_for(HandLists(), decode).func is BY_HAND[decode]


def test_a_structure_without_lists_of_best_outputs_refuses_k():
    class Single(HandLists):
        offers = frozenset({"argmax"})

    with pytest.raises(InputError, match="which lists by hand does not offer; leave k at 1"):
        learner_named("mira", {"k": 2}).fit(pose_lists(random_lists(0), structure=Single()))
