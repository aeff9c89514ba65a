"""Scores of neighbouring siblings from their features, and gradients back: templates in two forms, in the table of arcs (codes.py).

    beside   sibling and modifier            the weight at  b[s] ^ c[m] ^ slot            n^2 of them
    triple   head, sibling and modifier      the weight at  a[h] ^ b[s] ^ c[m] ^ slot     n^3 / 3

Slots are those of an arc from the sibling to the modifier: direction, and direction with distance. The innermost modifier's sibling is a
word of its own kind, NO_SIBLING, and its distance is that from the head.
"""

import numpy as np

from widemargin.compiler.jit import generic, inner, tiny
from widemargin.engine.hash import GOLDEN, STAFFORD1, mix
from widemargin.families.dependencies.kernels.codes import code_places, slots_of
from widemargin.scoring.hashed import add_pair, sum_pairs
from widemargin.structures.arcs.sibling_parts import TO_LEFT, TO_RIGHT, row_of, width
from widemargin.structures.arcs.siblings import Siblings

NO_SIBLING = np.uint64(23)


@inner
def code_siblings(plan, n, codes):
    """Codes of the templates that look at siblings; those of NO_SIBLING are the last."""
    mask, last = np.uint64((1 << plan.bits) - 1), codes.side.shape[0] - 1
    for s in range(plan.atom.shape[0]):
        key = GOLDEN + np.uint64(s)
        for j in range(plan.atom.shape[1]):
            if plan.atom[s, j, 0] >= 0:
                key = mix(key * STAFFORD1 + NO_SIBLING)
        codes.side[last, s] = key
    for word in range(n + 2):
        i = word if word <= n else last
        code_places(plan.siblings.pair, codes.side, mask, i, codes.siblings.pair)
        code_places(plan.siblings.triple, codes.side, mask, i, codes.siblings.triple)


@tiny
def bring_together(codes, a, b):
    """met = a ^ b."""
    for t in range(len(codes.siblings.head_codes)):
        codes.siblings.head_codes[t] = a[t] ^ b[t]


@inner
def innermost(lines, codes, h, m):
    """The score of (h, nobody, m)."""
    (one, two), last = slots_of(h, m), codes.side.shape[0] - 1
    bring_together(codes, codes.siblings.triple[0, h], codes.siblings.triple[1, last])
    x = sum_pairs(lines, codes.siblings.pair[0, last], codes.siblings.pair[1, m], one, two)
    return x + sum_pairs(lines, codes.siblings.head_codes, codes.siblings.triple[2, m], one, two)


@generic
def score_higher(s, plan, codes, n, lines):
    """Scores of the structure's parts of higher order, if it has any."""


@score_higher.when(object)
def _(s, plan, codes, n, lines):
    pass


@generic
def gather_higher(s, plan, codes, n, step, into):
    """step.scale * mu of the structure's parts of higher order, if it has any, times their features into a gradient."""


@gather_higher.when(object)
def _(s, plan, codes, n, step, into):
    pass


@score_higher.when(Siblings)
def _(s, plan, codes, n, lines):
    score, across, first = s.score, width(n), 1 if s.single else 0
    code_siblings(plan, n, codes)
    for k in range(2, n + 1):
        for i in range(1, k):
            one, two = slots_of(k, i)
            codes.siblings.left[k, i] = sum_pairs(lines, codes.siblings.pair[0, k], codes.siblings.pair[1, i], one, two)
    for j in range(1, n + 1):
        score[row_of(j, 0, TO_RIGHT) * across] = innermost(lines, codes, 0, j)
        for k in range(1, j):
            p = row_of(j, k, TO_RIGHT) * across
            q = p + across
            score[p + k], score[q + k] = innermost(lines, codes, k, j), innermost(lines, codes, j, k)
            # k and j are children of each i before them
            one, two = slots_of(k, j)
            x = sum_pairs(lines, codes.siblings.pair[0, k], codes.siblings.pair[1, j], one, two)
            bring_together(codes, codes.siblings.triple[1, k], codes.siblings.triple[2, j])
            for i in range(first, k):
                score[p + i] = x + sum_pairs(lines, codes.siblings.head_codes, codes.siblings.triple[0, i], one, two)
            # each i before k, and k, are children of j
            bring_together(codes, codes.siblings.triple[0, j], codes.siblings.triple[1, k])
            for i in range(1, k):
                one, two = slots_of(k, i)
                x = sum_pairs(lines, codes.siblings.head_codes, codes.siblings.triple[2, i], one, two)
                score[q + i] = codes.siblings.left[k, i] + x


@inner
def gather_part(plan, codes, part, v, into, layer):
    """v times the features of a part (h, s, m); s: the sibling, or h."""
    h, s, m = part
    sibling = codes.side.shape[0] - 1 if s == h else s
    one, two = slots_of(s, m)
    for t in range(plan.siblings.pair.shape[0]):
        add_pair(into, layer, np.uint64(codes.siblings.pair[0, sibling, t] ^ codes.siblings.pair[1, m, t]), v, one, two)
    for t in range(plan.siblings.triple.shape[0]):
        k = np.uint64(codes.siblings.triple[0, h, t] ^ codes.siblings.triple[1, sibling, t] ^ codes.siblings.triple[2, m, t])
        add_pair(into, layer, k, v, one, two)


@gather_higher.when(Siblings)
def _(s, plan, codes, n, step, into):
    across = width(n)
    for j in range(1, n + 1):
        for k in range(j):
            for side in (TO_RIGHT, TO_LEFT):
                row = row_of(j, k, side)
                for i in range(k + 1 if s.fresh[row] else 0):
                    v = s.mu[row * across + i]
                    if abs(v) > step.skip:
                        h, m = (j, i) if side == TO_LEFT else (i, j)
                        gather_part(plan, codes, (h, h if i == k else k, m), v * step.scale, into, step.layer)
