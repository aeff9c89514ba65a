"""Rows of candidates with features: what is known of each row's gold, what a candidate costs, and vectors that score it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.structure import UNKNOWN
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.scoring.dense import LINE, LINE_BITS, Sparse, Vectors
from widemargin.structures.lists.kernel import CORRECT, ILLEGAL, SEVERAL, WRONG, Candidates


class Features(Protocol):
    """Vectors of D numbers for N candidates."""

    @property
    def size(self) -> int:
        """D."""
        ...

    @property
    def candidates(self) -> int:
        """N."""
        ...

    def input(self, at: np.ndarray, dtype) -> tuple:
        """The vectors as kernels read them, row by row, with scratch of one thread."""
        ...

    def part(self, candidates: np.ndarray) -> "Features":
        """Those of some of the candidates, in this order."""
        ...


@dataclass(frozen=True)
class DenseFeatures:
    """Vectors written out."""

    x: np.ndarray  # [N, D]

    def __post_init__(self):
        if self.x.ndim != 2 or not self.x.shape[1]:
            raise InputError(f"feature vectors have shape {self.x.shape}; they must be [candidates, features]")
        if not np.isfinite(self.x).all():
            raise InputError(f"the feature vector of candidate {int(np.argmin(np.isfinite(self.x).all(axis=1)))} is not finite")

    @property
    def size(self) -> int:
        return self.x.shape[1]

    @property
    def candidates(self) -> int:
        return len(self.x)

    def input(self, at: np.ndarray, dtype) -> Vectors:
        lines = line_count(self.size)
        padded = aligned((self.candidates, lines * LINE), dtype)
        padded[:, : self.size] = self.x
        return Vectors(at, lanes_of(LINE), lines, padded.reshape(-1, LINE), aligned((lines, LINE), dtype))

    def part(self, candidates: np.ndarray) -> "DenseFeatures":
        return DenseFeatures(self.x[candidates])


@dataclass(frozen=True)
class SparseFeatures:
    """Vectors of which only the entries that are not 0 are kept, as in a CSR matrix; a feature may stand in a vector more than once, and
    its values are added then."""

    ptr: np.ndarray  # int64 [N+1]
    ind: np.ndarray  # integers [nnz]
    val: np.ndarray  # [nnz]
    size: int

    def __post_init__(self):
        if len(self.ind) != self.ptr[-1] or len(self.val) != self.ptr[-1]:
            raise InputError(f"sparse features have {len(self.ind)} numbers and {len(self.val)} values for {self.ptr[-1]} entries")
        if self.ptr[0] != 0 or (np.diff(self.ptr) < 0).any():
            raise InputError("the bounds of sparse features must begin with 0 and never fall")
        if len(self.ind) and not 0 <= self.ind.min() <= self.ind.max() < self.size:
            raise InputError(f"a feature has number {self.ind.max()} or {self.ind.min()}; they must be from 0 to {self.size - 1}")
        if not np.isfinite(self.val).all():
            raise InputError(f"the value of entry {int(np.argmin(np.isfinite(self.val)))} of the sparse features is not finite")

    @property
    def candidates(self) -> int:
        return len(self.ptr) - 1

    def input(self, at: np.ndarray, dtype) -> Sparse:
        lines = line_count(self.size)
        row = np.repeat(np.arange(len(at) - 1), np.diff(self.ptr[at]))
        used, which = np.unique(row * lines + (self.ind >> LINE_BITS), return_inverse=True)
        line_ptr = np.searchsorted(used, np.arange(len(at)) * lines)
        place = (which - line_ptr[row]) * LINE + (self.ind & (LINE - 1))
        most = int(np.diff(line_ptr).max(initial=1))
        line = (used % lines).astype(np.int32)
        scratch = aligned((most, LINE), dtype)
        return Sparse(at, self.ptr, place.astype(np.int32), self.val.astype(dtype), line_ptr.astype(np.int64), line, scratch)

    def part(self, candidates: np.ndarray) -> "SparseFeatures":
        counts = np.diff(self.ptr)[candidates]
        ptr = pointer(counts)
        entries = np.repeat(self.ptr[:-1][candidates] - ptr[:-1], counts) + np.arange(ptr[-1])
        return SparseFeatures(ptr, self.ind[entries], self.val[entries], self.size)


def line_count(size: int) -> int:
    """Lines of 16 for so many numbers."""
    return -(-size // LINE)


def pointer(counts: np.ndarray) -> np.ndarray:
    """Where each of several runs begins, int64 [n+1]."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


@dataclass(frozen=True)
class ListCorpus:
    """n rows of candidates, N in all (structures/lists)."""

    at: np.ndarray  # int64 [n+1]
    mark: np.ndarray  # int8 [N]
    price: np.ndarray  # [N]
    weight: np.ndarray  # [n]
    features: Features

    @property
    def rows(self) -> int:
        return len(self.at) - 1

    @property
    def longest(self) -> int:
        return int(np.diff(self.at).max())

    @cached_property
    def right(self) -> np.ndarray:
        """The only correct candidate of each row, or UNKNOWN or SEVERAL, int32 [n]."""
        correct = self.mark == CORRECT
        count = np.add.reduceat(correct, self.at[:-1], dtype=np.int64)
        place = np.arange(len(correct)) - np.repeat(self.at[:-1], np.diff(self.at))
        only = np.add.reduceat(np.where(correct, place, 0), self.at[:-1])
        return np.where(count == 1, only, np.where(count == 0, UNKNOWN, SEVERAL)).astype(np.int32)

    @cached_property
    def _made(self) -> dict[np.dtype, tuple[Candidates, Any]]:
        """What has been made of target and input, by precision."""
        return {}

    def target_and_input(self, dtype) -> tuple[Candidates, Any]:
        """Both as kernels read them; the input's scratch is new."""
        dtype = np.dtype(dtype)
        if dtype not in self._made:
            target = Candidates(self.at, self.right, self.mark, self.price.astype(dtype))
            self._made[dtype] = target, self.features.input(self.at, dtype)
        target, given = self._made[dtype]
        return target, given._replace(scratch=aligned(given.scratch.shape, dtype))

    def part(self, rows: np.ndarray) -> "ListCorpus":
        """Some of the rows, with the weights of all features."""
        sizes = np.diff(self.at)[rows]
        at = pointer(sizes)
        candidates = np.repeat(self.at[:-1][rows] - at[:-1], sizes) + np.arange(at[-1])
        return ListCorpus(at, self.mark[candidates], self.price[candidates], self.weight[rows], self.features.part(candidates))


def list_corpus(sizes, features: Features | np.ndarray, *, correct, price=None, legal=None, weight=None) -> ListCorpus:
    """Rows of sizes[i] candidates, one behind the other.

    features: vectors [N, D], or DenseFeatures or SparseFeatures. correct: bool [N]; where several candidates of a row are, any of them
    will do, and where none is, nothing is known. price [N]: what choosing a candidate costs, by default 1 for those that are not correct.
    legal: bool [N], which candidates may be chosen. weight [n]: how much a row counts.
    """
    at = pointer(np.asarray(sizes, np.int64))
    features = DenseFeatures(features) if isinstance(features, np.ndarray) else features
    correct = np.asarray(correct, bool)
    legal = np.ones(len(correct), bool) if legal is None else np.asarray(legal, bool)
    price = (~correct).astype(float) if price is None else np.asarray(price, float)
    weight = np.ones(len(at) - 1) if weight is None else np.asarray(weight, float)
    if len(at) < 2:
        raise InputError("there is nothing to learn from: no row has been given")
    if (np.diff(at) < 1).any():
        raise InputError(f"row {int(np.argmax(np.diff(at) < 1))} has no candidate; leave such rows out")
    for name, given in (("features", features.candidates), ("correct", len(correct)), ("price", len(price)), ("legal", len(legal))):
        if given != at[-1]:
            raise InputError(f"{name} is for {given} candidates, and the rows have {at[-1]}")
    if len(weight) != len(at) - 1:
        raise InputError(f"weight is for {len(weight)} rows, and there are {len(at) - 1}")
    row = np.repeat(np.arange(len(at) - 1), np.diff(at))
    if (correct & ~legal).any():
        raise InputError(f"a correct candidate of row {row[np.argmax(correct & ~legal)]} may not be chosen; make it legal, or not correct")
    if not np.logical_or.reduceat(legal, at[:-1]).all():
        raise InputError(f"no candidate of row {int(np.argmin(np.logical_or.reduceat(legal, at[:-1])))} may be chosen; leave such rows out")
    fine = np.isfinite(price) & (price >= 0.0)
    if not fine.all():
        raise InputError(f"a candidate of row {row[np.argmin(fine)]} costs {price[np.argmin(fine)]}; prices are finite numbers from 0 up")
    mark = np.where(correct, CORRECT, np.where(legal, WRONG, ILLEGAL)).astype(np.int8)
    return ListCorpus(at, mark, price, weight, features)
