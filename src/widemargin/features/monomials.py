"""Conjunctions of a token's features, all of them up to a degree, numbered exactly.

Conjunctions are nodes of a trie. Node 0, its root, is the empty one; every other is a parent and one more feature, which is larger than
all of the parent's: link = parent · 2^32 + feature. Links are compared in full, so no two conjunctions ever share a number; `slots` is an
open-addressing table of node numbers (0: empty) at the places where their hashed links want to be.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.contents import Contents
from widemargin.engine.hash import ONE, U32, mix

TOKEN, ENTRIES, COUNT = 0, 1, 2
EMPTY = np.uint32(0)
MOST_NODES = (1 << 31) - 1
FEATURE = np.uint64(0xFFFFFFFF)  # of a link


class Trie(NamedTuple):
    """The conjunctions that are known."""

    slots: np.ndarray  # uint32 [2^b]
    link: np.ndarray  # uint64 [K]


class TokenConjunctions(NamedTuple):
    """The features of tokens, which conjunctions of them are wanted, and where these go."""

    ptr: np.ndarray  # int64 [N+1]
    ind: np.ndarray  # int32
    degree: int | np.integer
    first: int | np.integer  # conjunctions numbered below it are left out
    stop: int | np.integer  # one behind the last token
    active: np.ndarray  # uint64, scratch: the features of one token
    node: np.ndarray  # uint32, scratch: its conjunctions
    after: np.ndarray  # int64, scratch: the first feature that each may be joined by
    state: np.ndarray  # int64 [3]  next token, entries written, nodes known
    out_ptr: np.ndarray  # int64 [tokens + 1]
    out: np.ndarray  # int32


@inner
def place_of(slots, link, wanted):
    """The slot of a link, or the empty one where it would go."""
    mask = np.uint64(len(slots) - 1)
    at = mix(wanted) & mask
    while slots[at] != EMPTY and link[slots[at]] != wanted:
        at = (at + ONE) & mask
    return at


@inner
def distinct(ind, low, high, active):
    """The features ind[low:high] into active, in increasing order, each once; returns how many."""
    m = 0
    for p in range(low, high):
        f = np.uint64(ind[p])
        j = m
        while j > 0 and active[j - 1] > f:
            j -= 1
        if j == 0 or active[j - 1] != f:
            for k in range(m, j, -1):
                active[k] = active[k - 1]
            active[j] = f
            m += 1
    return m


@inner
def most_nodes(m, degree):
    """How many conjunctions of at most `degree` of m features there are, the empty one too."""
    total, choices = 1, 1
    for k in range(degree):
        choices = choices * (m - k) // (k + 1)
        total += choices
    return total


@kernel
def expand(tokens, trie, grow):
    """Conjunctions of the tokens from state[TOKEN] on. Without `grow` a conjunction that is not known is not there.

    Returns False when there may be no room for the nodes of the next token: make slots and link larger and call again.
    """
    slots, link, state, degree, stop = trie.slots, trie.link, tokens.state, tokens.degree, tokens.stop
    active, node, after, out = tokens.active, tokens.node, tokens.after, tokens.out
    q, count, origin = state[ENTRIES], state[COUNT], stop - (len(tokens.out_ptr) - 1)
    room = min(len(link), len(slots) // 2)
    for t in range(state[TOKEN], stop):
        m = distinct(tokens.ind, tokens.ptr[t], tokens.ptr[t + 1], active)
        if grow and count + most_nodes(m, degree) > room:
            state[TOKEN], state[ENTRIES], state[COUNT] = t, q, count
            return False
        node[0], after[0] = EMPTY, 0
        begin, end, used = 0, 1, 1
        for _ in range(degree):
            for p in range(begin, end):
                parent = np.uint64(node[p]) << U32
                for j in range(after[p], m):
                    wanted = parent | active[j]
                    at = place_of(slots, link, wanted)
                    n = slots[at]
                    if n == EMPTY and grow:
                        n = np.uint32(count)
                        slots[at], link[count] = n, wanted
                        count += 1
                    if n != EMPTY:
                        node[used], after[used] = n, j + 1
                        used += 1
            begin, end = end, used
        for p in range(tokens.first, used):
            out[q] = np.int32(node[p])
            q += 1
        tokens.out_ptr[t + 1 - origin] = q
    state[TOKEN], state[ENTRIES], state[COUNT] = stop, q, count
    return True


@kernel
def fill_slots(link, slots):
    """Put the nodes 1, 2, ... of all links into empty slots."""
    for n in range(1, len(link)):
        slots[place_of(slots, link, link[n])] = np.uint32(n)


@kernel
def find_node(slots, link, features):
    """The conjunction of these features uint64, in increasing order, or -1."""
    n = EMPTY
    for f in features:
        n = slots[place_of(slots, link, (np.uint64(n) << U32) | f)]
        if n == EMPTY:
            return np.int64(-1)
    return np.int64(n)


@kernel
def count_features(link, out):
    """How many features each node has, into out uint8; parents stand before their children."""
    out[0] = 0
    for n in range(1, len(link)):
        out[n] = out[link[n] >> U32] + 1


@kernel
def keep_parents(link, kept):
    """Let the ancestors of kept nodes be kept."""
    kept[0] = True
    for n in range(len(link) - 1, 0, -1):
        if kept[n]:
            kept[link[n] >> U32] = True


@kernel
def mark_descendants(link, hit, out):
    """out bool per node: is one of its features hit? hit bool per feature, out all False."""
    for n in range(1, len(link)):
        out[n] = hit[link[n] & FEATURE] or out[link[n] >> U32]


def stored_links(own: Contents, features: int, degree: int) -> np.ndarray:
    """uint64 [K]: the constant, and conjunctions of at most `degree` features, each behind the one that it was built on."""
    link = own.array("link", "u8", None)
    if not len(link) or link[0] or len(link) > MOST_NODES:
        raise own.wrong("link", "does not begin with the constant")
    parent, number = (link >> U32).astype(np.int64), np.arange(len(link))
    if (link[1:] & FEATURE >= np.uint64(features)).any() or (parent[1:] >= number[1:]).any():
        raise own.wrong("link", f"joins what is not there: there are {features} features")
    for _ in range(degree):
        number = parent[number]
    if number.any():
        raise own.wrong("link", f"has conjunctions of more than {degree} features")
    return link
