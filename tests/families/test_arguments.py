"""Wrong types in Python: one sentence, or scikit-learn's usual one, and never an error from deep inside."""

import numpy as np
import pytest
from conformance import SMALL
from estimator_data import sentences

import widemargin
from widemargin import InputError
from widemargin.families import arguments
from widemargin.families.registry import family_named

WRONG = {
    **{"negative": -1, "text": "a", "fraction": 2.5, "yes": True, "nan": float("nan"), "inf": float("inf"), "absurd": 10**30},
    **{"unwritable": 10**5000, "list": [], "dict": {}, "numeral": "3", "bytes": b"3", "large": 1e300, "object": object()},
    "array": np.array([1, 2]),
}
# which of those an argument takes
TAKES = {
    **dict.fromkeys(("l1", "l2", "rate", "every"), ("fraction",)),
    **dict.fromkeys(("settings", "options"), ("dict",)),
    **{"average": ("yes",), "checkpoint": ("text", "numeral"), "n_jobs": ("negative",)},
}
TRAINING = "epochs l1 l2 seed rate batch patience average cost objective learner structure settings options threads every weight start dev"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arguments")
    for small in SMALL.values():
        small.files(folder)
    return folder


def refused(call, *arguments, **named):
    with pytest.raises(InputError) as caught:
        call(*arguments, **named)
    assert len(str(caught.value)) < 300
    return str(caught.value)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("argument", [*TRAINING.split(), "templates", "checkpoint", "listen", "hash_bits"])
def test_training(name, argument, folder, monkeypatch):
    """Nothing that is refused gets as far as learning."""

    def learnt(*_, **__):
        raise AssertionError("this was not refused")

    monkeypatch.setattr("widemargin.families.recipes.fit", learnt)
    task, train = SMALL[name].TASK, str(folder / f"{name}.train")
    for kind, value in WRONG.items():
        if kind not in TAKES.get(argument, ()):
            told = refused(widemargin.train, task, train, **{argument: value})
            is_a_file = isinstance(value, str) and argument in ("start", "dev", "templates")
            assert is_a_file or argument in told, told


@pytest.mark.parametrize("name", SMALL)
def test_data_and_tasks(name, folder):
    task, train = SMALL[name].TASK, str(folder / f"{name}.train")
    others = [family_named(other).open(str(folder / f"{other}.train"), SMALL[other].TASK) for other in SMALL if other != name]
    for value in (5, None, [], b"x", object(), np.zeros(3), *others):
        assert refused(widemargin.train, task, value).startswith("data is ")
        if value is not None:
            assert refused(widemargin.train, task, train, dev=value).startswith("dev is ")
    for value in (5, None, [], b"chunk", "nothing"):
        assert "task" in refused(widemargin.train, value, train)
        assert "task" in refused(widemargin.Recipe, value)
    assert "encoding is 5" in refused(widemargin.open_data, train, task, encoding=5)


def test_files_may_be_paths(folder):
    name = next(iter(SMALL))
    assert arguments.data_or_file("data", folder, family_named(name)) == str(folder)
    assert arguments.model_or_file("start", folder) == str(folder)


def estimator(name, **parameters):
    return SMALL[name].ESTIMATOR(**SMALL[name].PARAMETERS | {"epochs": 1} | parameters)


def data_of(name):
    X, y = sentences(3)
    return X, [SMALL[name].output(row) for row in y]


ESTIMATORS = [
    name for name in SMALL if hasattr(SMALL[name], "ESTIMATOR")
]  # of sentences; those of lists and clusters have tests of their own
PARAMETERS = "learner objective cost l1 l2 epochs rate average settings templates structure hash_bits metric patience n_jobs random_state"


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("parameter", PARAMETERS.split())
def test_parameters_of_estimators(name, parameter, monkeypatch):
    def learnt(*_, **__):
        raise AssertionError("this was not refused")

    monkeypatch.setattr("widemargin.families.estimators.fit", learnt)
    X, y = data_of(name)
    for kind, value in WRONG.items():
        if kind not in TAKES.get(parameter, ()):
            told = refused(estimator(name, **{parameter: value}).fit, X, y)
            assert parameter in told or (parameter == "n_jobs" and "threads" in told) or parameter == "templates", told


@pytest.mark.parametrize("name", ESTIMATORS)
def test_data_of_estimators(name):
    X, y = data_of(name)
    for value in (5, 2.5, "text", object(), [5], [[]], [None], [[object()]], [float("nan")]):
        with pytest.raises((ValueError, TypeError)) as caught:
            estimator(name).fit(X, value)
        assert isinstance(caught.value, InputError) or "y" in str(caught.value)
        for dev in (value, (X, value)):
            refused(estimator(name).fit, X, y, dev=dev)
        refused(estimator(name).fit, X, y, sample_weight=value)
    for value in (None, 5, object(), True):
        with pytest.raises((ValueError, TypeError)) as caught:
            estimator(name).fit(value, y)
        assert isinstance(caught.value, InputError), caught.value
    refused(estimator(name, learner="ops").partial_fit, X, y, 5)
    with pytest.raises(ValueError, match="requires y to be passed"):
        estimator(name).fit(X, None)
