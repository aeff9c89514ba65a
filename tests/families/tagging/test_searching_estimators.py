"""scikit-learn's searches, pipelines and folds around the estimator; its own checks are in test_conformance_estimators.py."""

import numpy as np
import pytest
from estimator_data import as_lists, sentences, spans
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from widemargin import SequenceTagger, span_f1, token_accuracy


@pytest.mark.parametrize("scoring", [None, span_f1, token_accuracy])
def test_a_grid_search(scoring):
    X, y = spans(18)
    grid = {"rate": [0.05, 0.2], "objective": ["hinge", "softmax-margin"], "cost": ["hamming", "hamming*2"]}
    search = GridSearchCV(SequenceTagger(epochs=3, constraints="BIO"), grid, scoring=scoring, cv=KFold(3), error_score="raise")
    search.fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert 0.3 < search.best_score_ <= 1
    assert search.best_estimator_.rate == search.best_params_["rate"]
    assert [len(row) for row in search.predict(X)] == [len(row) for row in X]


def test_cross_validation_is_a_loop_over_folds():
    X, y = sentences(15)
    found = cross_val_score(SequenceTagger(epochs=3), X, y, cv=KFold(3))
    expected = []
    for train, test in KFold(3).split(X):
        model = SequenceTagger(epochs=3).fit([X[i] for i in train], [y[i] for i in train])
        expected.append(model.score([X[i] for i in test], [y[i] for i in test]))
    np.testing.assert_array_equal(found, expected)


def test_a_pipeline_that_makes_features():
    X, y = sentences()
    pipeline = Pipeline([("features", FunctionTransformer(as_lists)), ("tagger", SequenceTagger(epochs=4))])
    assert pipeline.fit(X, y).predict(X) == SequenceTagger(epochs=4).fit(as_lists(X), y).predict(as_lists(X))
    search = GridSearchCV(pipeline, {"tagger__rate": [0.1, 0.5]}, scoring=token_accuracy, cv=2, error_score="raise").fit(X, y)
    assert set(search.best_params_) == {"tagger__rate"}


def weights_of(X, y, **more):
    settings = {"dtype": "float64", "delta": 1e-12}
    return SequenceTagger("lbfgs", epochs=300, settings=settings, **more.pop("parameters", {})).fit(X, y, **more).weights


def test_a_weight_of_2_is_the_sequence_twice_and_0_is_leaving_it_out():
    """Under the usual l2 = 2/n: n F(w) is then the same function."""
    X, y = sentences(8)
    X, y = as_lists(X), y
    twice = weights_of([X[0], *X], [y[0], *y])
    weighted = weights_of(X, y, sample_weight=[2, 1, 1, 1, 1, 1, 1, 1])
    assert twice.keys() == weighted.keys()
    np.testing.assert_allclose([twice[key] for key in twice], [weighted[key] for key in twice], atol=2e-4)
    without = weights_of(X[:-1], y[:-1])
    zero = weights_of(X, y, sample_weight=[1, 1, 1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose([without.get(key, 0.0) for key in zero], list(zero.values()), atol=2e-4)


def test_scores_by_scikit_learn_s_scorers_are_the_estimator_s_own():
    X, y = spans(14)
    model = SequenceTagger(epochs=3, metric="f1").fit(X[:7], y[:7])
    assert span_f1(model, X[7:], y[7:]) == model.score(X[7:], y[7:])
    model = SequenceTagger(epochs=3).fit(X[:7], y[:7])
    np.testing.assert_allclose(token_accuracy(model, X[7:], y[7:]), model.score(X[7:], y[7:]), rtol=1e-12)
    guess = model.predict(X[7:])
    right = [a == b for row, other in zip(y[7:], guess) for a, b in zip(row, other)]
    np.testing.assert_allclose(token_accuracy(model, X[7:], y[7:]), np.mean(right))


def test_table_and_flat_labels():
    """A classifier of rows."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 3)), random.integers(3, size=40)
    X[np.arange(40), y] += 3
    model = SequenceTagger(epochs=10).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.predict(X).dtype == y.dtype
    assert model.n_features_in_ == 3
    np.testing.assert_allclose(token_accuracy(model, X, y), model.score(X, y), rtol=1e-12)
    rows = [row[None] for row in X]
    assert [label for (label,) in SequenceTagger(epochs=10).fit(rows, [[int(label)] for label in y]).predict(rows)] == list(
        model.predict(X)
    )
