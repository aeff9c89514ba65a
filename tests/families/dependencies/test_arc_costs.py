"""Costs of arcs: the forms that users write, and the price of a tree against its definition."""

import numpy as np
import pytest

from widemargin.engine.terms import Max, answer
from widemargin.errors import InputError
from widemargin.families.dependencies.costs import parse_arc_cost
from widemargin.structures.arcs.trees import Heads

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
            if gold_head[m] >= 0 and gold_head[m] != guess_head[m]:
                want += weight
            elif gold_head[m] >= 0 and gold[m] >= 0 and gold[m] != guess[m]:
                want += weight * 0.5
        assert cost.between(gold_head, gold, guess_head, guess) == pytest.approx(want)


def test_kernels_charge_the_same():
    random = np.random.default_rng(4)
    cost, structure = parse_arc_cost("head=1.5,label=0.5,obj=4", RELATIONS), Heads(len(RELATIONS))
    price = structure.prices()
    price.head[:] = cost.head
    price.label[:, : len(RELATIONS)] = cost.label[:-1]
    for _ in range(20):
        n = int(random.integers(1, 7))
        words = np.arange(1, n + 1)
        guess_head, guess = (words + random.integers(1, n + 1, n)) % (n + 1), random.integers(0, 5, n)
        gold = np.stack([(words + random.integers(1, n + 1, n)) % (n + 1), random.integers(-1, 5, n)], axis=1).astype(np.int32)
        gold[random.random(n) < 0.2, 0] = -1
        s = structure.workspace(n, dtype=np.float64)
        s.arcs.labels.score[:] = s.arcs.labels.legal
        s.arcs.score[guess_head, words] = 1000.0  # so that no other arc or label is best
        s.arcs.labels.score[guess_head * (n + 1) + words, guess] = 1000.0
        value = answer(Max(1.0, False), s, gold, price, n)
        assert value - 2000.0 * n == pytest.approx(cost.between(gold[:, 0], gold[:, 1], guess_head, guess))


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
