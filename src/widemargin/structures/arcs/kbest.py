"""The k best trees of any structure over arcs, by branching as Lawler 1972 and, for arborescences, Camerini, Fratta and Maffioli 1980 do.

The trees not yet listed are a disjoint union: for each listed tree and each word i, those that have its arcs at the words before i and
another arc at i than every listed tree with these arcs before i. The best tree of each such set waits in a pool; the best of the pool is
listed next, and its set is split at the words from its own i on. Each step costs n searches for a best tree.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import listed
from widemargin.structures.arcs.kernel import Tree, argmax_tree
from widemargin.structures.arcs.labels import best_label, best_score, set_work, work_of


class BestTrees(NamedTuple):
    """Memory for the k best trees of a sentence of up to T words."""

    value: np.ndarray  # [k]  best first
    head: np.ndarray  # int32 [k, T+1]
    label: np.ndarray  # int32 [k, T+1]
    work: np.ndarray  # [T+1, T+1]  scratch: the augmented scores as they were given
    pool_value: np.ndarray  # [k]  scratch: trees that wait,
    pool_from: np.ndarray  # int32 [k]  the word from which on their sets are split,
    pool_head: np.ndarray  # int32 [k, T+1]
    pool_label: np.ndarray  # int32 [k, T+1]
    banned: np.ndarray  # [k]  scratch: scores of labels that are forbidden for a while
    tree: Tree  # scratch


class NoLists(NamedTuple):
    """No lists of derivations: trees are listed by branching."""

    items: int  # 0


def best_trees(longest: int, k: int, dtype) -> BestTrees:
    """Empty memory; dtype: of the scores."""
    across = longest + 1
    head, label, pool_head, pool_label = (np.zeros((k, across), np.int32) for _ in range(4))
    pool = np.zeros(k), np.zeros(k, np.int32), pool_head, pool_label
    tree = Tree(np.zeros(across, np.int32), np.zeros(across, np.int32))
    return BestTrees(np.zeros(k), head, label, np.zeros((across, across), dtype), *pool, np.zeros(k), tree)


@listed.when(BestTrees)
def _(found, p, n, out):
    for m in range(1, n + 1):
        out.head[m], out.label[m] = found.head[p, m], found.label[p, m]


@inner
def agrees(found, p, last, i):
    """Has listed tree p the arcs of listed tree `last` at the words before i?"""
    for m in range(1, i):
        if found.head[p, m] != found.head[last, m] or found.label[p, m] != found.label[last, m]:
            return False
    return True


@inner
def best_apart(s, n, i, found, count):
    """The best tree with the arcs of the last of `count` listed trees before word i and, at i, none of those of the listed trees that have
    them; into found.tree."""
    arcs, head, label, banned, last = s.arcs, found.head, found.label, found.banned, count - 1
    for m in range(1, n + 1):
        for h in range(n + 1):
            arcs.work[m, h] = found.work[m, h]
        if m < i:
            only = head[last, m]
            for h in range(n + 1):
                if h != only:
                    arcs.work[m, h] = LOG_ZERO
    for f in range(count):
        banned[f] = np.nan
        if agrees(found, f, last, i):
            banned[f] = work_of(arcs.labels, head[f, i], i, n, label[f, i])
            set_work(arcs.labels, head[f, i], i, n, label[f, i], LOG_ZERO)
            if arcs.labels.kinds == 0:
                arcs.work[i, head[f, i]] = LOG_ZERO
    if arcs.labels.kinds > 0:
        for m in range(i, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > LOG_ZERO:
                    arcs.work[m, h] += best_score(arcs.labels, h, m, n)
        for m in range(1, i):
            arcs.work[m, head[last, m]] += work_of(arcs.labels, head[last, m], m, n, label[last, m])
    value = argmax_tree(s, n, found.tree)
    if value > LOG_ZERO:
        for m in range(1, n + 1):
            found.tree.label[m] = label[last, m] if m < i else best_label(arcs.labels, found.tree.head[m], m, n)
    # two listed trees may have banned the same label: the first to do so knows its score, and comes last
    for f in range(count - 1, -1, -1):
        if not np.isnan(banned[f]):
            set_work(arcs.labels, head[f, i], i, n, label[f, i], banned[f])
    return value


def kbest_by_branching(s, n, found):
    """The k best trees under s.arcs.work, best first; returns how many there are."""
    value, head, label, pool_value, pool_from = found.value, found.head, found.label, found.pool_value, found.pool_from
    pool_head, pool_label, k = found.pool_head, found.pool_label, len(found.value)
    for m in range(1, n + 1):
        for h in range(n + 1):
            found.work[m, h] = s.arcs.work[m, h]
    count, waiting, start = 0, 0, 1
    while True:
        for i in range(start, n + 1):
            # at the first turn nothing is listed, and one search over all trees begins the pool
            score = best_apart(s, n, i, found, count)
            place = waiting
            if waiting == k:
                place = 0
                for c in range(1, k):
                    if pool_value[c] < pool_value[place]:
                        place = c
            if score > LOG_ZERO and (waiting < k or score > pool_value[place]):
                waiting = max(waiting, place + 1)
                pool_value[place], pool_from[place] = score, i
                for m in range(1, n + 1):
                    pool_head[place, m], pool_label[place, m] = found.tree.head[m], found.tree.label[m]
            if count == 0:
                break
        if waiting == 0 or count == k:
            return count
        top = 0
        for c in range(1, waiting):
            if pool_value[c] > pool_value[top]:
                top = c
        value[count], start = pool_value[top], int(pool_from[top])
        for m in range(1, n + 1):
            head[count, m], label[count, m] = pool_head[top, m], pool_label[top, m]
        count += 1
        waiting -= 1
        pool_value[top], pool_from[top] = pool_value[waiting], pool_from[waiting]
        for m in range(1, n + 1):
            pool_head[top, m], pool_label[top, m] = pool_head[waiting, m], pool_label[waiting, m]
        if count == k:
            return count
