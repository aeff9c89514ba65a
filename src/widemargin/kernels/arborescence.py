"""Trees, projective or not: the best one in O(n^2) on a dense matrix (Chu and Liu 1965; Edmonds 1967; Tarjan 1977).

A path is grown against the arcs, each node taking its best head. When the head lies on the path, the nodes of the cycle become one: an arc
into it is worth the arc less the cycle's arc into the same member, an arc out of it the best of its members'. A path ends at the root or at
a node that is done. Growing costs n per node, merging k nodes k n, and both happen less than 2 n times. Then merges are undone, the last
first: the arc into a merged node says which member gives up its arc in the cycle.

A single root is exact and free: an arc from the root counts as worse than every other arc. No cycle has one, so that all arcs from the root
into a merged node carry this handicap once, and the rule is to take one only where there is no other.
"""

from typing import NamedTuple

import numpy as np

from .arcs import Arcs, best, lean, over_arcs, spread
from .jit import inner, tiny
from .matrixtree import lean_arborescences, spread_arborescences
from .semiring import NEVER

UNSEEN, ON_PATH, DONE, MERGED = 0, 1, 2, 3


@over_arcs
class Arborescence(NamedTuple):
    """Scratch of trees. Merged nodes live in the row and column of one member, under names n+1, n+2, ... of their own."""

    arcs: Arcs
    single: bool  # one child of the root
    gain: np.ndarray  # float64 [T+1, T+1]  (node, head)  what taking the head is worth
    origin: np.ndarray  # int32 [T+1, T+1]  the arc in the sentence that it stands for, head * (T+1) + modifier
    state: np.ndarray  # int32 [T+1]
    path: np.ndarray  # int32 [T+1]
    live: np.ndarray  # int32 [T+1]  the rows of nodes that are not merged away; the root's first
    name: np.ndarray  # int32 [T+1]  of the node that lives in a row
    taken: np.ndarray  # int32 [2T+2]  by name: the arc that it took
    above: np.ndarray  # int32 [2T+2]  by name: the merged node that it is in, or 0
    chart: np.ndarray  # float64 [3, T+1, T+1]  sums (matrixtree.py)
    tilted: np.ndarray  # complex128 [4, T+1, T+1]


@inner
def best_head(row, live, count, single):
    """The best head in a row of gains; the root only where there is no other, if it is to have one child."""
    at, value = 0, NEVER if single else row[0]
    for i in range(1, count):
        h = np.int64(live[i])
        if row[h] > value:
            at, value = h, row[h]
    return at


@tiny
def absorb(gain, origin, c, value, arc):
    """Place c of two rows = the better of itself and the given arc; without a branch, which nobody could foresee."""
    here, there = gain[c], origin[c]
    better = value > here
    gain[c], origin[c] = value if better else here, arc if better else there


@inner
def merge(s, low, high, count):
    """The cycle path[low:high], each node's head being the next one and the last one's the first, becomes one, in the first one's row.

    Returns how many nodes are alive.
    """
    gain, origin, path, live = s.gain, s.origin, s.path, s.live
    c = np.int64(path[low])
    given_up = gain[c, path[low + 1]]
    for i in range(low + 1, high):
        s.state[path[i]] = MERGED
    kept = 0
    for i in range(count):
        if s.state[live[i]] != MERGED:
            live[kept] = live[i]
            kept += 1
    for i in range(kept):
        gain[c, live[i]] -= given_up
    for at in range(low + 1, high):
        x = np.int64(path[at])
        given_up = gain[x, path[at + 1] if at + 1 < high else c]
        for i in range(kept):
            h = np.int64(live[i])
            absorb(gain[c], origin[c], h, gain[x, h] - given_up, origin[x, h])
            absorb(gain[h], origin[h], c, gain[h, x], origin[h, x])
    gain[c, c] = NEVER
    return kept


@inner
def undo_merges(s, last):
    """Heads of all words from the arcs that nodes took; names above the number of words are merged nodes."""
    head, across = s.arcs.head, s.gain.shape[1]
    for c in range(last, 0, -1):
        if s.taken[c] < 0:
            continue
        m = s.taken[c] % across
        head[m] = s.taken[c] // across
        # every node between the word and c gives up the arc that it took
        x = m
        while x != c:
            s.taken[x] = -1
            x = s.above[x]


@best.when(Arborescence)
def _(s, n):
    work, gain, origin, state, path, live, name = s.arcs.work, s.gain, s.origin, s.state, s.path, s.live, s.name
    across = gain.shape[1]
    for m in range(1, n + 1):
        state[m], name[m], live[m], s.above[m] = UNSEEN, m, m, 0
        for h in range(n + 1):
            gain[m, h], origin[m, h] = work[m, h], h * across + m
    state[0], live[0] = DONE, 0
    last, count = n, n + 1
    for seed in range(1, n + 1):
        v, top = seed, 0
        while state[v] == UNSEEN:
            state[v], path[top] = ON_PATH, v
            top += 1
            h = best_head(gain[v], live, count, s.single)
            if gain[v, h] == NEVER:
                return NEVER
            s.taken[name[v]] = origin[v, h]
            if state[h] == ON_PATH:
                low = top - 1
                while path[low] != h:
                    low -= 1
                last += 1
                for i in range(low, top):
                    s.above[name[path[i]]] = last
                s.above[last] = 0
                count = merge(s, low, top, count)
                name[h], state[h], top = last, UNSEEN, low
            v = h
        for i in range(top):
            state[path[i]] = DONE
    undo_merges(s, last)
    value, roots = 0.0, 0
    for m in range(1, n + 1):
        value += work[m, s.arcs.head[m]]
        roots += s.arcs.head[m] == 0
    return NEVER if s.single and roots > 1 else value


@spread.when(Arborescence)
def _(s, n):
    return spread_arborescences(s, n)


@lean.when(Arborescence)
def _(s, n):
    return lean_arborescences(s, n)
