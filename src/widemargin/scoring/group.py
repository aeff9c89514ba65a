"""Occurrences regrouped: which features does a group of tokens have, and where does each fire?

With one row per group this is what online learners sweep: a weight row is read once per sentence and stepped once with its summed gradient.
With thousands of tokens per group it is what batch gradients gather: residuals stay in cache and sums have a fixed order.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.engine.hash import find, insert, mix


class Sparse(NamedTuple):
    """The features of tokens."""

    ptr: np.ndarray  # int64 [N+1]
    ind: np.ndarray  # int32 [nnz]
    val: np.ndarray  # float32 [nnz], or empty: all 1


class Entries(NamedTuple):
    """The distinct features of each group, in order of first firing, and where each fires."""

    at: np.ndarray  # int64 [G+1]
    feature: np.ndarray  # int32 [E]
    mark: np.ndarray  # int64 [E+1]  bounds of its places
    place: np.ndarray  # int32 [nnz]  token less the group's first
    value: np.ndarray  # float32 [nnz], or empty: all 1


class Patterns(NamedTuple):
    """Scratch of merge_identical: which tokens each feature fires on, hashed."""

    pattern: np.ndarray  # uint64 [F], all 0
    table: np.ndarray  # uint64, all 0, at least 2 F slots, a power of two
    keeper: np.ndarray  # int32 [F]


@kernel
def count_entries(ptr, ind, bounds, seen, at):
    """at int64 [G+1]: how many distinct features the groups up to each have. seen int32 [F], all -1."""
    e = 0
    for b in range(len(bounds) - 1):
        for p in range(ptr[bounds[b]], ptr[bounds[b + 1]]):
            if seen[ind[p]] != b:
                seen[ind[p]] = b
                e += 1
        at[b + 1] = e


@kernel
def fill_entries(sparse, bounds, entries, seen, slot):
    """Fill all of the entries but `at`, which is known; mark is all 0. seen int32 [F], all -1, and slot int64 [F] are scratch."""
    ptr, ind, val = sparse
    at, feature, mark, place, value = entries
    for b in range(len(bounds) - 1):
        low, high = ptr[bounds[b]], ptr[bounds[b + 1]]
        e = at[b]
        for p in range(low, high):
            f = ind[p]
            if seen[f] != b:
                seen[f], slot[f], feature[e] = b, e, f
                e += 1
            mark[slot[f] + 1] += 1
        mark[at[b]] = low
        for j in range(at[b], at[b + 1]):
            mark[j + 1] += mark[j]
        for t in range(bounds[b], bounds[b + 1]):
            for p in range(ptr[t], ptr[t + 1]):
                j = slot[ind[p]]
                place[mark[j]] = t - bounds[b]
                if len(val):
                    value[mark[j]] = val[p]
                mark[j] += 1
        for j in range(at[b + 1] - 1, at[b], -1):
            mark[j] = mark[j - 1]
        if at[b + 1] > at[b]:
            mark[at[b]], mark[at[b + 1]] = low, high


@kernel
def merge_identical(ptr, ind, scratch, into, copies, out_ptr, out):
    """Features that fire on exactly the same tokens become one row: they would move in step. Exact, and a third of all rows.

    into int32 [F] (all -1 before) gets the merged row of each feature, copies int64 [F] (0) how many it stands for, out_ptr and out the
    thinned occurrences. Returns the numbers of rows and of occurrences left.
    """
    pattern, table, keeper = scratch
    for t in range(len(ptr) - 1):
        m = mix(np.uint64(t + 1))
        for p in range(ptr[t], ptr[t + 1]):
            pattern[ind[p]] += m
    rows, q = 0, 0
    for t in range(len(ptr) - 1):
        for p in range(ptr[t], ptr[t + 1]):
            f = ind[p]
            if into[f] < 0:
                r = find(table, pattern[f])
                if r < 0:
                    r = np.int64(rows)
                    insert(table, pattern[f], r)
                    keeper[r] = f
                    rows += 1
                into[f] = r
                copies[r] += 1
            if keeper[into[f]] == f:
                out[q] = into[f]
                q += 1
        out_ptr[t + 1] = q
    return rows, q
