"""The grammar of binarised trees, with counts: A -> B C for nodes with two children, A over a tag for one-word nodes, and top symbols."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.binary import NO_SPLIT, BinaryTrees
from widemargin.families.constituency.symbols import Symbols


@dataclass(frozen=True, eq=False)
class Grammar:
    """Productions in ascending order, each once. Symbols are codes."""

    symbols: Symbols
    binary: np.ndarray  # int32 [R, 3], A -> B C
    binary_count: np.ndarray  # int64 [R]
    lexical: np.ndarray  # int32 [L, 2], a one-word symbol and its tag's; both are the same where the word has no bracket of its own
    lexical_count: np.ndarray  # int64 [L]
    top: np.ndarray  # int32 [T], symbols of whole sentences
    top_count: np.ndarray  # int64 [T]


def read_grammar(trees: BinaryTrees) -> Grammar:
    """All productions of the trees."""
    if len(trees.node) and (trees.node[:, 3].min() < 0 or trees.tag.min() < 0):
        raise InputError("some symbols of these trees are not among the given ones, so they have no grammar; binarise them on their own.")
    symbol, alone = trees.node[:, 3], trees.node[:, 1] == NO_SPLIT
    parent = np.flatnonzero(~alone)
    # in pre-order the left child follows its parent, and a subtree over m words has 2m - 1 nodes
    right = parent + 2 * (trees.node[parent, 1] - trees.node[parent, 0])
    binary = np.stack([symbol[parent], symbol[parent + 1], symbol[right]], axis=1) if len(parent) else np.empty((0, 3), np.int32)
    # one-word nodes stand in the order of the words
    lexical = np.stack([symbol[alone], trees.tag], axis=1)
    top = symbol[trees.node_ptr[:-1]]
    binary, binary_count = np.unique(binary, axis=0, return_counts=True)
    lexical, lexical_count = np.unique(lexical, axis=0, return_counts=True)
    top, top_count = np.unique(top, return_counts=True)
    return Grammar(trees.symbols, binary, binary_count, lexical, lexical_count, top, top_count)
