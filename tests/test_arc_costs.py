"""Costs of arcs: the forms that users write, and the price of a tree against its definition."""

import numpy as np
import pytest

from widemargin.costs_arcs import parse_arc_cost
from widemargin.errors import InputError

RELATIONS = ("root", "nsubj", "nsubj:pass", "punct", "obj")


@pytest.mark.parametrize(
    ("text", "head", "label"),
    [
        ("hamming", [1, 1, 1, 1, 1], 1),
        ("hamming*5", [5, 5, 5, 5, 5], 5),
        ("head=2,label=0.5", [2, 2, 2, 2, 2], 0.5),
        ("label=0", [1, 1, 1, 1, 1], 0),
    ],
)
def test_prices(text, head, label):
    cost = parse_arc_cost(text, RELATIONS)
    assert cost.head[:-1].tolist() == head
    assert np.array_equal(cost.label[:-1], label * (1 - np.eye(5)))
    assert not cost.label[-1].any()


def test_weights_of_relations_cover_subtypes_without_their_own():
    cost = parse_arc_cost("head=2,nsubj=3,punct=0 * 2", RELATIONS)
    assert cost.head.tolist() == [4, 12, 12, 0, 4, 4]
    assert cost.label[1].tolist() == [6, 0, 6, 6, 6]
    assert not cost.label[3].any()
    assert parse_arc_cost("nsubj=3,nsubj:pass=1", RELATIONS).head.tolist() == [1, 3, 1, 1, 1, 1]


def test_a_tree_costs_what_its_words_cost():
    random = np.random.default_rng(3)
    cost = parse_arc_cost("head=1,label=0.5,obj=4", RELATIONS)
    for _ in range(20):
        n = random.integers(1, 7)
        gold_head, guess_head = random.integers(-1, n + 1, n), random.integers(0, n + 1, n)
        gold, guess = random.integers(-1, 5, n), random.integers(0, 5, n)
        want = 0.0
        for m in range(n):
            weight = 4 if gold[m] == 4 else 1
            want += weight * (gold_head[m] >= 0 and gold_head[m] != guess_head[m])
            want += weight * 0.5 * (gold[m] >= 0 and gold[m] != guess[m])
        assert cost.between(gold_head, gold, guess_head, guess) == pytest.approx(want)
        prices = np.where(gold_head == guess_head, 0, cost.head_prices(gold_head, gold)) + cost.label_prices(gold)[np.arange(n), guess]
        assert prices.sum() == pytest.approx(want)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("head", "not NAME=NUMBER"),
        ("head=x", "not a number"),
        ("head=-1", "negative"),
        ("iobj=2", "relation 'iobj'"),
        ("hamming*inf", "infinite"),
    ],
)
def test_what_is_not_a_cost_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        parse_arc_cost(text, RELATIONS)
