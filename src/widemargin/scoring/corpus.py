"""Rows ready for learning: features of tokens, merged where they always fire together, and gold labels as numbers."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from widemargin.engine.rows import RowsOfPlaces, some_rows
from widemargin.errors import InputError
from widemargin.scoring.group import Entries, Patterns, Sparse, count_entries, fill_entries, merge_identical
from widemargin.scoring.indexed import Occurrences
from widemargin.scoring.optional_inputs import Base, NoBase, Ones, Values
from widemargin.scoring.score import Tokens
from widemargin.scoring.token_features import Features

UNKNOWN = -1
ONES, NO_BASE, EMPTY = Ones(1.0), NoBase(0.0), np.empty(0, np.float32)
BLOCK_TOKENS = 1 << 15  # tokens whose residuals stay in cache together


@dataclass(frozen=True)
class Merged:
    """Features of one kind of part with those that fire on exactly the same tokens made one row."""

    ptr: np.ndarray  # int64 [N+1]
    ind: np.ndarray  # int32 [nnz]
    val: np.ndarray  # float32 [nnz], or empty: all 1
    into: np.ndarray  # int32 [F]   row of each feature
    copies: np.ndarray  # [R]
    share: np.ndarray | None = None  # float32 [F]  what part of its row's weight, shared out by copies, each feature has; None: 1

    @property
    def rows(self) -> int:
        return len(self.copies)

    def occurrences(self, bounds: np.ndarray) -> Occurrences:
        """Which rows fire in each group of tokens, and where."""
        if not self.rows:
            return Occurrences(np.zeros(len(bounds), np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32), ONES)
        bounds = np.ascontiguousarray(bounds)
        at = np.zeros(len(bounds), np.int64)
        count_entries(self.ptr, self.ind, bounds, np.full(self.rows, -1, np.int32), at)
        feature, mark, place = np.empty(at[-1], np.int32), np.zeros(at[-1] + 1, np.int64), np.empty(len(self.ind), np.int32)
        entries = Entries(at, feature, mark, place, np.empty_like(self.val))
        seen, slot = np.full(self.rows, -1, np.int32), np.zeros(self.rows, np.int64)
        fill_entries(Sparse(self.ptr, self.ind, self.val), bounds, entries, seen, slot)
        return Occurrences(*entries[:4], Values(entries.value) if len(entries.value) else ONES)

    def part(self, tokens: np.ndarray) -> "Merged":
        """The same rows of weights, firing on these tokens alone."""
        if not self.rows:
            return self
        counts = np.diff(self.ptr)[tokens]
        ptr = np.concatenate([[0], np.cumsum(counts)]).astype(self.ptr.dtype)
        at = np.repeat(self.ptr[:-1][tokens] - ptr[:-1], counts) + np.arange(ptr[-1])
        return Merged(ptr, self.ind[at], self.val[at] if len(self.val) else self.val, self.into, self.copies)

    def narrowed(self) -> "tuple[Merged, np.ndarray]":
        """Without the rows that never fire; and which rows are left."""
        fires = np.zeros(self.rows, bool)
        fires[self.ind] = True
        own, number = np.flatnonzero(fires), np.cumsum(fires, dtype=np.int32) - np.int32(1)
        return Merged(self.ptr, number[self.ind], self.val, np.arange(len(own), dtype=np.int32), self.copies[own]), own

    @property
    def value(self) -> Ones | Values:
        """Of the entries of ind."""
        return Values(self.val) if len(self.val) else ONES


def merge(ptr: np.ndarray, ind: np.ndarray, val: np.ndarray, features: int, *, merged: bool, worth: np.ndarray | None = None) -> Merged:
    """Exact from equal starts: features with the same occurrences get the same gradient at every step, so they move in step.

    worth [F]: how many features of value 1 each stands for (features/expansion.py: not a whole number), for features without values.
    """
    share = None if worth is None else worth.astype(np.float32)
    if not features or not merged or len(val):
        copies = np.ones(features, np.int64) if worth is None else worth
        return Merged(ptr, ind, val, np.arange(features, dtype=np.int32), copies, share)
    into, copies = np.full(features, -1, np.int32), np.zeros(features, np.int64)
    table = np.zeros(1 << max(4, (2 * features - 1).bit_length()), np.uint64)
    scratch = Patterns(np.zeros(features, np.uint64), table, np.zeros(features, np.int32))
    out_ptr, out = np.zeros(len(ptr), np.int64), np.empty(len(ind), np.int32)
    rows, left = merge_identical(ptr, ind, scratch, into, copies, out_ptr, out)
    out.resize(left, refcheck=False)
    silent = into < 0
    if silent.any():  # features that never fire are one more row, whose weights stay 0
        into[silent], copies[rows] = rows, silent.sum()
        rows += 1
    copies = copies[:rows].copy() if worth is None else np.bincount(into, worth, rows)
    return Merged(out_ptr, out, val, into, copies, share)


@dataclass(frozen=True)
class Corpus(RowsOfPlaces):
    """n rows of tokens with gold labels (-1: not known) and row weights."""

    token: np.ndarray  # int64 [n+1]
    gold: np.ndarray  # int32 [N]
    weight: np.ndarray  # [n]
    node: Merged
    edge: Merged
    base: np.ndarray | None = None  # [N, L], scores from elsewhere

    @property
    def per_position(self) -> bool:
        """Do transitions look at the input?"""
        return self.edge.rows > 0

    @cached_property
    def by_row(self) -> tuple[Occurrences, Occurrences]:
        """Node and edge occurrences row by row, for online learners."""
        return self.node.occurrences(self.token), self.edge.occurrences(self.token)

    def part(self, rows: np.ndarray) -> "Corpus":
        """Some of the rows, with the weights of all."""
        token, tokens = some_rows(self.token, rows)
        base = None if self.base is None else self.base[tokens]
        return Corpus(token, self.gold[tokens], self.weight[rows], self.node.part(tokens), self.edge.part(tokens), base)

    def narrowed(self) -> "tuple[Corpus, np.ndarray, np.ndarray]":
        """Without weight rows that never fire; and which are left, of labels and of transitions."""
        (node, of_labels), (edge, of_transitions) = self.node.narrowed(), self.edge.narrowed()
        return replace(self, node=node, edge=edge), of_labels, of_transitions

    def base_as(self, dtype) -> NoBase | Base:
        """The base scores in the learner's precision."""
        return NO_BASE if self.base is None else Base(np.ascontiguousarray(self.base, dtype))

    def by_token(self, dtype) -> Tokens:
        """Features token by token, for full passes."""
        node, edge = self.node, self.edge
        return Tokens(self.token, node.ptr, node.ind, edge.ptr, edge.ind, node.value, self.base_as(dtype))

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
    features: Features,
    gold: np.ndarray,
    *,
    nodes: int,
    edges: int,
    split: bool = False,
    merged: bool = True,
    worth: np.ndarray | None = None,
    weight=None,
) -> Corpus:
    """Rows from extracted features, without base scores. split: every token is a row of its own; merged: one row for equal
    features; worth: see merge, of node features."""
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
        node=merge(features.node_ptr, features.node_ind, features.node_val, nodes, merged=merged, worth=worth),
        edge=merge(edge_ptr, features.edge_ind, EMPTY, edges, merged=merged),
    )
