"""One node of a tree with its production: what it scores, and its share of mu. Trees are sums of these (over_spans.py), and so are mixtures
of trees (mixture.py)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.structures.spans.kernel import NO_SPLIT, add_at, add_production, add_split, production_score, row_of, split_score


class Node(NamedTuple):
    """symbol over words first..end-1, with children `left` and `right` that meet at split; for one word these three are -1."""

    first: np.int64
    split: np.int64
    end: np.int64
    symbol: np.int64
    left: np.int64
    right: np.int64


@tiny
def right_child(node, x):
    """The place of the right child of node x; the left one stands at x + 1."""
    return x + 2 * (node[x, 1] - node[x, 0])


@tiny
def node_at(tree, x):
    """Node x of a tree."""
    left, right = NO_SPLIT, NO_SPLIT
    if tree[x, 1] != NO_SPLIT:
        left, right = tree[x + 1, 3], tree[right_child(tree, x), 3]
    return Node(np.int64(tree[x, 0]), np.int64(tree[x, 1]), np.int64(tree[x, 2]), np.int64(tree[x, 3]), np.int64(left), np.int64(right))


@inner
def add_node(s, node, n, amount):
    """mu of the parts of a node += amount."""
    spans, length = s.spans, node.end - node.first
    if length == n:
        spans.root.mu[0, node.symbol] += amount
    if length == 1 or not spans.only_words:
        add_at(spans.span, row_of(node.first, node.end, n), node.symbol, amount)
    if length > 1:
        add_split(s.splits, node, n, amount)
        add_production(s.grammar, node.symbol, node.left, node.right, amount)


@inner
def node_score(s, node, n):
    """The sum of the scores of its parts; -inf where its symbol is not legal."""
    spans, length, a = s.spans, node.end - node.first, node.symbol
    value = np.float64(spans.legal[0 if length == 1 else 1, a])
    if length == n:
        value += spans.root.score[0, a]
    if length == 1 or not spans.only_words:
        value += spans.span.score[row_of(node.first, node.end, n), a]
    if length > 1:
        value += split_score(s.splits, node.first, node.split, node.end, n, a)
        value += production_score(s.grammar, a, node.left, node.right)
    return value
