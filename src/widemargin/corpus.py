"""Rows ready for learning: features of tokens, merged where they always fire together, and gold labels as numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .errors import InputError
from .features.extractor import Features
from .kernels.group import count_entries, fill_entries, merge_identical
from .kernels.score import Tokens
from .kernels.sweep import Occurrences

UNKNOWN = -1
BLOCK = 1 << 15  # tokens whose residuals stay in cache together


@dataclass(frozen=True)
class Merged:
    """Features of one kind of part with those that fire on exactly the same tokens made one row."""

    ptr: np.ndarray  # int64 [N+1]
    ind: np.ndarray  # int32 [nnz]
    into: np.ndarray  # int32 [F]   row of each feature
    copies: np.ndarray  # int64 [R]

    @property
    def rows(self) -> int:
        return len(self.copies)

    def occurrences(self, bounds: np.ndarray) -> Occurrences:
        """Which rows fire in each group of tokens, and where."""
        if not self.rows:
            return Occurrences(np.zeros(len(bounds), np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32))
        bounds = np.ascontiguousarray(bounds)
        at = np.zeros(len(bounds), np.int64)
        count_entries(self.ptr, self.ind, bounds, np.full(self.rows, -1, np.int32), at)
        feature, mark, place = np.empty(at[-1], np.int32), np.zeros(at[-1] + 1, np.int64), np.empty(len(self.ind), np.int32)
        seen, slot = np.full(self.rows, -1, np.int32), np.zeros(self.rows, np.int64)
        fill_entries(self.ptr, self.ind, bounds, at, seen, slot, feature, mark, place)
        return Occurrences(at, feature, mark, place)


def merge(ptr: np.ndarray, ind: np.ndarray, features: int, *, merged: bool) -> Merged:
    """Exact from equal starts: features with the same occurrences get the same gradient at every step, so they move in step."""
    if not features or not merged:
        return Merged(ptr, ind, np.arange(features, dtype=np.int32), np.ones(features, np.int64))
    into, copies = np.full(features, -1, np.int32), np.zeros(features, np.int64)
    pattern, keeper = np.zeros(features, np.uint64), np.zeros(features, np.int32)
    table = np.zeros(1 << max(4, (2 * features - 1).bit_length()), np.uint64)
    out_ptr, out = np.zeros(len(ptr), np.int64), np.empty(len(ind), np.int32)
    rows, left = merge_identical(ptr, ind, pattern, table, into, copies, keeper, out_ptr, out)
    out.resize(left, refcheck=False)
    return Merged(out_ptr, out, into, copies[:rows].copy())


@dataclass(frozen=True)
class Corpus:
    """n rows of tokens with gold labels (-1: not known) and row weights."""

    token: np.ndarray  # int64 [n+1]
    gold: np.ndarray  # int32 [N]
    weight: np.ndarray  # [n]
    node: Merged
    edge: Merged

    @property
    def rows(self) -> int:
        return len(self.token) - 1

    @property
    def longest(self) -> int:
        return int(np.diff(self.token).max())

    @property
    def per_position(self) -> bool:
        """Do transitions look at the input?"""
        return self.edge.rows > 0

    @cached_property
    def by_row(self) -> tuple[Occurrences, Occurrences]:
        """Node and edge occurrences row by row, for online learners."""
        return self.node.occurrences(self.token), self.edge.occurrences(self.token)

    @cached_property
    def by_token(self) -> Tokens:
        """Features token by token, for full passes."""
        return Tokens(self.token, self.node.ptr, self.node.ind, self.edge.ptr, self.edge.ind)

    def blocks(self, tokens: int) -> np.ndarray:
        """Row bounds of blocks of at least that many tokens."""
        bounds = [0]
        for target in range(tokens, int(self.token[-1]) + tokens, tokens):
            row = int(np.searchsorted(self.token, target))
            bounds.append(min(max(row, bounds[-1] + 1), self.rows))
            if bounds[-1] == self.rows:
                break
        return np.array(bounds, np.int64)


def build_corpus(
    features: Features, gold: np.ndarray, *, nodes: int, edges: int, split: bool = False, merged: bool = True, weight=None
) -> Corpus:
    """Rows from extracted features. split: every token is a row of its own (structure choice); merged: one row for equal features."""
    token = np.arange(features.row_ptr[-1] + 1) if split else features.row_ptr
    if len(token) < 2:
        raise InputError("there is nothing to learn from: the training data has no sentence")
    if (np.diff(token) < 1).any():
        raise InputError(f"sentence {int(np.argmin(np.diff(token)))} has no token; leave empty sentences out")
    weight = np.ones(len(token) - 1) if weight is None else np.asarray(weight, float)
    edge_ptr = features.edge_ptr if len(features.edge_ptr) else np.zeros(1, np.int64)
    return Corpus(
        token=np.ascontiguousarray(token, np.int64),
        gold=np.ascontiguousarray(gold, np.int32),
        weight=weight,
        node=merge(features.node_ptr, features.node_ind, nodes, merged=merged),
        edge=merge(edge_ptr, features.edge_ind, edges, merged=merged),
    )
