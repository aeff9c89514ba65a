"""64-bit hashing and the open-addressing table of features.

A table is a uint64 array of 2^b slots. A used slot holds the upper 36 bits of a key and, in the lower 28, one more than the feature's
number; 0 is empty. Tag and slot position together compare at least 36 + b bits, so one probe costs one cache line and no second array.
"""

import numpy as np

from widemargin.compiler.jit import inner, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
STAFFORD1 = np.uint64(0xBF58476D1CE4E5B9)
STAFFORD2 = np.uint64(0x94D049BB133111EB)
NUMBER = np.uint64((1 << 28) - 1)
MOST_FEATURES = (1 << 28) - 2
U27, U29, U30, U31, U32 = np.uint64(27), np.uint64(29), np.uint64(30), np.uint64(31), np.uint64(32)
ZERO, ONE = np.uint64(0), np.uint64(1)


@inner
def mix(h):
    """Stafford's thirteenth variant of the 64-bit finaliser (as in splitmix64): every input bit reaches every output bit."""
    h = (h ^ (h >> U30)) * STAFFORD1
    h = (h ^ (h >> U27)) * STAFFORD2
    return h ^ (h >> U31)


@kernel
def hash_strings(pool, bounds, out):
    """Hash of each string pool[bounds[i]:bounds[i+1]] (bytes) into out; never 0, because 0 means "does not fire"."""
    for i in range(len(out)):
        h = GOLDEN
        for p in range(bounds[i], bounds[i + 1]):
            h = (h ^ np.uint64(pool[p])) * STAFFORD1
            h ^= h >> U29
        h = mix(h ^ np.uint64(bounds[i + 1] - bounds[i]))
        out[i] = h if h != ZERO else ONE


@inner
def slot_of(table, key):
    """The slot that holds a key, or the empty one where it would go."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    while table[slot] != ZERO and (table[slot] ^ key) & ~NUMBER != ZERO:
        slot = (slot + ONE) & mask
    return slot


@inner
def find(table, key):
    """Feature number of a key, or -1: an empty slot holds one more than that."""
    return np.int64(table[slot_of(table, key)] & NUMBER) - 1


@inner
def insert(table, key, number):
    """Put a key that is not there yet."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    while table[slot] != ZERO:
        slot = (slot + ONE) & mask
    table[slot] = (key & ~NUMBER) | np.uint64(number + 1)


@kernel
def numbers(table, keys, out):
    """Feature numbers of keys into out int64, -1 where there is none."""
    for j in range(len(keys)):
        out[j] = find(table, keys[j])


@kernel
def fill_table(keys, table):
    """Put keys[0..F), numbered in order, into an empty table."""
    for f in range(len(keys)):
        insert(table, keys[f], f)
