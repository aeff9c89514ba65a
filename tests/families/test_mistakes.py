"""Mistakes as people are shown them."""

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.families.constituency.mistakes import _confused
from widemargin.families.mistakes import NOTHING, Poor, told_mistakes, worst_rows
from widemargin.families.tagging.mistakes import confused_spans

pytestmark = pytest.mark.wide


def test_spans_that_overlap_are_taken_for_each_other():
    gold = [(0, 2, "PER"), (3, 4, "LOC"), (5, 7, "ORG"), (8, 9, "LOC")]
    guess = [(0, 2, "ORG"), (5, 6, "ORG"), (8, 9, "LOC"), (10, 11, "PER")]
    assert confused_spans(gold, guess) == [("PER", "ORG"), ("LOC", NOTHING), ("ORG", "ORG, other ends"), (NOTHING, "PER")]
    assert confused_spans(gold, gold) == []


def test_brackets_over_the_same_words_are_taken_for_each_other():
    assert _confused([(0, 3, "S"), (1, 2, "NP")], [(0, 3, "FRAG"), (2, 3, "PP")]) == [("S", "FRAG"), ("NP", NOTHING), (NOTHING, "PP")]


def test_the_worst_come_first_and_the_faultless_not_at_all():
    assert worst_rows(np.array([0, 2, 5, 2, 0]), 3) == [2, 1, 3]
    assert worst_rows(np.array([0, 0]), 3) == []
    told = told_mistakes([("A", "B"), ("A", "C"), ("A", "B")], [Poor(3, "f:7", [{"word": "x", "wrong": "<"}])], top=1, of="wrong labels")
    assert told.facts["mistakes"] == 3
    assert told.facts["confusions"] == [{"gold": "A", "guess": "B", "count": 2}]
    assert "3 wrong labels; the most frequent:" in told.text
    assert "sentence 3, f:7\n" in told.text
    assert told_mistakes([], [], top=1, of="wrong labels").text == "there are no wrong labels\n"


def test_top_and_samples_need_what_they_are_of(tmp_path, capsys):
    import widemargin

    model = str(tmp_path / "m.safetensors")
    widemargin.train("chunk", "town:train:8", epochs=1).save(model)
    for option, word in (("--top", "--errors"), ("--samples", "--against")):
        assert main(["evaluate", model, "town:dev:3", option, "3"]) == 2
        assert word in capsys.readouterr().err
    assert main(["evaluate", model, "town:dev:6", "--errors", "--report", "--against", model]) == 0
    out = capsys.readouterr().out
    assert "macro avg" in out
    assert "difference +0.00" in out
    assert main(["inspect", model, "--label", "O", "--top", "2"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["O", "  for"]
    assert "  against" in shown
