"""Token accuracy and confusions."""

import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.families.tagging.tokens import confusion, token_accuracy


def test_confusion_joins_label_lists():
    table = confusion(np.array([0, 1, 1, 1]), np.array([1, 0, 2, 0]), gold_values=["A", "B"], guess_values=["C", "A", "B"])
    assert table.labels == ("A", "B", "C")
    assert table.counts.tolist() == [[1, 0, 0], [0, 1, 2], [0, 0, 0]]
    assert table.worst() == [("B", "C", 2)]
    assert table.accuracy == 50


def test_accuracy():
    assert token_accuracy(np.array([0, 1, 1]), np.array([0, 1, 0]), gold_values=["A", "B"]) == pytest.approx(200 / 3)
    assert token_accuracy(np.zeros(0, int), np.zeros(0, int), gold_values=[]) == 0
    with pytest.raises(InputError, match="2 gold labels and 1 guessed"):
        token_accuracy(np.zeros(2, int), np.zeros(1, int), gold_values=["A"])
