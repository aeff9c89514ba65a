"""Scores of neighbouring siblings from their features, and gradients back: templates in two forms, in the table of arcs (arc_codes.py).

    beside   sibling and modifier            the weight at  b[s] ^ c[m] ^ slot            n^2 of them
    triple   head, sibling and modifier      the weight at  a[h] ^ b[s] ^ c[m] ^ slot     n^3 / 3

Slots are those of an arc from the sibling to the modifier: direction, and direction with distance. The innermost modifier's sibling is a
word of its own kind, NOBODY, and its distance is that from the head.
"""

import numpy as np

from .arborescence import Arborescence
from .arc_codes import code_places, slots_of
from .arc_tables import add_pair, sum_pairs
from .eisner import Eisner
from .hash import GOLDEN, STAFFORD1, mix
from .heads import Heads
from .jit import generic, inner, tiny
from .sibling_parts import TO_LEFT, TO_RIGHT, row_of, width
from .siblings import Siblings

NOBODY = np.uint64(23)


@inner
def code_siblings(plan, n, codes):
    """Codes of the templates that look at siblings; those of NOBODY are the last."""
    mask, last = np.uint64((1 << plan.bits) - 1), codes.side.shape[0] - 1
    for s in range(plan.atom.shape[0]):
        key = GOLDEN + np.uint64(s)
        for j in range(plan.atom.shape[1]):
            if plan.atom[s, j, 0] >= 0:
                key = mix(key * STAFFORD1 + NOBODY)
        codes.side[last, s] = key
    for word in range(n + 2):
        i = word if word <= n else last
        code_places(plan.kin.beside, codes.side, mask, i, codes.kin.beside)
        code_places(plan.kin.triple, codes.side, mask, i, codes.kin.triple)


@tiny
def bring_together(codes, a, b):
    """met = a ^ b."""
    for t in range(len(codes.kin.met)):
        codes.kin.met[t] = a[t] ^ b[t]


@inner
def innermost(rule, node, codes, h, m, now):
    """The score of (h, nobody, m)."""
    (one, two), last = slots_of(h, m), codes.side.shape[0] - 1
    bring_together(codes, codes.kin.triple[0, h], codes.kin.triple[1, last])
    x = sum_pairs(rule, node, codes, codes.kin.beside[0, last], codes.kin.beside[1, m], one, two, now)
    return x + sum_pairs(rule, node, codes, codes.kin.met, codes.kin.triple[2, m], one, two, now)


@generic
def score_higher(s, plan, codes, n, rule, node, now):
    """Scores of the structure's parts of higher order."""
    raise TypeError(s)


@generic
def gather_higher(s, plan, codes, n, scale, skip, lanes, into, layer):
    """scale * mu of the structure's parts of higher order, times their features."""
    raise TypeError(s)


def score_nothing(s, plan, codes, n, rule, node, now):
    """Arcs alone."""


def gather_nothing(s, plan, codes, n, scale, skip, lanes, into, layer):
    """Arcs alone."""


for kind in (Eisner, Arborescence, Heads):
    score_higher.when(kind)(score_nothing)
    gather_higher.when(kind)(gather_nothing)


@score_higher.when(Siblings)
def _(s, plan, codes, n, rule, node, now):
    score, across, first = s.score, width(n), 1 if s.single else 0
    code_siblings(plan, n, codes)
    for k in range(2, n + 1):
        for i in range(1, k):
            one, two = slots_of(k, i)
            codes.kin.left[k, i] = sum_pairs(rule, node, codes, codes.kin.beside[0, k], codes.kin.beside[1, i], one, two, now)
    for j in range(1, n + 1):
        score[row_of(j, 0, TO_RIGHT) * across] = innermost(rule, node, codes, 0, j, now)
        for k in range(1, j):
            p = row_of(j, k, TO_RIGHT) * across
            q = p + across
            score[p + k], score[q + k] = innermost(rule, node, codes, k, j, now), innermost(rule, node, codes, j, k, now)
            # k and j are children of each i before them
            one, two = slots_of(k, j)
            x = sum_pairs(rule, node, codes, codes.kin.beside[0, k], codes.kin.beside[1, j], one, two, now)
            bring_together(codes, codes.kin.triple[1, k], codes.kin.triple[2, j])
            for i in range(first, k):
                score[p + i] = x + sum_pairs(rule, node, codes, codes.kin.met, codes.kin.triple[0, i], one, two, now)
            # each i before k, and k, are children of j
            bring_together(codes, codes.kin.triple[0, j], codes.kin.triple[1, k])
            for i in range(1, k):
                one, two = slots_of(k, i)
                x = sum_pairs(rule, node, codes, codes.kin.met, codes.kin.triple[2, i], one, two, now)
                score[q + i] = codes.kin.left[k, i] + x


@inner
def gather_part(plan, codes, h, s, m, v, lanes, into, layer):
    """v times the features of a part; s: the sibling, or h."""
    sibling = codes.side.shape[0] - 1 if s == h else s
    one, two = slots_of(s, m)
    for t in range(plan.kin.beside.shape[0]):
        add_pair(into, layer, np.uint64(codes.kin.beside[0, sibling, t] ^ codes.kin.beside[1, m, t]), v, one, two, lanes)
    for t in range(plan.kin.triple.shape[0]):
        k = np.uint64(codes.kin.triple[0, h, t] ^ codes.kin.triple[1, sibling, t] ^ codes.kin.triple[2, m, t])
        add_pair(into, layer, k, v, one, two, lanes)


@gather_higher.when(Siblings)
def _(s, plan, codes, n, scale, skip, lanes, into, layer):
    across = width(n)
    for j in range(1, n + 1):
        for k in range(j):
            for side in (TO_RIGHT, TO_LEFT):
                row = row_of(j, k, side)
                for i in range(k + 1 if s.fresh[row] else 0):
                    v = s.mu[row * across + i]
                    if abs(v) > skip:
                        h, m = (j, i) if side == TO_LEFT else (i, j)
                        gather_part(plan, codes, h, h if i == k else k, m, v * scale, lanes, into, layer)
