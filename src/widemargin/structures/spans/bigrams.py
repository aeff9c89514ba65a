"""Productions by bigrams of parent and child, w(A -> B C) = left[B, A] + right[C, A]: the best child is folded in once per span.

    from_left[i, k, A]  = max_B inside[i, k, B] + left[B, A]  + what a split at k scores from the left
    from_right[k, j, A] = max_C inside[k, j, C] + right[C, A] + ... from the right
    inside[i, j, A]     = max_k from_left[i, k, A] + from_right[k, j, A] + work[i, j, A]

All three are vectors over A: O(n^2 K^2 + n^3 K). Children that a span cannot have are passed over. No back-pointers: read_nodes looks the
splits and children of the one tree up again. Where the gold's production gets a rebate its split is looked at apart: the best pair of
children other than the gold's, against the gold's.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase
from widemargin.compiler.lanes import load, maximum, splat, store
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax
from widemargin.structures.negation import negate_rows
from widemargin.structures.spans.kernel import (
    NO_SPLIT,
    NoSplits,
    Spans,
    Splits,
    add_production,
    branch_right,
    clear_grammar,
    count_spans,
    negate_grammar,
    production_of,
    production_score,
    row_of,
    split_score,
)
from widemargin.structures.spans.over_spans import over_spans
from widemargin.structures.spans.sums import best_inside, summed

NO_CHILD = np.int32(-1)  # of the type of symbols: Numba compiles a function anew for every type it is called with


class Bigrams(NamedTuple):
    """Scores of parent and child; a pair that may not be has -inf. Rows are children, so that all parents of a child are one vector."""

    left: np.ndarray  # [K, L]  left[B, A]; -inf on padding
    right: np.ndarray  # [K, L]  right[C, A]
    left_mu: np.ndarray  # [K, L]
    right_mu: np.ndarray  # [K, L]


class Pairs(NamedTuple):
    """Scratch of sums: the pairs of parent and child that may be, listed by child; left ones, right ones."""

    first: np.ndarray  # int32 [2, K+1]
    parent: np.ndarray  # int32 [2, K K]
    weight: np.ndarray  # float64 [2, K K]


@summed
@over_spans
class BigramSpans(NamedTuple):
    """Trees scored by bigrams of parent and child."""

    lanes: tuple  # width L
    spans: Spans
    splits: NoSplits | Splits
    grammar: Bigrams
    inside: np.ndarray  # [S, L]
    from_left: np.ndarray  # [S, L]
    from_right: np.ndarray  # [S, L]
    spare: np.ndarray  # [1, L]  scratch
    pairs: Pairs
    sums: np.ndarray  # float64 [6, S, L]  (bigram_sums.py)
    tilted: np.ndarray  # complex128 [6, S, L]


@production_score.when(Bigrams)
def _(grammar, a, b, c):
    return np.float64(grammar.left[b, a]) + np.float64(grammar.right[c, a])


@add_production.when(Bigrams)
def _(grammar, a, b, c, amount):
    grammar.left_mu[b, a] += amount
    grammar.right_mu[c, a] += amount


@negate_grammar.when(Bigrams)
def _(grammar):
    negate_rows(grammar.left, len(grammar.left))
    negate_rows(grammar.right, len(grammar.right))


@clear_grammar.when(Bigrams)
def _(grammar):
    for b in range(grammar.left_mu.shape[0]):
        for a in range(grammar.left_mu.shape[1]):
            grammar.left_mu[b, a], grammar.right_mu[b, a] = 0.0, 0.0


@best_inside.when(BigramSpans)
def _(s, i, j, n, a):
    return np.float64(s.inside[row_of(i, j, n), a])


@generic
def add_split_rows(splits, r, s, lanes):
    """from_left and from_right of row r += the scores of splits."""
    raise TypeError(splits)


@add_split_rows.when(NoSplits)
def _(splits, r, s, lanes):
    pass


@add_split_rows.when(Splits)
def _(splits, r, s, lanes):
    store(s.from_left, r, load(s.from_left, r, lanes) + load(splits.left.score, r, lanes))
    store(s.from_right, r, load(s.from_right, r, lanes) + load(splits.right.score, r, lanes))


@inner
def fold(scores, inside, r, symbols, lanes, into):
    """Row r of `into` = max over children of inside + scores."""
    best = splat(into, LOG_ZERO, lanes)
    for b in range(symbols):
        if inside[r, b] > LOG_ZERO:
            best = maximum(best, load(scores, b, lanes) + inside[r, b])
    store(into, r, best)


@inner
def fold_both(s, r):
    """What the span of row r gives to parents as their left child, and as their right one."""
    lanes, symbols = s.lanes, s.spans.symbols
    fold(s.grammar.left, s.inside, r, symbols, lanes, s.from_left)
    fold(s.grammar.right, s.inside, r, symbols, lanes, s.from_right)
    add_split_rows(s.splits, r, s, lanes)


@inner
def best_child(scores, inside, r, a, symbols, skip):
    """The best child of parent a on the span of row r, other than `skip`, and its score."""
    child, value = 0, LOG_ZERO
    for b in range(symbols):
        here = np.float64(inside[r, b]) + np.float64(scores[b, a])
        if b != skip and here > value:
            child, value = b, here
    return child, value


@inner
def best_pair(s, e, i, j, n):
    """The best children (and their score) of the parent that rebate e is for, at the gold's split."""
    k, a, b, c = production_of(s.spans.rebates, e)
    symbols, x, y = s.spans.symbols, row_of(i, k, n), row_of(k, j, n)
    left, right = np.float64(s.inside[x, b]) + s.grammar.left[b, a], np.float64(s.inside[y, c]) + s.grammar.right[c, a]
    other_b, other_left = best_child(s.grammar.left, s.inside, x, a, symbols, b)
    other_c, other_right = best_child(s.grammar.right, s.inside, y, a, symbols, c)
    found = b, c, left + right - s.spans.rebates.amount[e]
    if left + other_right > found[2]:
        found = b, other_c, left + other_right
    if other_left + max(right, other_right) > found[2]:
        found = other_b, c if right >= other_right else other_c, other_left + max(right, other_right)
    return found


@phase
def fill(s, n):
    """inside, from_left and from_right of all spans, from work and its rebates."""
    spans, lanes, never = s.spans, s.lanes, splat(s.inside, LOG_ZERO, s.lanes)
    for r in range(n):
        store(s.inside, r, load(spans.work, r, lanes))
        fold_both(s, r)
    r = n
    for d in range(2, n + 1):
        for i in range(n - d + 1):
            j, e, best = i + d, spans.rebates.at[r], never
            apart = NO_SPLIT if e < 0 else spans.rebates.production[e, 0]
            for k in range(i + 1, j):
                both = load(s.from_left, row_of(i, k, n), lanes) + load(s.from_right, row_of(k, j, n), lanes)
                if k == apart:
                    a = spans.rebates.production[e, 1]
                    store(s.spare, 0, both)
                    s.spare[0, a] = best_pair(s, e, i, j, n)[2] + split_score(s.splits, i, k, j, n, a)
                    both = load(s.spare, 0, lanes)
                best = maximum(best, both)
            store(s.inside, r, best + load(spans.work, r, lanes))
            if d < n:
                fold_both(s, r)
            r += 1


@phase
def read_nodes(s, n, root, out):
    """The best tree with this symbol at its root."""
    spans, stack, symbols = s.spans, s.spans.stack, s.spans.symbols
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, root
    top = 1
    for x in range(2 * n - 1):
        top -= 1
        i, j, a = np.int64(stack[top, 0]), np.int64(stack[top, 1]), stack[top, 2]  # as `fill` has them: best_pair is compiled once
        at = NO_SPLIT
        if j - i > 1:
            e, value, special = spans.rebates.at[row_of(i, j, n)], LOG_ZERO, False
            for k in range(i + 1, j):
                here = np.float64(s.from_left[row_of(i, k, n), a]) + np.float64(s.from_right[row_of(k, j, n), a])
                apart = e >= 0 and spans.rebates.production[e, 0] == k and spans.rebates.production[e, 1] == a
                if apart:
                    here = best_pair(s, e, i, j, n)[2] + split_score(s.splits, i, k, j, n, a)
                if here > value or at == NO_SPLIT:
                    at, value, special = k, here, apart
            if special:
                b, c, _ = best_pair(s, e, i, j, n)
            else:
                b, _ = best_child(s.grammar.left, s.inside, row_of(i, at, n), a, symbols, NO_CHILD)
                c, _ = best_child(s.grammar.right, s.inside, row_of(at, j, n), a, symbols, NO_CHILD)
            stack[top, 0], stack[top, 1], stack[top, 2] = at, j, c
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = i, at, b
            top += 2
        out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, at, j, a


@argmax.when(BigramSpans)
def _(s, n, out):
    fill(s, n)
    last, root = count_spans(n) - 1, 0
    for a in range(1, s.spans.symbols):
        if s.inside[last, a] > s.inside[last, root]:
            root = a
    value = np.float64(s.inside[last, root])
    if value > LOG_ZERO:
        read_nodes(s, n, np.int64(root), out)
    else:
        branch_right(n, out)
    return value
