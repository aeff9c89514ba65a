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
from .jit import inner
from .matrixtree import lean_arborescences, spread_arborescences
from .semiring import NEVER

UNSEEN, ON_PATH, DONE = 0, 1, 2


@over_arcs
class Arborescence(NamedTuple):
    """Scratch of trees. Merged nodes live in the row and column of one member, under names n+1, n+2, ... of their own."""

    arcs: Arcs
    single: bool  # one child of the root
    gain: np.ndarray  # float64 [T+1, T+1]  (node, head)  what taking the head is worth
    origin: np.ndarray  # int32 [T+1, T+1]  the arc in the sentence that it stands for, head * (T+1) + modifier
    state: np.ndarray  # int32 [T+1]
    path: np.ndarray  # int32 [T+1]
    name: np.ndarray  # int32 [T+1]  of the node that lives in a row
    taken: np.ndarray  # int32 [2T+2]  by name: the arc that it took
    above: np.ndarray  # int32 [2T+2]  by name: the merged node that it is in, or 0
    chart: np.ndarray  # float64 [3, T+1, T+1]  sums (matrixtree.py)
    tilted: np.ndarray  # complex128 [4, T+1, T+1]


@inner
def best_head(row, n, single):
    """The best head in a row of gains; the root only where there is no other, if it is to have one child."""
    at, value = 0, NEVER if single else row[0]
    for h in range(1, n + 1):
        if row[h] > value:
            at, value = h, row[h]
    return at


@inner
def merge(s, n, low, high):
    """The cycle path[low:high], each node's head being the next one and the last one's the first, becomes one node, in the first one's row."""
    gain, origin, path, state = s.gain, s.origin, s.path, s.state
    c = np.int64(path[low])
    given_up = gain[c, path[low + 1]]
    for h in range(n + 1):
        gain[c, h] -= given_up
    for i in range(low + 1, high):
        x = np.int64(path[i])
        given_up = gain[x, path[i + 1] if i + 1 < high else c]
        for h in range(n + 1):
            if gain[x, h] - given_up > gain[c, h]:
                gain[c, h], origin[c, h] = gain[x, h] - given_up, origin[x, h]
        state[x] = DONE
    for v in range(1, n + 1):
        for i in range(low + 1, high):
            x = np.int64(path[i])
            if gain[v, x] > gain[v, c]:
                gain[v, c], origin[v, c] = gain[v, x], origin[v, x]
            gain[v, x] = NEVER
    gain[c, c] = NEVER


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
    work, gain, origin, state, path, name = s.arcs.work, s.gain, s.origin, s.state, s.path, s.name
    across = gain.shape[1]
    for m in range(1, n + 1):
        state[m], name[m], s.above[m] = UNSEEN, m, 0
        for h in range(n + 1):
            gain[m, h], origin[m, h] = work[m, h], h * across + m
    state[0] = DONE
    last = n
    for seed in range(1, n + 1):
        v, top = seed, 0
        while state[v] == UNSEEN:
            state[v], path[top] = ON_PATH, v
            top += 1
            h = best_head(gain[v], n, s.single)
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
                merge(s, n, low, top)
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
