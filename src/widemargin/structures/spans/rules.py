"""Productions by rules, w(A -> B C) = score[r], as in a weighted context-free grammar.

    inside[i, j, A] = work[i, j, A] + max over rules A -> B C and splits k of score[r] + inside[i, k, B] + inside[k, j, C]

Rules are grouped by their pair of children: the best split of a pair is found once, for all its rules (unless splits have scores, which
differ by parent). Items are kept twice, by (i, B, k) and by (j, C, k), so that all splits of a pair are two rows, read BLOCK at a time.
Every (i, B) knows its first and last end, every (j, C) its first and last beginning: pairs that cannot meet are passed over. Symbols of
single words (tags) as right children are looked up by the word. No back-pointers: best_production looks one up again.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, tiny
from widemargin.compiler.lanes import splat, store
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.negation import negate_numbers
from widemargin.structures.spans.kernel import NoSplits, Spans, Splits, add_production, clear_grammar, negate_grammar, production_score
from widemargin.structures.spans.over_spans import over_spans
from widemargin.structures.spans.sums import best_inside, summed

BLOCK = 16  # splits that are worked on at once
NEVER = -1


class Rules(NamedTuple):
    """R rules A -> B C, sorted by (B, C, A), and P pairs of children in that order."""

    score: np.ndarray  # [R]
    mu: np.ndarray  # [R]
    parent: np.ndarray  # int32 [R]
    left: np.ndarray  # int32 [R]
    right: np.ndarray  # int32 [R]
    pair: np.ndarray  # int32 [P+1]  where the rules of a pair begin
    by_left: np.ndarray  # int32 [K+1]  where, in left_pair, the pairs of a left child begin
    left_pair: np.ndarray  # int32  pairs whose right child may have several words
    with_right: np.ndarray  # int32  their right children
    by_right: np.ndarray  # int32 [K+1]  where, in right_pair, the pairs of a right child begin
    right_pair: np.ndarray  # int32  pairs whose right child is a symbol of single words
    with_left: np.ndarray  # int32  their left children
    by_parent: np.ndarray  # int32 [K+1]  where, in parent_rule, the rules of a parent begin
    parent_rule: np.ndarray  # int32 [R]


class Live(NamedTuple):
    """Which items there are. NEVER as the last of something: there is none."""

    first_end: np.ndarray  # int32 [T+1, K]  of a symbol that begins at i
    last_end: np.ndarray  # int32 [T+1, K]
    first_start: np.ndarray  # int32 [T+1, K]  of a symbol that ends at j
    last_start: np.ndarray  # int32 [T+1, K]
    starting: np.ndarray  # int32 [T+1, K]  the symbols that begin at i
    many: np.ndarray  # int32 [T+1]  how many


class RuleChart(NamedTuple):
    """What the kernels of rules read and write; `s` in all of them. Charts are flat: the item from i to k of symbol B stands at
    place(s, i, B, k, n)."""

    spans: Spans
    splits: NoSplits | Splits
    grammar: Rules
    live: Live
    block: tuple  # the lanes of BLOCK numbers
    left: np.ndarray  # [(T+1) K P]  by beginning, symbol, end; P = T + 1, padded to whole blocks
    right: np.ndarray  # [(T+1) K P]  by end, symbol, beginning
    left_blocks: np.ndarray  # [(T+1) K P / BLOCK, BLOCK]  the same memory
    right_blocks: np.ndarray
    split: np.ndarray  # [K P]  scores of the splits of a span, by symbol and split
    split_blocks: np.ndarray
    found: np.ndarray  # [K]  what the span at hand has
    touched: np.ndarray  # int32 [K]  the symbols it has
    counter: np.ndarray  # int64 [1]  how many


@summed
@over_spans
class RuleSpans(NamedTuple):
    """Trees scored by rules."""

    lanes: tuple  # width L
    spans: Spans  # these three are chart's, too
    splits: NoSplits | Splits
    grammar: Rules
    chart: RuleChart
    sums: np.ndarray  # float64 [5, (T+1) K P]  (rule_sums.py)
    tilted: np.ndarray  # complex128 [5, (T+1) K P]


@production_score.when(Rules)
def _(grammar, a, b, c):
    r = rule_of(grammar, a, b, c)
    return LOG_ZERO if r < 0 else np.float64(grammar.score[r])


@add_production.when(Rules)
def _(grammar, a, b, c, amount):
    r = rule_of(grammar, a, b, c)
    if r >= 0:
        grammar.mu[r] += amount


@negate_grammar.when(Rules)
def _(grammar):
    negate_numbers(grammar.score, len(grammar.score))


@clear_grammar.when(Rules)
def _(grammar):
    for r in range(len(grammar.mu)):
        grammar.mu[r] = 0.0


@inner
def rule_of(grammar, a, b, c):
    """The rule A -> B C, or -1. Rules of a parent are in the order of their children."""
    low, high = np.int64(grammar.by_parent[a]), np.int64(grammar.by_parent[a + 1])
    while low < high:
        middle = (low + high) // 2
        r = grammar.parent_rule[middle]
        if grammar.left[r] < b or (grammar.left[r] == b and grammar.right[r] < c):
            low = middle + 1
        else:
            high = middle
    if low < grammar.by_parent[a + 1]:
        r = grammar.parent_rule[low]
        if grammar.left[r] == b and grammar.right[r] == c:
            return np.int64(r)
    return np.int64(-1)


@tiny
def place(s, i, a, k, n):
    """Where a chart has the item of symbol a with these ends."""
    return (i * s.spans.symbols + a) * ((n + BLOCK) // BLOCK * BLOCK) + k


@best_inside.when(RuleSpans)
def _(s, i, j, n, a):
    return best_inside(s.chart, i, j, n, a)


@best_inside.when(RuleChart)
def _(s, i, j, n, a):
    if s.live.last_end[i, a] < j or s.live.first_end[i, a] > j:
        return LOG_ZERO
    return np.float64(s.left[place(s, i, a, j, n)])


@generic(tiny=True)
def meet(what, s, i, j, pair, low, high, n):
    """Does what is to be done where a pair of children can meet at splits low..high of the span i..j."""
    raise TypeError(what)


@inner
def for_each_meeting(what, s, i, j, n):
    """Asks `what` about every pair of children that can meet within the span i..j."""
    grammar, live = s.grammar, s.live
    for p in range(live.many[j - 1]):  # symbols of the last word
        c = live.starting[j - 1, p]
        if live.first_end[j - 1, c] == j:
            for x in range(grammar.by_right[c], grammar.by_right[c + 1]):
                b = grammar.with_left[x]
                if live.last_end[i, b] >= j - 1 and live.first_end[i, b] <= j - 1:
                    meet(what, s, i, j, grammar.right_pair[x], j - 1, j - 1, n)
    for p in range(live.many[i]):
        b = live.starting[i, p]
        first, last = live.first_end[i, b], min(live.last_end[i, b], j - 1)
        for x in range(grammar.by_left[b], grammar.by_left[b + 1]):
            c = grammar.with_right[x]
            low, high = max(first, max(live.first_start[j, c], i + 1)), min(last, live.last_start[j, c])
            if low <= high:
                meet(what, s, i, j, grammar.left_pair[x], low, high, n)


@inner
def keep(s, i, j, a, value, n):
    """The item of symbol a from i to j exists."""
    live, across = s.live, (n + BLOCK) // BLOCK
    if live.last_end[i, a] == NEVER:
        live.first_end[i, a], live.starting[i, live.many[i]] = j, a
        live.many[i] += 1
        for b in range(across):
            store(s.left_blocks, (i * s.spans.symbols + a) * across + b, splat(s.left_blocks, LOG_ZERO, s.block))
    if live.last_start[j, a] == NEVER:
        live.last_start[j, a] = i
        for b in range(across):
            store(s.right_blocks, (j * s.spans.symbols + a) * across + b, splat(s.right_blocks, LOG_ZERO, s.block))
    live.last_end[i, a], live.first_start[j, a] = j, i
    s.left[place(s, i, a, j, n)], s.right[place(s, j, a, i, n)] = value, value
