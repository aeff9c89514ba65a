"""k-best MIRA on indexed features: the Gram matrix of k label sequences without gathering them (engine/kbest_mira.py).

G is summed over the features of the row, and only where an output differs from the gold: a feature that fires at one such token adds
m <e_y - e_gold, e_z - e_gold> of that token, four comparisons; others are summed in k rows of lanes. The step is an ordinary one on mu =
sum_y a_y (mu_y - mu_gold). By layers, k rows of lanes would be gathered for every feature of those tokens.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, splat, total
from widemargin.engine.kbest_mira import combine, find_gram
from widemargin.engine.structure import add_output, clear, listed, outputs
from widemargin.engine.tables import aligned
from widemargin.scoring.indexed import ONE, ROW0, Indexed, find_hot
from widemargin.scoring.optional_inputs import times
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice


class GramMemory(NamedTuple):
    """Scratch for k label sequences of up to T tokens. Row k of path and of part is the gold."""

    path: np.ndarray  # int32 [k+1, T]
    part: np.ndarray  # int32 [k+1, T]  the label or the transition (previous * L + label) at a token
    hot: np.ndarray  # bool [T]   where any output has another part than the gold
    mass: np.ndarray  # [T]       m value^2 of the features that fire at this hot token alone
    sums: np.ndarray  # [k * Y, L]  kept at 0 between uses
    gram: np.ndarray  # [k, k]


def gram_memory(longest: int, labels: int, width: int, k: int, dtype) -> GramMemory:
    """Memory for the Gram matrix of k outputs of a row of at most `longest` tokens; sums are 0 and stay so between uses."""
    paths = np.zeros((k + 1, longest), np.int32), np.zeros((k + 1, longest), np.int32)
    return GramMemory(*paths, np.zeros(longest, np.bool_), np.zeros(longest), aligned((k * labels, width), dtype), np.zeros((k, k)))


@inner
def find_parts(m, n, count, previous, width):
    """part and hot of all tokens; previous: 0 for nodes, 1 for edges, which token 0 has none of."""
    gold = m.path.shape[0] - 1
    for t in range(n):
        m.hot[t] = False
        m.mass[t] = 0.0
        if t >= previous:
            for p in range(gold + 1):
                if p < count or p == gold:
                    m.part[p, t] = m.path[p, t] + (m.path[p, t - 1] * width if previous else 0)
            for p in range(count):
                m.hot[t] = m.hot[t] or m.part[p, t] != m.part[gold, t]


@inner
def scatter(m, count, h, t, x):
    """sums += x (e_y - e_gold) of token t for every output."""
    width, right = m.sums.shape[1], m.part[m.part.shape[0] - 1, t]
    for p in range(count):
        part = m.part[p, t]
        m.sums[p * h + part // width, part % width] += x
        m.sums[p * h + right // width, right % width] -= x


@inner
def wipe(m, count, h, t):
    """sums = 0 where scatter has written."""
    width, right = m.sums.shape[1], m.part[m.part.shape[0] - 1, t]
    for p in range(count):
        part = m.part[p, t]
        m.sums[p * h + part // width, part % width] = 0.0
        m.sums[p * h + right // width, right % width] = 0.0


@inner
def multiply(m, count, h, lanes, copies):
    """gram += copies <sums_p, sums_q>, for q <= p."""
    for p in range(count):
        for q in range(p + 1):
            products = splat(m.sums, 0.0, lanes)
            for j in range(h):
                products += load(m.sums, p * h + j, lanes) * load(m.sums, q * h + j, lanes)
            m.gram[p, q] += copies * total(products)


@inner
def compare(m, n, count):
    """gram += mass <e_p - e_gold, e_q - e_gold> of every token."""
    for t in range(n):
        if m.mass[t] > 0.0:
            right = m.part[m.part.shape[0] - 1, t]
            for p in range(count):
                a = m.part[p, t]
                if a != right:
                    for q in range(p + 1):
                        b = m.part[q, t]
                        if b != right:
                            m.gram[p, q] += m.mass[t] * (2.0 if a == b else 1.0)


@inner
def add_features(m, count, occurrences, i, shift, weights):
    """gram += what the features of row i that look at these parts add."""
    mark, place, h = occurrences.mark, occurrences.place, weights.height
    for e in range(occurrences.at[i], occurrences.at[i + 1]):
        hits, at = 0, 0
        for p in range(mark[e], mark[e + 1]):
            if m.hot[place[p]]:
                hits, at = hits + 1, p
        copies = np.float64(weights.copies[occurrences.feature[e] + shift])
        if hits == 1:
            x = times(occurrences.value, at, 1.0)
            m.mass[place[at]] += copies * x * x
        elif hits > 1:
            for p in range(mark[e], mark[e + 1]):
                if m.hot[place[p]]:
                    scatter(m, count, h, place[p], times(occurrences.value, p, 1.0))
            multiply(m, count, h, weights.lanes, copies)
            for p in range(mark[e], mark[e + 1]):
                if m.hot[place[p]]:
                    wipe(m, count, h, place[p])


@generic
def add_transitions(s, m, n, count, input, i, weights):
    """gram += what the transitions add."""
    raise TypeError(s)


@add_transitions.when(Choice)
def _(s, m, n, count, input, i, weights):
    pass


@add_transitions.when(Chain)
def _(s, m, n, count, input, i, weights):
    find_parts(m, n, count, 1, m.sums.shape[1])
    for t in range(1, n):
        if m.hot[t]:
            scatter(m, count, weights.height, t, 1.0)
    multiply(m, count, weights.height, weights.lanes, 1.0)
    for t in range(1, n):
        wipe(m, count, weights.height, t)
    if s.edge_stride:
        add_features(m, count, input.transitions, i, ONE, weights)
        compare(m, n, count)


@find_gram.when(Indexed)
def _(input, margins, s, visit, count, reader):
    m, i, n, k = margins.memory, visit.i, visit.n, len(margins.a)
    out, _ = outputs(s)
    for t in range(n):
        m.path[k, t] = visit.low[t]
    for p in range(count):
        listed(margins.found, p, n, out)
        for t in range(n):
            m.path[p, t] = out[t]
    for p in range(k):
        for q in range(k):
            m.gram[p, q] = 0.0
    find_parts(m, n, count, 0, 0)
    add_features(m, count, input.labels, i, ROW0, reader.tables.labels)
    compare(m, n, count)
    add_transitions(s, m, n, count, input, i, reader.tables.transitions)
    for p in range(k):
        for q in range(p + 1):
            margins.gram[p, q] += m.gram[p, q]


@combine.when(Indexed)
def _(input, margins, s, visit, count, reader, learning):
    n, mass = visit.n, 0.0
    out, _ = outputs(s)
    clear(s, n)
    for p in range(count):
        if margins.a[p] != 0.0:
            listed(margins.found, p, n, out)
            add_output(s, n, margins.a[p], out)
            mass += margins.a[p]
    if mass != 0.0:
        add_output(s, n, -mass, visit.low)
    find_hot(s.mu_node, s.lanes, n, 0.0, input.hot)
    return False
