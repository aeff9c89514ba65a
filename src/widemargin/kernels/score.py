"""Scores of a row from fixed weights and the features of its tokens: what batch gradients and prediction share."""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .given import Base, NoBase, Ones, Values, base_row, times
from .jit import generic, kernel, tiny
from .lanes import load, prefetch, store

ONE = np.int64(1)
AHEAD = 8  # weight rows are asked for so many places before they are read


class Tokens(NamedTuple):
    """Features of each token (kernels/extract.py), beside the rows' bounds."""

    token: np.ndarray  # int64 [R+1]
    node_ptr: np.ndarray  # int64 [N+1]
    node_ind: np.ndarray  # int32
    edge_ptr: np.ndarray  # int64 [N+1], or one 0 when no transition looks at the input
    edge_ind: np.ndarray  # int32
    value: Ones | Values  # of node_ind's entries
    base: NoBase | Base


class Linear(NamedTuple):
    """Weights of a linear scorer. Edge rows 0..Y-1 are the shared transitions, then Y rows per edge feature."""

    node: np.ndarray  # [F, L]
    edge: np.ndarray  # [(1 + E) * Y, L]


@generic
def score_row(s, tokens, first, n, w):
    """Scores of the n tokens from `first` on into the structure."""
    raise TypeError(s)


@tiny
def score_nodes(s, tokens, first, n, w):
    """node[t] = the base scores of token t and the sum of its weight rows."""
    end = tokens.node_ptr[first + n]
    for t in range(n):
        u = base_row(tokens.base, first + t, s)
        for p in range(tokens.node_ptr[first + t], tokens.node_ptr[first + t + 1]):
            if p + AHEAD < end:
                prefetch(w.node, np.int64(tokens.node_ind[p + AHEAD]))
            u += times(tokens.value, p, load(w.node, np.int64(tokens.node_ind[p]), s.lanes))
        store(s.node, t, u)


@score_row.when(Choice)
def _(s, tokens, first, n, w):
    score_nodes(s, tokens, first, n, w)


@score_row.when(Chain)
def _(s, tokens, first, n, w):
    score_nodes(s, tokens, first, n, w)
    for j in range(s.labels):
        shared = load(w.edge, np.int64(j), s.lanes) + load(s.step, j, s.lanes)
        for t in range(n if s.pitch else 1):
            store(s.edge, t * s.pitch + j, shared)
    for t in range(1, n if s.pitch else 1):
        for p in range(tokens.edge_ptr[first + t], tokens.edge_ptr[first + t + 1]):
            f = np.int64(tokens.edge_ind[p]) + ONE
            for j in range(s.labels):
                r = t * s.pitch + j
                store(s.edge, r, load(s.edge, r, s.lanes) + load(w.edge, f * s.labels + j, s.lanes))


@kernel
def score_one(s, tokens, first, n, w):
    """score_row for Python."""
    score_row(s, tokens, first, n, w)
