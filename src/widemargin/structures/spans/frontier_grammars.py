"""How rules and bigrams take part in the search for a tree by its counts: their charts, and children and parents in trees
above tau (frontier_outside.py, frontier_table.py)."""

from typing import NamedTuple

import numpy as np

from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.spans.bigrams import Bigrams, BigramSpans, best_child
from widemargin.structures.spans.frontier import search, search_in
from widemargin.structures.spans.frontier_outside import push_children, reach
from widemargin.structures.spans.frontier_table import find_parents, note
from widemargin.structures.spans.kernel import NO_SPLIT, NoSplits, Spans, Splits, production_score, row_of, split_score
from widemargin.structures.spans.rules import NEVER, RuleChart, RuleSpans, place
from widemargin.structures.spans.sums import best_inside


class BigramChart(NamedTuple):
    """Fields of a BigramSpans."""

    spans: Spans
    splits: NoSplits | Splits
    grammar: Bigrams
    inside: np.ndarray
    from_left: np.ndarray
    from_right: np.ndarray


@search_in.when(RuleSpans)
def _(s, price, gold, n, ask, out):
    return search(s, s.chart, price, gold, n, ask, out)


@search_in.when(BigramSpans)
def _(s, price, gold, n, ask, out):
    return search(s, BigramChart(s.spans, s.splits, s.grammar, s.inside, s.from_left, s.from_right), price, gold, n, ask, out)


@best_inside.when(BigramChart)
def _(s, i, j, n, a):
    return np.float64(s.inside[row_of(i, j, n), a])


@push_children.when(RuleChart)
def _(chart, span, a, value, tau, outer):
    i, j, n = span
    grammar, live = chart.grammar, chart.live
    for p in range(grammar.by_parent[a], grammar.by_parent[a + 1]):
        r = grammar.parent_rule[p]
        b, c = grammar.left[r], grammar.right[r]
        if live.last_end[i, b] == NEVER or live.last_start[j, c] == NEVER:
            continue
        low, high = max(live.first_end[i, b], live.first_start[j, c]), min(live.last_end[i, b], live.last_start[j, c])
        x, y, over = place(chart, i, b, 0, n), place(chart, j, c, 0, n), value + np.float64(grammar.score[r])
        for k in range(max(low, i + 1), min(high, j - 1) + 1):
            one, two = np.float64(chart.left[x + k]), np.float64(chart.right[y + k])
            here = over + split_score(chart.splits, i, k, j, n, a)
            if here + one + two > tau:
                reach(outer, row_of(i, k, n), b, here + two)
                reach(outer, row_of(k, j, n), c, here + one)


@push_children.when(BigramChart)
def _(chart, span, a, value, tau, outer):
    i, j, n = span
    symbols, grammar, inside = chart.spans.symbols, chart.grammar, chart.inside
    for k in range(i + 1, j):
        x, y = row_of(i, k, n), row_of(k, j, n)
        if value + np.float64(chart.from_left[x, a]) + np.float64(chart.from_right[y, a]) <= tau:
            continue
        _, left = best_child(grammar.left, inside, x, a, symbols, NO_SPLIT)
        _, right = best_child(grammar.right, inside, y, a, symbols, NO_SPLIT)
        over = value + split_score(chart.splits, i, k, j, n, a)
        for b in range(symbols):
            one, two = np.float64(grammar.left[b, a]), np.float64(grammar.right[b, a])
            if one > LOG_ZERO and over + one + inside[x, b] + right > tau:
                reach(outer, x, b, over + one + right)
            if two > LOG_ZERO and over + two + inside[y, b] + left > tau:
                reach(outer, y, b, over + two + left)


@find_parents.when(RuleChart)
def _(chart, span, children, best, items, found):
    i, k, j, n = span
    grammar, b, c = chart.grammar, items.symbol[children[0]], items.symbol[children[1]]
    low, high = 0, len(grammar.score)  # rules are in the order of left child, right child, parent
    while low < high:
        middle = (low + high) // 2
        if grammar.left[middle] < b or (grammar.left[middle] == b and grammar.right[middle] < c):
            low = middle + 1
        else:
            high = middle
    while low < len(grammar.score) and grammar.left[low] == b and grammar.right[low] == c:
        a = grammar.parent[low]
        if found.need[a] < np.inf:
            more = np.float64(grammar.score[low]) + split_score(chart.splits, i, k, j, n, a)
            if best + more > found.need[a]:
                note(found, a, children, k, more)
        low += 1


@find_parents.when(BigramChart)
def _(chart, span, children, best, items, found):
    i, k, j, n = span
    b, c, r = items.symbol[children[0]], items.symbol[children[1]], row_of(i, j, n)
    for item in range(items.first[r], items.first[r] + items.many[r]):
        a = items.symbol[item]
        more = production_score(chart.grammar, a, b, c) + split_score(chart.splits, i, k, j, n, a)
        if best + more > found.need[a]:
            note(found, a, children, k, more)
