"""Costs by counts: what a tree is worth against lists of all trees up to 6 words, for both rescalings and both ways of counting."""

import math

import numpy as np
import pytest
from count_cases import Counted, counts_of, most_augmented, treebank, worst
from modes import cases
from span_cases import Case

from widemargin.errors import InputError
from widemargin.structures.spans.count_costs import NAMED, CountCost, is_monotone, levels
from widemargin.structures.spans.count_prices import count_prices

pytestmark = pytest.mark.twice


def ratio(a, b):
    return a / b if b else 0.0


COSTS = {
    "f1": lambda tp, fp, gold: ratio(gold + fp - tp, gold + fp + tp),
    "fp": lambda tp, fp, gold: fp,
    "zero-one": lambda tp, fp, gold: float(fp > 0 or tp < gold),
    "precision": lambda tp, fp, gold: ratio(fp, tp + fp),
    "recall": lambda tp, fp, gold: ratio(gold - tp, gold),
    "sqrt(gold - tp) + fp ** 2 / 10": lambda tp, fp, gold: math.sqrt(gold - tp) + fp**2 / 10,
    "abs(tp + fp - gold)": lambda tp, fp, gold: abs(tp + fp - gold),  # not monotone
    "(fp == 1) + 2 * (tp < gold) * min(tp, 2, fp)": lambda tp, fp, gold: (fp == 1) + 2 * (tp < gold) * min(tp, 2, fp),  # nor this
}
KINDS = ["rules", "bigrams", "rules with splits", "bigrams with splits"]
SIZES = [(1, 3), (2, 6), (3, 4), (4, 3), (5, 2), (6, 2)]


def matrix(sizes=SIZES):
    every = cases(KINDS, sizes, list(COSTS), ["original", "binarised"], wide=lambda kind, size, text, counting: kind != "rules")
    return pytest.mark.parametrize(("kind", "size", "text", "counting"), every)


@matrix()
def test_slack_and_margin_rescaling_find_the_worst_tree(kind, size, text, counting):
    for seed in range(2 if size[0] > 4 else 4):
        found = Counted(kind, size, seed, text, COSTS[text], counting, scale=(0.0, 0.3, 1.0, 3.0)[seed])
        for margin in (1.0, 4.0):
            values = found.costs * (found.scores - found.scores[found.right] + margin)
            for _ in range(2):  # the second time from where the first one ended
                value, cost = worst(found.s, found.gold, found.price, found.n, margin, found.out)
                assert value == pytest.approx(max(values.max(), 0.0))
                if value > 0.0:
                    assert values[found.found()] == pytest.approx(value)
                    assert cost == pytest.approx(found.costs[found.found()])
        for cost in (0.5, 3.0, -1.0):
            values = found.scores + cost * found.costs
            assert most_augmented(found.s, found.gold, found.price, found.n, cost, found.out) == pytest.approx(values.max())
            assert values[found.found()] == pytest.approx(values.max())
