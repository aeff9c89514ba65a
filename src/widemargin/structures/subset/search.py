"""Exact search over sets of sentences within a budget: depth-first branch and bound.

A node has sentences that are in, that are out and that are open. What open ones can add to its score is bounded by a fractional knapsack
over their gains: the score of the sentence itself and of its items that are not covered yet. An item of positive score counts fully for
every open sentence that has it; one of negative score is shared out over the open sentences that have it, because a set that has some of
them pays for it once. Both never count too little. Where that bound does not prune, and the search is long, multipliers.py has a
tighter one. Branching is on the sentence of the largest gain per length, in before out, so that the first dive is the greedy solution.

The value of a node is kept on the stack and never subtracted from, so that nothing is lost to rounding on the way back.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.structures.subset.cover import FREE, MUST
from widemargin.structures.subset.goals import worth

OPEN, IN, OUT = 0, 1, 2  # states of a sentence
NODES, BOUND, STOPPED = 0, 1, 2  # places in a report
NOBODY = np.int64(-1)
CLOSE = 1e-12  # bounds within so much of the value are no reason to look further


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
def begin(s, view):
    """All sentences open but those that are marked or too long; returns the root."""
    c, k, score, cost, left = s.cover, s.scratch, 0.0, 0.0, s.cover.budget[s.row[0]]
    for b in range(view.items):
        k.covered[b] = k.open[b] = 0
    for j in range(view.sentences):
        k.state[j] = OUT
        if c.mark[view.first + j] == FREE and c.length[view.first + j] <= left:
            k.state[j] = OPEN
            for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
                k.open[c.item[e]] += 1
    node = Node(score, cost, left)
    for j in range(view.sentences):
        if c.mark[view.first + j] == MUST:
            node = put_in(s, view, node, j)
    return node


@inner
def put_in(s, view, node, j):
    """Sentence j, whose items do not count as open, is in; returns the node with it."""
    c, k, score, cost = s.cover, s.scratch, node.score, node.cost
    k.state[j] = IN
    score += s.work[view.items + j]
    cost += s.price[view.items + j]
    for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
        b = c.item[e]
        if k.covered[b] == 0:
            score += s.work[b]
            cost += s.price[b]
        k.covered[b] += 1
    return Node(score, cost, node.left - c.length[view.first + j])


@inner
def count_open(s, view, j, change):
    """The items of sentence j are in one open sentence more or less."""
    c, k = s.cover, s.scratch
    for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
        k.open[c.item[e]] += change


@inner
def find_gains(s, view, left):
    """gain and density of open sentences; returns the one of the largest gain, or NOBODY, and what open ones can add to the cost."""
    c, k, top, more = s.cover, s.scratch, NOBODY, 0.0
    for j in range(view.sentences):
        k.density[j] = -np.inf
        length = c.length[view.first + j]
        if k.state[j] != OPEN or length > left:
            continue
        gain = np.float64(s.work[view.items + j])
        for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
            b = c.item[e]
            if k.covered[b] == 0:
                v = np.float64(s.work[b])
                gain += v if v > 0.0 else v / k.open[b]
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
        value += density * min(length, left)
        left -= length
        k.density[best] = -np.inf
    return value, first


@inner
def look_ahead(s, view, node):
    """What at least one open sentence more can add to score and cost, at most; and the sentence to branch on, NOBODY where none fits."""
    top, more = find_gains(s, view, node.left)
    if top == NOBODY or s.scratch.gain[top] <= 0.0:
        return (s.scratch.gain[top] if top != NOBODY else 0.0), more, top
    value, first = fill(s, view, node.left)
    return value, more, first


@inner
def record(s, n, view, value, found, count):
    """The set that is in, among the best; returns how many there are."""
    most = len(found.value)
    place = count
    while place > 0 and value > found.value[place - 1]:
        place -= 1
    if place == most:
        return count
    count = min(count + 1, most)
    for p in range(count - 1, place, -1):
        found.value[p] = found.value[p - 1]
        for t in range(n):
            found.part[p, t] = found.part[p - 1, t]
    found.value[place] = value
    for b in range(view.items):
        found.part[place, b] = 1 if s.scratch.covered[b] > 0 else 0
    for j in range(view.sentences):
        found.part[place, view.items + j] = 1 if s.scratch.state[j] == IN else 0
    return count


@inner
def beats(bound, found, count):
    """May a set with this bound on its goal be among the best?"""
    if count < len(found.value):
        return True
    last = found.value[count - 1]
    return bound > last + CLOSE * max(1.0, abs(last))


@inner
def open_bound(s, depth, bound):
    """A bound on the goal of what is not looked at, when a search is given up at a node with this bound: out-branches on the stack too."""
    k = s.scratch
    for d in range(depth):
        if k.state[k.stack[d]] == IN:
            bound = max(bound, k.bound[d])
    return bound


@inner
def search(s, n, goal, found):
    """The sets that are best by the goal, under the augmented scores of row s.row[0] and the prices in s, best first, to `found`.

    Returns how many there are; s.report says whether the search went to its end. Given up, it still has the best sets it has met.
    """
    c, k, r = s.cover, s.scratch, s.row[0]
    sentences = c.sentence[r + 1] - c.sentence[r]
    view = View(c.sentence[r], sentences, n - sentences)
    node = begin(s, view)
    depth, nodes, count, down = 0, 0, 0, True
    s.report[STOPPED] = 0.0
    if node.left < c.budget[r]:  # some sentence must be there
        count = record(s, n, view, worth(goal, node.score, node.cost), found, count)
    bound = 0.0
    while True:
        if down:
            nodes += 1
            more, costs, j = look_ahead(s, view, node)
            bound = worth(goal, node.score + more, node.cost + costs)
            if j != NOBODY and beats(bound, found, count):
                if nodes > s.limit and count > 0:
                    s.report[STOPPED] = 1.0
                    break
                k.stack[depth], k.score[depth], k.cost[depth], k.bound[depth] = j, node.score, node.cost, bound
                depth += 1
                count_open(s, view, j, -1)
                node = put_in(s, view, node, j)
                count = record(s, n, view, worth(goal, node.score, node.cost), found, count)
                continue
            if count == 0:  # nothing fits
                count = record(s, n, view, worth(goal, node.score, node.cost), found, count)
            down = False
        while depth > 0 and k.state[k.stack[depth - 1]] == OUT:
            depth -= 1
            k.state[k.stack[depth]] = OPEN
            count_open(s, view, k.stack[depth], 1)
        if depth == 0:
            break
        j = np.int64(k.stack[depth - 1])
        k.state[j] = OUT
        for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
            k.covered[c.item[e]] -= 1
        node = Node(k.score[depth - 1], k.cost[depth - 1], node.left + c.length[view.first + j])
        down = True
    s.report[NODES] = nodes
    s.report[BOUND] = max(found.value[0], open_bound(s, depth, bound) if s.report[STOPPED] == 1.0 else found.value[0])
    return np.int64(count)
