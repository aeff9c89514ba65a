"""k-best MIRA: the smallest step that gives every one of the k best outputs a margin as large as its cost (McDonald et al. 2005).

With d_y = Phi' (mu_y - mu_gold) for the k outputs y that score + cost ranks highest, and b_y = score(y) + cost(y) - score(gold),

    min 1/2 |w' - w|^2 + C xi    s.t.  b_y + <w' - w, d_y> <= xi,  xi >= 0        w' = w - sum_y a_y d_y
    max b'a - a'Ga/2             s.t.  a >= 0,  sum a <= C                         G = <d_y, d_z>

The program is solved by SMO until its gradients agree within `tolerance`, which is in units of the loss. For k = 1 it is the closed form
min(C, loss / |d|^2). G is summed over the features of the row, and only where an output differs from the gold: a feature that fires at
one such token adds m <e_y - e_gold, e_z - e_gold> of that token, four comparisons; others are summed in k rows of lanes.
"""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .decode import kbest
from .given import times
from .jit import generic, inner
from .lanes import load, splat, total
from .simplex import climb
from .structure import add_path, augment, clear
from .sweep import pace, stretch
from .token_rows import FIRST, ONE, find_hot


class Margins(NamedTuple):
    """The schedule of k-best MIRA: the cap C, and scratch for k outputs of up to T tokens. Row k of path and of part is the gold."""

    cap: float
    tolerance: float
    limit: int  # steps of SMO
    score: np.ndarray  # [T, Y, k]
    back: np.ndarray  # int32 [T, Y, k]
    rank: np.ndarray  # int32 [T, Y, k]
    path: np.ndarray  # int32 [k+1, T]
    value: np.ndarray  # [k]      score + cost, then b
    part: np.ndarray  # int32 [k+1, T]  the node (label) or edge (previous * L + label) at a token
    hot: np.ndarray  # bool [T]   where any output has another part than the gold
    mass: np.ndarray  # [T]       m value^2 of the features that fire at this hot token alone
    sums: np.ndarray  # [k * Y, L]  kept at 0 between uses
    gram: np.ndarray  # [k, k]
    a: np.ndarray  # [k]
    slope: np.ndarray  # [k]
    worst: np.ndarray  # [1]      the largest violation that SMO has left


@pace.when(Margins)
def _(schedule, step):
    return 0.0


@generic
def best_outputs(s, n, found):
    """The outputs with the highest work into found.path and found.value, best first; returns how many there are."""
    raise TypeError(s)


@best_outputs.when(Chain)
def _(s, n, found):
    return kbest(s, n, len(found.value), found.score, found.back, found.rank, found.path, found.value)


@best_outputs.when(Choice)
def _(s, n, found):
    for rank in range(len(found.value)):
        best = -1
        for y in range(s.labels):
            taken = False
            for other in range(rank):
                taken = taken or found.path[other, 0] == y
            if not taken and s.work[0, y] > -np.inf and (best < 0 or s.work[0, y] > s.work[0, best]):
                best = y
        if best < 0:
            return np.int64(rank)
        found.path[rank, 0], found.value[rank] = best, s.work[0, best]
    return np.int64(len(found.value))


@inner
def find_parts(m, n, count, previous, width):
    """part and hot of all tokens; previous: 0 for nodes, 1 for edges, which token 0 has none of."""
    gold = len(m.value)
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
def spread(m, count, h, t, x):
    """sums += x (e_y - e_gold) of token t for every output."""
    width, right = m.sums.shape[1], m.part[len(m.value), t]
    for p in range(count):
        part = m.part[p, t]
        m.sums[p * h + part // width, part % width] += x
        m.sums[p * h + right // width, right % width] -= x


@inner
def wipe(m, count, h, t):
    """sums = 0 where spread has written."""
    width, right = m.sums.shape[1], m.part[len(m.value), t]
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
            right = m.part[len(m.value), t]
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
                    spread(m, count, h, place[p], times(occurrences.value, p, 1.0))
            multiply(m, count, h, weights.lanes, copies)
            for p in range(mark[e], mark[e + 1]):
                if m.hot[place[p]]:
                    wipe(m, count, h, place[p])


@generic
def add_edges(s, m, n, count, rows, i, edge):
    """gram += what the edges add."""
    raise TypeError(s)


@add_edges.when(Choice)
def _(s, m, n, count, rows, i, edge):
    pass


@add_edges.when(Chain)
def _(s, m, n, count, rows, i, edge):
    find_parts(m, n, count, 1, m.sums.shape[1])
    for t in range(1, n):
        if m.hot[t]:
            spread(m, count, edge.height, t, 1.0)
    multiply(m, count, edge.height, edge.lanes, 1.0)
    for t in range(1, n):
        wipe(m, count, edge.height, t)
    if s.pitch:
        add_features(m, count, rows.edge, i, ONE, edge)
        compare(m, n, count)


@stretch.when(Margins)
def _(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch):
    m, k = schedule, len(schedule.value)
    first = rows.token[i]
    for t in range(n):
        m.path[k, t] = s.path[t]  # the lower term was the last to look for a path
    augment(s, rows.gold[first : first + n], rows.price, n, upper.cost, upper.inside)
    count = best_outputs(s, n, m)
    best = m.value[0]
    for p in range(k):
        m.value[p] = loss + (m.value[p] - best) if p < count else -1.0
        m.a[p] = 0.0
        for q in range(k):
            m.gram[p, q] = 0.0
    find_parts(m, n, count, 0, 0)
    add_features(m, count, rows.node, i, FIRST, node)
    compare(m, n, count)
    add_edges(s, m, n, count, rows, i, edge)
    for p in range(k):
        for q in range(p):
            m.gram[q, p] = m.gram[p, q]
    _, violation, _ = climb(m.gram, m.value, m.a, m.cap * scale, m.slope, m.tolerance, m.limit)
    m.worst[0] = max(m.worst[0], violation)
    clear(s, n)
    mass = 0.0
    for p in range(k + 1):
        sign = -mass if p == k else m.a[p]
        if sign != 0.0:
            for t in range(n):
                s.path[t] = m.path[p, t]
            add_path(s, n, sign)
            mass += sign
    find_hot(s.mu_node, s.lanes, n, 0.0, scratch.hot)
    return 1.0 / scale
