"""Projective trees: the best one in O(n^3) over spans whose head is at an end (Eisner 1996).

Words are 1..n, and 0, the root, stands left of them. Over a span from i to j, i < j, four items; w(h, m) is the score of an arc:

    rise[i, j] = max_k right[i, k] + left[k+1, j] + w(i, j)      i -> j, both ends still open
    fall[i, j] = the same + w(j, i)                              j -> i
    right[i, j] = max_k rise[i, k] + right[k, j]                 headed by i, which has all its children to the right
    left[i, j]  = max_k left[i, k] + fall[k, j]                  headed by j, which has all its children to the left

A table has one row per right end j, over left ends i. With j fixed and k falling, everything that k adds to all i at once is three vector
operations on such rows, so that no loop runs over single numbers. No back-pointers: the splits of the one tree are looked up again.
With a single root its arc is added last: max_r left[1, r] + right[r, n] + w(0, r). Else 0 is one more word, with head of its own nowhere.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase
from widemargin.compiler.lanes import load, maximum, splat, store
from widemargin.engine.semiring import LOG_ZERO, weigh
from widemargin.structures.arcs.eisner_sums import sum_projective
from widemargin.structures.arcs.kernel import Arcs, argmax_tree
from widemargin.structures.arcs.over_arcs import over_arcs
from widemargin.structures.arcs.tree_sums import sum_trees

BLOCK = 8  # left ends that are worked on at once
# np.int64, not int: Numba compiles a function anew for every literal it is called with
COMPLETE_RIGHT, COMPLETE_LEFT = np.int64(0), np.int64(1)
ROOT, FIRST_WORD = np.int64(0), np.int64(1)


@over_arcs
class Eisner(NamedTuple):
    """Scratch of projective trees. Rows are padded to P, a multiple of BLOCK; in_blocks shares the memory of rows and so_far."""

    arcs: Arcs
    single: bool  # one child of the root
    lanes: tuple
    rows: np.ndarray  # [4, T+1, P]  right, left, rise, fall
    so_far: np.ndarray  # [6 P]  maxima so far
    in_blocks: np.ndarray  # [(4 (T+1) + 6) P / BLOCK, BLOCK]  both
    stack: np.ndarray  # int32 [2T+2, 3]
    chart: np.ndarray  # float64 [12, T+1, T+1]  sums (eisner_sums.py)
    tilted: np.ndarray  # complex128 [13, T+1, T+1]  the same for tilts, and weights


@phase
def fill_spans(s, n, first):
    """All items of spans from `first` on."""
    work, lanes, blocks = s.arcs.work, s.lanes, s.in_blocks
    right, left, rise, fall = s.rows[0], s.rows[1], s.rows[2], s.rows[3]
    wide, flat = right.shape[1] // BLOCK, s.so_far
    all_rows = right.shape[0] * wide
    to_left, to_rise = all_rows, 2 * all_rows
    never = splat(blocks, LOG_ZERO, lanes)
    for j in range(first, n + 1):
        here = j * wide
        # maxima so far of what is open, left and right, over all left ends; from the old place to the new one and back, because
        # compilers make slow masked stores of maxima in place
        old, new = 4 * all_rows, 4 * all_rows + 3 * wide
        for b in range(j // BLOCK + 1):
            store(blocks, here + b, never)
            store(blocks, to_left + here + b, never)
            store(blocks, to_rise + here + b, never)
            for a in range(3):
                store(blocks, old + a * wide + b, never)
        right[j, j], left[j, j] = 0.0, 0.0
        joined, headed, opened = left[j, j], right[j, j], left[j, j]
        for k in range(j - 1, first - 1, -1):
            # joined = left[k+1, j], headed = right[k+1, j] and opened = max_l right[k, l] + left[l+1, j] are final
            rising, falling = opened + work[j, k], opened + work[k, j]
            # the three of the next turn, from single numbers: a vector that was just stored would have to be waited for
            before, at = max(k - 1, 0), (old - 4 * all_rows) * BLOCK
            next_joined = max(flat[at + wide * BLOCK + k], falling)
            next_headed = max(max(flat[at + 2 * wide * BLOCK + k], rise[k + 1, k] + headed), rising)
            opened = max(max(flat[at + before], right[k, before] + joined), next_joined)
            # what a split at k gives to all spans that begin before it
            below, above = k * wide, to_rise + (k + 1) * wide
            for b in range(k // BLOCK + 1):
                o, p = old + b, new + b
                store(blocks, p, maximum(load(blocks, o, lanes), load(blocks, below + b, lanes) + joined))
                o, p = o + wide, p + wide
                store(blocks, p, maximum(load(blocks, o, lanes), load(blocks, to_left + below + b, lanes) + falling))
                o, p = o + wide, p + wide
                store(blocks, p, maximum(load(blocks, o, lanes), load(blocks, above + b, lanes) + headed))
            old, new = new, old
            rise[j, k], fall[j, k], left[j, k], right[j, k] = rising, falling, next_joined, next_headed
            joined, headed = next_joined, next_headed


@inner
def push(stack, top, i, j, kind):
    """A span to be taken apart; returns the new height."""
    if i < j:
        stack[top, 0], stack[top, 1], stack[top, 2] = i, j, kind
        return top + 1
    return top


@inner
def split_right(rise, right, i, j):
    """Where the best `right` item from i to j was put together: the last child of i."""
    at, value = j, rise[j, i] + right[j, j]
    for k in range(i + 1, j):
        if rise[k, i] + right[j, k] > value:
            at, value = k, rise[k, i] + right[j, k]
    return at


@inner
def split_left(left, fall, i, j):
    """The first child of j in the best `left` item from i to j."""
    at, value = i, left[i, i] + fall[j, i]
    for k in range(i + 1, j):
        if left[k, i] + fall[j, k] > value:
            at, value = k, left[k, i] + fall[j, k]
    return at


@inner
def split_open(right, left, i, j):
    """The last word that belongs to i between i and j, the others being j's."""
    at, value = i, right[i, i] + left[j, i + 1]
    for k in range(i + 1, j):
        if right[k, i] + left[j, k + 1] > value:
            at, value = k, right[k, i] + left[j, k + 1]
    return at


@phase
def read_tree(s, top, head):
    """Heads of all words in the spans on the stack."""
    right, left, rise, fall = s.rows[0], s.rows[1], s.rows[2], s.rows[3]
    stack = s.stack
    while top > 0:
        top -= 1
        i, j, kind = int(stack[top, 0]), int(stack[top, 1]), stack[top, 2]
        if kind == COMPLETE_RIGHT:
            at = split_right(rise, right, i, j)
            head[at] = i
            top = push(stack, top, at, j, COMPLETE_RIGHT)
            j = at
        else:
            at = split_left(left, fall, i, j)
            head[at] = j
            top = push(stack, top, i, at, COMPLETE_LEFT)
            i = at
        # the arc between i and j is known; what lies between them
        at = split_open(right, left, i, j)
        top = push(stack, top, i, at, COMPLETE_RIGHT)
        top = push(stack, top, at + 1, j, COMPLETE_LEFT)


@argmax_tree.when(Eisner)
def _(s, n, out):
    work, right, left = s.arcs.work, s.rows[0], s.rows[1]
    if s.single:
        fill_spans(s, n, FIRST_WORD)
        root, value = FIRST_WORD, left[1, 1] + right[n, 1] + work[1, 0]
        for r in range(2, n + 1):
            if left[r, 1] + right[n, r] + work[r, 0] > value:
                root, value = np.int64(r), left[r, 1] + right[n, r] + work[r, 0]
        if value > LOG_ZERO:
            out.head[root] = 0
            read_tree(s, push(s.stack, push(s.stack, ROOT, FIRST_WORD, root, COMPLETE_LEFT), root, n, COMPLETE_RIGHT), out.head)
    else:
        for k in range(1, n + 1):
            work[0, k] = LOG_ZERO
        fill_spans(s, n, ROOT)
        value = right[n, 0]
        if value > LOG_ZERO:
            read_tree(s, push(s.stack, ROOT, ROOT, n, COMPLETE_RIGHT), out.head)
    return np.float64(value)


@sum_trees.when(Eisner)
def _(s, kind, n, turn, w, chart):
    shifts = weigh(kind, s.arcs.work, s.arcs.direction, turn, n, w)
    return sum_projective(kind, s.single, n, w, chart), shifts
