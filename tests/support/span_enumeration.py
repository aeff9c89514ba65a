"""The obvious slow twin of structures over spans: every binary tree in a list, each a 0/1 row over parts; and what it costs."""

import numpy as np

from widemargin.structures.spans.arrays import SpanParts


def shapes(i, j):
    """All binary trees over words i..j-1, as pre-order lists of (first, split, end)."""
    if j - i == 1:
        return [[(i, -1, j)]]
    return [[(i, k, j), *one, *two] for k in range(i + 1, j) for one in shapes(i, k) for two in shapes(k, j)]


def children(nodes, x):
    """Places of the two children of node x."""
    return x + 1, x + 2 * (nodes[x][1] - nodes[x][0])


def productions(nodes):
    """(first, split, end, parent, left child, right child) of every node of two and more words."""
    return [
        (i, k, j, a, nodes[children(nodes, x)[0]][3], nodes[children(nodes, x)[1]][3]) for x, (i, k, j, a) in enumerate(nodes) if j - i > 1
    ]


def label(shape, allowed, x=None):
    """All ways to give symbols to a shape; allowed(i, j) -> symbols."""
    if x is None:
        x = len(shape) - 1
    if x < 0:
        return [[]]
    return [[*rest, (*shape[x], int(a))] for rest in label(shape, allowed, x - 1) for a in allowed(shape[x][0], shape[x][2])]


def every(structure, scores: SpanParts):
    """All trees that no score of -inf forbids, as node arrays."""
    n = len(scores.span) - 1

    def allowed(i, j):
        usable = structure.legal[0 if j - i == 1 else 1].copy()
        if j - i == 1 or not structure.only_words:
            usable &= scores.span[i, j] > -np.inf
        if j - i == n:
            usable &= scores.root > -np.inf
        return np.flatnonzero(usable)

    found = [nodes for shape in shapes(0, n) for nodes in label(shape, allowed) if structure.name != "factored" or is_canonical(nodes)]
    return [np.array(nodes, np.int32) for nodes in found if score(structure, scores, nodes) > -np.inf]


def is_canonical(nodes):
    """Without a grammar: is no left child of two and more words one that is no constituent?"""
    return all(nodes[x + 1][3] != 0 or nodes[x + 1][2] - nodes[x + 1][0] == 1 for x, (i, _, j, _) in enumerate(nodes) if j - i > 1)


def parts(structure, nodes) -> SpanParts:
    """The indicator of a tree."""
    found = structure.zeros((len(nodes) + 1) // 2)
    found.root[nodes[0][3]] += 1
    for i, k, j, a in nodes:
        if j - i == 1 or not structure.only_words:
            found.span[i, j, a] += 1
        if j - i > 1 and structure.splits:
            found.left[i, k, a] += 1
            found.right[k, j, a] += 1
    for _, _, _, a, b, c in productions(nodes):
        add_production(structure, found.grammar, a, b, c)
    return found


def add_production(structure, grammar, a, b, c):
    """Counts A -> B C."""
    if structure.name == "bigrams":
        grammar[0][b, a] += 1
        grammar[1][c, a] += 1
    elif structure.name == "rules":
        grammar[0][(structure.rules == (a, b, c)).all(axis=1)] += 1


def flat(found: SpanParts) -> np.ndarray:
    """Parts as one vector."""
    return np.concatenate([np.ravel(x) for x in (found.span, found.root, found.left, found.right, *found.grammar)])


def score(structure, scores: SpanParts, nodes) -> float:
    """The sum over a tree's parts."""
    if structure.name == "rules" and not all((structure.rules == p[3:]).all(axis=1).any() for p in productions(nodes)):
        return -np.inf
    phi, numbers = flat(parts(structure, nodes)), flat(scores)
    return float(phi[phi != 0] @ numbers[phi != 0])


def cost(nodes, gold, price) -> float:
    """What a tree costs against a known gold: price has wrong, missed [2, K] and production [2, K]."""
    ours, right = {(i, j, a) for i, _, j, a in nodes}, {(i, j, a) for i, _, j, a in gold}
    total = sum(price.wrong[min(j - i - 1, 1), a] for i, j, a in ours - right)
    total += sum(price.missed[min(j - i - 1, 1), a] for i, j, a in right - ours)
    return float(total + sum(price.production[1, p[3]] for p in set(productions(nodes)) - set(productions(gold))))


def partial_cost(nodes, bracket, sets, price) -> float:
    """What a tree costs against known brackets."""
    total = 0.0
    for i, _, j, a in nodes:
        crosses = any(i < first < j < end or first < i < end < j for first, end, _ in bracket)
        outside = any((i, j) == (first, end) and which >= 0 and not sets[which][a] for first, end, which in bracket)
        total += price.wrong[min(j - i - 1, 1), a] if crosses or outside else 0.0
    return float(total)


def agrees(nodes, bracket, sets) -> bool:
    """Has a tree all brackets?"""
    at = {(i, j): a for i, _, j, a in nodes}
    return all((first, end) in at and (which < 0 or sets[which][at[first, end]]) for first, end, which in bracket)
