"""What all structures over spans share: binary trees over n words, each node with a symbol; CKY finds and sums them.

A tree is its 2n-1 nodes in pre-order, int32 [2n-1, 4] = (first, split, end, symbol): the node covers words first..end-1 and its children
meet at split, which is -1 for the n nodes of one word. An output is such an array (of a workspace for longer sentences: its first rows).
With A over words i..j-1, split at k into B and C, the score of a tree is the sum over its nodes of

    span[i, j, A]                                 all nodes, or those of one word alone (Spans.only_words)
    left[i, k, A] + right[k, j, A]                nodes of two and more words, where there are Splits
    the grammar's score of A -> B C               nodes of two and more words: rules.py, bigrams.py; nothing in factored.py
    root[A]                                       the node of all words

An input writes the `score` fields of Spans.span, Spans.root, Splits and of the grammar, -inf for what may not be; `mu` has the shape of
`score`. Tables of spans have a row per span, shorter spans first: row_of(i, j, n). Rows 0..n-1 are the words'.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, tiny
from widemargin.engine.rows import row, size
from widemargin.structures.negation import negate_rows

UNKNOWN, CROSSING = -1, -2
NO_SPLIT = -1


class Table(NamedTuple):
    """Scores of symbols on spans. S = T (T+1) / 2 spans of up to T words, L = K symbols padded to whole lanes."""

    score: np.ndarray  # [S, L]  -inf: not allowed, and on padding
    mu: np.ndarray  # [S, L]  where `fresh`; elsewhere it is 0, whatever stands there
    fresh: np.ndarray  # bool [S]


class NoSplits(NamedTuple):
    """Where a node is split has no score."""

    kinds: int  # 0


class Splits(NamedTuple):
    """Scores of a node with symbol A over i..j split at k: left[row_of(i, k), A] + right[row_of(k, j), A]. What depends on k alone is to be
    added to one of them."""

    left: Table
    right: Table


class Root(NamedTuple):
    """Scores of the symbol of the node of all words."""

    score: np.ndarray  # [1, L]  -inf: no root, and on padding
    mu: np.ndarray  # [1, L]


class Rebates(NamedTuple):
    """Where productions are priced, every node of two and more words pays, and the gold's productions get it back."""

    at: np.ndarray  # int32 [S]  the number of the rebate on a span; -1: none
    production: np.ndarray  # int32 [T, 4]  split, symbol, left symbol, right symbol
    amount: np.ndarray  # float64 [T]  what augmented scores lose by it
    direction: np.ndarray  # float64 [T]  what the direction of a tilt loses


class Spans(NamedTuple):
    """Scores, answers and scratch of a sentence's spans. The lanes of its rows are a field of the workspace: functions that see wide ones
    count references (lanes_wide.py), and those that run for every pair of children must not."""

    symbols: int  # K
    only_words: bool  # span has rows of words alone, [T, L]; longer spans have no scores of their own
    legal: np.ndarray  # [2, L]  0 and -inf: symbols of one word, of more words; -inf on padding
    span: Table
    root: Root
    work: np.ndarray  # [S, L]  augmented scores of nodes; the root's are in the row of all words
    direction: np.ndarray  # [S, L]  the direction of a tilt
    rebates: Rebates
    mark: np.ndarray  # int32 [S]  scratch: gold or known bracket of a span
    stack: np.ndarray  # int32 [2T, 3]  scratch: nodes to be read
    output: tuple  # two outputs, int32 [2T-1, 4]
    best: np.ndarray  # int32 [2T-1, 4]  scratch: the best tree, by which sums are scaled
    shift: np.ndarray  # float64 [T]  scratch: logarithms of what sums are scaled by, per word


class Gold(NamedTuple):
    """What is known of a tree. Everything: `node` has 2n-1 rows. Else it has none, and every bracket is a node of the tree with a symbol of
    its set; no span has two brackets."""

    node: np.ndarray  # int32 [2n-1, 4] or [0, 4]
    bracket: np.ndarray  # int32 [B, 3]  first, end, row of sets or -1: any symbol
    sets: np.ndarray  # bool [C, L]


class Prices(NamedTuple):
    """What errors cost, by symbol; first row: nodes of one word, second: of more. Where the gold is known in part, a node is wrong if it
    crosses a bracket or has its span and no symbol of its set; nothing else costs then."""

    wrong: np.ndarray  # [2, L]  a node that the gold has not
    missed: np.ndarray  # [2, L]  a node of the gold that is not there
    production: np.ndarray  # [2, L]  a node whose children (split and symbols) the gold has not under it; first row: 0


class Treebank(NamedTuple):
    """A target: what is known of the trees of all rows."""

    word: np.ndarray  # int64 [R+1]  where the words of a row begin
    node_at: np.ndarray  # int64 [R+1]  where its nodes begin, 2n-1 or none
    node: np.ndarray  # int32 [M, 4]
    bracket_at: np.ndarray  # int64 [R+1]
    bracket: np.ndarray  # int32 [B, 3]
    sets: np.ndarray  # bool [C, L]
    price: Prices
    lanes: tuple = ()  # lanes.only_wide of the structure's


@size.when(Treebank)
def _(target, i):
    return target.word[i + 1] - target.word[i]


@row.when(Treebank)
def _(target, i):
    node = target.node[target.node_at[i] : target.node_at[i + 1]]
    bracket = target.bracket[target.bracket_at[i] : target.bracket_at[i + 1]]
    return target.word[i + 1] - target.word[i], Gold(node, bracket, target.sets), target.price


@tiny
def row_of(i, j, n):
    """The row of the span from word i to word j-1 in tables of a sentence of n words."""
    d = j - i - 1
    return d * n - d * (d - 1) // 2 + i


@tiny
def count_spans(n):
    """How many spans n words have."""
    return n * (n + 1) // 2


@tiny
def production_of(rebates, e):
    """Split, symbol, left symbol and right symbol of the production that rebate e is for."""
    return rebates.production[e, 0], rebates.production[e, 1], rebates.production[e, 2], rebates.production[e, 3]


@inner
def branch_right(n, out):
    """out = the tree that branches to the right, all symbols 0: what argmax leaves where no tree is legal, so that out is always a tree."""
    for i in range(n):
        x = 2 * i
        out[x, 0], out[x, 1], out[x, 2], out[x, 3] = i, i + 1 if i < n - 1 else NO_SPLIT, n, 0
        if i < n - 1:
            out[x + 1, 0], out[x + 1, 1], out[x + 1, 2], out[x + 1, 3] = i, NO_SPLIT, i + 1, 0


# ---- rows of mu -----------------------------------------------------------------------------------------------------------------------


@inner
def add_at(table, r, a, amount):
    """mu of symbol a in row r += amount."""
    if not table.fresh[r]:
        table.fresh[r] = True
        for x in range(table.mu.shape[1]):
            table.mu[r, x] = 0.0
    table.mu[r, a] += amount


@inner
def mu_at(table, r, a):
    """mu of symbol a in row r."""
    return np.float64(table.mu[r, a]) if table.fresh[r] else 0.0


@inner
def forget(table, rows):
    """mu = 0."""
    for r in range(rows):
        table.fresh[r] = False


# ---- splits, present or not -----------------------------------------------------------------------------------------------------------


@generic(tiny=True)
def half_split_score(splits, from_left, r, a):
    """What a split of symbol a scores for the child on row r."""
    raise TypeError(splits)


@half_split_score.when(NoSplits)
def _(splits, from_left, r, a):
    return 0.0


@half_split_score.when(Splits)
def _(splits, from_left, r, a):
    return np.float64(splits.left.score[r, a] if from_left else splits.right.score[r, a])


@tiny
def split_score(splits, i, k, j, n, a):
    """The score of a split of symbol a."""
    return half_split_score(splits, True, row_of(i, k, n), a) + half_split_score(splits, False, row_of(k, j, n), a)


@generic
def add_split(splits, node, n, amount):
    """mu of the split of a node += amount."""
    raise TypeError(splits)


@add_split.when(NoSplits)
def _(splits, node, n, amount):
    pass


@add_split.when(Splits)
def _(splits, node, n, amount):
    add_at(splits.left, row_of(node[0], node[1], n), node[3], amount)
    add_at(splits.right, row_of(node[1], node[2], n), node[3], amount)


@generic
def forget_splits(splits, n):
    """mu of splits = 0."""
    raise TypeError(splits)


@forget_splits.when(NoSplits)
def _(splits, n):
    pass


@forget_splits.when(Splits)
def _(splits, n):
    forget(splits.left, count_spans(n))
    forget(splits.right, count_spans(n))


@generic
def negate_splits(splits, n):
    """Scores of splits change signs (structure.negate)."""
    raise TypeError(splits)


@negate_splits.when(NoSplits)
def _(splits, n):
    pass


@negate_splits.when(Splits)
def _(splits, n):
    negate_rows(splits.left.score, count_spans(n))
    negate_rows(splits.right.score, count_spans(n))


# ---- what a grammar answers -----------------------------------------------------------------------------------------------------------


@generic
def production_score(grammar, a, b, c):
    """The score of A -> B C, -inf where there is no such production."""
    raise TypeError(grammar)


@generic
def add_production(grammar, a, b, c, amount):
    """mu of the parts of A -> B C += amount; nothing where there is no such production."""
    raise TypeError(grammar)


@generic
def clear_grammar(grammar):
    """mu of its parts = 0."""
    raise TypeError(grammar)


@generic
def negate_grammar(grammar):
    """Scores of productions change signs."""
    raise TypeError(grammar)
