"""Costs by counts: what a tree is worth against lists of all trees up to 6 words, for both rescalings and both ways of counting."""

import itertools
import math
import re

import numpy as np
import pytest
from count_cases import Counted, counts_of, labels_of, most_augmented, treebank, twin_counts, worst
from span_cases import Case, cost_and_score

from widemargin.errors import InputError
from widemargin.families.constituency.binary import Binariser
from widemargin.families.constituency.grammar import read_grammar
from widemargin.families.constituency.sources import open_trees
from widemargin.structures.spans import frontier
from widemargin.structures.spans.count_costs import NAMED, CountCost, is_monotone, levels
from widemargin.structures.spans.count_prices import binarised_counts, count_prices, original_counts
from widemargin.structures.spans.gold import known, nothing_known
from widemargin.structures.spans.plain_frontier import plain_worst
from widemargin.structures.spans.trees import Rules

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


# what is compiled is below: the search beside the plain table on sentences of up to eighteen words
@pytest.mark.wide
@pytest.mark.parametrize("counting", ["original", "binarised"])
@pytest.mark.parametrize(("kind", "size", "text"), list(itertools.product(KINDS, SIZES, COSTS)))
def test_slack_and_margin_rescaling_find_the_worst_tree(kind, size, text, counting):
    for seed in range(1 if size[0] > 4 else 3):
        found = Counted(kind, size, seed, text, COSTS[text], counting, scale=(0.3, 0.0, 3.0)[seed])
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


@pytest.mark.wide
@pytest.mark.parametrize(("size", "counting"), [((3, 4), "original"), ((5, 2), "original"), ((4, 3), "binarised")])
@pytest.mark.parametrize("kind", ["rules", "rules with splits"])
def test_the_plain_table_finds_the_worst_tree(kind, size, counting):
    for seed, text in enumerate(COSTS):
        found = Counted(kind, size, seed, text, COSTS[text], counting)
        values = found.costs * (found.scores - found.scores[found.right] + 2.0)
        value = plain_worst(found.s, found.gold, found.price, found.n, 2.0, found.out)
        assert value == pytest.approx(max(values.max(), 0.0))
        assert value == 0.0 or values[found.found()] == pytest.approx(value)


@pytest.mark.wide
@pytest.mark.parametrize("kind", ["rules", "bigrams"])
@pytest.mark.parametrize("text", ["f1", "zero-one", "abs(tp + fp - gold)"])
def test_trees_have_costs(kind, text):
    found = Counted(kind, (4, 3), 7, text, COSTS[text], "original")
    for y in range(0, len(found.case.trees), 1 + len(found.case.trees) // 20):
        cost, score = cost_and_score(found.s, found.gold, found.price, found.n, found.case.trees[y])
        assert (cost, score) == (pytest.approx(found.costs[y]), pytest.approx(found.scores[y]))


def test_where_nothing_is_known_nothing_costs():
    found = Counted("rules", (4, 3), 7, "f1", COSTS["f1"], "original")
    nothing = nothing_known(found.case.structure)
    assert cost_and_score(found.s, nothing, found.price, found.n, found.case.trees[0])[0] == 0.0
    assert most_augmented(found.s, nothing, found.price, found.n, 1.0, found.out) == pytest.approx(found.scores.max())


def test_binarised_trees_miss_as_many_as_they_have_too_many():
    """All trees over n words have n-1 nodes of two and more words, so FP = FN and the loss of F1 is FP / |gold| (Bauer et al. 2017)."""
    for seed in range(5):
        f1 = Counted("rules", (5, 2), seed, "f1", COSTS["f1"], "binarised")
        fp = Counted("rules", (5, 2), seed, "fp / gold", lambda tp, fp, gold: fp / gold, "binarised")
        np.testing.assert_allclose(f1.costs, fp.costs)
        found = [worst(case.s, case.gold, case.price, case.n, 1.0, case.out) for case in (f1, fp)]
        assert found[0] == pytest.approx(found[1])


def test_a_label_that_a_span_repeats_counts_twice():
    """Symbol 3 is NP over NP, symbol 0 one NP."""
    case = Counted("rules", (2, 6), 0, "f1", COSTS["f1"], "original")
    labels, gold = labels_of("original", 6), np.array([(0, 1, 2, 3), (0, -1, 1, 2), (1, -1, 2, 2)])
    for symbol, counts in ((3, (2, 0, 2)), (0, (1, 0, 2)), (5, (1, 1, 2)), (4, (0, 1, 2)), (2, (0, 0, 2))):
        nodes = gold.copy().astype(np.int32)
        nodes[0, 3] = symbol
        assert twin_counts(nodes, gold, labels) == counts
        price = count_prices(case.case.structure, "f1", counts_of("original", 6), treebank(case.case.structure, [gold]))
        cost, _ = cost_and_score(case.s, known(case.case.structure, gold), price, 2, nodes)
        assert cost == pytest.approx(COSTS["f1"](*counts))


@pytest.mark.parametrize("name", NAMED)
def test_named_costs(name):
    for gold, most in ((0, 3), (1, 0), (4, 6)):
        expected = [[COSTS[name](tp, fp, gold) for fp in range(most + 1)] for tp in range(gold + 1)]
        np.testing.assert_allclose(CountCost(name).table(gold, most), expected)
        assert is_monotone(CountCost(name).table(gold, most))


def test_lines_of_arithmetic():
    def at(text, tp, fp, gold):
        return CountCost(text).table(gold, 5)[tp, fp]

    assert at("2 * fp", 1, 3, 3) == 6.0
    assert at("fp ** 2 + -tp + gold", 1, 3, 3) == 11.0
    assert at("max(fp, gold - tp, 2) - 2", 1, 4, 3) == 2.0
    assert at("sqrt(abs(tp - gold))", 1, 0, 5) == 2.0
    assert at("(fp >= 2) + (tp != gold)", 1, 2, 3) == 2.0
    assert at("fp / (tp + fp)", 0, 0, 3) == 0.0  # 0/0
    assert not is_monotone(CountCost("abs(tp + fp - gold)").table(3, 5))
    assert not is_monotone(CountCost("(gold - tp) * fp").table(0, 5) - CountCost("fp").table(0, 5))


def test_levels_of_costs():
    assert levels(CountCost("zero-one").table(3, 5)) == (3, 1, 1)
    assert levels(CountCost("fp").table(3, 5)) == (0, 5, 0)
    assert levels(CountCost("recall").table(3, 5)) == (3, 0, 6)
    assert levels(CountCost("min(fp, 2) + gold - tp").table(3, 5)) == (3, 2, 6)
    assert levels(CountCost("f1").table(3, 5)) == (3, 5, 6)


REFUSED = {
    "f2": "has 'f2' in it",
    "": "neither a known name nor arithmetic",
    "fp +": "neither a known name nor arithmetic",
    "fp; tp": "neither a known name nor arithmetic",
    "__import__('os')": "in it",
    "fp.real": "in it",
    "(lambda: fp)()": "in it",
    "[fp][0]": "in it",
    "fp if tp else 0": "in it",
    "tp < fp < gold": "in it",
    "'a' * 3": "in it",
    "True": "in it",
    "sqrt(fp, 2)": "in it",
    "max(fp)": "in it",
    "min()": "in it",
    "fp % 2": "in it",
    "fp" + " + fp" * 100: "longer than 200 characters",
    "-fp": "is -1 at tp=0, fp=1, gold=2",
    "fp / (gold - 2)": "is inf at",
    "fp * 1e308 * 1e308": "is inf at",
    "1": "gives the gold itself a cost",
    f"fp * 1{'0' * 190}": None,
}


@pytest.mark.parametrize("text", REFUSED)
def test_other_lines_are_refused(text):
    if REFUSED[text] is None:
        assert CountCost(text).table(2, 3)[0, 1] == 1e190
        return
    with pytest.raises(InputError, match=re.escape(REFUSED[text])):
        CountCost(text).table(2, 3)


def test_prices_fit_trees_and_symbols():
    case = Case("rules", (3, 4), 1)
    trees = treebank(case.structure, [case.trees[0]])
    with pytest.raises(InputError, match="labels of 3 symbols"):
        count_prices(case.structure, "f1", counts_of("original", 3), trees)
    with pytest.raises(InputError, match="not known"):
        count_prices(case.structure, "f1", counts_of("original", 4), trees._replace(node_at=np.zeros(2, np.int64), node=trees.node[:0]))


class Town:
    """The grammar of the embedded corpus' trees, with random weights; like_trained: those of the gold's productions are better."""

    def __init__(self):
        self.trees = Binariser("right", 1, 1)(open_trees("town:train:150"))
        grammar, node, K = read_grammar(self.trees), self.trees.node, len(self.trees.symbols)
        legal = np.zeros((2, K), bool)
        legal[np.minimum(node[:, 2] - node[:, 0] - 1, 1), node[:, 3]] = True
        self.structure, self.lexical, self.top = Rules(K, grammar.binary, only_words=True, legal=legal), grammar.lexical, grammar.top
        self.counts = original_counts([self.trees.symbols.stands_for(a) for a in range(K)])

    def load(self, row, scale, seed, like_trained):
        """A workspace with scores, and the gold's nodes."""
        random, nodes = np.random.default_rng(seed), self.trees.nodes(row)
        n, scores = (len(nodes) + 1) // 2, self.structure.zeros((len(nodes) + 1) // 2)
        over = np.full((len(self.trees.symbols),) * 2, -np.inf)
        over[self.lexical[:, 1], self.lexical[:, 0]] = scale * random.normal(size=len(self.lexical))
        tags = self.trees.tag[self.trees.token[row] : self.trees.token[row + 1]]
        scores.span[np.arange(n), np.arange(1, n + 1)] = over[tags]
        scores.root[:] = -np.inf
        scores.root[self.top] = 0.0
        scores.grammar[0][:] = scale * random.normal(size=len(self.structure.rules))
        if like_trained:
            scores.grammar[0][self.structure.indicator(nodes).grammar[0] > 0] += scale
        s = self.structure.workspace(n, dtype=np.float64)
        self.structure.load(s, scores)
        return s, n, nodes


@pytest.mark.compiled
@pytest.mark.parametrize("text", COSTS)
def test_up_to_eighteen_words_the_search_finds_what_the_plain_table_finds(text):
    town = Town()
    words = np.diff(town.trees.token)
    for counts in (town.counts, binarised_counts(len(town.trees.symbols))):
        for seed, (size, scale) in enumerate((size, scale) for size in (6, 12, 18) for scale in (0.01, 0.3, 1.0)):
            row = np.flatnonzero(words <= size)[np.argmax(words[words <= size])]
            s, n, nodes = town.load(row, scale, seed, seed % 2 == 0)
            gold, price = known(town.structure, nodes), count_prices(town.structure, text, counts, treebank(town.structure, [nodes]))
            expected = plain_worst(s, gold, price, n, 1.0, s.spans.output[1])
            for _ in range(2):
                assert worst(s, gold, price, n, 1.0, s.spans.output[0])[0] == pytest.approx(expected)


@pytest.mark.compiled
def test_the_longest_sentence_has_a_worst_tree():
    """Weights near 0 are the hardest."""
    town = Town()
    s, n, nodes = town.load(int(np.argmax(np.diff(town.trees.token))), 0.05, 1, False)
    gold, price = known(town.structure, nodes), count_prices(town.structure, "f1", town.counts, treebank(town.structure, [nodes]))
    value, cost = worst(s, gold, price, n, 1.0, s.spans.output[0])
    again, score = cost_and_score(s, gold, price, n, s.spans.output[0][: 2 * n - 1])
    assert cost == again
    assert value == pytest.approx(cost * (score - cost_and_score(s, gold, price, n, nodes)[1] + 1.0))
    assert value > 0.5


@pytest.mark.wide
@pytest.mark.parametrize("text", ["f1", "abs(tp + fp - gold)"])
def test_memory_grows_until_entries_fit(text, monkeypatch):
    monkeypatch.setattr(frontier, "ROOM", 1)  # compiled, it stays what it is
    for seed in range(4):
        found = Counted("rules", (5, 2), seed, text, COSTS[text], "original")
        values = found.costs * (found.scores - found.scores[found.right] + 4.0)
        assert worst(found.s, found.gold, found.price, found.n, 4.0, found.out)[0] == pytest.approx(max(values.max(), 0.0))


@pytest.mark.wide
@pytest.mark.parametrize(("text", "counting"), [(text, counting) for text in COSTS for counting in ("original", "binarised")])
def test_trees_may_be_looked_at_by_their_true_positives(text, counting, monkeypatch):
    """No table is made of more than nothing, unless for trees with the same number of true positives."""
    monkeypatch.setattr(frontier, "ENOUGH", 0)
    monkeypatch.setattr(frontier, "TOO_MANY", 0)
    for seed, size in enumerate([(3, 4), (4, 3), (5, 2), (6, 2)]):
        found = Counted("rules", size, seed, text, COSTS[text], counting, scale=(1.0, 0.0, 0.3, 1.0)[seed])
        values = found.costs * (found.scores - found.scores[found.right] + 2.0)
        assert worst(found.s, found.gold, found.price, found.n, 2.0, found.out)[0] == pytest.approx(max(values.max(), 0.0))
        values = found.scores + 2.0 * found.costs
        assert most_augmented(found.s, found.gold, found.price, found.n, 2.0, found.out) == pytest.approx(values.max())
