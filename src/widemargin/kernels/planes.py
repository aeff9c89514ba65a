"""Dual ascent on the hinge, row by row: every loss_i is a maximum of planes, and a dual learner keeps the planes it has met.

A plane of row i is an output y: its part vector r_y = mu_y - mu_gold, its offset b_y = cost(y) (and what base scores add), and its
value b_y + <w, Phi' r_y>, which is the loss of y under w. With shares c_i = weight_i / n and masses a_iy >= 0, sum_y a_iy = 1 (the gold is
the plane that is 0 everywhere), weak duality says

    w(a) = -1/l2 sum_i c_i Phi' sum_y a_iy r_y,      D(a) = sum_i c_i sum_y a_iy b_iy - l2/2 |w(a)|^2  <=  F(w)   for every w.

A step moves mass s along a direction d of part vectors of one row (s <= most). With v = <scores + costs, d> the gain is
s c v - s^2/2 c^2/l2 |Phi' d|^2, largest at s = v l2 / (c |Phi' d|^2). Masses live on parts or paths, never on features: only |Phi' d|^2 and
w itself are gathered over features.

    mix        d = r_y - sum_y a_iy r_y for the best y: block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013);
               a mixture of parts is kept
    exchange   d = r_up - r_down, the best plane against the worst that has mass: SMO on one row's working set of paths
               (Tsochantaridis et al. 2005; Chang and Yih 2013, L1 loss)
"""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .given import base_row, times
from .jit import generic, inner, kernel
from .lanes import load, splat, store, total, where_nonzero
from .rules import move, tick
from .structure import add_path, argmax, clear, path_score
from .sweep import FIRST, MOVE, NORM, ONE, add_scores, find_hot, pull_edges, score_edges
from .terms import augment, measure, take_gold

GOLD, NONE = -1, -2  # planes that are not in the working set
NEWER = 1e-9  # a decoded plane must beat the known ones by so much of itself


class Mixture(NamedTuple):
    """sum_y a_iy r_y of every row, by parts, and its offset. The edges of row i: Y rows, or Y per token when they differ by position."""

    node: np.ndarray  # [N, L]
    edge: np.ndarray  # [n * Y or N * Y, L]
    offset: np.ndarray  # [n]
    live: np.ndarray  # bool [n]   is there mass anywhere but on the gold?


class Gathered(NamedTuple):
    """Phi' d of one row, for its node features; memory for the row with most of them."""

    feature: np.ndarray  # int32 [E]
    g: np.ndarray  # [E, L]
    copies: np.ndarray  # [F]


class Paths(NamedTuple):
    """Working sets: up to K planes per row, each a path, its offset and its mass; `rest` is the mass of the gold."""

    label: np.ndarray  # int16 [K, N]
    offset: np.ndarray  # [n, K]
    mass: np.ndarray  # [n, K]
    idle: np.ndarray  # int16 [n, K]   -1: no plane here; else the epochs for which it has had no mass
    rest: np.ndarray  # [n]


@inner
def score(i, rows, s, rule, node, edge, now):
    """Scores of row i into the structure."""
    first = rows.token[i]
    n = rows.token[i + 1] - first
    for t in range(n):
        store(s.node, t, base_row(rows.base, first + t, s))
    add_scores(s.node, ONE, rows.node, i, FIRST, rule, node, now)
    score_edges(s, rows, i, n, rule, edge, now)


@inner
def collect(i, n, rows, s, edge, pending, rule, now, scratch, found):
    """Phi' d for the direction d in the structure's mu: node rows that are not 0 into `found`. Returns their number and |Phi' d|^2."""
    count, square, mark, place, hot = 0, 0.0, rows.node.mark, rows.node.place, scratch.hot
    find_hot(s.mu_node, s.lanes, n, 0.0, hot)
    for e in range(rows.node.at[i], rows.node.at[i + 1]):
        lively = False
        for p in range(mark[e], mark[e + 1]):
            lively = lively or hot[place[p]]
        if lively:
            sums = splat(found.g, 0.0, s.lanes)
            for p in range(mark[e], mark[e + 1]):
                if hot[place[p]]:
                    sums += times(rows.node.value, p, load(s.mu_node, place[p], s.lanes))
            f = rows.node.feature[e]
            store(found.g, count, sums)
            found.feature[count] = f
            square += total(sums * sums) * found.copies[f]
            count += 1
    return count, square + pull_edges(s, rows, i, n, rule, edge, pending, scratch, 1.0, 0.0, now, NORM)


@inner
def take_step(i, n, rows, s, rule, node, edge, pending, rate, now, scratch, found, count):
    """w -= rate Phi' d, as collected."""
    for j in range(count):
        move(rule, node, np.int64(found.feature[j]), found.g, j, rate, now)
    pull_edges(s, rows, i, n, rule, edge, pending, scratch, 1.0, rate, now, MOVE)


@inner
def length(violation, square, share, l2, most):
    """The best step: violation l2 / (share |Phi' d|^2), at most `most`."""
    return min(most, violation * l2 / (share * square)) if square > 0.0 else most


@generic
def turn_edges(s, i, first, n, mixture):
    """mu -= the mixture's edges; returns <edge scores, mu> and its fixed part."""
    raise TypeError(s)


@turn_edges.when(Choice)
def _(s, i, first, n, mixture):
    return 0.0, 0.0


@turn_edges.when(Chain)
def _(s, i, first, n, mixture):
    value, fixed, Y = 0.0, 0.0, s.labels
    at = first * Y if s.pitch else i * Y
    zero = splat(s.mu_edge, 0.0, s.lanes)
    for r in range(n * Y if s.pitch else Y):
        d = load(s.mu_edge, r, s.lanes) - load(mixture.edge, at + r, s.lanes)
        store(s.mu_edge, r, d)
        value += total(where_nonzero(d, d * load(s.edge, r, s.lanes), zero))  # what is illegal scores -inf and has no mass
        fixed += total(where_nonzero(d, d * load(s.step, r % Y, s.lanes), zero))
    return value, fixed


@generic
def mix_edges(s, i, first, n, step, mixture):
    """mixture += step mu, for its edges."""
    raise TypeError(s)


@mix_edges.when(Choice)
def _(s, i, first, n, step, mixture):
    pass


@mix_edges.when(Chain)
def _(s, i, first, n, step, mixture):
    at = first * s.labels if s.pitch else i * s.labels
    for r in range(n * s.labels if s.pitch else s.labels):
        store(mixture.edge, at + r, load(mixture.edge, at + r, s.lanes) + load(s.mu_edge, r, s.lanes) * step)


@inner
def turn(s, rows, i, first, n, mixture):
    """mu -= the mixture; returns <scores + prices, mu>, by how much the row's best output beats its mixture, and the fixed part of that."""
    violation, fixed = turn_edges(s, i, first, n, mixture)
    values, offsets = splat(s.mu_node, 0.0, s.lanes), splat(s.mu_node, 0.0, s.lanes)
    for t in range(n):
        d = load(s.mu_node, t, s.lanes) - load(mixture.node, first + t, s.lanes)
        store(s.mu_node, t, d)
        price = load(rows.price, rows.gold[first + t], s.lanes)
        values += d * (load(s.node, t, s.lanes) + price)
        offsets += d * (base_row(rows.base, first + t, s) + price)
    return violation + total(values), fixed + total(offsets)


@kernel
def mix(order, rows, s, upper, lower, rule, node, edge, pending, mixture, l2, now, scratch, found):
    """One pass of block-coordinate Frank-Wolfe with line search.

    Returns the summed loss and gap, each row's under the weights that met it, and the rows that moved.
    """
    loss, gap, moved = 0.0, 0.0, 0
    for i in order:
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        share = rows.weight[i] / len(rows.weight)
        score(i, rows, s, rule, node, edge, now)
        clear(s, n)
        loss += share * (measure(upper, s, gold, rows.price, n, 1.0) - measure(lower, s, gold, rows.price, n, -1.0))
        violation, fixed = 0.0, 0.0
        if mixture.live[i] or find_hot(s.mu_node, s.lanes, n, 0.0, scratch.hot):
            violation, fixed = turn(s, rows, i, first, n, mixture)
        gap += share * violation
        if violation > 0.0 and share > 0.0:
            count, square = collect(i, n, rows, s, edge, pending, rule, now, scratch, found)
            step = length(violation, square, share, l2, 1.0)
            take_step(i, n, rows, s, rule, node, edge, pending, step * share / l2, now, scratch, found, count)
            for t in range(n):
                store(mixture.node, first + t, load(mixture.node, first + t, s.lanes) + load(s.mu_node, t, s.lanes) * step)
            mix_edges(s, i, first, n, step, mixture)
            mixture.offset[i] += step * fixed
            mixture.live[i] = True
            moved += 1
        now += 1
        tick(rule, 0.0, now)
    return loss, gap, moved


@generic
def fixed_score(s, rows, first, n):
    """What base scores give to the path."""
    raise TypeError(s)


@fixed_score.when(Choice)
def _(s, rows, first, n):
    store(s.work, 0, base_row(rows.base, first, s))
    return np.float64(s.work[0, s.path[0]])


@fixed_score.when(Chain)
def _(s, rows, first, n):
    value = 0.0
    for t in range(n):
        store(s.work, t, base_row(rows.base, first + t, s))
        value += s.work[t, s.path[t]]
        if t > 0:
            value += s.step[s.path[t - 1], s.path[t]]
    return value


@inner
def has_planes(paths, i):
    """Is anything in row i's working set?"""
    for p in range(paths.idle.shape[1]):
        if paths.idle[i, p] >= 0:
            return True
    return False


@inner
def known(paths, i, first, n, s):
    """Is the path in the structure a plane already? Rounding can make it look better than itself."""
    for p in range(paths.idle.shape[1]):
        same = paths.idle[i, p] >= 0
        for t in range(n if same else 0):
            same = same and paths.label[p, first + t] == s.path[t]
        if same:
            return True
    return False


@inner
def take_path(paths, p, first, gold, n, s):
    """The path of plane p, or the gold one."""
    for t in range(n):
        s.path[t] = gold[t] if p == GOLD else paths.label[p, first + t]


@inner
def path_cost(s, gold, price, n):
    """Summed prices of the path."""
    cost = 0.0
    for t in range(n):
        cost += price[gold[t], s.path[t]]
    return cost


@inner
def free_slot(paths, i, value):
    """A place for one more plane of row i: an empty one, else that of the lowest plane without mass, else NONE."""
    slot = NONE
    for p in range(len(value)):
        if paths.idle[i, p] < 0:
            return p
        if paths.mass[i, p] == 0.0 and (slot == NONE or value[p] < value[slot]):
            slot = p
    return slot


@inner
def add_plane(paths, i, slot, rows, s, first, gold, n):
    """The path in the structure becomes plane `slot` of row i."""
    for t in range(n):
        paths.label[slot, first + t] = s.path[t]
    offset = path_cost(s, gold, rows.price, n) + fixed_score(s, rows, first, n)
    take_path(paths, GOLD, first, gold, n, s)
    paths.offset[i, slot] = offset - fixed_score(s, rows, first, n)
    paths.mass[i, slot], paths.idle[i, slot] = 0.0, 0


@kernel
def exchange(order, rows, s, decode, steps, rule, node, edge, pending, paths, l2, value, scratch, found):
    """One pass over the working sets. decode: look for each row's best output and keep it as a plane; steps: move mass between planes.

    Returns the summed loss (when decoding) and gap, each row's under the weights that met it, the planes added, those that found no place,
    and the rows that moved. value [K] is scratch.
    """
    loss, gap, added, full, moved, now = 0.0, 0.0, 0, 0, 0, np.int64(0)
    for i in order:
        if not decode and not has_planes(paths, i):
            continue
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        share = rows.weight[i] / len(rows.weight)
        score(i, rows, s, rule, node, edge, now)
        take_gold(s.path, gold, n)
        right = path_score(s, n)
        up, down, high, mean = GOLD, GOLD, 0.0, 0.0
        low = 0.0 if paths.rest[i] > 0.0 else np.inf
        for p in range(len(value)):
            if paths.idle[i, p] >= 0:
                take_path(paths, p, first, gold, n, s)
                value[p] = path_score(s, n) + path_cost(s, gold, rows.price, n) - right
                mean += paths.mass[i, p] * value[p]
                if value[p] > high:
                    up, high = p, value[p]
                if paths.mass[i, p] > 0.0 and value[p] < low:
                    down, low = p, value[p]
        if decode:
            augment(s, gold, rows.price, n, 1.0, False)
            best = argmax(s, n) - right
            loss += share * best
            if best > high + NEWER * (1.0 + abs(best)) and not known(paths, i, first, n, s):
                slot = free_slot(paths, i, value)
                if slot == NONE:
                    full += 1
                else:
                    add_plane(paths, i, slot, rows, s, first, gold, n)
                    up, high = slot, best
                    added += 1
        gap += share * (high - mean)
        if steps and high > low and share > 0.0 and up != down:
            most = paths.rest[i] if down == GOLD else paths.mass[i, down]
            clear(s, n)
            take_path(paths, up, first, gold, n, s)
            add_path(s, n, 1.0)
            take_path(paths, down, first, gold, n, s)
            add_path(s, n, -1.0)
            count, square = collect(i, n, rows, s, edge, pending, rule, now, scratch, found)
            step = length(high - low, square, share, l2, most)
            take_step(i, n, rows, s, rule, node, edge, pending, step * share / l2, now, scratch, found, count)
            if up == GOLD:
                paths.rest[i] += step
            else:
                paths.mass[i, up] += step
            if down == GOLD:
                paths.rest[i] -= step
            else:
                paths.mass[i, down] -= step
            moved += 1
    return loss, gap, added, full, moved


@kernel
def climb(G, b, a, rest, g, tolerance, limit):
    """max b'a - a'Ga/2 over a >= 0, sum a + rest fixed: SMO, from the a and the slack `rest` given; a is changed in place, g = b - Ga.

    Each step takes mass from where the gradient is lowest to where it is highest (the slack's is 0) until the two are within `tolerance`.
    Returns the slack, the last violation and the steps taken.
    """
    K = len(b)
    for k in range(K):
        g[k] = b[k]
        for j in range(K):
            g[k] -= G[k, j] * a[j]
    for count in range(limit):
        up, high = GOLD, 0.0
        for k in range(K):
            if g[k] > high:
                up, high = k, g[k]
        # the partner promises the largest gain, (difference)^2 / curvature; the lowest gradient is the measure of optimality
        down, low, gain = NONE, high, 0.0
        for k in range(GOLD, K):
            if k != up and (rest if k == GOLD else a[k]) > 0.0:
                slope = high - (0.0 if k == GOLD else g[k])
                low = min(low, high - slope)
                bend = (0.0 if up == GOLD else G[up, up]) + (0.0 if k == GOLD else G[k, k])
                if up != GOLD and k != GOLD:
                    bend -= 2.0 * G[up, k]
                promise = slope * slope / max(bend, 1e-300)
                if slope > 0.0 and promise > gain:
                    down, gain = k, promise
        if down == NONE or high - low <= tolerance:
            return rest, high - low, count
        slope = high - (0.0 if down == GOLD else g[down])
        most = rest if down == GOLD else a[down]
        bend = slope * slope / gain
        step = min(most, slope / bend)
        if down == GOLD:
            rest = rest - step
        else:
            a[down] = 0.0 if step == most else a[down] - step
        if up == GOLD:
            rest = rest + step
        else:
            a[up] += step
        for k in range(K):
            g[k] += (0.0 if down == GOLD else G[k, down] * step) - (0.0 if up == GOLD else G[k, up] * step)
    return rest, high - low, limit
