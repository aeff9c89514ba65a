"""Rows of hundreds of labels: learners come to the same numbers whether labels are lanes or loops."""

import numpy as np
import pytest
from modes import wide

from widemargin import SequenceTagger
from widemargin.compiler import lanes

pytestmark = pytest.mark.compiled  # as plain Python both are one


def sequences(labels):
    random = np.random.default_rng(labels)
    words = [[int(word) for word in random.integers(0, 9, 4)] for _ in range(60)]
    return [[[f"w={w}", f"{w % 3}"] for w in row] for row in words], [[f"L{(w * 7) % labels}" for w in row] for row in words]


def answers(learner, objective, structure):
    """Losses, marginals and labels."""
    X, y = sequences(5)
    model = SequenceTagger(learner, objective=objective, structure=structure, epochs=3, l2=0.01).fit(X, y)
    return [facts["loss"] for facts in model.history_], np.concatenate(model.predict_marginals(X)), model.predict(X)


CASES = wide(("lbfgs", "likelihood", "chain"), ("ops", "softmax-margin", "choice"), ("ops", "softmax-margin", "chain"))


@pytest.mark.parametrize(("learner", "objective", "structure"), CASES)
def test_loops_learn_what_lanes_learn(learner, objective, structure, monkeypatch):
    losses, marginals, labels = answers(learner, objective, structure)
    monkeypatch.setattr(lanes, "MOST_LANES", 0)
    found = answers(learner, objective, structure)
    np.testing.assert_allclose(found[0], losses, rtol=1e-5)
    np.testing.assert_allclose(found[1], marginals, atol=1e-4)
    assert found[2] == labels


def test_three_thousand_labels():
    X, y = [[[f"w={i}"]] for i in range(3000)], [[f"L{i}"] for i in range(3000)]
    model = SequenceTagger("ops", objective="softmax-margin", epochs=2, structure="choice", rate=1.0).fit(X, y)
    assert model.predict(X[::100]) == y[::100]
