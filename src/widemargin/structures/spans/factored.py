"""Trees without productions: every span has its best symbol, and splits are free.

    right[i, j] = max_A work[i, j, A] + max_k left[i, k] + right[k, j]        what may stand as a right child, or as the root
    left[i, j]  = the same without symbol 0 over two and more words           what may stand as a left child

so all that is cubic is on single numbers: O(n^2 K + n^3). Symbol 0 over more words says that there is no constituent. It is a right child
or none: children beyond the second of a constituent are then split off from the left in one way, and every tree of constituents is one
binary tree. Sums are the same with plus for max and times for plus; a symbol's share of its span is its weight among those of the span.
Left children are kept by (i, j) and right ones by (j, i): splits of a span are two rows.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase
from widemargin.compiler.lanes import load, top
from widemargin.engine.semiring import LOG_ZERO, dot, from_log, number, over, plus, times, to_log
from widemargin.engine.structure import argmax
from widemargin.structures.spans.kernel import (
    NO_SPLIT,
    NoSplits,
    Spans,
    add_at,
    add_production,
    branch_right,
    clear_grammar,
    negate_grammar,
    production_score,
    row_of,
)
from widemargin.structures.spans.over_spans import over_spans
from widemargin.structures.spans.sums import best_inside, fits, measured, sum_nodes, summed

LEFT, RIGHT, TO_LEFT, TO_RIGHT = 0, 1, 2, 3  # of the charts of sums
AS_LEFT, OTHER = 0, 1  # nodes that are left children, and others


class NoGrammar(NamedTuple):
    """Productions have no scores."""

    parts: int  # 0


@summed
@over_spans
class FactoredSpans(NamedTuple):
    """Trees scored by the symbols of spans alone."""

    lanes: tuple  # width L
    spans: Spans
    splits: NoSplits
    grammar: NoGrammar
    named: np.ndarray  # [1, L]  0, and -inf for symbol 0
    symbol: np.ndarray  # [2, S]  the best score of a symbol on each span, of left children, of others
    inside: np.ndarray  # [2, T+1, T+1]  of left children by (i, j), of others by (j, i)
    sums: np.ndarray  # float64 [4, T+1, T+1]
    tilted: np.ndarray  # complex128 [4, T+1, T+1]


@production_score.when(NoGrammar)
def _(grammar, a, b, c):
    return 0.0


@add_production.when(NoGrammar)
def _(grammar, a, b, c, amount):
    pass


@negate_grammar.when(NoGrammar)
def _(grammar):
    pass


@clear_grammar.when(NoGrammar)
def _(grammar):
    pass


@best_inside.when(FactoredSpans)
def _(s, i, j, n, a):
    r = row_of(i, j, n)
    return np.float64(s.inside[1, j, i]) - np.float64(s.symbol[1, r]) + np.float64(s.spans.work[r, a])


@inner
def best_split(left, right, i, j):
    """The best split of a span, and its score."""
    at, value = i + 1, left[i, i + 1] + right[j, i + 1]
    for k in range(i + 2, j):
        if left[i, k] + right[j, k] > value:
            at, value = k, left[i, k] + right[j, k]
    return at, value


@phase
def fill(s, n):
    """symbol and inside of all spans, from work."""
    left, right, r = s.inside[0], s.inside[1], 0
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            j = i + d
            row = load(s.spans.work, r, s.lanes)
            value = top(row)
            s.symbol[0, r], s.symbol[1, r] = value, value
            left[i, j], right[j, i] = value, value
            if d > 1:
                one, under = top(row + load(s.named, 0, s.lanes)), best_split(left, right, i, j)[1]
                s.symbol[0, r] = one
                left[i, j], right[j, i] = one + under, value + under
            r += 1


@phase
def read_nodes(s, n, out):
    """The best tree."""
    stack, height = s.spans.stack, 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, OTHER
    for x in range(2 * n - 1):
        height -= 1
        i, j, side, at = stack[height, 0], stack[height, 1], stack[height, 2], NO_SPLIT
        r, a = row_of(i, j, n), 1 if side == AS_LEFT and j - i > 1 else 0
        while s.spans.work[r, a] != s.symbol[side, r]:
            a += 1
        if j - i > 1:
            at, _ = best_split(s.inside[0], s.inside[1], i, j)
            stack[height, 0], stack[height, 1], stack[height, 2] = at, j, OTHER
            stack[height + 1, 0], stack[height + 1, 1], stack[height + 1, 2] = i, at, AS_LEFT
            height += 2
        out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, at, j, a


@argmax.when(FactoredSpans)
def _(s, n, out):
    fill(s, n)
    value = np.float64(s.inside[1, n, 0])
    if value > LOG_ZERO:
        read_nodes(s, n, out)
    else:
        branch_right(n, out)
    return value


@inner
def symbol_weight(s, kind, turn, r, a):
    """The weight of a symbol on a span, not scaled."""
    step = turn.step
    return from_log(kind, np.float64(s.spans.work[r, a]) + step * s.spans.direction[r, a])


@inner
def below(s, kind, turn, i, j, chart):
    """The sum of what can stand below the symbol of a span."""
    if j - i == 1:
        return from_log(kind, 0.0 * turn.step - s.spans.shift[i])
    return dot(kind, chart[LEFT, i, i + 1 : j], chart[RIGHT, j, i + 1 : j])


@inner
def named_and_all(s, kind, turn, r, d):
    """The sums over the symbols of a span of d words: those that a left child may have, and all."""
    one = kind.zero + 0.0 * turn.step
    for a in range(0 if d == 1 else 1, s.spans.symbols):
        if s.spans.work[r, a] > LOG_ZERO:
            one = plus(kind, one, symbol_weight(s, kind, turn, r, a))
    if d == 1 or s.spans.work[r, 0] == LOG_ZERO:
        return one, one
    return one, plus(kind, one, symbol_weight(s, kind, turn, r, 0))


@inner
def inside_sums(s, kind, turn, n, chart):
    """All spans; returns whether those that are alive fit into such numbers."""
    fit, r = True, 0
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            j, nothing = i + d, kind.zero + 0.0 * turn.step
            left, right = nothing, nothing
            if s.inside[1, j, i] > LOG_ZERO:
                one, both = named_and_all(s, kind, turn, r, d)
                under = below(s, kind, turn, i, j, chart)
                right = times(kind, both, under)
                fit = fit and fits(kind, both) and fits(kind, under) and fits(kind, right)
                if s.inside[0, i, j] > LOG_ZERO:
                    left = times(kind, one, under)
                    fit = fit and fits(kind, one) and fits(kind, left)
            chart[LEFT, i, j], chart[RIGHT, j, i], chart[TO_LEFT, i, j], chart[TO_RIGHT, j, i] = left, right, kind.zero, kind.zero
            r += 1
    return fit


@inner
def outside_sums(s, kind, turn, n, chart, sign):
    """Derivatives by all spans, from that of all words on; mu += sign * marginals."""
    spans, r = s.spans, n * (n + 1) // 2
    for d in range(n, 0, -1):
        for i in range(n - d, -1, -1):
            r -= 1
            j = i + d
            left, right = chart[TO_LEFT, i, j], chart[TO_RIGHT, j, i]
            either = plus(kind, left, right)
            if s.inside[1, j, i] == LOG_ZERO or either.real == kind.zero:
                continue
            under = below(s, kind, turn, i, j, chart)
            for a in range(spans.symbols):
                if spans.work[r, a] > LOG_ZERO:
                    x = times(kind, right if a == 0 and d > 1 else either, under)
                    p = sign * measured(turn, number(kind, times(kind, x, symbol_weight(s, kind, turn, r, a))))
                    if d == 1 or not spans.only_words:
                        add_at(spans.span, r, a, p)
                    if d == n:
                        spans.root.mu[0, a] += p
            one, both = named_and_all(s, kind, turn, r, d)
            x = plus(kind, times(kind, left, one), times(kind, right, both))
            for k in range(i + 1, j):
                chart[TO_LEFT, i, k] = plus(kind, chart[TO_LEFT, i, k], times(kind, x, chart[RIGHT, j, k]))
                chart[TO_RIGHT, j, k] = plus(kind, chart[TO_RIGHT, j, k], times(kind, x, chart[LEFT, i, k]))


@sum_nodes.when(FactoredSpans)
def _(s, kind, turn, n, chart, sign):
    fit, whole = inside_sums(s, kind, turn, n, chart), chart[RIGHT, n, 0]
    if not (fit and fits(kind, whole)):
        return whole * np.nan
    chart[TO_RIGHT, n, 0] = over(kind, from_log(kind, 0.0), whole)
    outside_sums(s, kind, turn, n, chart, sign)
    return to_log(kind, whole)
