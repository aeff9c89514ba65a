"""Occurrences regrouped: which features does a group of tokens have, and where does each fire?

With one row per group this is what online learners sweep: a weight row is read once per sentence and stepped once with its summed gradient.
With thousands of tokens per group it is what batch gradients gather: residuals stay in cache and sums have a fixed order.
"""

import numpy as np

from .hash import build, find, insert, mix
from .jit import kernel


@kernel(allocates=True)
def group(ptr, ind, bounds, features):
    """Occurrences by group. ptr/ind: features of each token; bounds int64 [G+1]: the groups' tokens; features: F.

    Returns at int64 [G+1] (entries of a group), feature int32 [E], mark int64 [E+1] (places of an entry), place int32 [nnz] (token less the
    group's first). Entries stand in order of first firing.
    """
    groups = len(bounds) - 1
    at = np.zeros(groups + 1, np.int64)
    seen = np.empty(features, np.int32)
    seen[:] = -1
    slot = np.zeros(features, np.int64)
    e = 0
    for b in range(groups):
        for p in range(ptr[bounds[b]], ptr[bounds[b + 1]]):
            if seen[ind[p]] != b:
                seen[ind[p]] = b
                e += 1
        at[b + 1] = e
    feature = np.empty(e, np.int32)
    mark = np.zeros(e + 1, np.int64)
    place = np.empty(len(ind), np.int32)
    seen[:] = -1
    for b in range(groups):
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
                mark[j] += 1
        for j in range(at[b + 1] - 1, at[b], -1):
            mark[j] = mark[j - 1]
        if at[b + 1] > at[b]:
            mark[at[b]], mark[at[b + 1]] = low, high
    return at, feature, mark, place


@kernel(allocates=True)
def merge_identical(ptr, ind, features):
    """Features that fire on exactly the same tokens become one row: they would move in step. Exact, and a third of all rows.

    Returns into int32 [F] (the merged row of each feature), copies int64 [R], and the thinned ptr, ind.
    """
    pattern = np.zeros(features, np.uint64)
    for t in range(len(ptr) - 1):
        m = mix(np.uint64(t + 1))
        for p in range(ptr[t], ptr[t + 1]):
            pattern[ind[p]] += m
    bits = 4
    while (1 << bits) < 2 * features:
        bits += 1
    keys = np.empty(features, np.uint64)
    table = build(keys[:0], bits)
    into = np.empty(features, np.int32)
    into[:] = -1
    copies = np.zeros(features, np.int64)
    keeper = np.empty(features, np.int32)
    keeper[:] = -1
    rows = 0
    out_ptr = np.zeros(len(ptr), np.int64)
    out = np.empty(len(ind), np.int32)
    q = 0
    for t in range(len(ptr) - 1):
        for p in range(ptr[t], ptr[t + 1]):
            f = ind[p]
            if into[f] < 0:
                r = find(table, pattern[f])
                if r < 0:
                    r = rows
                    insert(table, pattern[f], r)
                    keeper[r] = f
                    rows += 1
                into[f] = r
                copies[r] += 1
            if keeper[into[f]] == f:
                out[q] = into[f]
                q += 1
        out_ptr[t + 1] = q
    return into, copies[:rows].copy(), out_ptr, out[:q].copy()
