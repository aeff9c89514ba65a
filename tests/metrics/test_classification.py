"""The report by class is scikit-learn's, number by number and letter by letter."""

import numpy as np
import pytest
from sklearn.metrics import classification_report

from widemargin.families.tagging.tokens import confusion
from widemargin.metrics.classification import classification, classification_text

pytestmark = pytest.mark.wide


@pytest.mark.parametrize("seed", range(3))
def test_tokens_are_reported_as_scikit_learn_does(seed):
    random = np.random.default_rng(seed)
    labels = ["noun", "verb", "a-label-longer-than-the-averages", "X"][: 2 + seed]
    gold, guess = random.integers(len(labels), size=(2, 50))
    by_label = confusion(gold, guess, gold_values=labels).by_label()
    found = classification(by_label, accuracy=True)
    names = [[labels[i] for i in side] for side in (gold, guess)]
    assert classification_text(found) == classification_report(*names, zero_division=0)
    expected = classification_report(*names, output_dict=True, zero_division=0)
    assert found["macro avg"] == pytest.approx(expected["macro avg"])
    assert found["accuracy"]["f1-score"] == pytest.approx(expected["accuracy"])


def test_spans_have_a_micro_average():
    found = classification({"PER": (1, 2, 4), "LOC": (3, 3, 3)})
    assert found["micro avg"]["precision"] == pytest.approx(4 / 5)
    assert found["micro avg"]["recall"] == pytest.approx(4 / 7)
    assert found["macro avg"]["precision"] == pytest.approx((0.5 + 1) / 2)
    assert found["weighted avg"]["recall"] == pytest.approx(4 / 7)
    assert list(found) == ["LOC", "PER", "micro avg", "macro avg", "weighted avg"]
