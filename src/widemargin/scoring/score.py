"""Features with numbers, token by token, as an extractor hands them over: for passes under fixed weights, which need no other order.

scoring/indexed.py lists each feature of a row once; a text that is only decoded would first have to be regrouped so.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, tiny
from widemargin.compiler.lanes import load, prefetch, store
from widemargin.engine.rows import score
from widemargin.engine.rules import peek
from widemargin.engine.tables import fixed, fixed_table
from widemargin.scoring.indexed import AHEAD, ONE, ROW0, TokenTables
from widemargin.scoring.optional_inputs import Base, NoBase, Ones, Values, base_row, times
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice


class Tokens(NamedTuple):
    """An input: features of each token (features/extract.py), beside the rows' bounds."""

    token: np.ndarray  # int64 [R+1]
    node_ptr: np.ndarray  # int64 [N+1]
    node_ind: np.ndarray  # int32
    edge_ptr: np.ndarray  # int64 [N+1], or one 0 when no transition looks at the input
    edge_ind: np.ndarray  # int32
    value: Ones | Values  # of node_ind's entries
    base: NoBase | Base


class Linear(NamedTuple):
    """Weights of labels at tokens. Rows 0..Y-1 of transitions are shared by all positions, then come Y rows per edge feature."""

    labels: np.ndarray  # [F, L]
    transitions: np.ndarray  # [(1 + E) * Y, L]


def reader_of(weights: Linear, labels: int):
    """Reads these weights, which nobody moves."""
    return fixed(TokenTables(fixed_table(weights.labels), fixed_table(weights.transitions, labels)))


@tiny
def score_labels(s, input, first, n, weights, reader):
    """node[t] = the base scores of token t and the sum of its weight rows."""
    end = input.node_ptr[first + n]
    for t in range(n):
        u = base_row(input.base, first + t, s)
        for p in range(input.node_ptr[first + t], input.node_ptr[first + t + 1]):
            if p + AHEAD < end:
                prefetch(weights.row, np.int64(input.node_ind[p + AHEAD]), weights.row_stride)
            u += times(input.value, p, peek(reader.rule, weights, np.int64(input.node_ind[p]), ROW0, reader.now))
        store(s.node, t, u)


@generic
def score_pairs(s, input, first, n, weights, reader):
    """Scores of the transitions of the n tokens from `first` on, in a structure that has any."""
    raise TypeError(s)


@score_pairs.when(Choice)
def _(s, input, first, n, weights, reader):
    pass


@score_pairs.when(Chain)
def _(s, input, first, n, weights, reader):
    for j in range(s.labels):
        shared = peek(reader.rule, weights, ROW0, j, reader.now) + load(s.transitions, j, s.lanes)
        for t in range(n if s.edge_stride else 1):
            store(s.edge, t * s.edge_stride + j, shared)
    for t in range(1, n if s.edge_stride else 1):
        for p in range(input.edge_ptr[first + t], input.edge_ptr[first + t + 1]):
            f = np.int64(input.edge_ind[p]) + ONE
            for j in range(s.labels):
                r = t * s.edge_stride + j
                store(s.edge, r, load(s.edge, r, s.lanes) + peek(reader.rule, weights, f, j, reader.now))


@score.when(Tokens)
def _(input, s, i, n, reader):
    if n > s.node.shape[0]:
        return False
    first = input.token[i]
    score_labels(s, input, first, n, reader.tables.labels, reader)
    score_pairs(s, input, first, n, reader.tables.transitions, reader)
    return True
