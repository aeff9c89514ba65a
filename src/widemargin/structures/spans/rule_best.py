"""The best tree of rules (rules.py). No back-pointers: best_production looks them up again. Where the gold's production gets a rebate, its
parent is looked at apart, rule by rule."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase, tiny
from widemargin.compiler.lanes import load, maximum, splat, top
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax
from widemargin.structures.spans.kernel import NO_SPLIT, NoSplits, Splits, branch_right, production_of, row_of, split_score
from widemargin.structures.spans.rules import BLOCK, NEVER, RuleSpans, for_each_meeting, keep, meet, place


class Best(NamedTuple):
    """What is done where two children meet: their best split goes to `found` of their parents."""

    touched: np.ndarray  # int64 [1]  how many symbols have something there


@tiny
def offer(s, what, a, value):
    """A production of symbol a."""
    if value > s.found[a]:
        if s.found[a] == LOG_ZERO:
            s.touched[what.touched[0]] = a
            what.touched[0] += 1
        s.found[a] = value


@generic(tiny=True)
def meet_best(splits, what, s, ends, pair, low, high):
    """Offers the best productions of a pair of children; ends: i, j, n."""
    raise TypeError(splits)


@meet_best.when(NoSplits)
def _(splits, what, s, ends, pair, low, high):
    i, j, n = ends
    grammar = s.grammar
    first = grammar.pair[pair]
    x, y = place(s, i, grammar.left[first], low, n), place(s, j, grammar.right[first], low, n)
    value = s.left[x] + s.right[y]
    if low < high:
        x, y = (x - low) // BLOCK, (y - low) // BLOCK
        b = low // BLOCK
        best = load(s.left_blocks, x + b, s.block) + load(s.right_blocks, y + b, s.block)
        for b in range(low // BLOCK + 1, high // BLOCK + 1):
            best = maximum(best, load(s.left_blocks, x + b, s.block) + load(s.right_blocks, y + b, s.block))
        value = top(best)
    if value > LOG_ZERO:
        for r in range(first, grammar.pair[pair + 1]):
            offer(s, what, grammar.parent[r], value + grammar.score[r])


@meet_best.when(Splits)
def _(splits, what, s, ends, pair, low, high):
    i, j, n = ends
    grammar = s.grammar
    first = grammar.pair[pair]
    x, y = place(s, i, grammar.left[first], 0, n) // BLOCK, place(s, j, grammar.right[first], 0, n) // BLOCK
    for r in range(first, grammar.pair[pair + 1]):
        z = place(s, 0, grammar.parent[r], 0, n) // BLOCK
        best = splat(s.left_blocks, LOG_ZERO, s.block)
        for b in range(low // BLOCK, high // BLOCK + 1):
            both = load(s.left_blocks, x + b, s.block) + load(s.right_blocks, y + b, s.block)
            best = maximum(best, both + load(s.split_blocks, z + b, s.block))
        offer(s, what, grammar.parent[r], top(best) + grammar.score[r])


@meet.when(Best)
def _(what, s, i, j, pair, low, high, n):
    meet_best(s.splits, what, s, (i, j, n), pair, low, high)


@generic
def lay_splits(splits, s, i, j, n):
    """The scores of the splits of a span, by symbol and split."""
    raise TypeError(splits)


@lay_splits.when(NoSplits)
def _(splits, s, i, j, n):
    pass


@lay_splits.when(Splits)
def _(splits, s, i, j, n):
    for k in range(i + 1, j):
        x, y = row_of(i, k, n), row_of(k, j, n)
        for a in range(s.spans.symbols):
            s.split[place(s, 0, a, k, n)] = splits.left.score[x, a] + splits.right.score[y, a]


@inner
def best_production(s, i, j, n, a):
    """The best production of symbol a over i..j, its split (NO_SPLIT: there is none) and score, without the node's own."""
    grammar, live, e = s.grammar, s.live, s.spans.rebates.at[row_of(i, j, n)]
    at, rule, best = NO_SPLIT, 0, LOG_ZERO
    for p in range(grammar.by_parent[a], grammar.by_parent[a + 1]):
        r = grammar.parent_rule[p]
        b, c = grammar.left[r], grammar.right[r]
        low, high = (
            max(live.first_end[i, b], max(live.first_start[j, c], i + 1)),
            min(live.last_end[i, b], min(live.last_start[j, c], j - 1)),
        )
        for k in range(low, high + 1):
            value = np.float64(s.left[place(s, i, b, k, n)]) + np.float64(s.right[place(s, j, c, k, n)]) + grammar.score[r]
            value += split_score(s.splits, i, k, j, n, a)
            if e >= 0 and production_of(s.spans.rebates, e) == (k, a, b, c):
                value -= s.spans.rebates.amount[e]
            if value > best:
                at, rule, best = k, r, value
    return at, rule, best


@phase
def fill(s, what, n):
    """The charts of all spans, from work and its rebates."""
    spans, live, work = s.spans, s.live, s.spans.work
    for t in range(n + 1):
        live.many[t] = 0
        for a in range(spans.symbols):
            live.last_end[t, a], live.last_start[t, a] = NEVER, NEVER
    for a in range(spans.symbols):
        s.found[a] = LOG_ZERO
    for j in range(1, n + 1):
        for a in range(spans.symbols):
            if work[j - 1, a] > LOG_ZERO:
                keep(s, j - 1, j, a, work[j - 1, a], n)
        for i in range(j - 2, -1, -1):
            r = row_of(i, j, n)
            what.touched[0] = 0
            lay_splits(s.splits, s, i, j, n)
            for_each_meeting(what, s, i, j, n)
            e = spans.rebates.at[r]
            for t in range(what.touched[0]):
                a = s.touched[t]
                if e >= 0 and spans.rebates.production[e, 1] == a:
                    s.found[a] = best_production(s, i, j, n, a)[2]
                value = s.found[a] + work[r, a]
                if value > LOG_ZERO:
                    keep(s, i, j, a, value, n)
                s.found[a] = LOG_ZERO


@phase
def read_nodes(s, n, root, out):
    """The best tree with this symbol at its root."""
    stack, grammar, top_of = s.spans.stack, s.grammar, 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, root
    for x in range(2 * n - 1):
        top_of -= 1
        i, j, a = np.int64(stack[top_of, 0]), np.int64(stack[top_of, 1]), stack[top_of, 2]  # as `fill` has them, for one best_production
        at = NO_SPLIT
        if j - i > 1:
            at, r, _ = best_production(s, i, j, n, a)
            stack[top_of, 0], stack[top_of, 1], stack[top_of, 2] = at, j, grammar.right[r]
            stack[top_of + 1, 0], stack[top_of + 1, 1], stack[top_of + 1, 2] = i, at, grammar.left[r]
            top_of += 2
        out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, at, j, a


@argmax.when(RuleSpans)
def _(space, n, out):
    s = space.chart
    fill(s, Best(s.counter), n)
    root, value = 0, LOG_ZERO
    for p in range(s.live.many[0]):
        a = s.live.starting[0, p]
        if s.live.last_end[0, a] == n and s.left[place(s, 0, a, n, n)] > value:
            root, value = a, np.float64(s.left[place(s, 0, a, n, n)])
    if value > LOG_ZERO:
        read_nodes(s, n, np.int64(root), out)
    else:
        branch_right(n, out)
    return value
