"""Working sets of paths, one per row, and the exchange of mass within them (planes.py; Tsochantaridis et al. 2005; Chang and Yih 2013)."""

from typing import NamedTuple

import numpy as np

from .chain import Chain
from .choice import Choice
from .given import base_row
from .jit import generic, inner, kernel
from .lanes import store
from .planes import collect, gold_part, length, part_at, path_cost, score_planes, set_part, take_step
from .structure import add_path, clear, path_score, take_gold
from .sweep import fill
from .terms import factor, measure

GOLD, NONE = -1, -2  # planes that are not in the working set
NEWER = 1e-9  # a decoded plane must beat the known ones by so much of itself


class Paths(NamedTuple):
    """Working sets: up to K planes per row, each a path, its cost, offset and mass; `rest` is the mass of the gold."""

    part: np.ndarray  # int16 or int32 [K, N]   a token's label, or a word's head and label as one number (planes.part_at)
    cost: np.ndarray  # [n, K]
    offset: np.ndarray  # [n, K]
    mass: np.ndarray  # [n, K]
    idle: np.ndarray  # int16 [n, K]   -1: no plane here; else the epochs for which it has had no mass
    rest: np.ndarray  # [n]
    gap: np.ndarray  # [n]   by how much the best plane beat the row's mixture when the row was last met, times its share


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
def find_planes(paths, i, first, gold, n, s, hot):
    """Tokens at which some plane of row i differs from the gold; returns whether there is any plane."""
    some = False
    for t in range(n):
        hot[t] = False
    for p in range(paths.idle.shape[1]):
        if paths.idle[i, p] >= 0:
            some = True
            for t in range(n):
                hot[t] = hot[t] or paths.part[p, first + t] != gold_part(s, gold, t)
    return some


@inner
def known(paths, i, first, n, s):
    """Is the path in the structure a plane already? Rounding can make it look better than itself."""
    for p in range(paths.idle.shape[1]):
        same = paths.idle[i, p] >= 0
        for t in range(n if same else 0):
            same = same and paths.part[p, first + t] == part_at(s, t)
        if same:
            return True
    return False


@inner
def take_path(paths, p, first, n, s):
    """The path of plane p."""
    for t in range(n):
        set_part(s, t, paths.part[p, first + t])


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
def add_plane(term, paths, i, slot, rows, s, first, gold, n):
    """The path in the structure becomes plane `slot` of row i."""
    for t in range(n):
        paths.part[slot, first + t] = part_at(s, t)
    cost, more = path_cost(s, gold, rows.price, n), fixed_score(s, rows, first, n)
    take_gold(s, gold, n)
    paths.cost[i, slot] = cost
    paths.offset[i, slot] = cost + factor(term, cost) * (more - fixed_score(s, rows, first, n))
    paths.mass[i, slot], paths.idle[i, slot] = 0.0, 0


@inner
def aim(term, paths, i, up, down, first, gold, n, s):
    """mu = r_up - r_down."""
    k_up = 0.0 if up == GOLD else factor(term, paths.cost[i, up])
    k_down = 0.0 if down == GOLD else factor(term, paths.cost[i, down])
    clear(s, n)
    if up != GOLD:
        take_path(paths, up, first, n, s)
        add_path(s, n, k_up)
    if down != GOLD:
        take_path(paths, down, first, n, s)
        add_path(s, n, -k_down)
    if k_up != k_down:
        take_gold(s, gold, n)
        add_path(s, n, k_down - k_up)


@inner
def shift(paths, i, up, down, step):
    """Mass `step` goes from plane `down` to plane `up`."""
    if up == GOLD:
        paths.rest[i] += step
    else:
        paths.mass[i, up] += step
    if down == GOLD:
        paths.rest[i] -= step
    else:
        paths.mass[i, down] -= step


@kernel
def exchange(order, rows, s, upper, lower, decode, least, rule, tables, paths, l2, value):
    """One pass over the working sets. decode: first look for each row's best output and keep it as a plane.

    Without, only tokens at which planes differ are scored, and rows whose gap was below `least` when last met are left alone.
    Returns the summed loss (when decoding) and gap, each row's under the weights that met it, the planes added, those that found no place,
    and the rows that moved. value [K] is scratch.
    """
    loss, gap, added, full, moved, now = 0.0, 0.0, 0, 0, 0, np.int64(0)
    for i in order:
        first = rows.token[i]
        n = rows.token[i + 1] - first
        gold = rows.gold[first : first + n]
        share = rows.weight[i] / len(rows.weight)
        if decode:
            fill(rows, s, i, n, rule, tables.node, tables.edge, now)
        elif paths.gap[i] < least:
            gap += paths.gap[i]
            continue
        elif find_planes(paths, i, first, gold, n, s, tables.scratch.hot):
            score_planes(rows, i, s, rule, tables, paths, now)
        else:
            continue
        take_gold(s, gold, n)
        right = path_score(s, n)
        up, down, high, mean = GOLD, GOLD, 0.0, 0.0
        low = 0.0 if paths.rest[i] > 0.0 else np.inf
        for p in range(len(value)):
            if paths.idle[i, p] >= 0:
                take_path(paths, p, first, n, s)
                value[p] = paths.cost[i, p] + factor(upper, paths.cost[i, p]) * (path_score(s, n) - right)
                mean += paths.mass[i, p] * value[p]
                if value[p] > high:
                    up, high = p, value[p]
                if paths.mass[i, p] > 0.0 and value[p] < low:
                    down, low = p, value[p]
        if decode:
            under = measure(lower, s, gold, rows.price, n, 0.0)
            best = measure(upper, s, gold, rows.price, n, 0.0) - under  # last, for its path is what is kept
            loss += share * best
            if best > high + NEWER * (1.0 + abs(best)) and not known(paths, i, first, n, s):
                slot = free_slot(paths, i, value)
                if slot == NONE:
                    full += 1
                else:
                    add_plane(upper, paths, i, slot, rows, s, first, gold, n)
                    up, high = slot, best
                    added += 1
        paths.gap[i] = share * (high - mean)
        gap += paths.gap[i]
        if high > low and share > 0.0 and up != down:
            most = paths.rest[i] if down == GOLD else paths.mass[i, down]
            aim(upper, paths, i, up, down, first, gold, n, s)
            count, square = collect(rows, i, s, rule, tables, now)
            step = length(high - low, square, share, l2, most)
            take_step(rows, i, s, rule, tables, count, step * share / l2, now)
            shift(paths, i, up, down, step)
            moved += 1
    return loss, gap, added, full, moved
