"""What fit learns, and what it keeps."""

import numpy as np
import pytest
from estimator_data import READ, sentences
from modes import only_in_test_all

from widemargin import SequenceTagger


@pytest.mark.parametrize("read", READ.values(), ids=READ)
@pytest.mark.parametrize("learner", ["ops", "lbfgs", "mira", *only_in_test_all(("perceptron",), ("sgd",), ("adadelta",))])
def test_fit_learns_and_keeps_a_history(read, learner):
    X, y = sentences(30)
    model = SequenceTagger(learner, epochs=6).fit(read(X), y)
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]
    assert model.n_iter_ == len(model.history_)
    assert learner == "adadelta" or model.score(read(X), y) > 0.8  # which begins with very small steps
    assert list(model.classes_) == sorted({label for row in y for label in row}) == model.labels_


def test_the_best_epoch_on_dev_data_and_patience():
    X, y = sentences(30)
    dev = sentences(10, seed=3)
    model = SequenceTagger(epochs=30, patience=3).fit(X, y, dev=dev)
    scores = [epoch["dev"]["accuracy"] for epoch in model.history_]
    best = int(np.argmax(scores))
    assert len(scores) == min(30, best + 4)
    assert 100 * model.score(*dev) == pytest.approx(scores[best], abs=1e-3)
    same = SequenceTagger(epochs=best + 1).fit(X, y)
    assert same.weights == model.weights


def test_a_second_fit_forgets_the_first():
    X, y = sentences()
    model = SequenceTagger(epochs=3).fit([["x", "y"]], [["P", "Q"]]).partial_fit([["x"]], [["R"]]).fit(X, y)
    assert model.weights == SequenceTagger(epochs=3).fit(X, y).weights
    assert list(model.classes_) == ["A", "D", "N", "V"]
    model.partial_fit([["x"]], [["R"]])
    assert model.labels_ == ["A", "D", "N", "V", "R"]


def test_labels_stay_the_objects_that_they_were():
    X, y = sentences()
    for objects in (
        {"A": 0, "D": 1, "N": 2, "V": 3},
        {"A": -1.5, "D": 1.0, "N": 2.0, "V": 3.5},
        {"A": np.int64(7), "D": 1, "N": 2, "V": 3},
    ):
        numbers = [[objects[label] for label in row] for row in y]
        model = SequenceTagger(epochs=3).fit(X, numbers, dev=(X[:1], numbers[:1]))
        words = SequenceTagger(epochs=3).fit(X, y)
        found = {label for row in model.predict(X) for label in row}
        assert found <= set(objects.values())
        assert {type(label) for label in found} <= {int, float}
        assert sorted(model.classes_) == sorted(objects.values())
        assert model.score(X, numbers) == pytest.approx(np.mean([a == b for p, q in zip(model.predict(X), numbers) for a, b in zip(p, q)]))
        assert len(model.transitions) == len(words.transitions)
