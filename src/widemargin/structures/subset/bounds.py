"""How much the open sentences of a node of the search can still add: a fractional knapsack over their gains.

The gain of a sentence is its own score and that of its items that are not covered yet. An item of positive score counts fully for every
open sentence that has it; one of negative score is shared out over the open sentences that have it, because a set that has some of them
pays for it once. Both never count too little.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner

OPEN, IN, OUT = 0, 1, 2  # states of a sentence
NOBODY = np.int64(-1)


class Scratch(NamedTuple):
    """Memory for rows of up to S sentences and B items."""

    covered: np.ndarray  # int32 [B]  by how many sentences that are in
    open: np.ndarray  # int32 [B]  how many open sentences have it
    state: np.ndarray  # int8 [S]
    gain: np.ndarray  # float64 [S]  of the last bound
    density: np.ndarray  # float64 [S]  gain per length of those that may still be taken, else -inf
    stack: np.ndarray  # int32 [S]  what was branched on
    score: np.ndarray  # float64 [S]  of the node where it was
    cost: np.ndarray  # float64 [S]
    bound: np.ndarray  # float64 [S]  on the goal below that node
    fraction: np.ndarray  # float64 [S]  how much of each sentence the last knapsack takes
    multiplier: np.ndarray  # float64 [B]
    tried: np.ndarray  # float64 [B]  multipliers that may be better
    gradient: np.ndarray  # float64 [B]  of the bound along them


class View(NamedTuple):
    """Which row is searched: where its sentences begin, how many they are, how many items there are before them."""

    first: int | np.integer
    sentences: int | np.integer
    items: int | np.integer


class Node(NamedTuple):
    """A node's score, cost and room."""

    score: float
    cost: float
    left: int | np.integer


@inner
def find_gains(s, view, left, worth):
    """gain and density of open sentences, where items of positive score are worth so much [B]; returns the one of the largest gain, or
    NOBODY, and what open ones can add to the cost."""
    c, k, top, more = s.cover, s.scratch, NOBODY, 0.0
    for j in range(view.sentences):
        k.density[j], k.fraction[j] = -np.inf, 0.0
        length = c.length[view.first + j]
        if k.state[j] != OPEN or length > left:
            continue
        gain = np.float64(s.work[view.items + j])
        for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
            b = c.item[e]
            if k.covered[b] == 0:
                v = np.float64(s.work[b])
                gain += worth[b] if v > 0.0 else v / k.open[b]
        k.gain[j], k.density[j] = gain, gain / length
        more += max(0.0, np.float64(s.price[view.items + j]))
        if top == NOBODY or gain > k.gain[top]:
            top = np.int64(j)
    return top, more


@inner
def fill(s, view, left):
    """The value of the fractional knapsack over densities, and the sentence of the largest one. Densities of what it takes are lost."""
    c, k, value, first = s.cover, s.scratch, 0.0, NOBODY
    while left > 0:
        best, density = NOBODY, 0.0
        for j in range(view.sentences):
            if k.density[j] > density:
                best, density = np.int64(j), k.density[j]
        if best == NOBODY:
            break
        if first == NOBODY:
            first = best
        length = c.length[view.first + best]
        k.fraction[best] = min(length, left) / length
        value += density * min(length, left)
        left -= length
        k.density[best] = -np.inf
    return value, first


@inner
def look_ahead(s, view, node):
    """What at least one open sentence more can add to score and cost, at most; and the sentence to branch on, NOBODY where none fits."""
    top, more = find_gains(s, view, node.left, s.work)
    if top == NOBODY or s.scratch.gain[top] <= 0.0:
        return (s.scratch.gain[top] if top != NOBODY else 0.0), more, top
    value, first = fill(s, view, node.left)
    return value, more, first
