"""Sums over trees of rules: the items of rules.py with plus for max and times for plus, inside and outside.

chart: items by beginning and by end, the derivatives of the whole sum by each of them, and the weights of the splits of one span, all in
the order of rules.place. The rules of a pair of children share the sum over its splits. A rule stands alone where splits have scores, and
where its production is the gold's and gets a rebate.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.engine.semiring import LOG_ZERO, from_log, number, over, plus, times, to_log
from widemargin.structures.spans.kernel import NoSplits, Splits, add_at, production_of, row_of
from widemargin.structures.spans.rules import RuleSpans, for_each_meeting, meet, place
from widemargin.structures.spans.sums import best_inside, fits, measured, sum_nodes

LEFT, RIGHT, TO_LEFT, TO_RIGHT, SPLIT = 0, 1, 2, 3, 4  # of chart
NO_RULE = np.int64(-1)


class Inside(NamedTuple):
    """What is done where two children meet: their sum over splits goes to their parents."""

    kind: tuple
    turn: tuple
    chart: np.ndarray


class Outside(NamedTuple):
    """What is done where two children meet: what their parents are owed goes to them, and to mu."""

    kind: tuple
    turn: tuple
    chart: np.ndarray
    sign: float


class Meeting(NamedTuple):
    """Two children that meet: rows of the chart, from their first split on."""

    x: int  # of the left child, in the chart by beginning
    y: int  # of the right child, in the chart by end
    low: int
    high: int
    gold: int  # the split of the gold's production, if it has a rebate
    back: complex  # what the rebate multiplies by


@inner
def meeting(what, s, i, j, pair, low, high, n):
    """The meeting, and the rule that is the gold's and gets a rebate, or NO_RULE."""
    grammar, rebates, step = s.grammar, s.spans.rebates, what.turn.step
    first, e = grammar.pair[pair], rebates.at[row_of(i, j, n)]
    x, y = place(s, i, grammar.left[first], low, n), place(s, j, grammar.right[first], low, n)
    gold, back, rule = 0, from_log(what.kind, 0.0 * step), NO_RULE
    if e >= 0:
        k, a, b, c = production_of(rebates, e)
        if b == grammar.left[first] and c == grammar.right[first]:
            gold, back = k, from_log(what.kind, -rebates.amount[e] - step * rebates.direction[e])
            for r in range(first, grammar.pair[pair + 1]):
                if grammar.parent[r] == a:
                    rule = np.int64(r)
    return Meeting(x, y, low, high, gold, back), rule


@generic
def stands_alone(splits, r, rule):
    """Has rule r a sum over splits of its own?"""
    raise TypeError(splits)


@stands_alone.when(NoSplits)
def _(splits, r, rule):
    return r == rule


@stands_alone.when(Splits)
def _(splits, r, rule):
    return True


@generic
def split_weight(splits, chart, z, k):
    """What a split at k multiplies by; z: where the chart has the parent's splits."""
    raise TypeError(splits)


@split_weight.when(NoSplits)
def _(splits, chart, z, k):
    return chart[SPLIT, 0]


@split_weight.when(Splits)
def _(splits, chart, z, k):
    return chart[SPLIT, z + k]


@generic
def weigh_splits(splits, what, s, i, j, n):
    """The weights of the splits of a span into the chart."""
    raise TypeError(splits)


@weigh_splits.when(NoSplits)
def _(splits, what, s, i, j, n):
    what.chart[SPLIT, 0] = from_log(what.kind, 0.0)


@weigh_splits.when(Splits)
def _(splits, what, s, i, j, n):
    for a in range(s.spans.symbols):
        if best_inside(s, i, j, n, a) > LOG_ZERO:
            for k in range(i + 1, j):
                score = np.float64(splits.left.score[row_of(i, k, n), a]) + np.float64(splits.right.score[row_of(k, j, n), a])
                what.chart[SPLIT, place(s, 0, a, k, n)] = from_log(what.kind, score)


@generic
def add_to_splits(splits, s, ends, k, a, amount):
    """mu of a split at k of symbol a += amount; ends: i, j, n."""
    raise TypeError(splits)


@add_to_splits.when(NoSplits)
def _(splits, s, ends, k, a, amount):
    pass


@add_to_splits.when(Splits)
def _(splits, s, ends, k, a, amount):
    i, j, n = ends
    add_at(splits.left, row_of(i, k, n), a, amount)
    add_at(splits.right, row_of(k, j, n), a, amount)


@inner
def over_splits(kind, chart, m):
    """Sum over the splits of a meeting."""
    value = times(kind, chart[LEFT, m.x], chart[RIGHT, m.y])
    for t in range(1, m.high - m.low + 1):
        value = plus(kind, value, times(kind, chart[LEFT, m.x + t], chart[RIGHT, m.y + t]))
    return value


@inner
def alone_at(s, what, m, z, t, rebate):
    """What split m.low + t multiplies the two children by, for a rule that stands alone."""
    factor = split_weight(s.splits, what.chart, z, m.low + t)
    return times(what.kind, factor, m.back) if rebate and m.low + t == m.gold else factor


@meet.when(Inside)
def _(what, s, i, j, pair, low, high, n):
    kind, chart, grammar = what.kind, what.chart, s.grammar
    m, rule = meeting(what, s, i, j, pair, low, high, n)
    shared = over_splits(kind, chart, m)
    for r in range(grammar.pair[pair], grammar.pair[pair + 1]):
        a = grammar.parent[r]
        if best_inside(s, i, j, n, a) == LOG_ZERO:
            continue
        at, z, weight = place(s, i, a, j, n), place(s, 0, a, 0, n), from_log(kind, np.float64(grammar.score[r]))
        if stands_alone(s.splits, r, rule):
            for t in range(high - low + 1):
                both = times(kind, times(kind, chart[LEFT, m.x + t], chart[RIGHT, m.y + t]), alone_at(s, what, m, z, t, r == rule))
                chart[LEFT, at] = plus(kind, chart[LEFT, at], times(kind, weight, both))
        else:
            chart[LEFT, at] = plus(kind, chart[LEFT, at], times(kind, weight, shared))


@meet.when(Outside)
def _(what, s, i, j, pair, low, high, n):
    kind, turn, chart, grammar = what.kind, what.turn, what.chart, s.grammar
    m, rule = meeting(what, s, i, j, pair, low, high, n)
    shared, owed = over_splits(kind, chart, m), kind.zero + 0.0 * turn.step
    for r in range(grammar.pair[pair], grammar.pair[pair + 1]):
        a = grammar.parent[r]
        x = times(kind, chart[TO_LEFT, place(s, i, a, j, n)], from_log(kind, np.float64(grammar.score[r])))
        if best_inside(s, i, j, n, a) == LOG_ZERO or x.real == kind.zero:
            continue
        if not stands_alone(s.splits, r, rule):
            owed = plus(kind, owed, x)
            grammar.mu[r] += what.sign * measured(turn, number(kind, times(kind, x, shared)))
            continue
        for t in range(high - low + 1):
            y = times(kind, x, alone_at(s, what, m, place(s, 0, a, 0, n), t, r == rule))
            p = what.sign * measured(turn, number(kind, times(kind, y, times(kind, chart[LEFT, m.x + t], chart[RIGHT, m.y + t]))))
            grammar.mu[r] += p
            add_to_splits(s.splits, s, (i, j, n), low + t, a, p)
            owe(kind, chart, m, t, y)
    if owed.real != kind.zero:
        for t in range(high - low + 1):
            owe(kind, chart, m, t, owed)


@inner
def owe(kind, chart, m, t, x):
    """The children at split m.low + t are owed x times each other."""
    chart[TO_LEFT, m.x + t] = plus(kind, chart[TO_LEFT, m.x + t], times(kind, x, chart[RIGHT, m.y + t]))
    chart[TO_RIGHT, m.y + t] = plus(kind, chart[TO_RIGHT, m.y + t], times(kind, x, chart[LEFT, m.x + t]))


@inner
def node_weight(s, what, r, a):
    """The weight of a node of row r, not scaled."""
    step = what.turn.step
    return from_log(what.kind, np.float64(s.spans.work[r, a]) + step * s.spans.direction[r, a])


@inner
def clear_chart(s, kind, n, chart):
    """0 for all that may be asked for."""
    for i in range(n + 1):
        for a in range(s.spans.symbols):
            for t in range(4):
                live = s.live.last_end[i, a] if t % 2 == 0 else s.live.last_start[i, a]
                if live >= 0:
                    for k in range(n + 1):
                        chart[t, place(s, i, a, k, n)] = kind.zero


@inner
def inside_sums(s, what, n):
    """All items; returns whether those that are alive fit into such numbers."""
    kind, chart, fit = what.kind, what.chart, True
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            if j - i > 1:
                weigh_splits(s.splits, what, s, i, j, n)
                for_each_meeting(what, s, i, j, n)
            for p in range(s.live.many[i]):
                a = s.live.starting[i, p]
                if best_inside(s, i, j, n, a) > LOG_ZERO:
                    at = place(s, i, a, j, n)
                    below = from_log(kind, -s.spans.shift[i]) if j - i == 1 else chart[LEFT, at]
                    chart[LEFT, at] = times(kind, node_weight(s, what, row_of(i, j, n), a), below)
                    chart[RIGHT, place(s, j, a, i, n)] = chart[LEFT, at]
                    fit = fit and fits(kind, below) and fits(kind, chart[LEFT, at])
    return fit


@inner
def outside_sums(s, what, n):
    """Derivatives by all items, from those of all words on; mu += sign * marginals."""
    kind, chart, spans = what.kind, what.chart, s.spans
    for j in range(n, 0, -1):
        for i in range(j):
            r = row_of(i, j, n)
            for p in range(s.live.many[i]):
                a = s.live.starting[i, p]
                at = place(s, i, a, j, n)
                if best_inside(s, i, j, n, a) > LOG_ZERO:
                    x = plus(kind, chart[TO_LEFT, at], chart[TO_RIGHT, place(s, j, a, i, n)])
                    marginal = what.sign * measured(what.turn, number(kind, times(kind, x, chart[LEFT, at])))
                    if x.real != kind.zero and (j - i == 1 or not spans.only_words):
                        add_at(spans.span, r, a, marginal)
                    if j - i == n:
                        spans.root.mu[0, a] += marginal
                    chart[TO_LEFT, at] = times(kind, x, node_weight(s, what, r, a))
            if j - i > 1:
                weigh_splits(s.splits, what, s, i, j, n)
                for_each_meeting(what, s, i, j, n)


@sum_nodes.when(RuleSpans)
def _(space, kind, turn, n, chart, sign):
    s = space.chart
    clear_chart(s, kind, n, chart)
    fit, whole = inside_sums(s, Inside(kind, turn, chart), n), kind.zero + 0.0 * turn.step
    for p in range(s.live.many[0]):
        a = s.live.starting[0, p]
        if best_inside(s, 0, n, n, a) > LOG_ZERO:
            whole = plus(kind, whole, chart[LEFT, place(s, 0, a, n, n)])
    if not (fit and fits(kind, whole)):
        return whole * np.nan
    share = over(kind, from_log(kind, 0.0), whole)
    for p in range(s.live.many[0]):
        a = s.live.starting[0, p]
        if best_inside(s, 0, n, n, a) > LOG_ZERO:
            chart[TO_LEFT, place(s, 0, a, n, n)] = share
    outside_sums(s, Outside(kind, turn, chart, sign), n)
    return to_log(kind, whole)
