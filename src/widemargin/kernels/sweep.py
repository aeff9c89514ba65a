"""One pass over the data: score, infer, step. One loop serves every structure x objective x rule, chosen by the types of its arguments."""

from typing import NamedTuple

import numpy as np

from .chain import lanes_of
from .jit import inner, kernel
from .rules import catch_up, decays, move, tick, width
from .terms import measure


class Occurrences(NamedTuple):
    """Where features fire, row by row (kernels/group.py)."""

    at: np.ndarray  # int64 [R+1]      entries of a row
    feature: np.ndarray  # int32 [E]
    mark: np.ndarray  # int64 [E+1]    places of an entry
    place: np.ndarray  # int32 [nnz]   token within the row


class Rows(NamedTuple):
    """Training rows: their tokens, gold labels (-1: not known), prices of errors, weights, and features."""

    token: np.ndarray  # int64 [R+1]
    gold: np.ndarray  # int32 [N]
    price: np.ndarray  # [Y, L]   cost of guessing k when y is right
    weight: np.ndarray  # [R]     how much a row counts
    node: Occurrences
    edge: Occurrences


class Pending(NamedTuple):
    """Gradient rows gathered over a batch: a dense block plus the list of its features, cleared in O(active)."""

    slot: np.ndarray  # int32 [F]   -1 or the feature's place below
    feature: np.ndarray  # int32 [capacity]
    g: np.ndarray  # [capacity, D]
    count: np.ndarray  # int64 [1]


class Schedule(NamedTuple):
    """Step size of Sgd: rate / (1 + decay * step)^power; cap > 0 makes it MIRA's min(cap, loss / |g|^2)."""

    rate: float
    decay: float
    power: float
    cap: float


@inner
def score(s, rows, i, rule, node, edge, now):
    """Scores of row i into the structure, each weight row settled first."""
    L = lanes_of(s)
    first = rows.token[i]
    n = rows.token[i + 1] - first
    lazy = decays(rule)
    for t in range(n):
        u = s.node[t]
        for k in range(L):
            u[k] = 0.0
    at, mark, place = rows.node.at, rows.node.mark, rows.node.place
    for e in range(at[i], at[i + 1]):
        f = rows.node.feature[e]
        if lazy:
            catch_up(rule, node, f, now)
        w = node.row[f, 0]
        for p in range(mark[e], mark[e + 1]):
            u = s.node[place[p]]
            for k in range(L):
                u[k] += w[k]
    if lazy:
        catch_up(rule, edge, np.int64(0), now)
    shared = edge.row[0, 0]
    step = s.step.reshape(s.step.size)
    for t in range(n if s.pitch else 1):
        u = s.edge[t].reshape(step.size)
        for k in range(step.size):
            u[k] = shared[k] + step[k]
    if s.pitch:
        for e in range(rows.edge.at[i], rows.edge.at[i + 1]):
            f = rows.edge.feature[e] + 1
            if lazy:
                catch_up(rule, edge, f, now)
            w = edge.row[f, 0]
            for p in range(rows.edge.mark[e], rows.edge.mark[e + 1]):
                u = s.edge[rows.edge.place[p]].reshape(step.size)
                for k in range(step.size):
                    u[k] += w[k]
    return n


@inner
def clear(s, n):
    """mu = 0."""
    L = lanes_of(s)
    for t in range(n):
        m = s.mu_node[t]
        for k in range(L):
            m[k] = 0.0
    for t in range(n if s.pitch else 1):
        s.mu_edge[t] = 0.0


# np.int64, not int: Numba compiles a function anew for every literal it is called with
NORM, MOVE, KEEP = np.int64(0), np.int64(1), np.int64(2)
NONE, ONE = np.int64(0), np.int64(1)


@inner
def hand_over(weights, pending, rule, f, g, scale, rate, now, mode):
    """What becomes of a gathered gradient row: its squared length, a step, or a place in the batch's block."""
    D = width(weights)
    if mode == NORM:
        square = 0.0
        for k in range(D):
            square += g[k] * g[k]
        return square * scale * scale * weights.copies[f]
    if scale != 1.0:
        for k in range(D):
            g[k] *= scale
    if mode == MOVE:
        move(rule, weights, f, g, rate, now)
    else:
        j = pending.slot[f]
        if j < 0:
            j = pending.count[0]
            pending.count[0] += 1
            pending.slot[f], pending.feature[j] = j, f
            pending.g[j] = 0.0
        into = pending.g[j]
        for k in range(D):
            into[k] += g[k]
    return 0.0


@inner
def visit(occurrences, i, shift, mu, hot, weights, pending, rule, scale, rate, now, mode, g):
    """Gather the gradient of every weight row that row i touches, mu summed over its places, and hand it over."""
    D = width(weights)
    square = 0.0
    mark, place = occurrences.mark, occurrences.place
    for e in range(occurrences.at[i], occurrences.at[i + 1]):
        lively = False
        for p in range(mark[e], mark[e + 1]):
            if hot[place[p]]:
                m = mu[place[p]]
                if lively:
                    for k in range(D):
                        g[k] += m[k]
                else:
                    lively = True
                    for k in range(D):
                        g[k] = m[k]
        if lively:
            square += hand_over(weights, pending, rule, occurrences.feature[e] + shift, g, scale, rate, now, mode)
    return square


@inner
def find_hot(mu, n, D, skip, hot):
    """Which tokens have a residual worth passing on (more than `skip` anywhere); returns whether any has."""
    some = False
    for t in range(n):
        top, m = 0.0, mu[t]
        for k in range(D):
            top = max(top, abs(m[k]))
        hot[t] = top > skip
        some = some or top > skip
    return some


@inner
def pull(s, rows, i, n, rule, node, edge, node_pending, edge_pending, hot, g, scale, rate, now, mode):
    """Gradient of row i into the node rows, the shared transitions (edge row 0) and the observation-dependent ones."""
    square = visit(rows.node, i, NONE, s.mu_node, hot, node, node_pending, rule, scale, rate, now, mode, g)
    if n > 1:
        D = s.step.size
        mu = s.mu_edge.reshape(len(s.mu_edge), D)
        for k in range(D):
            g[k] = mu[0, k]
        if s.pitch:
            for t in range(1, n):
                for k in range(D):
                    g[k] += mu[t, k]
        square += hand_over(edge, edge_pending, rule, NONE, g, scale, rate, now, mode)
        if s.pitch:
            for t in range(n):
                hot[t] = t > 0
            square += visit(rows.edge, i, ONE, mu, hot, edge, edge_pending, rule, scale, rate, now, mode, g)
    return square


@inner
def flush(weights, pending, rule, rate, now):
    """One step of every row that the batch touched."""
    for j in range(pending.count[0]):
        f = pending.feature[j]
        move(rule, weights, f, pending.g[j], rate, now)
        pending.slot[f] = -1
    pending.count[0] = 0


@kernel
def sweep(order, batch, rows, s, upper, lower, rule, node, edge, node_pending, edge_pending, schedule, before, skip, hot, g):
    """Visit the rows in `order`; `before`: steps taken in earlier sweeps. Returns the summed loss, the steps taken and the rows that moved.

    Each batch of rows is one step on the mean of its losses. Weights end settled only after rules.settle.
    """
    total, moved, now = 0.0, 0, np.int64(0)
    for first in range(0, len(order), batch):
        rate = schedule.rate / (1.0 + schedule.decay * (before + now)) ** schedule.power
        size = min(batch, len(order) - first)
        for b in range(first, first + size):
            i = order[b]
            gold = rows.gold[rows.token[i] : rows.token[i + 1]]
            n = score(s, rows, i, rule, node, edge, now)
            clear(s, n)
            loss = measure(upper, s, gold, rows.price, n, 1.0) - measure(lower, s, gold, rows.price, n, -1.0)
            total += rows.weight[i] * loss
            scale = rows.weight[i] / size
            if not find_hot(s.mu_node, n, lanes_of(s), skip, hot) or scale == 0.0:
                continue
            moved += 1
            if schedule.cap > 0.0:
                square = pull(s, rows, i, n, rule, node, edge, node_pending, edge_pending, hot, g, 1.0, 0.0, now, NORM)
                find_hot(s.mu_node, n, lanes_of(s), skip, hot)
                rate = min(schedule.cap, loss / square) if square > 0.0 else 0.0
            pull(s, rows, i, n, rule, node, edge, node_pending, edge_pending, hot, g, scale, rate, now, MOVE if batch == 1 else KEEP)
        if batch > 1:
            flush(node, node_pending, rule, rate, now)
            flush(edge, edge_pending, rule, rate, now)
        now += 1
        tick(rule, rate, now)
    return total, now, moved
