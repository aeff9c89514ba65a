"""The k best projective trees over the chart of eisner.py, lazily (Huang and Chiang 2005, algorithm 3).

Every item has a list of its derivations, best first, that grows only when it is asked for one more. A derivation of an item is a split, a
derivation of each of the two items that it joins and, where an arc is made, a label. Trees and derivations correspond one to one. When a
derivation has been listed, those that differ from it in one place by one rank become candidates: in a place with nothing but best choices
before it, so that each is reached once. The best choice of an item stands for itself (BEST), without a list: the chart knows its value.
"""

from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel, tiny
from widemargin.engine.semiring import LOG_ZERO
from widemargin.structures.arcs.eisner import COMPLETE_LEFT, COMPLETE_RIGHT
from widemargin.structures.arcs.kernel import argmax_tree, maximise_labels
from widemargin.structures.arcs.labels import best_label, best_score, work_of

RISE, FALL, WHOLE = np.int64(2), np.int64(3), np.int64(4)  # the other items; WHOLE: a tree of a single root
BEST: Any = np.int64(-1)  # np.int64: see sweep.py
NONE: Any = np.int64(-2)
PLACES = 3  # two items and a label


class DerivationLists(NamedTuple):
    """Derivations, listed or waiting, of all items. V = 4 (n+1)^2 + 1 items; C derivations at most."""

    value: np.ndarray  # float64 [C]
    split: np.ndarray  # int32 [C]
    choice: np.ndarray  # int32 [C, 3]  derivations of the two items, and a label; or BEST
    then: np.ndarray  # int32 [C]  the next in the list of its item, or of those that wait; or NONE
    used: np.ndarray  # int64 [1]  of C
    waiting: np.ndarray  # int32 [V]  the first of those that wait
    first: np.ndarray  # int32 [V]  NONE: not asked for yet
    last: np.ndarray  # int32 [V]
    ended: np.ndarray  # bool [V]  there are no more
    asked: np.ndarray  # int32 [8T+8, 2]  items that are being asked for one more, and the place that is looked at
    stack: np.ndarray  # int32 [8T+8, 4]  items to be read


class Item(NamedTuple):
    """An item of the chart: its kind and ends."""

    kind: int | np.integer
    i: int
    j: int


class Derivation(NamedTuple):
    """A split, a derivation of each of the two items that it joins, and a label; or BEST."""

    split: int
    one: int
    two: int
    label: int


@tiny
def item_number(item, n):
    """The number of an item."""
    return (item.kind * (n + 1) + item.i) * (n + 1) + item.j


@tiny
def joined(item, k, place, n):
    """Kind and ends of the items that a split at k joins."""
    kind, i, j = item
    if kind == COMPLETE_RIGHT:
        return (RISE, i, k) if place == 0 else (COMPLETE_RIGHT, k, j)
    if kind == COMPLETE_LEFT:
        return (COMPLETE_LEFT, i, k) if place == 0 else (FALL, k, j)
    if kind == WHOLE:
        return (COMPLETE_LEFT, 1, k) if place == 0 else (COMPLETE_RIGHT, k, n)
    return (COMPLETE_RIGHT, i, k) if place == 0 else (COMPLETE_LEFT, k + 1, j)


@tiny
def arc_of(item, k):
    """Head and modifier of the arc that an item makes; modifier 0: none."""
    kind, i, j = item
    if kind == RISE:
        return i, j
    if kind == FALL:
        return j, i
    return 0, k if kind == WHOLE else 0


@tiny
def splits(item, n):
    """First split, and one behind the last."""
    kind, i, j = item
    if kind == WHOLE:
        return 1, n + 1
    return (i + 1, j + 1) if kind == COMPLETE_RIGHT else (i, j)


@inner
def value_of(s, lists, item, derivation, n):
    """The value of a derivation."""
    k, one, two, label = derivation
    value = 0.0
    for place in range(2):
        inside, a, b = joined(item, k, place, n)
        which = one if place == 0 else two
        value += np.float64(s.rows[inside, b, a]) if which == BEST else lists.value[which]
    h, m = arc_of(item, k)
    if m > 0:
        value += s.arcs.work[m, h]
        if label != BEST:
            value += work_of(s.arcs.labels, h, m, n, label) - best_score(s.arcs.labels, h, m, n)
    return value


@inner
def next_label(labels, h, m, n, r):
    """The label that comes after r in the order of scores, or NONE."""
    if r == BEST:
        r = best_label(labels, h, m, n)
    here, found, value = work_of(labels, h, m, n, r), NONE, LOG_ZERO
    for x in range(labels.kinds):
        score = work_of(labels, h, m, n, x)
        if score > value and (score < here or (score == here and x > r)):
            found, value = np.int64(x), score
    return found


@inner
def wait(s, lists, v, item, derivation, n):
    """A candidate for the list of item v; False when there is no room."""
    value = value_of(s, lists, item, derivation, n)
    if value > LOG_ZERO:
        c = lists.used[0]
        if c == len(lists.value):
            return False
        lists.used[0] = c + 1
        lists.value[c], lists.split[c] = value, derivation.split
        lists.choice[c, 0], lists.choice[c, 1], lists.choice[c, 2] = derivation.one, derivation.two, derivation.label
        lists.then[c], lists.waiting[v] = lists.waiting[v], c
    return True


@inner
def list_next(lists, v):
    """The best candidate joins the list of item v; of equals the one that came last (best_split)."""
    c = lists.waiting[v]
    if c == NONE:
        lists.ended[v] = True
        return
    top, before, previous = c, NONE, NONE
    while c != NONE:
        if lists.value[c] > lists.value[top]:
            top, before = c, previous
        previous, c = c, lists.then[c]
    if before == NONE:
        lists.waiting[v] = lists.then[top]
    else:
        lists.then[before] = lists.then[top]
    lists.then[top] = NONE
    if lists.first[v] == NONE:
        lists.first[v] = top
    else:
        lists.then[lists.last[v]] = top
    lists.last[v] = top


@inner
def extend(s, lists, v, n):
    """One more derivation of item v, if there is one; False when there is no room."""
    asked, across = lists.asked, n + 1
    asked[0, 0], asked[0, 1] = v, 0
    top = 1
    while top > 0:
        v, place = int(asked[top - 1, 0]), int(asked[top - 1, 1])
        item = Item(v // (across * across), v // across % across, v % across)
        if lists.first[v] == NONE:
            low, high = splits(item, n)
            for k in range(low, high):
                if not wait(s, lists, v, item, Derivation(k, BEST, BEST, BEST), n):
                    return False
            place = PLACES
        while place < PLACES:
            d = lists.last[v]
            k, one, two, label = int(lists.split[d]), int(lists.choice[d, 0]), int(lists.choice[d, 1]), int(lists.choice[d, 2])
            h, m = arc_of(item, k)
            new = NONE
            if place == 2:
                new = next_label(s.arcs.labels, h, m, n, label) if m > 0 and one == BEST and two == BEST else NONE
            elif place == 0 or one == BEST:
                inside, a, b = joined(item, k, place, n)
                u, old = item_number(Item(inside, a, b), n), one if place == 0 else two
                if old == BEST:
                    old = int(lists.first[u])
                if a < b and not lists.ended[u] and (old == NONE or lists.then[old] == NONE):
                    asked[top - 1, 1] = place
                    asked[top, 0], asked[top, 1] = u, 0
                    top += 1
                    break
                new = np.int64(lists.then[old]) if a < b and old != NONE else NONE
            if new != NONE:
                other = Derivation(k, new if place == 0 else one, new if place == 1 else two, new if place == 2 else label)
                if not wait(s, lists, v, item, other, n):
                    return False
            place += 1
        if place == PLACES:
            list_next(lists, v)
            top -= 1
    return True


@inner
def best_split(s, lists, item, n):
    """The split of an item's best derivation: the one that its list begins with, of equals the last."""
    low, high = splits(item, n)
    at, top = low, LOG_ZERO
    for k in range(low, high):
        value = value_of(s, lists, item, Derivation(k, BEST, BEST, BEST), n)
        if value >= top:
            at, top = k, value
    return at


@inner
def read_derivation(s, lists, root, d, n, head, label):
    """Heads and labels of derivation d of the item root, into head and label [n+1]."""
    stack, labels = lists.stack, s.arcs.labels
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = root.kind, root.i, root.j, d
    top = 1
    while top > 0:
        top -= 1
        item, d = Item(int(stack[top, 0]), int(stack[top, 1]), int(stack[top, 2])), int(stack[top, 3])
        k = best_split(s, lists, item, n) if d == BEST else int(lists.split[d])
        h, m = arc_of(item, k)
        if m > 0:
            r = BEST if d == BEST else int(lists.choice[d, 2])
            head[m], label[m] = h, best_label(labels, h, m, n) if r == BEST else r
        for place in range(2):
            inside, a, b = joined(item, k, place, n)
            if a < b:
                stack[top, 0], stack[top, 1], stack[top, 2] = inside, a, b
                stack[top, 3] = BEST if d == BEST else lists.choice[d, place]
                top += 1


@kernel(shared=True)
def kbest_projective(s, n, lists, listed):
    """The k best trees under s.arcs.work, best first, into kbest.BestTrees.

    Returns how many there are, or -1 when the lists are too short.
    """
    maximise_labels(s.arcs, n)
    argmax_tree(s, n, s.arcs.output[0])
    for v in range(4 * (n + 1) * (n + 1) + 1):
        lists.waiting[v], lists.first[v], lists.ended[v] = NONE, NONE, False
    lists.used[0] = 0
    root = Item(WHOLE, 0, 0) if s.single else Item(COMPLETE_RIGHT, 0, n)
    v = item_number(root, n)
    for found in range(len(listed.value)):
        if not extend(s, lists, v, n):
            return -1
        if lists.ended[v]:
            return found
        d = int(lists.last[v])
        listed.value[found] = lists.value[d]
        read_derivation(s, lists, root, d, n, listed.head[found], listed.label[found])
    return len(listed.value)
