"""k-best MIRA on trees: the program of margins.py, whose k outputs are trees (tree_kbest.py).

d_y = Phi' (mu_y - mu_gold) of the k trees are gathered side by side, as k layers of one gradient, and only for arcs in which a tree differs
from the gold. So G = <d_y, d_z> and the step sum_y a_y d_y are sums over the gathered rows.
"""

from typing import NamedTuple

import numpy as np

from .arc_gradients import gather_tree
from .arc_tables import room
from .jit import inner
from .lanes import load, splat, store, total
from .simplex import climb
from .structure import add_path, augment, clear
from .sweep import Pending, pace, stretch
from .tree_kbest import kbest_trees


class TreeMargins(NamedTuple):
    """The schedule of k-best MIRA: the cap C, and scratch for k trees of up to T words. Row k of head and label is the gold."""

    cap: float
    tolerance: float
    limit: int  # steps of SMO
    keep: np.ndarray  # [T+1, T+1]  and six more for tree_kbest
    pool_value: np.ndarray  # [k]
    pool_from: np.ndarray  # int32 [k]
    pool_head: np.ndarray  # int32 [k, T+1]
    pool_label: np.ndarray  # int32 [k, T+1]
    banned: np.ndarray  # [k]
    head: np.ndarray  # int32 [k+1, T+1]
    label: np.ndarray  # int32 [k+1, T+1]
    value: np.ndarray  # [k]      score + cost, then b
    node: Pending  # k layers
    edge: Pending
    gram: np.ndarray  # [k, k]
    a: np.ndarray  # [k]
    slope: np.ndarray  # [k]
    worst: np.ndarray  # [1]      the largest violation that SMO has left


@pace.when(TreeMargins)
def _(schedule, step):
    return 0.0


@inner
def take_tree(m, p, n, s):
    """The tree in row p."""
    for t in range(1, n + 1):
        s.arcs.head[t], s.arcs.label[t] = m.head[p, t], m.label[p, t]


@inner
def multiply_layers(layers, lanes, count, gram):
    """gram += <layer p, layer q>, for q <= p."""
    for j in range(layers.used[0]):
        for p in range(count):
            row = load(layers.g, j * layers.span + p, lanes)
            for q in range(p + 1):
                gram[p, q] += total(row * load(layers.g, j * layers.span + q, lanes))


@inner
def hand_on(layers, lanes, count, a, pending):
    """pending = sum_p a_p layer p; the layers are empty then."""
    for j in range(layers.used[0]):
        f = np.int64(layers.feature[j])
        sums = splat(layers.g, 0.0, lanes)
        for p in range(count):
            sums += load(layers.g, j * layers.span + p, lanes) * a[p]
        store(pending.g, room(pending, f, lanes), sums)
        layers.slot[f] = -1
    layers.used[0] = 0


@stretch.when(TreeMargins)
def _(schedule, rate, rows, s, i, n, loss, upper, scale, rule, node, edge, node_pending, edge_pending, now, skip, scratch):
    m, k = schedule, len(schedule.value)
    first = rows.token[i]
    for t in range(1, n + 1):
        m.head[k, t], m.label[k, t] = s.arcs.head[t], s.arcs.label[t]  # the lower term was the last to look for a tree
    augment(s, rows.gold[first : first + n], rows.price, n, upper.cost, upper.inside)
    count = kbest_trees(s, n, k, m.keep, m.pool_value, m.pool_from, m.pool_head, m.pool_label, m.banned, m.value, m.head, m.label)
    best = m.value[0]
    for p in range(k):
        m.value[p] = loss + (m.value[p] - best) if p < count else -1.0
        m.a[p] = 0.0
        for q in range(k):
            m.gram[p, q] = 0.0
    for p in range(count):
        clear(s, n)
        take_tree(m, p, n, s)
        add_path(s, n, 1.0)
        take_tree(m, k, n, s)
        add_path(s, n, -1.0)
        gather_tree(rows.plan, rows.codes, s, n, 1.0, 0.0, node.lanes, m.node, m.edge, p)
    multiply_layers(m.node, node.lanes, count, m.gram)
    multiply_layers(m.edge, edge.lanes, count, m.gram)
    for p in range(k):
        for q in range(p):
            m.gram[q, p] = m.gram[p, q]
    _, violation, _ = climb(m.gram, m.value, m.a, m.cap * scale, m.slope, m.tolerance, m.limit)
    m.worst[0] = max(m.worst[0], violation)
    hand_on(m.node, node.lanes, count, m.a, node_pending)
    hand_on(m.edge, edge.lanes, count, m.a, edge_pending)
    rows.codes.kept[0] = True
    return 1.0 / scale
