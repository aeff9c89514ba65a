"""Templates to sparse rows: integer codes are mixed into 64-bit keys and looked up; no string is ever built per token.

Each derived column is laid out once, row after row, with `pad` cells before and after every row, so that t + offset never needs a bounds
test: what stands outside a row is a code like any other. Code 0 is silent; the next 2·pad codes of a column that has boundary values say
how far before or after the row; then come the column's strings.

A template whose atoms have few codes (one column, or a pair of tags) remembers its features in a small array indexed by those codes:
hashing and probing happen once per distinct combination, not once per token.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.hash import GOLDEN, ONE, U29, ZERO, find, insert, mix

UNSEEN = np.int32(-2)  # in a memo: not looked up yet; -1: looked up, and no feature
NO_MEMO = np.uint64((1 << 64) - 1)
ROW, TOKEN, ENTRIES, COUNT, ORIGIN = 0, 1, 2, 3, 4
BLOCK = 32  # tokens looked up together


class Plan(NamedTuple):
    """Compiled templates over laid-out columns. A atoms, M templates. All unsigned: no test for negative indices in the hot loop."""

    seed: np.ndarray  # uint64 [M]
    atom: np.ndarray  # uint64 [M+1]  bounds of each template's atoms
    place: np.ndarray  # uint64 [A]   where the atom's column begins in `codes`, plus pad + offset
    value: np.ndarray  # uint64 [A]   where the atom's column begins in `values`
    stride: np.ndarray  # uint64 [A]  of the atom's code in its template's memo
    memo: np.ndarray  # uint64 [M]    where the template's memo begins, or NO_MEMO
    shift: np.uint64  # 0: features are found in a table; else a feature's number is its key without so many bits (hashed features)


class Layout(NamedTuple):
    """Derived columns, laid out, and what a thread keeps while it reads them."""

    codes: np.ndarray  # uint32 [columns * width]
    values: np.ndarray  # uint64  the hash of each code, column after column
    row_ptr: np.ndarray  # int64 [S+1]
    pad: int
    skip: int  # the first tokens of each row that are left out
    memo: np.ndarray  # int32  features of the templates that remember them, or UNSEEN
    work: np.ndarray  # uint64 [BLOCK]  scratch


class Growth(NamedTuple):
    """The features found so far, and how far the extraction has come. Everything but state is empty when the index does not grow."""

    table: np.ndarray  # uint64 [2^b]
    keys: np.ndarray  # uint64 [K]
    template: np.ndarray  # int32 [K]
    first: np.ndarray  # int64 [K], position of the first firing
    state: np.ndarray  # int64 [5]: next row, next token, entries written, features found; ORIGIN: token that ptr[0] stands for


@inner
def mix_in(h, value):
    """A template's hash with one more atom's value in it."""
    h = (h ^ value) * GOLDEN
    return h ^ (h >> U29)


@inner
def finish(h):
    """The key; never 0, which means that the template does not fire."""
    h = mix(h)
    return h if h != ZERO else GOLDEN


@inner
def key_at(plan, codes, values, p, m):
    """Key of template m at laid-out position p, or 0 when it does not fire."""
    h = plan.seed[m]
    for a in range(plan.atom[m], plan.atom[m + 1]):
        v = values[plan.value[a] + codes[plan.place[a] + p]]
        if v == ZERO:
            return v
        h = mix_in(h, v)
    return finish(h)


@inner
def number_of(plan, table, key):
    """The feature with this key, or -1."""
    return np.int64(key >> plan.shift) if plan.shift else find(table, key)


@inner
def remember(plan, codes, p, m, memo, f):
    """Note the feature of template m for the codes at position p, if the template has a memo."""
    j = plan.memo[m]
    if j != NO_MEMO:
        for a in range(plan.atom[m], plan.atom[m + 1]):
            j += codes[plan.place[a] + p] * plan.stride[a]
        memo[j] = f


@inner
def look_up(plan, layout, p, n, table, missing, out):
    """Features of n tokens from position p on, template by template, into out int32 [n, M].

    -1: does not fire. UNSEEN: not in the template's memo. missing: hashed, and not in the table.
    """
    count, codes, values, work = len(plan.seed), layout.codes, layout.values, layout.work
    for m in range(count):
        low, high, base = plan.atom[m], plan.atom[m + 1], plan.memo[m]
        column = out[m:]
        if base == NO_MEMO:
            for t in range(n):
                work[t] = plan.seed[m]
            for a in range(low, high):
                place = plan.place[a] + p
                cells, hashes = codes[place : place + n], values[plan.value[a] :]
                for t in range(n):
                    v, h = hashes[cells[t]], work[t]
                    work[t] = mix_in(h, v) if v != ZERO and h != ZERO else ZERO
            for t in range(n):
                f = np.int32(-1)
                if work[t] != ZERO:
                    f = np.int32(number_of(plan, table, finish(work[t])))
                    f = f if f >= 0 else missing
                column[t * count] = f
        else:
            for t in range(n):
                work[t] = base
            for a in range(low, high):
                place, stride = plan.place[a] + p, plan.stride[a]
                cells = codes[place : place + n]
                for t in range(n):
                    work[t] += cells[t] * stride
            for t in range(n):
                column[t * count] = layout.memo[work[t]]


@kernel
def extract(plan, layout, table, growth, stop, ptr, ind):
    """Features of the rows up to `stop`, all tokens but the first `skip` of each row, from growth.state on.

    ptr int64 [tokens + 1] and ind int32 [tokens·M] take the features of those rows. With growth.table empty only features in the table are
    found; otherwise growth.table *is* the table, to write to, and new features are numbered in order of first firing. (The table itself may
    be mapped from a file, hence read-only.) Returns False when there may be no room for the next features: grow and call again.
    """
    row_ptr, codes, values = layout.row_ptr, layout.codes, layout.values
    state, width, grow = growth.state, len(plan.seed), len(growth.table) > 0
    missing = UNSEEN if grow else np.int32(-1)
    q, count, room = state[ENTRIES], state[COUNT], min(len(growth.keys), len(growth.table) // 2)
    for i in range(state[ROW], stop):
        high = row_ptr[i + 1]
        t = max(row_ptr[i] + layout.skip, state[TOKEN])
        while t < high:
            n = min(len(layout.work), high - t)
            if grow and count + n * width > room:
                state[ROW], state[TOKEN], state[ENTRIES], state[COUNT] = i, t, q, count
                return False
            p = np.uint64(t + 2 * i * layout.pad)
            # The block is looked up where its features will go and then closed up: what is written never overtakes what is read.
            block, bound, j = ind[q : q + n * width], ptr[t - state[ORIGIN] + 1 :], 0
            look_up(plan, layout, p, np.uint64(n), table, missing, block)
            for k in range(n):
                for m in range(width):
                    f = block[k * width + m]
                    if f == UNSEEN:
                        key = key_at(plan, codes, values, p, m)
                        f = np.int32(number_of(plan, table, key)) if key != ZERO else np.int32(-1)
                        if grow and f < 0 and key != ZERO:
                            f = np.int32(count)
                            growth.keys[count], growth.template[count], growth.first[count] = key, m, p
                            insert(growth.table, key, count)
                            count += 1
                        remember(plan, codes, p, m, layout.memo, f)
                    block[j] = f
                    j += f >= 0
                p += ONE
                bound[k] = q + j
            q += j
            t += n
    state[ENTRIES], state[COUNT] = q, count
    return True


@kernel
def keep_frequent(ptr, ind, new):
    """Renumber in place by new[f] (-1: drop). Returns the entries that are left."""
    q, low = 0, 0
    for t in range(len(ptr) - 1):
        high = ptr[t + 1]
        for p in range(low, high):
            if new[ind[p]] >= 0:
                ind[q] = new[ind[p]]
                q += 1
        low, ptr[t + 1] = high, q
    return q


@kernel
def find_key(table, seed, values):
    """The feature of a template with these atom values, or -1."""
    h = seed
    for v in values:
        h = mix_in(h, v)
    return find(table, finish(h))
