"""The k best trees over the charts of an argmax, lazily (Huang and Chiang 2005, algorithm 3), for all structures over spans.

An item (a symbol on a span, or what a span gives to a parent) is made by edges: each joins up to two items and has a score. A derivation
of an item is an edge and a derivation of each item that it joins; derivations of the whole and trees correspond one to one. Every item
that is asked has a list of its derivations, best first, that grows by one when asked for more; those that differ from the last one by one
rank then become candidates. The best derivation of an item stands for itself (BEST), without a list: the chart knows its value. No item
is asked for more than k derivations, so the k best edges of each are enough.
"""

from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, phase, tiny
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import listed
from widemargin.structures.arcs.eisner_kbest import BEST, NONE, list_next

WHOLE: Any = np.int64(-1)  # the item of all trees
EMPTY: Any = np.int64(-2)
ITEMS = 6  # items of a derivation, per word


class DerivationLists(NamedTuple):
    """Derivations, listed or waiting. C derivations and H items at most, H a power of 2."""

    value: np.ndarray  # float64 [C]
    edge: np.ndarray  # int32 [C]
    choice: np.ndarray  # int32 [C, 2]  derivations of the items that it joins, or BEST
    then: np.ndarray  # int32 [C]  the next in the list of its item, or of those that wait; or NONE
    used: np.ndarray  # int64 [1]  of C
    item: np.ndarray  # int64 [H]  a hash table of the items that were asked; or EMPTY
    waiting: np.ndarray  # int32 [H]  the first of those that wait
    first: np.ndarray  # int32 [H]  NONE: not asked for yet
    last: np.ndarray  # int32 [H]
    ended: np.ndarray  # bool [H]  there are no more
    asked: np.ndarray  # int64 [6T+6, 2]  items that are being asked for one more, and which of the two joined ones is looked at
    stack: np.ndarray  # int64 [6T+6, 2]  items to be read, and derivations


class BestTrees(NamedTuple):
    """Memory for the k best trees of a sentence of up to T words."""

    value: np.ndarray  # float64 [k]  best first
    node: np.ndarray  # int32 [k, 2T-1, 4]
    lists: DerivationLists


class Edge(NamedTuple):
    """How an item is made."""

    one: int  # an item, or NONE
    two: int
    score: float


@generic
def count_edges(s, item, n):
    """How many edges make an item. None: it is the node of one word."""
    raise TypeError(s)


@generic
def edge_of(s, item, e, n):
    """Edge e of an item."""
    raise TypeError(s)


@generic
def item_value(s, item, n):
    """The value of an item's best derivation."""
    raise TypeError(s)


@generic
def node_of(s, item, e, n):
    """(is it a node of the tree?, first, split, end, symbol) of an item made by edge e, -1 for that of one word that no edge makes."""
    raise TypeError(s)


@listed.when(BestTrees)
def _(found, p, n, out):
    for x in range(2 * n - 1):
        for f in range(4):
            out[x, f] = found.node[p, x, f]


@inner
def slot_of(lists, item):
    """The place of an item in the hash table, which it gets if it has none; NONE: the table is full."""
    mask = len(lists.item) - 1
    h = (item + 31 * (item >> 7)) & mask
    for _ in range(mask):
        if lists.item[h] == item:
            return h
        if lists.item[h] == EMPTY:
            lists.item[h], lists.waiting[h], lists.first[h], lists.ended[h] = item, NONE, NONE, False
            return h
        h = (h + 1) & mask
    return NONE


@tiny
def joined_value(s, lists, item, which, n):
    """The value of a derivation of an item."""
    if item == NONE:
        return 0.0
    return item_value(s, item, n) if which == BEST else lists.value[which]


@inner
def value_of(s, lists, edge, one, two, n):
    """The value of a derivation."""
    return edge.score + joined_value(s, lists, edge.one, one, n) + joined_value(s, lists, edge.two, two, n)


@inner
def wait(lists, slot, e, one, two, value):
    """A candidate for the list of an item; False when there is no room."""
    c = lists.used[0]
    if c == len(lists.value):
        return False
    lists.used[0] = c + 1
    lists.value[c], lists.edge[c], lists.choice[c, 0], lists.choice[c, 1] = value, e, one, two
    lists.then[c], lists.waiting[slot] = lists.waiting[slot], c
    return True


@inner
def wait_for_edges(s, lists, slot, k, n):
    """The best derivations of an item's k best edges become candidates, of equal ones the later; False when there is no room."""
    item, begin, least = lists.item[slot], lists.used[0], NONE
    for e in range(count_edges(s, item, n)):
        value = value_of(s, lists, edge_of(s, item, e, n), BEST, BEST, n)
        if value == LOG_ZERO:
            continue
        if lists.used[0] - begin < k:
            if not wait(lists, slot, e, BEST, BEST, value):
                return False
        else:
            if least == NONE:
                least = begin
                for c in range(begin, lists.used[0]):
                    if lists.value[c] < lists.value[least]:
                        least = c
            if value >= lists.value[least]:
                lists.value[least], lists.edge[least], least = value, e, NONE
    return True


@inner
def extend(s, lists, slot, k, n):
    """One more derivation of the item in a slot, if there is one; False when there is no room."""
    asked, top = lists.asked, 1
    asked[0, 0], asked[0, 1] = slot, 0
    while top > 0:
        slot, place = asked[top - 1, 0], asked[top - 1, 1]
        if lists.first[slot] == NONE:
            if not wait_for_edges(s, lists, slot, k, n):
                return False
            place = 2
        while place < 2:
            d = lists.last[slot]
            one, two, e = np.int64(lists.choice[d, 0]), np.int64(lists.choice[d, 1]), lists.edge[d]
            edge, new = edge_of(s, lists.item[slot], e, n), NONE
            item, old = (edge.one, one) if place == 0 else (edge.two, two)
            if item != NONE and (place == 0 or one == BEST):
                u = slot_of(lists, item)
                if u == NONE:
                    return False
                if old == BEST:
                    old = np.int64(lists.first[u])
                if not lists.ended[u] and (old == NONE or lists.then[old] == NONE):
                    asked[top - 1, 1], asked[top, 0], asked[top, 1] = place, u, 0
                    top += 1
                    break
                if old != NONE:
                    new = np.int64(lists.then[old])
            if new != NONE:
                one, two = (new, two) if place == 0 else (one, new)
                if not wait(lists, slot, e, one, two, value_of(s, lists, edge, one, two, n)):
                    return False
            place += 1
        if place == 2:
            list_next(lists, slot)
            top -= 1
    return True


@inner
def best_edge(s, lists, item, n):
    """The edge of an item's best derivation, of equal ones the last, as its list begins; -1: it has none."""
    at, top = -1, LOG_ZERO
    for e in range(count_edges(s, item, n)):
        value = value_of(s, lists, edge_of(s, item, e, n), BEST, BEST, n)
        if value >= top:
            at, top = e, value
    return at


@inner
def read_derivation(s, lists, d, n, out):
    """The nodes of derivation d of all trees."""
    stack, x, height = lists.stack, 0, 1
    stack[0, 0], stack[0, 1] = WHOLE, d
    while height > 0:
        height -= 1
        item, d = stack[height, 0], stack[height, 1]
        e = best_edge(s, lists, item, n) if d == BEST else np.int64(lists.edge[d])
        is_node, i, k, j, a = node_of(s, item, e, n)
        if is_node:
            out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, k, j, a
            x += 1
        if e >= 0:
            edge = edge_of(s, item, e, n)
            if edge.two != NONE:
                stack[height, 0], stack[height, 1] = edge.two, BEST if d == BEST else np.int64(lists.choice[d, 1])
                height += 1
            if edge.one != NONE:
                stack[height, 0], stack[height, 1] = edge.one, BEST if d == BEST else np.int64(lists.choice[d, 0])
                height += 1


@phase
def list_trees(s, n, found):
    """The k best trees over the charts in s; returns how many there are, or -1 when the lists have no room."""
    lists, k = found.lists, len(found.value)
    for h in range(len(lists.item)):
        lists.item[h] = EMPTY
    lists.used[0] = 0
    slot = slot_of(lists, WHOLE)
    for p in range(k):
        if not extend(s, lists, slot, k, n):
            return -1
        if lists.ended[slot]:
            return p
        d = np.int64(lists.last[slot])
        found.value[p] = lists.value[d]
        read_derivation(s, lists, d, n, found.node[p])
    return k
