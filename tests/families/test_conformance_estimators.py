"""What all estimators are: scikit-learn's own checks on each, and the same parameters, methods and attributes under the same names."""

import inspect
import io
import itertools
import pickle
import pickletools
import re
from unittest import SkipTest

import joblib
import numpy as np
import pytest
from conformance import SMALL as EVERY
from estimator_data import sentences
from modes import only_in_test_all
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import estimator_checks_generator

from widemargin import InputError
from widemargin.families.estimators import ModelEstimator

FAMILIES = {name: small for name, small in EVERY.items() if hasattr(small, "ESTIMATOR")}  # those whose X is sequences of tokens
ESTIMATORS = [small.ESTIMATOR for small in FAMILIES.values()]
OF = {small.ESTIMATOR: small for small in FAMILIES.values()}
SMALL = {small.ESTIMATOR: small.PARAMETERS for small in FAMILIES.values()}
FAILING: dict[tuple[str, str], str] = {}  # (estimator, check of scikit-learn): why it cannot pass


def checks():
    for estimator in (small.of_tables() for small in FAMILIES.values()):
        for each, check in estimator_checks_generator(estimator, legacy=True):
            yield pytest.param(each, check, id=f"{type(estimator).__name__}-{getattr(check, 'func', check).__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
@pytest.mark.filterwarnings("default")
def test_scikit_learn_checks(estimator, check):
    name = type(estimator).__name__, getattr(check, "func", check).__name__
    failed = None
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.skip(f"scikit-learn: {reason}")
    except Exception as error:
        failed = error
    if name in FAILING:
        assert failed is not None, f"{name} passes now; take it out of FAILING"
    elif failed is not None:
        raise failed


def data_of(kind):
    """A dozen sequences and their outputs."""
    X, y = sentences(12)
    given = getattr(OF[kind], "given", list)
    return [given(row) for row in X], [OF[kind].output(row) for row in y]


def tables(model):
    return [table.tobytes() for table in model.model_.weights]


def weighty(model):
    """Rows of weights that are not all 0; files may leave out the others."""
    return [table[np.asarray(table).reshape(len(table), -1).any(axis=1)].tobytes() for table in model.model_.weights]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_parameters_and_methods_have_the_same_names_in_the_same_order(kind):
    names = list(inspect.signature(kind.__init__).parameters)[1:]
    shared = "learner objective cost l1 l2 epochs rate average settings templates structure hash_bits metric patience".split()
    shared += ["random_state", "n_jobs", "warm_start", "verbose"]
    assert names[: len(shared)] == shared  # and then the family's own
    assert issubclass(kind, ModelEstimator)
    methods = (
        "fit partial_fit predict predict_marginals predict_kbest predict_log_proba entropy score calibrate prune explain weights save load"
    )
    assert all(hasattr(kind, name) for name in methods.split())
    assert inspect.signature(kind.predict_kbest).parameters["k"].default == 5


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_has_a_line_in_the_docstring(kind):
    text = inspect.getdoc(kind)
    parameters, attributes = text.split("Parameters\n----------\n")[1].split("Attributes\n----------\n")
    described = re.findall(r"^(\w+) : \S", parameters, re.M)
    assert sorted(described) == sorted(inspect.signature(kind.__init__).parameters.keys() - {"self"})
    model = kind(**SMALL[kind]).fit(*data_of(kind))
    fitted = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    assert fitted <= set(re.findall(r"^(\w+) : \S", attributes, re.M))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_random_states_of_all_kinds(kind):
    X, y = data_of(kind)
    make = lambda state: kind(**SMALL[kind], random_state=state).fit(X, y)  # noqa: E731
    assert tables(make(7)) == tables(make(np.int32(7)))
    for generator in (np.random.RandomState, np.random.default_rng):
        assert tables(make(generator(7))) == tables(make(generator(7))) != tables(make(7))
    assert tables(make(None)) == tables(make(None))
    for bad in ("seven", 1.5, True):
        with pytest.raises(InputError, match="random_state"):
            make(bad)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_development_data_as_tuple_or_list(kind):
    X, y = data_of(kind)
    models = [kind(**SMALL[kind], patience=1).fit(X, y, dev=dev) for dev in ((X[:4], y[:4]), [X[:4], y[:4]])]
    assert models[0].history_ == models[1].history_
    assert "dev" in models[0].history_[0]
    for bad in ((X,), (X, y, y, y), 3, "dev"):
        with pytest.raises(InputError, match="dev is"):
            kind(**SMALL[kind]).fit(X, y, dev=bad)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_sample_weights_are_checked(kind):
    X, y = data_of(kind)
    for bad in ([1.0], np.ones((12, 1)), [-1.0] * 12, [np.nan] * 12, "many", [0.0] * 12):
        with pytest.raises(InputError, match="sample_weight"):
            kind(**SMALL[kind]).fit(X, y, sample_weight=bad)
    plain, ones = kind(**SMALL[kind]).fit(X, y), kind(**SMALL[kind]).fit(X, y, sample_weight=np.ones(12))
    assert tables(plain) == tables(ones)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_files_pickles_and_clones(kind, tmp_path):
    X, y = data_of(kind)
    model = kind(**SMALL[kind], rate=0.2, average=True).fit(X, y)
    assert kind.__module__ == "widemargin"
    path, file = str(tmp_path / "m.safetensors"), io.BytesIO()
    model.save(path)
    joblib.dump(model, file)
    file.seek(0)
    for other in (kind.load(path), pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert weighty(other) == weighty(model)
        assert other.predict(X) == model.predict(X)
        assert (other.labels_, other.history_, other.n_iter_) == (model.labels_, model.history_, 2)
        assert other.classes_.tolist() == model.classes_.tolist()
        assert tables(other.fit(X, y)) == tables(model)
        assert other.partial_fit(X, y).n_iter_ == 3
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "model_")


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_best_alternative_is_the_prediction_and_probabilities_sum_to_one(kind):
    X = [x for x in data_of(kind)[0] if len(x) < 4]
    model = kind(**SMALL[kind]).fit(*data_of(kind))
    for x, best, ranked in zip(X, model.predict(X), model.predict_kbest(X, 100_000)):
        p = np.array([value for value, _ in ranked])
        assert ranked[0][1] == best
        assert np.exp(p).sum() == pytest.approx(1.0, abs=1e-5)
        assert (np.diff(p) <= 1e-6).all()
        assert model.entropy([x])[0] == pytest.approx(-(np.exp(p) * p).sum(), abs=1e-4)
        assert model.predict_log_proba([x], [best])[0] == pytest.approx(p[0], abs=1e-5)
    assert model.calibrate(X, model.predict(X)).predict(X) == model.predict(X)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_settings_of_learner_and_family_are_used_or_refused(kind):
    X, y = data_of(kind)
    with pytest.raises(InputError, match="has no setting 'nosuch'"):
        kind(**SMALL[kind], settings={"nosuch": 1}).fit(X, y)
    with pytest.raises(InputError, match="learner 'nosuch' is not known"):
        kind("nosuch").fit(X, y)
    with pytest.raises(InputError, match="structure 'nosuch' is not known"):
        kind(structure="nosuch").fit(X, y)
    with pytest.raises(InputError, match="sweeps over all data"):
        kind("lbfgs", **SMALL[kind]).partial_fit(X, y)


ONLINE = [
    ("ops", {}),
    ("mira", {}),
    ("perceptron", {}),
    ("ops", {"l2": 0.05, "average": True}),
    ("sgd", {"average": True, "l2": 0.05, "settings": {"batch": 4}}),
    ("adadelta", {"average": True}),
]


# families differ in structure and features, learners are compiled for taggers
EACH = list(itertools.product(ESTIMATORS, ONLINE))
USUAL = [(kind, *rule) for kind, rule in EACH if kind is ESTIMATORS[0] or rule[0] == "ops"]
OTHERS = [(kind, *rule) for kind, rule in EACH if kind is not ESTIMATORS[0] and rule[0] != "ops"]


@pytest.mark.parametrize(("kind", "learner", "more"), USUAL + only_in_test_all(*OTHERS))
def test_partial_fit_twice_is_two_epochs(kind, learner, more):
    """The same order of sequences; step sizes and averages go on. Merged features are one training up to rounding."""
    X, y = data_of(kind)
    parameters = SMALL[kind] | {"learner": learner, "random_state": 3} | more
    twice = kind(**parameters).partial_fit(X, y).partial_fit(X, y)
    once, whole = kind(**parameters).partial_fit(X, y, epochs=2), kind(**parameters).fit(X, y)
    assert tables(twice) == tables(once)
    for one, other in zip(twice.model_.weights, whole.model_.weights):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)
    assert [epoch["epoch"] for epoch in twice.history_] == [1, 2]
    np.testing.assert_allclose([epoch["loss"] for epoch in twice.history_], [epoch["loss"] for epoch in whole.history_], rtol=1e-4)
    warm = kind(**parameters | {"epochs": 1}, warm_start=True).fit(X, y).fit(X, y)
    assert warm.n_iter_ == 2
    for one, other in zip(warm.model_.weights, whole.model_.weights):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_pickles_hold_plain_data_and_name_the_class_as_users_do(kind):
    model = kind(**SMALL[kind]).fit(*data_of(kind))
    found = [arg for op, arg, _ in pickletools.genops(pickle.dumps(model, protocol=2)) if op.name == "GLOBAL"]
    own = f"widemargin {kind.__name__}"
    plain = {"__builtin__ bytes", "__builtin__ object", "_codecs encode", "copy_reg _reconstructor", own}
    assert own in found
    assert all(name in plain or name.startswith("numpy") for name in found)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.filterwarnings("ignore:.*the grammar has no tree")  # half of the data need not have all productions
def test_searches_over_parameters(kind):
    X, y = data_of(kind)
    search = GridSearchCV(kind(**SMALL[kind]), {"rate": [0.01, 0.1]}, cv=KFold(2), error_score="raise").fit(X, y)
    assert search.best_estimator_.rate == search.best_params_["rate"]
    assert search.predict(X) == search.best_estimator_.predict(X)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_n_jobs_changes_nothing(kind):
    X, y = data_of(kind)
    one = kind(**SMALL[kind], learner="ops", settings={"batch": 4}).fit(X, y)
    for jobs in (2, -1):
        many = kind(**SMALL[kind], learner="ops", settings={"batch": 4}, n_jobs=jobs).fit(X, y)
        assert tables(many) == tables(one)
        assert many.predict(X) == one.predict(X)
        for a, b in zip(one.predict_marginals(X), many.predict_marginals(X)):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_empty_sequences_have_empty_answers(kind):
    X, y = data_of(kind)
    model, asked = kind(**SMALL[kind]).fit(X, y), [X[0], [], X[1]]
    found = model.predict(asked)
    if not getattr(OF[kind], "MANY_ROWS", False):  # an output is no row of labels
        assert [len(row) for row in found] == [len(row) for row in asked]
    assert len(found[1]) == 0
    assert [found[0], found[2]] == model.predict(X[:2])
    assert [list(row) for row in model.predict([[], []])] == [[], []]
    assert model.predict_kbest(asked, 1)[1][0][0] == 0.0
    assert model.predict_log_proba(asked, found)[1] == model.entropy(asked)[1] == 0.0
