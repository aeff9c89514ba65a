"""The k best trees of any structure over arcs, by branching as Lawler 1972 and, for arborescences, Camerini, Fratta and Maffioli 1980 do.

The trees not yet listed are a disjoint union: for each listed tree and each word i, those that have its arcs at the words before i and
another arc at i than every listed tree with these arcs before i. The best tree of each such set waits in a pool; the best of the pool is
listed next, and its set is split at the words from its own i on. Each step costs n searches for a best tree.
"""

import numpy as np

from .arc_labels import best_label, best_score, set_work, work_of
from .arcs import best
from .jit import inner, kernel
from .semiring import NEVER


@inner
def agrees(head, label, f, tree_head, tree_label, i):
    """Has listed tree f the given arcs at the words before i?"""
    for m in range(1, i):
        if head[f, m] != tree_head[m] or label[f, m] != tree_label[m]:
            return False
    return True


@inner
def best_apart(s, n, i, tree_head, tree_label, keep, head, label, found, banned):
    """The best tree with the given arcs before word i and, at i, none of those of the `found` trees that have them; into s.arcs."""
    arcs = s.arcs
    for m in range(1, n + 1):
        for h in range(n + 1):
            arcs.work[m, h] = keep[m, h]
        if m < i:
            only = tree_head[m]
            for h in range(n + 1):
                if h != only:
                    arcs.work[m, h] = NEVER
    for f in range(found):
        banned[f] = np.nan
        if agrees(head, label, f, tree_head, tree_label, i):
            banned[f] = work_of(arcs.labels, head[f, i], i, n, label[f, i])
            set_work(arcs.labels, head[f, i], i, n, label[f, i], NEVER)
            if arcs.labels.kinds == 0:
                arcs.work[i, head[f, i]] = NEVER
    if arcs.labels.kinds > 0:
        for m in range(i, n + 1):
            for h in range(n + 1):
                if arcs.work[m, h] > NEVER:
                    arcs.work[m, h] += best_score(arcs.labels, h, m, n)
        for m in range(1, i):
            arcs.work[m, tree_head[m]] += work_of(arcs.labels, tree_head[m], m, n, tree_label[m])
    value = best(s, n)
    if value > NEVER:
        for m in range(1, n + 1):
            arcs.label[m] = tree_label[m] if m < i else best_label(arcs.labels, arcs.head[m], m, n)
    # two listed trees may have banned the same label: the first to do so knows its score, and comes last
    for f in range(found - 1, -1, -1):
        if not np.isnan(banned[f]):
            set_work(arcs.labels, head[f, i], i, n, label[f, i], banned[f])
    return value


@kernel(shared=True)
def kbest_trees(s, n, k, keep, pool_value, pool_from, pool_head, pool_label, banned, value, head, label):
    """The k best trees under s.arcs.work, best first, into value [k], head and label int32 [k, T+1]; returns how many there are.

    keep [T+1, T+1]; pool_value [k], pool_from int32 [k], pool_head, pool_label int32 [k, T+1], banned [k]: scratch.
    """
    for m in range(1, n + 1):
        for h in range(n + 1):
            keep[m, h] = s.arcs.work[m, h]
    found, waiting, start = 0, 0, 1
    while True:
        for i in range(start, n + 1):
            # at the first turn nothing is listed, and one search over all trees begins the pool
            score = best_apart(s, n, i, head[found - 1], label[found - 1], keep, head, label, found, banned)
            place = waiting
            if waiting == k:
                place = 0
                for c in range(1, k):
                    if pool_value[c] < pool_value[place]:
                        place = c
            if score > NEVER and (waiting < k or score > pool_value[place]):
                waiting = max(waiting, place + 1)
                pool_value[place], pool_from[place] = score, i
                for m in range(1, n + 1):
                    pool_head[place, m], pool_label[place, m] = s.arcs.head[m], s.arcs.label[m]
            if found == 0:
                break
        if waiting == 0 or found == k:
            return found
        top = 0
        for c in range(1, waiting):
            if pool_value[c] > pool_value[top]:
                top = c
        value[found], start = pool_value[top], int(pool_from[top])
        for m in range(1, n + 1):
            head[found, m], label[found, m] = pool_head[top, m], pool_label[top, m]
        found += 1
        waiting -= 1
        pool_value[top], pool_from[top] = pool_value[waiting], pool_from[waiting]
        for m in range(1, n + 1):
            pool_head[top, m], pool_label[top, m] = pool_head[waiting, m], pool_label[waiting, m]
        if found == k:
            return found
