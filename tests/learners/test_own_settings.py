"""A learner lists the settings that it looks at, refuses those of others, and no setting that it lists does nothing for its kind."""

import dataclasses

import numpy as np
import pytest
from engine_corpora import pose, random_sample

from widemargin.errors import InputError
from widemargin.learners import LEARNERS, chosen_learner, learner_named, settings_of
from widemargin.learners.settings import ONLY, fields_of

pytestmark = pytest.mark.wide

OTHER = {"schedule": "root", "mix_weights": "size", "dtype": "float64"}
ONLINE = [name for name, (kind, _, _) in LEARNERS.items() if kind.__name__ == "Online"]


def another(key, value):
    if key in OTHER:
        return OTHER[key]
    return not value if isinstance(value, bool) else value + 0.005 if isinstance(value, float) else value + 1


@pytest.mark.parametrize("name", ONLINE)
def test_a_setting_that_is_not_listed_changes_nothing_and_is_refused(name):
    problem, usual = pose(random_sample(5, rows=7), "hinge" if name == "mira" else "perceptron"), learner_named(name, {"epochs": 2})
    w, idle = usual.fit(problem).w, set(fields_of(type(usual))) - set(settings_of(name))
    assert idle
    for key in idle:
        value = another(key, getattr(usual, key))
        with pytest.raises(InputError, match=f"{key}|one row at a time"):
            chosen_learner(name, {key: value})
        if key not in ("batch", "summed", "k", "mix", "mix_weights"):  # the class itself refuses these, or they need another one
            np.testing.assert_array_equal(dataclasses.replace(usual, **{key: value}).fit(problem).w, w, err_msg=key)


def test_what_a_model_says_of_its_learner_makes_the_same_learner():
    for name in LEARNERS:
        if name != "cccp":
            told = dataclasses.asdict(learner_named(name))
            assert chosen_learner(told.pop("name"), told) == learner_named(name)


def test_slips_get_a_hint():
    with pytest.raises(InputError, match=r"ops has no setting 'epoch'; its settings are epochs, rate, .*; did you mean epochs\?"):
        learner_named("ops", {"epoch": 3})
    assert set(ONLY) <= {key for kind, _, _ in LEARNERS.values() for key in fields_of(kind)}
    assert set().union(*ONLY.values()) <= set(LEARNERS)
