"""Trees, projective or not: the best one in O(n^2) on a dense matrix (Chu and Liu 1965; Edmonds 1967; Tarjan 1977).

A path is grown against the arcs, each node taking its best head. When the head lies on the path, the nodes of the cycle become one: an arc
into it is worth the arc less the cycle's arc into the same member, an arc out of it the best of its members'. A path ends at the root or at
a node that is done. Growing costs n per node, merging k nodes k n, and both happen less than 2 n times. Then merges are undone, the last
first: the arc into a merged node says which member gives up its arc in the cycle.

A single root is exact: an arc from the root counts as worse than every other arc. No cycle has one, so that all arcs from the root
into a merged node carry this handicap once, and the rule is to take one only where there is no other.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, phase, tiny
from widemargin.compiler.lanes import load, maximum, top
from widemargin.engine.semiring import LOG_ZERO, weigh
from widemargin.structures.arcs.kernel import Arcs, argmax_tree
from widemargin.structures.arcs.matrix_tree import sum_arborescences
from widemargin.structures.arcs.over_arcs import over_arcs
from widemargin.structures.arcs.tree_sums import sum_trees

BLOCK = 8  # heads that are compared at once
UNSEEN, ON_PATH, DONE = 0, 1, 2
HALF = 16  # an arc is one number: head << HALF | modifier


@over_arcs
class Arborescence(NamedTuple):
    """Scratch of trees. Merged nodes live in the row and column of one member, under names n+1, n+2, ... of their own."""

    arcs: Arcs
    single: bool  # one child of the root
    lanes: tuple
    gain: np.ndarray  # float64 [T+1, P]  (node, head)  what taking the head is worth; -inf: not alive. P: padded to a multiple of BLOCK
    in_blocks: np.ndarray  # float64 [(T+1) P / BLOCK, BLOCK]  the memory of gain
    from_root: np.ndarray  # float64 [T+1]  the same for the root as a head
    origin: np.ndarray  # int32 [T+1, T+1]  the arc in the sentence that it stands for, head << HALF | modifier
    state: np.ndarray  # int32 [T+1]
    path: np.ndarray  # int32 [T+1]
    live: np.ndarray  # int32 [T+1]  the rows of words and merged nodes that are alive
    place: np.ndarray  # int32 [T+1]  by row: where it stands in live
    name: np.ndarray  # int32 [T+1]  of the node that lives in a row
    taken: np.ndarray  # int32 [2T+2]  by name: the arc that it took
    above: np.ndarray  # int32 [2T+2]  by name: the merged node that it is in, or 0
    chart: np.ndarray  # float64 [3, T+1, T+1]  sums (matrix_tree.py)
    tilted: np.ndarray  # complex128 [4, T+1, T+1]


@inner
def best_head(s, v, n, single):
    """The best head of a node, and its gain; the root only where there is no other, if it is to have one child."""
    wide = s.gain.shape[1] // BLOCK
    peak = load(s.in_blocks, v * wide, s.lanes)
    for b in range(1, n // BLOCK + 1):
        peak = maximum(peak, load(s.in_blocks, v * wide + b, s.lanes))
    value = top(peak)
    if not value > LOG_ZERO or (s.from_root[v] >= value and not single):  # nor is NaN above: what is found below is a number of the row
        return 0, s.from_root[v]
    h, row = 1, s.gain[v]
    while row[h] != value:
        h += 1
    return h, value


@tiny
def absorb(gain, origin, c, value, arc):
    """Place c of two rows = the better of itself and the given arc; without a branch, which nobody could foresee."""
    here, there = gain[c], origin[c]
    better = value > here
    gain[c], origin[c] = value if better else here, arc if better else there


@inner
def merge(s, low, high, alive):
    """The cycle path[low:high], each node's head being the next one and the last one's the first, becomes one, in the first one's row.

    Returns how many nodes are alive.
    """
    gain, origin, from_root, path, live = s.gain, s.origin, s.from_root, s.path, s.live
    c = np.int64(path[low])
    for at in range(low + 1, high):
        # the last one alive takes the place of the one that is merged away
        alive -= 1
        x, mover = path[at], live[alive]
        s.state[x] = DONE
        live[s.place[x]], s.place[mover] = mover, s.place[x]
    given_up = gain[c, path[low + 1]]
    from_root[c] -= given_up
    for i in range(alive):
        gain[c, live[i]] -= given_up
    for at in range(low + 1, high):
        x = np.int64(path[at])
        given_up = gain[x, path[at + 1] if at + 1 < high else c]
        if from_root[x] - given_up > from_root[c]:
            from_root[c], origin[c, 0] = from_root[x] - given_up, origin[x, 0]
        for i in range(alive):
            h = np.int64(live[i])
            absorb(gain[c], origin[c], h, gain[x, h] - given_up, origin[x, h])
            absorb(gain[h], origin[h], c, gain[h, x], origin[h, x])
            gain[h, x] = LOG_ZERO
    # what is merged away may still stand in the row of c
    for at in range(low, high):
        gain[c, path[at]] = LOG_ZERO
    return alive


@inner
def undo_merges(s, n, last, head):
    """Heads of all words from the arcs that nodes took; names above the number of words are merged nodes. The value of the tree, -inf if
    last is 0, and the number of the root's children."""
    if last == 0:
        return LOG_ZERO, 0
    for c in range(last, 0, -1):
        if s.taken[c] < 0:
            continue
        m = s.taken[c] & ((1 << HALF) - 1)
        head[m] = s.taken[c] >> HALF
        # every node between the word and c gives up the arc that it took
        x = m
        while x != c:
            s.taken[x] = -1
            x = s.above[x]
    value, roots = 0.0, 0
    for m in range(1, n + 1):
        value += s.arcs.work[m, head[m]]
        roots += head[m] == 0
    return value, roots


@phase
def contract(s, n, single):
    """The arcs of the best tree into s.taken, of all or, when `single`, of those where the root has fewest children.

    Returns the last name of a merged node; 0: there is no tree."""
    work, gain, origin, state, path, live, name = s.arcs.work, s.gain, s.origin, s.state, s.path, s.live, s.name
    padded = n // BLOCK * BLOCK + BLOCK
    for m in range(1, n + 1):
        state[m], name[m], live[m - 1], s.place[m], s.above[m] = UNSEEN, m, m, m - 1, 0
        for h in range(n + 1):
            gain[m, h], origin[m, h] = work[m, h], h << HALF | m
        for h in range(n + 1, padded):
            gain[m, h] = LOG_ZERO
        s.from_root[m], gain[m, 0] = work[m, 0], LOG_ZERO
    state[0], last, alive = DONE, n, n
    for seed in range(1, n + 1):
        v, length = seed, 0
        while state[v] == UNSEEN:
            state[v], path[length] = ON_PATH, v
            length += 1
            h, value = best_head(s, v, n, single)
            if not value > LOG_ZERO:
                return 0
            s.taken[name[v]] = origin[v, h]
            if state[h] == ON_PATH:
                low = length - 1
                while path[low] != h:
                    low -= 1
                last += 1
                for i in range(low, length):
                    s.above[name[path[i]]] = last
                s.above[last] = 0
                alive = merge(s, low, length, alive)
                name[h], state[h], length = last, UNSEEN, low
            v = h
        for i in range(length):
            state[path[i]] = DONE
    return last


@argmax_tree.when(Arborescence)
def _(s, n, out):
    # the best of all trees has one child of the root more often than not, and is found sooner: cycles near the root stay apart
    value, roots = undo_merges(s, n, contract(s, n, False), out.head)
    if s.single and roots > 1:
        value, roots = undo_merges(s, n, contract(s, n, True), out.head)
        return LOG_ZERO if roots > 1 else value
    return value


@sum_trees.when(Arborescence)
def _(s, kind, n, turn, w, chart):
    shifts = weigh(kind, s.arcs.work, s.arcs.direction, turn, n, w)
    return sum_arborescences(kind, s.single, n, w, chart), shifts
