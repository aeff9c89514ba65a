"""Exact search over sets of sentences within a budget: depth-first branch and bound.

A node has sentences that are in, that are out and that are open. bounds.py says how much open ones can still add; where that does not prune
and the search is long, multipliers.py knows better. Branching is on the sentence of the largest gain per length, in before out, so that the
first dive is the greedy solution.

The value of a node is kept on the stack and never subtracted from, so that nothing is lost to rounding on the way back.
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.structures.subset.bounds import IN, NOBODY, OPEN, OUT, Node, View, look_ahead
from widemargin.structures.subset.cover import FREE, MUST
from widemargin.structures.subset.goals import worth
from widemargin.structures.subset.multipliers import find_multipliers, look_again

NODES, BOUND, STOPPED = 0, 1, 2  # places in a report
CLOSE = 1e-12  # bounds within so much of the value are no reason to look further


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
def record_root(s, n, view, node, goal, found):
    """What must be there, if anything must, as the first set of a list; returns how many there are."""
    if node.left == s.cover.budget[s.row[0]]:
        return np.int64(0)
    return record(s, n, view, worth(goal, node.score, node.cost), found, np.int64(0))


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
    depth, nodes, down, long = 0, 0, True, False
    s.report[STOPPED] = 0.0
    count, bound = record_root(s, n, view, node, goal, found), 0.0
    while True:
        if down:
            nodes += 1
            more, costs, j = look_ahead(s, view, node)
            bound = worth(goal, node.score + more, node.cost + costs)
            if long and j != NOBODY and beats(bound, found, count):
                bound = min(bound, worth(goal, node.score + look_again(s, view, node), node.cost + costs))
            if j != NOBODY and beats(bound, found, count):
                if nodes > s.limit and count > 0:
                    s.report[STOPPED] = 1.0
                    break
                if nodes >= s.patience and count > 0 and not long:  # from the root again
                    node = begin(s, view)
                    find_multipliers(s, view, node, found.value[0])
                    depth, long = 0, True
                    if len(found.value) > 1:  # what is listed will be met again
                        count = record_root(s, n, view, node, goal, found)
                    continue
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
