"""What is known of trees, and what errors cost, made of arrays and checked: kernels check nothing. `structure` is any of trees.py."""

import numpy as np

from widemargin.compiler.lanes import width_of
from widemargin.errors import InputError
from widemargin.structures.spans.kernel import Gold, Prices


def nothing_known(structure) -> Gold:
    """A gold of which nothing is known."""
    nothing, brackets = np.zeros((0, 4), np.int32), np.zeros((0, 3), np.int32)
    return Gold(nothing, brackets, np.zeros((0, width_of(structure.lanes)), np.bool_))


def known(structure, node: np.ndarray) -> Gold:
    """A gold of which everything is known: integers [2n-1, 4], its nodes in pre-order."""
    node = np.ascontiguousarray(node, np.int32)
    check_tree(node, structure.symbols)
    return nothing_known(structure)._replace(node=node)


def check_tree(node: np.ndarray, symbols: int) -> None:
    """Refuses what is no binary tree, as nodes (first, split, end, symbol) in pre-order."""
    if node.ndim != 2 or node.shape[1] != 4 or len(node) % 2 == 0:
        raise InputError(f"a tree over n words is 2n-1 rows (first, split, end, symbol); this one has shape {node.shape}")
    first, split, end, symbol = node.T.astype(np.int64)
    place = np.arange(len(node))
    word = end == first + 1
    right = np.where(word, 0, place + 2 * (split - first))
    wrong = np.where(word, split != -1, (split <= first) | (split >= end) | (right >= len(node)))
    wrong |= (symbol < 0) | (symbol >= symbols)
    wrong[0] |= (first[0] != 0) | (end[0] != (len(node) + 1) // 2)
    inner = place[~word & ~wrong]
    left = np.minimum(inner + 1, len(node) - 1)
    wrong[inner] |= (first[left] != first[inner]) | (end[left] != split[inner])
    wrong[inner] |= (first[right[inner]] != split[inner]) | (end[right[inner]] != end[inner])
    if wrong.any():
        x = int(np.argmax(wrong))
        raise InputError(
            f"node {x} of the tree, {tuple(node[x].tolist())}, does not fit: nodes are (first, split, end, symbol) in pre-order, split is "
            f"-1 for one word, children meet at it, and symbols are below {symbols}"
        )


def bracketed(structure, n: int, bracket: np.ndarray, sets: np.ndarray | None = None) -> Gold:
    """A gold over n words of which some brackets are known: integers [B, 3], first, end and row of sets, bool [C, K], or -1."""
    bracket = np.ascontiguousarray(bracket, np.int32).reshape(-1, 3)
    wide = np.zeros((0 if sets is None else len(sets), width_of(structure.lanes)), np.bool_)
    if sets is not None:
        wide[:, : structure.symbols] = sets
    first, end, which = bracket.T
    wrong = (first < 0) | (first >= end) | (end > n) | (which < -1) | (which >= len(wide))
    if wrong.any():
        raise InputError(
            f"the bracket {tuple(bracket[np.argmax(wrong)].tolist())} does not fit {n} words and {len(wide)} sets of symbols; "
            "brackets are (first, end, set), set -1 for any symbol"
        )
    if len(np.unique(bracket[:, :2], axis=0)) < len(bracket):
        raise InputError("a span has two brackets; give it one, with a set of symbols that both allow")
    return nothing_known(structure)._replace(bracket=bracket, sets=wide)


def prices(structure, wrong=0.0, missed=0.0, production=0.0, *, dtype=np.float64) -> Prices:
    """Prices of errors: each one number, numbers by symbol [K], or by number of words and symbol [2, K]."""
    if np.any(production) and not structure.has_productions:
        raise InputError(f"{structure.name} has no productions that could cost something; price wrong spans, or use bigrams or rules")
    tables = []
    for given in (wrong, missed, production):
        table = np.zeros((2, width_of(structure.lanes)), dtype)
        table[:, : structure.symbols] = given
        tables.append(table)
    tables[2][0] = 0.0
    return Prices(*tables)
