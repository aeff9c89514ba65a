"""Projective trees with scores of neighbouring siblings, in O(n^3) (McDonald and Pereira 2006, section 2).

A part (h, s, m): m and s are modifiers of h on one side, s the next one inside; s = h where m is the innermost. With P its score:

    open[i, j] = max_k right[i, k] + left[k+1, j]                                i and j will be siblings
    rise[i, j] = w(i, j) + max(P(i, i, j) + left[i+1, j],  max_k rise[i, k] + open[k, j] + P(i, k, j))       i -> j
    fall[i, j] = w(j, i) + max(P(j, j, i) + right[i, j-1], max_k open[i, k] + fall[k, j] + P(j, k, i))       j -> i
    right, left as in eisner.py

and, as there, everything that a split k adds to all left ends i at once is vector operations on rows of one right end: P is kept that way
(sibling_parts.py).
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, maximum, splat, store
from widemargin.engine.semiring import LOG_ZERO, Along, Plain, weigh
from widemargin.structures.arcs.eisner import BLOCK, COMPLETE_LEFT, COMPLETE_RIGHT, push, split_left, split_open, split_right
from widemargin.structures.arcs.kernel import (
    Arcs,
    add_higher,
    argmax_tree,
    clear_higher,
    higher_score,
    negate_higher,
    share_higher,
    tilt_trees,
)
from widemargin.structures.arcs.over_arcs import over_arcs
from widemargin.structures.arcs.sibling_parts import TO_LEFT, TO_RIGHT, place_of, row_of, width
from widemargin.structures.arcs.sibling_sums import part_siblings, sum_siblings, weigh_parts
from widemargin.structures.arcs.tree_sums import sum_trees, tilt_by_sums
from widemargin.structures.negation import negate_numbers

RISE, FALL, OPEN = np.int64(2), np.int64(3), np.int64(4)
ITEMS = 5  # right, left, rise, open, fall


@over_arcs
class Siblings(NamedTuple):
    """Scratch of trees with siblings. P: T+1 padded to a multiple of BLOCK.

    Tables of parts: sibling_parts.py.
    """

    arcs: Arcs
    single: bool  # one child of the root
    lanes: tuple
    score: np.ndarray  # [T (T+1) P]  of parts
    score_blocks: np.ndarray  # [T (T+1) P / BLOCK, BLOCK]  the same memory
    mu: np.ndarray  # [T (T+1) P]  in rows that are `fresh`; elsewhere it is 0, whatever stands there
    fresh: np.ndarray  # bool [T (T+1)]
    inside: np.ndarray  # int32 [T+1]  of each word the next sibling inside, or the head
    last: np.ndarray  # int32 [T+1]
    rows: np.ndarray  # [5, T+1, P]  right, left, rise, open, fall
    so_far: np.ndarray  # [10 P]  maxima so far
    in_blocks: np.ndarray  # [(5 (T+1) + 10) P / BLOCK, BLOCK]  both
    stack: np.ndarray  # int32 [4T+4, 3]
    chart: np.ndarray  # float64 [10, T+1, T+1]  sums (sibling_sums.py)
    marginal: np.ndarray  # float64 [T (T+1) P]  marginals or covariances of parts
    peak: np.ndarray  # float64 [T+1]
    tilted: np.ndarray  # complex128 [11, T+1, T+1]  chart for tilts, and weights of arcs
    leaning: np.ndarray  # complex128 [T (T+1) P]  weights of parts for tilts


@inner
def fill_spans(s, n, first):
    """All items of spans from `first` on."""
    work, lanes, blocks, score, parts = s.arcs.work, s.lanes, s.in_blocks, s.score, s.score_blocks
    right, left, rise, opened, fall = s.rows[0], s.rows[1], s.rows[2], s.rows[3], s.rows[4]
    wide, flat, across = right.shape[1] // BLOCK, s.so_far, width(n)
    all_rows = right.shape[0] * wide
    to_left, to_rise, to_open, start, step = all_rows, 2 * all_rows, 3 * all_rows, ITEMS * all_rows, wide * BLOCK
    never = splat(blocks, LOG_ZERO, lanes)
    for j in range(first, n + 1):
        # maxima so far of the five items over all left ends; from the old place to the new one and back, as in eisner.py
        old, new = start, start + ITEMS * wide
        for b in range(j // BLOCK + 1):
            for a in range(ITEMS):
                store(blocks, old + a * wide + b, never)
        right[j, j], left[j, j] = 0.0, 0.0
        joined = left[j, j]
        a_right, a_left, a_rise, a_open, a_fall = flat[0], flat[0], flat[0], flat[0], flat[0]
        for k in range(j - 1, first - 1, -1):
            # joined = left[k+1, j] is final; a_... are the maxima for left end k
            p = row_of(j, k, TO_RIGHT) * across
            q = p + across
            rising = max(a_rise, score[p + k] + joined) + work[j, k]
            falling = max(a_fall, score[q + k] + right[j - 1, k]) + work[k, j]
            opening, closed, headed = max(a_open, joined), max(a_left, falling), max(a_right, rising)
            # the maxima of the next turn, from single numbers: a vector that was just stored would have to be waited for
            c, at = max(k - 1, 0), (old - start) * BLOCK + max(k - 1, 0)
            a_right = max(flat[at], rise[k, c] + headed)
            a_left = max(flat[at + step], left[k, c] + falling)
            a_rise = max(flat[at + 2 * step], rise[k, c] + opening + score[p + c])
            a_open = max(flat[at + 3 * step], right[k, c] + joined)
            a_fall = max(flat[at + 4 * step], opened[k, c] + falling + score[q + c])
            # what a split at k gives to all spans that begin before k - 1
            below, p, q = k * wide, p // BLOCK, q // BLOCK
            for b in range((k + BLOCK - 2) // BLOCK):
                o, z = old + b, new + b
                up = load(blocks, to_rise + below + b, lanes)
                store(blocks, z, maximum(load(blocks, o, lanes), up + headed))
                store(blocks, z + wide, maximum(load(blocks, o + wide, lanes), load(blocks, to_left + below + b, lanes) + falling))
                o, z = o + 2 * wide, z + 2 * wide
                store(blocks, z, maximum(load(blocks, o, lanes), up + load(parts, p + b, lanes) + opening))
                store(blocks, z + wide, maximum(load(blocks, o + wide, lanes), load(blocks, below + b, lanes) + joined))
                o, z = o + 2 * wide, z + 2 * wide
                down = load(blocks, to_open + below + b, lanes) + load(parts, q + b, lanes)
                store(blocks, z, maximum(load(blocks, o, lanes), down + falling))
            old, new = new, old
            rise[j, k], fall[j, k], opened[j, k], left[j, k], right[j, k] = rising, falling, opening, closed, headed
            joined = closed


@inner
def read_tree(s, n, top, head):
    """Heads of all words in the spans on the stack; no back-pointers: splits are looked up again."""
    right, left, rise, opened, fall = s.rows[0], s.rows[1], s.rows[2], s.rows[3], s.rows[4]
    stack, score, across = s.stack, s.score, width(n)
    while top > 0:
        top -= 1
        i, j, kind = int(stack[top, 0]), int(stack[top, 1]), stack[top, 2]
        if kind == COMPLETE_RIGHT:
            at = split_right(rise, right, i, j)
            top = push(stack, top, i, at, RISE)
            top = push(stack, top, at, j, COMPLETE_RIGHT)
        elif kind == COMPLETE_LEFT:
            at = split_left(left, fall, i, j)
            top = push(stack, top, i, at, COMPLETE_LEFT)
            top = push(stack, top, at, j, FALL)
        elif kind == OPEN:
            at = split_open(right, left, i, j)
            top = push(stack, top, i, at, COMPLETE_RIGHT)
            top = push(stack, top, at + 1, j, COMPLETE_LEFT)
        elif kind == RISE:
            head[j] = i
            at, value = i, left[j, i + 1] + score[row_of(j, i, TO_RIGHT) * across + i]
            for k in range(i + 1, j):
                x = rise[k, i] + opened[j, k] + score[row_of(j, k, TO_RIGHT) * across + i]
                if x > value:
                    at, value = k, x
            if at == i:
                top = push(stack, top, i + 1, j, COMPLETE_LEFT)
            else:
                top = push(stack, top, i, at, RISE)
                top = push(stack, top, at, j, OPEN)
        else:
            head[i] = j
            at, value = j, right[j - 1, i] + score[row_of(j, i, TO_LEFT) * across + i]
            for k in range(i + 1, j):
                x = opened[k, i] + fall[j, k] + score[row_of(j, k, TO_LEFT) * across + i]
                if x > value:
                    at, value = k, x
            if at == j:
                top = push(stack, top, i, j - 1, COMPLETE_RIGHT)
            else:
                top = push(stack, top, at, j, FALL)
                top = push(stack, top, i, at, OPEN)


@argmax_tree.when(Siblings)
def _(s, n, out):
    work, right, left, across = s.arcs.work, s.rows[0], s.rows[1], width(n)
    if s.single:
        fill_spans(s, n, 1)
        root, value = 1, left[1, 1] + right[n, 1] + work[1, 0] + s.score[row_of(1, 0, TO_RIGHT) * across]
        for r in range(2, n + 1):
            x = left[r, 1] + right[n, r] + work[r, 0] + s.score[row_of(r, 0, TO_RIGHT) * across]
            if x > value:
                root, value = r, x
        if value > LOG_ZERO:
            out.head[root] = 0
            read_tree(s, n, push(s.stack, push(s.stack, 0, 1, root, COMPLETE_LEFT), root, n, COMPLETE_RIGHT), out.head)
    else:
        for k in range(1, n + 1):
            work[0, k] = LOG_ZERO
        fill_spans(s, n, 0)
        value = right[n, 0]
        if value > LOG_ZERO:
            read_tree(s, n, push(s.stack, 0, 0, n, COMPLETE_RIGHT), out.head)
    return np.float64(value)


@generic
def sum_with_parts(turn, s, kind, n, w, chart):
    """sum_trees, arcs being weighed: marginals of parts go to s.marginal or, ALONG, to s.leaning."""
    raise TypeError(turn)


@sum_with_parts.when(Plain)
def _(turn, s, kind, n, w, chart):
    shifts = weigh_parts(kind, s, n, width(n), s.marginal)
    return sum_siblings(kind, s.single, n, width(n), w, s.marginal, chart), shifts


@sum_with_parts.when(Along)
def _(turn, s, kind, n, w, chart):
    shifts = weigh_parts(kind, s, n, width(n), s.leaning)
    return sum_siblings(kind, s.single, n, width(n), w, s.leaning, chart), shifts


@sum_trees.when(Siblings)
def _(s, kind, n, turn, w, chart):
    of_arcs = weigh(kind, s.arcs.work, s.arcs.direction, turn, n, w)
    value, of_parts = sum_with_parts(turn, s, kind, n, w, chart)
    return value, of_arcs + of_parts


@tilt_trees.when(Siblings)
def _(s, n):
    value = tilt_by_sums(s, n)
    if value > LOG_ZERO:
        part_siblings(s, n, width(n))
    return value


# ---- parts ----------------------------------------------------------------------------------------------------------------------------


@inner
def find_siblings(s, n, head):
    """s.inside of a tree."""
    last = s.last
    for h in range(n + 1):
        last[h] = h
    for m in range(1, n + 1):
        if head[m] < m:
            s.inside[m], last[head[m]] = last[head[m]], m
    for h in range(n + 1):
        last[h] = h
    for m in range(n, 0, -1):
        if head[m] > m:
            s.inside[m], last[head[m]] = last[head[m]], m


@inner
def touch(s, row, across):
    """Makes a row of mu fit to be added to."""
    if not s.fresh[row]:
        s.fresh[row] = True
        for i in range(row * across, (row + 1) * across):
            s.mu[i] = 0.0


@clear_higher.when(Siblings)
def _(s, n):
    for row in range(n * (n + 1)):
        s.fresh[row] = False


@add_higher.when(Siblings)
def _(s, n, sign, out):
    across = width(n)
    find_siblings(s, n, out.head)
    for m in range(1, n + 1):
        row, i = place_of(out.head[m], s.inside[m], m)
        touch(s, row, across)
        s.mu[row * across + i] += sign


@higher_score.when(Siblings)
def _(s, n, out):
    value, across = 0.0, width(n)
    find_siblings(s, n, out.head)
    for m in range(1, n + 1):
        row, i = place_of(out.head[m], s.inside[m], m)
        value += s.score[row * across + i]
    return value


@negate_higher.when(Siblings)
def _(s, n):
    negate_numbers(s.score, n * (n + 1) * width(n))


@share_higher.when(Siblings)
def _(s, n, sign):
    across = width(n)
    for j in range(1, n + 1):
        for k in range(j):
            for side in (TO_RIGHT, TO_LEFT):
                row = row_of(j, k, side)
                touch(s, row, across)
                for i in range(row * across, row * across + k + 1):
                    s.mu[i] += s.marginal[i] * sign
