"""Templates to sparse rows: integer codes are mixed into 64-bit keys and looked up; no string is ever built per token.

An atom is (derived column, base column, offset, edge behaviour); a template is a run of atoms and a seed. The value of an atom at token t is
values[start[d] + codes[base, t + offset]], the 64-bit hash of the derived string (0: the atom, hence the template, does not fire there).
"""

from typing import NamedTuple

import numpy as np

from .hash import GOLDEN, U29, build, find, insert, mix
from .jit import inner, kernel

PADS, SILENT, OUTSIDE_ONLY = 0, 1, 2


class Plan(NamedTuple):
    """Compiled templates. A atoms, M templates."""

    seed: np.ndarray  # uint64 [M]
    atom: np.ndarray  # int64 [M+1]   bounds of each template's atoms
    start: np.ndarray  # int64 [A]    where the atom's derived column begins in `values`
    base: np.ndarray  # int64 [A]     its base column in `codes`
    offset: np.ndarray  # int64 [A]
    edge: np.ndarray  # int64 [A]     what happens outside the row: PADS, SILENT or OUTSIDE_ONLY


@inner
def key_at(plan, codes, values, lo, hi, t, m):
    """Key of template m at token t of the row [lo, hi), or 0 when it does not fire."""
    h = plan.seed[m]
    for a in range(plan.atom[m], plan.atom[m + 1]):
        u = t + plan.offset[a]
        if u < lo or u >= hi:
            if plan.edge[a] == SILENT:
                return np.uint64(0)
            # "one before the first" and "two before the first" differ, as do the two ends
            v = mix(np.uint64(u - lo + (1 << 20)) if u < lo else np.uint64(u - hi + (1 << 21)))
        elif plan.edge[a] == OUTSIDE_ONLY:
            return np.uint64(0)
        else:
            v = values[plan.start[a] + codes[plan.base[a], u]]
            if v == np.uint64(0):
                return v
        h = (h ^ v) * GOLDEN
        h ^= h >> U29
    h = mix(h)
    return h if h != np.uint64(0) else GOLDEN


@kernel(allocates=True)
def extract_growing(plan, codes, values, row_ptr, table, keys, template, first):
    """All features of all tokens; new ones are numbered in order of first firing.

    Returns ptr int64 [N+1], ind int32 [nnz], and the (perhaps reallocated) table, keys, template and first-token arrays with their count.
    """
    n, m_count = row_ptr[-1], len(plan.seed)
    ptr = np.zeros(n + 1, np.int64)
    ind = np.empty(n * m_count, np.int32)
    bits, count, q = 0, 0, 0
    while (1 << bits) < len(table):
        bits += 1
    for i in range(len(row_ptr) - 1):
        lo, hi = row_ptr[i], row_ptr[i + 1]
        for t in range(lo, hi):
            for m in range(m_count):
                key = key_at(plan, codes, values, lo, hi, t, m)
                if key == np.uint64(0):
                    continue
                f = find(table, key)
                if f < 0:
                    f = count
                    if f == len(keys):
                        keys, template, first = np.append(keys, keys), np.append(template, template), np.append(first, first)
                    keys[f], template[f], first[f] = key, m, t
                    count += 1
                    if 2 * count > len(table):
                        bits += 1
                        table = build(keys[:count], bits)
                    else:
                        insert(table, key, f)
                ind[q] = f
                q += 1
            ptr[t + 1] = q
    return ptr, ind[:q].copy(), table, keys[:count].copy(), template[:count].copy(), first[:count].copy()


@kernel(allocates=True)
def extract_known(plan, codes, values, row_ptr, table, lo_row, hi_row):
    """Features of rows [lo_row, hi_row) that are in the table. Returns ptr int64 (from the first row's first token) and ind int32."""
    first, m_count = row_ptr[lo_row], len(plan.seed)
    n = row_ptr[hi_row] - first
    ptr = np.zeros(n + 1, np.int64)
    ind = np.empty(n * m_count, np.int32)
    q = 0
    for i in range(lo_row, hi_row):
        lo, hi = row_ptr[i], row_ptr[i + 1]
        for t in range(lo, hi):
            for m in range(m_count):
                key = key_at(plan, codes, values, lo, hi, t, m)
                if key != np.uint64(0):
                    f = find(table, key)
                    if f >= 0:
                        ind[q] = f
                        q += 1
            ptr[t - first + 1] = q
    return ptr, ind[:q].copy()


@kernel(allocates=True)
def keep_frequent(ptr, ind, new):
    """Renumber by new[f] (-1: drop). Returns ptr, ind."""
    out_ptr = np.zeros(len(ptr), np.int64)
    out = np.empty(len(ind), np.int32)
    q = 0
    for t in range(len(ptr) - 1):
        for p in range(ptr[t], ptr[t + 1]):
            if new[ind[p]] >= 0:
                out[q] = new[ind[p]]
                q += 1
        out_ptr[t + 1] = q
    return out_ptr, out[:q].copy()
