"""Sums over trees of bigrams: the items of bigrams.py with plus for max and times for plus, inside and outside.

chart: inside, from_left, from_right and the derivatives of the whole sum by each of them, all [S, L]. Where a rebate is, the split of the
gold is left out of the sums over splits, and added as four terms without subtractions: with l and r the gold's two children, l' and r' all
others and q what the rebate multiplies by,

    l' r' + l' r + l r' + l r q
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.semiring import LOG_ZERO, from_log, number, over, plus, times, to_log, total
from widemargin.structures.spans.bigrams import BigramSpans
from widemargin.structures.spans.kernel import NO_SPLIT, NoSplits, Splits, add_at, count_spans, production_of, row_of, split_score
from widemargin.structures.spans.sums import fits, measured, sum_nodes

LEFT, RIGHT = np.int64(0), np.int64(1)  # np.int64, not int: Numba compiles a function anew for every literal it is called with


@inner
def list_pairs(kind, scores, symbols, side, pairs):
    """The pairs of parent and child that may be, and their weights."""
    used = 0
    for b in range(symbols):
        pairs.first[side, b] = used
        for a in range(symbols):
            if scores[b, a] > LOG_ZERO:
                pairs.parent[side, used], pairs.weight[side, used] = a, from_log(kind, np.float64(scores[b, a]))
                used += 1
    pairs.first[side, symbols] = used


@inner
def node_weight(s, kind, turn, r, a):
    """The weight of a node of row r, not scaled."""
    step = turn.step
    return from_log(kind, np.float64(s.spans.work[r, a]) + step * s.spans.direction[r, a])


@generic
def weigh_splits(splits, kind, side, r, row, symbols):
    """row *= the weights of splits from this side on row r."""
    raise TypeError(splits)


@weigh_splits.when(NoSplits)
def _(splits, kind, side, r, row, symbols):
    pass


@weigh_splits.when(Splits)
def _(splits, kind, side, r, row, symbols):
    score = splits.left.score if side == LEFT else splits.right.score
    for a in range(symbols):
        if row[a].real != kind.zero:
            row[a] = times(kind, row[a], from_log(kind, np.float64(score[r, a])))


@generic
def add_to_splits(splits, side, r, a, amount):
    """mu of splits from this side on row r += amount."""
    raise TypeError(splits)


@add_to_splits.when(NoSplits)
def _(splits, side, r, a, amount):
    pass


@add_to_splits.when(Splits)
def _(splits, side, r, a, amount):
    if side == LEFT:
        add_at(splits.left, r, a, amount)
    else:
        add_at(splits.right, r, a, amount)


@inner
def fold_sums(s, kind, side, r, inside, into):
    """Row r of `into` = the sum over children of inside times the weights of pairs and splits; returns whether all that are alive fit."""
    first, parent, weight = s.pairs.first[side], s.pairs.parent[side], s.pairs.weight[side]
    for b in range(s.spans.symbols):
        x = inside[r, b]
        if x.real != kind.zero:
            for p in range(first[b], first[b + 1]):
                into[r, parent[p]] = plus(kind, into[r, parent[p]], times(kind, x, weight[p]))
    weigh_splits(s.splits, kind, side, r, into[r], s.spans.symbols)
    alive, fit = s.from_left if side == LEFT else s.from_right, True
    for a in range(s.spans.symbols):
        fit = fit and (alive[r, a] == LOG_ZERO or fits(kind, into[r, a]))
    return fit


class Child(NamedTuple):
    """A child of a production that has a rebate."""

    side: np.int64
    row: int  # its span
    parent: int
    gold: int  # its symbol in the gold


@inner
def children_apart(s, kind, turn, child, inside):
    """Weights of the gold child, and of all others together."""
    scores = s.grammar.left if child.side == LEFT else s.grammar.right
    one, rest = kind.zero + 0.0 * turn.step, kind.zero + 0.0 * turn.step
    for b in range(s.spans.symbols):
        if inside[child.row, b].real != kind.zero and scores[b, child.parent] > LOG_ZERO:
            x = times(kind, inside[child.row, b], from_log(kind, np.float64(scores[b, child.parent])))
            if b == child.gold:
                one = x
            else:
                rest = plus(kind, rest, x)
    return one, rest


@inner
def both_apart(s, kind, turn, e, i, j, n, inside):
    """The two children of production e, their weights as children_apart has them, and what split and rebate multiply by."""
    rebates, step = s.spans.rebates, turn.step
    k, a, b, c = production_of(rebates, e)
    one, two = Child(LEFT, row_of(i, k, n), a, b), Child(RIGHT, row_of(k, j, n), a, c)
    split = from_log(kind, split_score(s.splits, i, k, j, n, a))
    back = from_log(kind, -rebates.amount[e] - step * rebates.direction[e])
    return one, two, children_apart(s, kind, turn, one, inside), children_apart(s, kind, turn, two, inside), split, back


@inner
def sum_apart(s, kind, turn, e, i, j, n, inside):
    """All pairs of children of the parent that rebate e is for, at the gold's split."""
    _, _, (left, lefts), (right, rights), split, back = both_apart(s, kind, turn, e, i, j, n, inside)
    mixed = plus(kind, times(kind, lefts, plus(kind, right, rights)), times(kind, left, rights))
    return times(kind, split, plus(kind, mixed, times(kind, times(kind, left, right), back)))


@inner
def inside_sums(s, kind, turn, n, chart):
    """Items of all spans; returns whether all that are alive fit into such numbers."""
    spans, inside, left, right, fit = s.spans, chart[0], chart[1], chart[2], True
    for r in range(count_spans(n)):
        for t in range(6):
            for a in range(spans.symbols):
                chart[t, r, a] = kind.zero
    r = 0
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            j, e = i + d, spans.rebates.at[r] if d > 1 else NO_SPLIT
            k_apart, a_apart = (spans.rebates.production[e, 0], spans.rebates.production[e, 1]) if e >= 0 else (NO_SPLIT, NO_SPLIT)
            for k in range(i + 1, j):
                x, y = row_of(i, k, n), row_of(k, j, n)
                for a in range(spans.symbols):
                    if s.inside[r, a] > LOG_ZERO and not (k == k_apart and a == a_apart):
                        inside[r, a] = plus(kind, inside[r, a], times(kind, left[x, a], right[y, a]))
            if e >= 0:
                inside[r, a_apart] = plus(kind, inside[r, a_apart], sum_apart(s, kind, turn, e, i, j, n, inside))
            for a in range(spans.symbols):
                if s.inside[r, a] > LOG_ZERO:
                    scale = from_log(kind, -spans.shift[i]) if d == 1 else inside[r, a]
                    inside[r, a] = times(kind, node_weight(s, kind, turn, r, a), scale)
                    fit = fit and fits(kind, scale) and fits(kind, inside[r, a])
            if d < n:
                fit = fold_sums(s, kind, LEFT, r, inside, left) and fit
                fit = fold_sums(s, kind, RIGHT, r, inside, right) and fit
            r += 1
    return fit


@inner
def unfold(s, kind, turn, side, r, chart, sign):
    """What the sum owes to row r as a left or right child goes on to its symbols, and to mu of splits and pairs."""
    symbols = s.spans.symbols
    inside, given, owed, to_inside = chart[0], chart[1 + side], chart[4 + side], chart[3]
    mu = s.grammar.left_mu if side == LEFT else s.grammar.right_mu
    first, parent, weight = s.pairs.first[side], s.pairs.parent[side], s.pairs.weight[side]
    for a in range(symbols):
        if owed[r, a].real != kind.zero and given[r, a].real != kind.zero:
            add_to_splits(s.splits, side, r, a, sign * measured(turn, number(kind, times(kind, owed[r, a], given[r, a]))))
    weigh_splits(s.splits, kind, side, r, owed[r], symbols)
    for b in range(symbols):
        if inside[r, b].real != kind.zero:
            for p in range(first[b], first[b + 1]):
                x = times(kind, owed[r, parent[p]], weight[p])
                if x.real != kind.zero:
                    to_inside[r, b] = plus(kind, to_inside[r, b], x)
                    mu[b, parent[p]] += sign * measured(turn, number(kind, times(kind, x, inside[r, b])))


@inner
def spread_to_children(s, kind, turn, child, to_gold, to_rest, chart, sign):
    """The same for the children of a production that has a rebate."""
    inside, to_inside, total = chart[0], chart[3], 0.0
    scores, mu = (s.grammar.left, s.grammar.left_mu) if child.side == LEFT else (s.grammar.right, s.grammar.right_mu)
    for b in range(s.spans.symbols):
        if inside[child.row, b].real != kind.zero and scores[b, child.parent] > LOG_ZERO:
            x = times(kind, to_gold if b == child.gold else to_rest, from_log(kind, np.float64(scores[b, child.parent])))
            if x.real != kind.zero:
                to_inside[child.row, b] = plus(kind, to_inside[child.row, b], x)
                p = sign * measured(turn, number(kind, times(kind, x, inside[child.row, b])))
                mu[b, child.parent] += p
                total += p
    add_to_splits(s.splits, child.side, child.row, child.parent, total)


@inner
def spread_apart(s, kind, turn, e, ends, chart, sign):
    """What the sum owes to the symbol that rebate e is for, to its children at the gold's split; ends: i, j, n."""
    i, j, n = ends
    one, two, (left, lefts), (right, rights), split, back = both_apart(s, kind, turn, e, i, j, n, chart[0])
    x = times(kind, chart[3, row_of(i, j, n), one.parent], split)
    to_gold, to_rest = plus(kind, rights, times(kind, right, back)), plus(kind, rights, right)
    spread_to_children(s, kind, turn, one, times(kind, x, to_gold), times(kind, x, to_rest), chart, sign)
    to_gold, to_rest = plus(kind, lefts, times(kind, left, back)), plus(kind, lefts, left)
    spread_to_children(s, kind, turn, two, times(kind, x, to_gold), times(kind, x, to_rest), chart, sign)


@inner
def outside_sums(s, kind, turn, n, chart, sign):
    """Derivatives by all items, from those of the row of all words on; mu += sign * marginals."""
    spans, symbols = s.spans, s.spans.symbols
    inside, left, right, to_inside, to_left, to_right = chart[0], chart[1], chart[2], chart[3], chart[4], chart[5]
    r = count_spans(n)
    for d in range(n, 0, -1):
        for i in range(n - d, -1, -1):
            r -= 1
            j, e = i + d, spans.rebates.at[r] if d > 1 else NO_SPLIT
            k_apart, a_apart = (spans.rebates.production[e, 0], spans.rebates.production[e, 1]) if e >= 0 else (NO_SPLIT, NO_SPLIT)
            unfold(s, kind, turn, LEFT, r, chart, sign)
            unfold(s, kind, turn, RIGHT, r, chart, sign)
            for a in range(symbols):
                if inside[r, a].real != kind.zero and to_inside[r, a].real != kind.zero:
                    p = sign * measured(turn, number(kind, times(kind, to_inside[r, a], inside[r, a])))
                    if d == 1 or not spans.only_words:
                        add_at(spans.span, r, a, p)
                    if d == n:
                        spans.root.mu[0, a] += p
                    to_inside[r, a] = times(kind, to_inside[r, a], node_weight(s, kind, turn, r, a))
            for k in range(i + 1, j):
                x, y = row_of(i, k, n), row_of(k, j, n)
                for a in range(symbols):
                    if inside[r, a].real != kind.zero and not (k == k_apart and a == a_apart):
                        to_left[x, a] = plus(kind, to_left[x, a], times(kind, to_inside[r, a], right[y, a]))
                        to_right[y, a] = plus(kind, to_right[y, a], times(kind, to_inside[r, a], left[x, a]))
            if e >= 0 and inside[r, a_apart].real != kind.zero:
                spread_apart(s, kind, turn, e, (i, j, n), chart, sign)


@sum_nodes.when(BigramSpans)
def _(s, kind, turn, n, chart, sign):
    list_pairs(kind, s.grammar.left, s.spans.symbols, LEFT, s.pairs)
    list_pairs(kind, s.grammar.right, s.spans.symbols, RIGHT, s.pairs)
    fit, last = inside_sums(s, kind, turn, n, chart), count_spans(n) - 1
    whole = total(kind, chart[0, last, : s.spans.symbols])
    if not (fit and fits(kind, whole)):
        return whole * np.nan
    share = over(kind, from_log(kind, 0.0), whole)
    for a in range(s.spans.symbols):
        chart[3, last, a] = share
    outside_sums(s, kind, turn, n, chart, sign)
    return to_log(kind, whole)
