"""Checkpoints whose arrays are not those of the run: refused, or the training goes on."""

import contextlib

import numpy as np
import pytest
from engine_corpora import pose, random_sample
from lies import lies_of
from parsing_data import problem as pose_trees

from widemargin.errors import InputError
from widemargin.learners import learner_named

CASES = {
    "ops": {},
    "sgd": {"rate": "auto"},
    "smd": {"objective": "likelihood"},
    "lbfgs": {"objective": "likelihood"},
    "cccp": {"objective": "jensen"},
    "ocp": {"l2": 0.1},
    "bcfw": {"l2": 0.1},
    "one-slack": {"l2": 0.1},
    "smo": {"l2": 0.1},
}
EPOCHS = {"cccp": "rounds"}
ANY_SIZE = ("lbfgs.slots", "lbfgs.values", "cuts.at", "best")  # fewer pairs, a shorter past, wider positions, no weights at all


def refuses_or_goes_on(learner, problem, arrays, history):
    try:
        with np.errstate(all="ignore"), contextlib.suppress(FloatingPointError):
            learner.fit(problem, state=(arrays, history))
    except InputError as error:
        assert len(error.sentence) < 200  # noqa: PT017
        return False
    return True


def kept_by(name, problem, **more):
    """A learner and its checkpoint after one of two epochs."""
    learner, kept = learner_named(name, {EPOCHS.get(name, "epochs"): 2} | more), []
    learner.fit(problem, keep=lambda epoch, state, history, final: kept.append(({k: np.array(v) for k, v in state().items()}, [*history])))
    return learner, kept[0]


@pytest.mark.wide
@pytest.mark.parametrize("name", CASES)
def test_what_a_checkpoint_says_is_compared(name):
    own = dict(CASES[name])
    more = {"rate": own.pop("rate")} if "rate" in own else {}
    problem = pose(random_sample(0, rows=3), own.pop("objective", "hinge"), **own)
    learner, (arrays, history) = kept_by(name, problem, **more)
    assert refuses_or_goes_on(learner, problem, arrays, history)
    for key, array in arrays.items():
        for how, lie in lies_of(array) if array.ndim else ():
            told = {other: there for other, there in arrays.items() if other != key} | ({} if lie is None else {key: np.asarray(lie)})
            same = lie is not None and np.shape(lie) == array.shape and np.asarray(lie).dtype == array.dtype
            if not same:
                assert not refuses_or_goes_on(learner, problem, told, history) or key in ANY_SIZE, (key, how)


@pytest.mark.wide
def test_lists_of_parts_stay_where_they_are():
    problem = pose_trees(sentences=2, l2=0.1)
    learner, (arrays, history) = kept_by("bcfw", problem)
    for name, value in (("first", 10**6), ("next", 10**6), ("next", 0), ("used", 10**6), ("used", -1), ("first", -7)):
        lie = arrays[f"mixture.{name}"].copy()
        lie[:] = value
        assert not refuses_or_goes_on(learner, problem, arrays | {f"mixture.{name}": lie}, history), (name, value)


def test_a_history_without_a_rate():
    problem = pose(random_sample(0, rows=3), "hinge")
    for history in ([], [{}], [{"rate": "fast"}]):
        with pytest.raises(InputError, match="the checkpoint was written for other data or settings"):
            learner_named("sgd", {"rate": "auto"}).fit(problem, state=({}, history))
