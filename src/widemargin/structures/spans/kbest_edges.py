"""The items and edges of each structure over spans, for kbest.py.

An item is a number: of a span i..j, of one of three kinds (a node; in bigrams also what a span gives to a parent as its left or right
child) and of a symbol. In bigrams, the gold's split gets an edge for each pair of children where its production has a rebate: then the
children of a node cannot be chosen one by one.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, kbest
from widemargin.structures.spans.bigrams import BigramSpans
from widemargin.structures.spans.factored import FactoredSpans
from widemargin.structures.spans.kbest import NONE, WHOLE, Edge, count_edges, edge_of, item_value, list_trees, node_of
from widemargin.structures.spans.kernel import NO_SPLIT, half_split_score, production_of, row_of, split_score
from widemargin.structures.spans.rules import RuleChart, RuleSpans, best_inside

NODE, AS_LEFT, AS_RIGHT = 0, 1, 2


class Item(NamedTuple):
    """An item, taken apart."""

    i: int
    j: int
    kind: int
    symbol: int


@tiny
def item_of(symbols, i, j, kind, a, n):
    """The number of an item."""
    return ((np.int64(i) * (n + 1) + j) * 3 + kind) * symbols + a


@tiny
def apart(symbols, item, n):
    """An item by its number."""
    span = item // (3 * symbols)
    return Item(span // (n + 1), span % (n + 1), item // symbols % 3, item % symbols)


@tiny
def root_edge(s, a, n):
    """The edge of all trees with this symbol at the root, whose score is in the row of all words."""
    return Edge(item_of(s.spans.symbols, 0, n, NODE, a, n), NONE, 0.0)


@tiny
def node_score(s, x, n):
    """The augmented score of a node."""
    return np.float64(s.spans.work[row_of(x.i, x.j, n), x.symbol])


# ---- bigrams --------------------------------------------------------------------------------------------------------------------------


@inner
def gold_split(s, x, n):
    """The rebate that a node may get, or -1, and its split."""
    e = s.spans.rebates.at[row_of(x.i, x.j, n)]
    if e < 0 or s.spans.rebates.production[e, 1] != x.symbol:
        return np.int64(-1), np.int64(NO_SPLIT)
    return np.int64(e), np.int64(s.spans.rebates.production[e, 0])


@count_edges.when(BigramSpans)
def _(s, item, n):
    K = s.spans.symbols
    x = apart(K, item, n)
    if item == WHOLE or x.kind != NODE:
        return K
    return x.j - x.i - 1 + (K * K if x.j - x.i > 1 and gold_split(s, x, n)[0] >= 0 else 0)


@edge_of.when(BigramSpans)
def _(s, item, e, n):
    K, grammar = s.spans.symbols, s.grammar
    if item == WHOLE:
        return root_edge(s, e, n)
    x = apart(K, item, n)
    if x.kind != NODE:
        score = half_split_score(s.splits, x.kind == AS_LEFT, row_of(x.i, x.j, n), x.symbol)
        score += np.float64(grammar.left[e, x.symbol] if x.kind == AS_LEFT else grammar.right[e, x.symbol])
        return Edge(item_of(K, x.i, x.j, NODE, e, n), NONE, score)
    rebate, gold = gold_split(s, x, n)
    if e < x.j - x.i - 1:
        k, score = x.i + 1 + e, node_score(s, x, n)
        one, two = item_of(K, x.i, k, AS_LEFT, x.symbol, n), item_of(K, k, x.j, AS_RIGHT, x.symbol, n)
        return Edge(one, two, LOG_ZERO if k == gold else score)
    b, c = (e - (x.j - x.i - 1)) // K, (e - (x.j - x.i - 1)) % K
    score = node_score(s, x, n) + split_score(s.splits, x.i, gold, x.j, n, x.symbol)
    score += np.float64(grammar.left[b, x.symbol]) + np.float64(grammar.right[c, x.symbol])
    if production_of(s.spans.rebates, rebate)[2:] == (b, c):
        score -= s.spans.rebates.amount[rebate]
    return Edge(item_of(K, x.i, gold, NODE, b, n), item_of(K, gold, x.j, NODE, c, n), score)


@item_value.when(BigramSpans)
def _(s, item, n):
    x = apart(s.spans.symbols, item, n)
    r = row_of(x.i, x.j, n)
    if x.kind == NODE:
        return np.float64(s.inside[r, x.symbol])
    return np.float64(s.from_left[r, x.symbol]) if x.kind == AS_LEFT else np.float64(s.from_right[r, x.symbol])


@node_of.when(BigramSpans)
def _(s, item, e, n):
    x = apart(s.spans.symbols, item, n)
    k = np.int64(NO_SPLIT)
    if e >= 0 and x.kind == NODE and item != WHOLE:
        k = x.i + 1 + np.int64(e) if e < x.j - x.i - 1 else gold_split(s, x, n)[1]
    return item != WHOLE and x.kind == NODE, x.i, k, x.j, x.symbol


# ---- rules: an edge for each rule of a parent and each split --------------------------------------------------------------------------


@count_edges.when(RuleChart)
def _(s, item, n):
    if item == WHOLE:
        return np.int64(s.spans.symbols)
    x = apart(s.spans.symbols, item, n)
    return (s.grammar.by_parent[x.symbol + 1] - s.grammar.by_parent[x.symbol]) * (x.j - x.i - 1)


@edge_of.when(RuleChart)
def _(s, item, e, n):
    K, grammar = s.spans.symbols, s.grammar
    if item == WHOLE:
        return root_edge(s, e, n)
    x = apart(K, item, n)
    r, k = grammar.parent_rule[grammar.by_parent[x.symbol] + e // (x.j - x.i - 1)], x.i + 1 + e % (x.j - x.i - 1)
    b, c = grammar.left[r], grammar.right[r]
    score = node_score(s, x, n) + np.float64(grammar.score[r]) + split_score(s.splits, x.i, k, x.j, n, x.symbol)
    rebate = s.spans.rebates.at[row_of(x.i, x.j, n)]
    if rebate >= 0 and production_of(s.spans.rebates, rebate) == (k, x.symbol, b, c):
        score -= s.spans.rebates.amount[rebate]
    return Edge(item_of(K, x.i, k, NODE, b, n), item_of(K, k, x.j, NODE, c, n), score)


@item_value.when(RuleChart)
def _(s, item, n):
    x = apart(s.spans.symbols, item, n)
    return best_inside(s, x.i, x.j, n, x.symbol)


@node_of.when(RuleChart)
def _(s, item, e, n):
    x = apart(s.spans.symbols, item, n)
    return item != WHOLE, x.i, np.int64(NO_SPLIT) if item == WHOLE or e < 0 else x.i + 1 + e % (x.j - x.i - 1), x.j, x.symbol


# ---- factored: an edge for each symbol and each split; an item is a span, as a left child or not --------------------------------------


@tiny
def span_of(s, item, n):
    """The span of an item, how many splits it has, 1 for one word, and whether it is a left child."""
    x = Item(0, n, NODE, 0) if item == WHOLE else apart(s.spans.symbols, item, n)
    return x.i, x.j, max(x.j - x.i - 1, 1), x.kind == AS_LEFT


@count_edges.when(FactoredSpans)
def _(s, item, n):
    return s.spans.symbols * span_of(s, item, n)[2]


@edge_of.when(FactoredSpans)
def _(s, item, e, n):
    i, j, many, left = span_of(s, item, n)
    score, k, K = np.float64(s.spans.work[row_of(i, j, n), e // many]), i + 1 + e % many, s.spans.symbols
    if j - i == 1:
        return Edge(NONE, NONE, score)
    return Edge(item_of(K, i, k, AS_LEFT, 0, n), item_of(K, k, j, NODE, 0, n), LOG_ZERO if left and e < many else score)


@item_value.when(FactoredSpans)
def _(s, item, n):
    i, j, _, left = span_of(s, item, n)
    return np.float64(s.inside[0, i, j]) if left else np.float64(s.inside[1, j, i])


@node_of.when(FactoredSpans)
def _(s, item, e, n):
    i, j, many, _ = span_of(s, item, n)
    return True, i, np.int64(NO_SPLIT) if j - i == 1 else i + 1 + e % many, j, np.int64(e) // many


# ---- lists ----------------------------------------------------------------------------------------------------------------------------


def kbest_nodes(s, n, found):
    """The k best trees under spans.work and its rebates."""
    return np.int64(0) if argmax(s, n, s.spans.best) == LOG_ZERO else list_trees(s, n, found)


kbest.when(BigramSpans)(kbest_nodes)
kbest.when(FactoredSpans)(kbest_nodes)


@kbest.when(RuleSpans)
def _(s, n, found):
    return np.int64(0) if argmax(s, n, s.spans.best) == LOG_ZERO else list_trees(s.chart, n, found)
