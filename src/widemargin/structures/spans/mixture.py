"""Frank-Wolfe's mixture sum_y a_iy r_y over trees of spans, kept sparse (engine/frank_wolfe.py).

Parts are nodes with their productions, because a production's score is no sum over its symbols. Of all that there could be, only those that
some best tree has had, and the gold's beside them, are in lists, one per word: the nodes that begin there. With r_y the nodes of y without
those of the right tree, a step is

    masses *= 1 - step,    then + step for every node of y that the right tree has not, - step for every node of it that y has not.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.engine.frank_wolfe import fw_direction, fw_update, like_saved, with_room
from widemargin.engine.structure import output_score
from widemargin.structures.chained import NO_ENTRY, as_saved, empty_lists, new_entry, with_more
from widemargin.structures.spans.kernel import UNKNOWN, row_of
from widemargin.structures.spans.nodes import Node, add_node, node_at, node_score
from widemargin.structures.spans.prices import mark_nodes

FIELDS = 5  # of a node in a list, whose first word is the list's
NODES = 4  # that a pass adds for each word, at most: 2n-1 of the best tree, as many of the right one


class NodeLists(NamedTuple):
    """Mixtures of all sentences: nodes with masses in lists, one per word (structures/chained.py)."""

    first: np.ndarray  # int32 [N]
    next: np.ndarray  # int32 [E]
    part: np.ndarray  # int32 [E, 5]  split, end, symbol, left and right child's symbols
    mass: np.ndarray  # float64 [E]
    used: np.ndarray  # int64 [1]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]


def node_lists(rows: int, words: int) -> NodeLists:
    """All mass is on the gold."""
    return NodeLists(*empty_lists(words, FIELDS), np.zeros(rows), np.zeros(rows), np.zeros(rows, np.bool_))


@with_room.register(NodeLists)
def _(mixture: NodeLists, memory: float) -> NodeLists:
    return with_more(mixture, NODES * len(mixture.first), memory)


@like_saved.register(NodeLists)
def _(mixture: NodeLists, arrays: dict[str, np.ndarray]) -> NodeLists:
    return as_saved(mixture, arrays)


@inner
def listed_node(mixture, e, first):
    """The node of entry e in the list of a word."""
    part = mixture.part
    return Node(
        np.int64(first), np.int64(part[e, 0]), np.int64(part[e, 1]), np.int64(part[e, 2]), np.int64(part[e, 3]), np.int64(part[e, 4])
    )


@fw_direction.when(NodeLists)
def _(mixture, input, s, i, n, right, out):
    at, value = input.token[i], output_score(s, n, out) - output_score(s, n, right)
    for t in range(n):
        e = mixture.first[at + t]
        while e != NO_ENTRY:
            node = listed_node(mixture, e, t)
            value -= mixture.mass[e] * node_score(s, node, n)
            add_node(s, node, n, -mixture.mass[e])
            e = mixture.next[e]
    return value, 0.0


@inner
def is_same(one, other):
    """Are two nodes over the same words the same, with the same production?"""
    same = one.split == other.split and one.symbol == other.symbol
    return same and one.end == other.end and one.left == other.left and one.right == other.right


@inner
def mass_of(mixture, word, node):
    """Where a node has its mass in the list of its first word: a new place, with no mass yet, if there is none."""
    e = mixture.first[word]
    while e != NO_ENTRY and not is_same(listed_node(mixture, e, node.first), node):
        e = mixture.next[e]
    if e == NO_ENTRY:
        e = new_entry(mixture, word)
        part = mixture.part
        part[e, 0], part[e, 1], part[e, 2], part[e, 3], part[e, 4] = node.split, node.end, node.symbol, node.left, node.right
    return e


@inner
def add_difference(mixture, spans, at, n, trees, amount):
    """Masses of the nodes that the first of two trees has and the second has not += amount; at: where the words of the row begin."""
    tree, other = trees
    mark_nodes(spans, other, n)
    for x in range(2 * n - 1):
        node = node_at(tree, x)
        g = spans.mark[row_of(node.first, node.end, n)]
        if g == UNKNOWN or not is_same(node_at(other, g), node):
            mixture.mass[mass_of(mixture, at + node.first, node)] += amount


@fw_update.when(NodeLists)
def _(mixture, input, s, i, n, right, out, step):
    at = input.token[i]
    for t in range(n):
        e = mixture.first[at + t]
        while e != NO_ENTRY:
            mixture.mass[e] *= 1.0 - step
            e = mixture.next[e]
    add_difference(mixture, s.spans, at, n, (out, right), step)
    add_difference(mixture, s.spans, at, n, (right, out), -step)
