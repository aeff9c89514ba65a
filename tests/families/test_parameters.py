"""Estimators and scikit-learn's BaseEstimator: the same whether scikit-learn was imported before them, or when they first need it."""

import inspect
import json
import os
import pathlib
import subprocess
import sys

import pytest

import widemargin

SUPPORT = pathlib.Path(__file__).parents[1] / "support"
ESTIMATORS = [name for name in widemargin.__all__ if inspect.isclass(thing := getattr(widemargin, name)) and hasattr(thing, "fit")]

# what each of these finds is compared; the first of them to be asked brings scikit-learn in
ASKED = {
    "repr": "found = repr(t)",
    "repr in a list": "found = repr([t])",
    "dir": "found = [name for name in dir(t) if not name.startswith('__')]",
    "get_params": "found = sorted(t.get_params())",
    "get_params of the class": "found = sorted(type(t).get_params(t))",
    "set_params": "found = repr(t.set_params(rate=0.5, learner='mira'))",
    "set_params, refused": "t.set_params(nosuch=1)",
    "tags": "found = repr(t.__sklearn_tags__())",
    "tags of a subclass": "found = t.with_tags().__sklearn_tags__().no_validation",
    "HTML": "found = t._repr_html_()",
    "bundle": "found = sorted(t._repr_mimebundle_())",
    "routing": "found = repr(t.get_metadata_routing())",
    "requests": "import sklearn; sklearn.set_config(enable_metadata_routing=True); "
    "found = repr(t.set_fit_request(sample_weight=True).get_metadata_routing())",
    "requests of the class": "import inspect; found = str(inspect.signature(type(t).set_score_request))",
    "requests of a subclass": "found = hasattr(t.with_tags(), 'set_transform_request')",
    "no such thing": "t.nosuch",
    "no such request": "found = hasattr(type(t), 'set_split_request')",
    "predict_proba": "found = hasattr(t, 'predict_proba')",
    "not fitted": "type(t)().predict([['a']])",
    "weights, not fitted": "type(t)().weights",
    "check_is_fitted": "from sklearn.utils.validation import check_is_fitted; found = [check_is_fitted(t), check_is_fitted(type(t)())]",
    "clone": "from sklearn.base import clone; found = repr(clone(t)), hasattr(clone(t), 'model_')",
    "isinstance": "from sklearn.base import BaseEstimator as B; found = isinstance(type(t)(), B), isinstance(t, B), issubclass(type(t), B)",
    "deepcopy": "import copy; found = copy.deepcopy(t).predict([['a', 'b']])",
    "pickle": "import pickle; from sklearn.base import BaseEstimator; found = isinstance(pickle.loads(pickle.dumps(t)), BaseEstimator)",
    "is_classifier": "from sklearn.base import is_classifier, is_regressor; found = is_classifier(t), is_regressor(t)",
    "a pipeline": "from sklearn.pipeline import make_pipeline; found = repr(make_pipeline('passthrough', t))",
    "a pipeline's HTML": "from sklearn.pipeline import make_pipeline; found = make_pipeline('passthrough', t)._repr_html_()",
    "cross_val_predict": "from sklearn.model_selection import cross_val_predict; found = list(cross_val_predict(t, X, y, cv=2))",
    "cross_val_score": "from sklearn.model_selection import cross_val_score; found = cross_val_score(t, X, y, cv=2).tolist()",
    "a search": "from sklearn.model_selection import GridSearchCV; found = GridSearchCV(t, {'rate': [0.1]}, cv=2).fit(X, y).predict(X)",
    "a search as text": "from sklearn.model_selection import GridSearchCV; found = repr(GridSearchCV(t, {'rate': [0.1]}))",
    "a search as HTML": "from sklearn.model_selection import GridSearchCV; found = GridSearchCV(t, {'rate': [0.1]})._repr_html_()",
    "help": "import pydoc; text = pydoc.render_doc(type(t)); found = [name in text for name in ('get_params', 'fit(', 'set_fit_request')]",
    "a mixin": "from sklearn.base import ClassifierMixin, is_classifier; C = type('C', (ClassifierMixin, Tagger), {}); "
    "found = is_classifier(C()), [each.__name__ for each in C.__mro__]",
    "n_jobs": "from joblib import parallel_config; before = t._threads\nwith parallel_config(n_jobs=2): found = before, t._threads",
}

# A fitted estimator, and each question to a copy of this process. `loaded`: scikit-learn is there before.
SCRIPT = """
import json, os, sys
loaded, asked = json.loads(sys.stdin.read())
import scipy.stats  # most of what scikit-learn's import takes, once instead of in every copy
if loaded:
    import sklearn.model_selection, sklearn.pipeline
from widemargin import SequenceTagger

class Tagger(SequenceTagger):
    def with_tags(self):
        return Tagged()

class Tagged(SequenceTagger):
    def transform(self, X, *, weight=None): ...

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        assert not tags.no_validation  # each class does its part once
        tags.no_validation = True
        return tags

X, y = [["a", "b"], ["b"], ["a"], ["b", "a"]], [["A", "B"], ["B"], ["A"], ["B", "A"]]
t = Tagger(epochs=2).fit(X, y)
assert bool(loaded) == ("sklearn" in sys.modules), "too early"
for name, statement in asked.items():
    if not os.fork():
        try:
            exec(statement)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        print(json.dumps([name, found]), flush=True)
        os._exit(0)
    os.wait()
"""


def answers(loaded):
    """What each question finds."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, input=json.dumps([loaded, ASKED]), capture_output=True, text=True, check=True
    )
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_everything_is_as_if_scikit_learn_had_been_there_from_the_beginning():
    before, when_asked = answers(True), answers(False)
    assert before.keys() == ASKED.keys()
    assert {name: found for name, found in when_asked.items() if found != before[name]} == {}
    assert before["isinstance"] == [True, True, True]
    assert before["repr"] == "Tagger(epochs=2)"
    assert before["n_jobs"] == [1, 2]
    assert before["clone"] == ["Tagger(epochs=2)", False]
    assert before["not fitted"].startswith("NotFittedError: This Tagger instance is not fitted yet.")
    assert before["no such thing"] == "AttributeError: 'Tagger' object has no attribute 'nosuch'"
    assert before["requests of a subclass"] is before["tags of a subclass"] is before["pickle"] is True
    assert "sample_weight" in before["requests of the class"]
    assert "sk-container-id" in before["HTML"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_importing_an_estimator_imports_no_scikit_learn(name):
    """It takes longer than all the rest; Numba itself looks at scipy's version and no further."""
    code = (
        f"import sys; from widemargin import {name}; {name}(); print([m for m in sys.modules if m.split('.')[0] in ('sklearn', 'joblib')])"
    )
    code += "; print([m for m in ('scipy.linalg', 'scipy.sparse', 'scipy.stats') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n[]\n"


def test_training_answering_saving_and_loading_do_without_scikit_learn(tmp_path):
    code = """
import pickle, sys
from widemargin import SequenceTagger
X, y = [["a", "b"], ["b"]], [["A", "B"], ["B"]]
t = SequenceTagger(epochs=2).fit(X, y, dev=(X, y)).partial_fit(X, y).calibrate(X, y)
t.save(sys.argv[1])
for other in SequenceTagger.load(sys.argv[1]), pickle.loads(pickle.dumps(t)):
    assert other.predict(X) == t.predict(X)
    other.predict_marginals(X), other.predict_kbest(X, 2), other.score(X, y), other.explain(X[0]), other.prune(), other.weights
print("sklearn" in sys.modules)
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "m")], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
