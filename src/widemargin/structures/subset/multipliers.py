"""A tighter bound: Lagrangian multipliers for what is counted twice.

An item b of positive score v_b is covered, z_b = 1, only if a chosen sentence has it: z_b <= sum of x_s. With a multiplier for that,
0 <= m_b <= v_b, the best set is worth at most

    D(m) = sum over b of (v_b - m_b) + the fractional knapsack in which b is worth m_b for every sentence that has it

and m = v is the bound of bounds.py. D is convex; subgradient steps of Polyak's length lower it at the root (Fisher 1981, The Lagrangian
relaxation method for solving integer programming problems). The same multipliers give a bound at every node.
"""

import numpy as np

from widemargin.compiler.jit import inner
from widemargin.structures.subset.bounds import NOBODY, fill, find_gains

STEPS, IDLE = 150, 8  # of the subgradient method, and without a lower bound before steps are halved


@inner
def look_again(s, view, node):
    """At most so much can open sentences add to the score of a node, by the multipliers in the scratch."""
    return dual_value(s, view, node, s.scratch.multiplier)


@inner
def dual_value(s, view, node, m):
    """D(m) at a node. Where nothing has a gain, the largest one is counted, which is 0 or less, so that one sentence more is meant."""
    k, free = s.scratch, 0.0
    for b in range(view.items):
        if k.covered[b] == 0 and k.open[b] > 0 and s.work[b] > 0.0:
            free += s.work[b] - m[b]
    top, _ = find_gains(s, view, node.left, m)
    if top == NOBODY:
        return free
    if k.gain[top] <= 0.0:
        return free + k.gain[top]
    value, _ = fill(s, view, node.left)
    return free + value


@inner
def find_multipliers(s, view, node, best):
    """Multipliers for the row, at its root; best: the value of a set that is known."""
    k = s.scratch
    for b in range(view.items):
        k.tried[b] = k.multiplier[b] = max(0.0, np.float64(s.work[b]))
    lowest, scale, idle = np.inf, 1.0, 0
    for _ in range(STEPS):
        value = dual_value(s, view, node, k.tried)
        if value < lowest:
            lowest, idle = value, 0
            for b in range(view.items):
                k.multiplier[b] = k.tried[b]
        else:
            idle += 1
        if idle == IDLE:
            scale, idle = scale / 2.0, 0
            for b in range(view.items):
                k.tried[b] = k.multiplier[b]
            value = dual_value(s, view, node, k.tried)
        step_down(s, view, scale * max(0.0, value - max(0.0, best - node.score)))


@inner
def step_down(s, view, over):
    """tried moves against the subgradient, the sum of the knapsack's fractions of sentences that have b, less 1, by over / its squared
    length."""
    c, k, square = s.cover, s.scratch, 0.0
    for b in range(view.items):
        k.gradient[b] = -1.0 if k.covered[b] == 0 and k.open[b] > 0 and s.work[b] > 0.0 else 0.0
    for j in range(view.sentences):
        if k.fraction[j] > 0.0:
            for e in range(c.ptr[view.first + j], c.ptr[view.first + j + 1]):
                k.gradient[c.item[e]] += k.fraction[j]
    for b in range(view.items):
        v = np.float64(s.work[b])
        out = (k.tried[b] <= 0.0 and k.gradient[b] > 0.0) or (k.tried[b] >= v and k.gradient[b] < 0.0)
        if out or v <= 0.0 or k.covered[b] > 0:
            k.gradient[b] = 0.0
        square += k.gradient[b] * k.gradient[b]
    if square == 0.0:
        return
    for b in range(view.items):
        k.tried[b] = min(max(0.0, np.float64(s.work[b])), max(0.0, k.tried[b] - over / square * k.gradient[b]))
