"""Working sets of outputs, one per row, and the exchange of mass within them (planes.py; Tsochantaridis et al. 2005; Chang and Yih
2013)."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.planes import best_length, collect, fixed_score, right_part, score_planes, take_right, take_step
from widemargin.engine.rows import row, score
from widemargin.engine.structure import add_output, clear, output_cost, output_score, outputs, part_at, set_part, slots
from widemargin.engine.tables import Reader
from widemargin.engine.terms import factor, measure

ZERO, NONE = -1, -2  # no planes of the working set: the one that is 0 everywhere, and none at all
NEWER = 1e-9  # a decoded plane must beat the known ones by so much of itself


class WorkingSets(NamedTuple):
    """Up to K planes per row, each an output, its cost, offset and mass; rest: the mass of the plane 0."""

    at: np.ndarray  # int64 [n+1]   where the slots of a row begin
    part: np.ndarray  # integers [K, N]   the output's part in each slot, as one number (structure.part_at)
    cost: np.ndarray  # [n, K]
    offset: np.ndarray  # [n, K]
    mass: np.ndarray  # [n, K]
    idle: np.ndarray  # int16 [n, K]   -1: no plane here; else the epochs for which it has had no mass
    rest: np.ndarray  # [n]
    gap: np.ndarray  # [n]   by how much the best plane beat the row's mixture when the row was last met, times its share
    right: np.ndarray  # int64 [slots]   scratch: the parts of the row's right output
    hot: np.ndarray  # bool [slots]   scratch: where some plane of the row differs from it
    value: np.ndarray  # [K]   scratch: the values of the row's planes


class Pass(NamedTuple):
    """Which rows are visited. decode: first look for each row's best output and keep it as a plane. Without, only places at which planes
    differ are scored, and rows whose gap was below `least` when last met are left alone. move: do masses and weights move?"""

    order: np.ndarray  # int64 [n]
    decode: bool
    least: float
    move: bool


class Exchanged(NamedTuple):
    """How far a pass has come: what it is given, and gives back."""

    place: int  # rows of the order that are done
    loss: float  # summed, each row's under the weights that met it (when decoding)
    gap: float  # likewise
    added: int  # planes
    full: int  # planes that found no place
    moved: int  # rows


@inner
def find_hot_slots(target, sets, i, gold, n, s):
    """sets.right, and the slots in which some plane of row i differs from it; returns whether there is any plane."""
    some, hot, first, many = False, sets.hot, sets.at[i], slots(s, n)
    for t in range(many):
        hot[t], sets.right[t] = False, right_part(target, s, i, gold, t)
    for p in range(sets.idle.shape[1]):
        if sets.idle[i, p] >= 0:
            some = True
            for t in range(many):
                hot[t] = hot[t] or sets.part[p, first + t] != sets.right[t]
    return some


@inner
def is_known(sets, i, n, s, out):
    """Is out a plane already? Rounding can make it look better than itself."""
    for p in range(sets.idle.shape[1]):
        same = sets.idle[i, p] >= 0
        for t in range(slots(s, n) if same else 0):
            same = same and sets.part[p, sets.at[i] + t] == part_at(s, out, t)
        if same:
            return True
    return False


@inner
def take_plane(sets, i, p, n, s, out):
    """out = the output of plane p."""
    for t in range(slots(s, n)):
        set_part(s, out, t, sets.part[p, sets.at[i] + t])


@inner
def free_slot(sets, i):
    """A place for one more plane of row i: an empty one, else that of the lowest plane without mass, else NONE."""
    slot = NONE
    for p in range(len(sets.value)):
        if sets.idle[i, p] < 0:
            return p
        if sets.mass[i, p] == 0.0 and (slot == NONE or sets.value[p] < sets.value[slot]):
            slot = p
    return slot


@inner
def add_plane(term, sets, i, slot, rows, s, out, right):
    """out becomes plane `slot` of row i; right: its right output."""
    n, gold, price = row(rows.target, i)
    for t in range(slots(s, n)):
        sets.part[slot, sets.at[i] + t] = part_at(s, out, t)
    cost = output_cost(s, gold, price, n, out)
    more = fixed_score(rows.input, s, i, n, out) - fixed_score(rows.input, s, i, n, right)
    sets.cost[i, slot] = cost
    sets.offset[i, slot] = cost + factor(term, cost) * more
    sets.mass[i, slot], sets.idle[i, slot] = 0.0, 0


@inner
def exchange_direction(term, sets, i, up, down, n, s, right):
    """mu = r_up - r_down; right: the row's right output."""
    k_up = 0.0 if up == ZERO else factor(term, sets.cost[i, up])
    k_down = 0.0 if down == ZERO else factor(term, sets.cost[i, down])
    out, _ = outputs(s)
    clear(s, n)
    if up != ZERO:
        take_plane(sets, i, up, n, s, out)
        add_output(s, n, k_up, out)
    if down != ZERO:
        take_plane(sets, i, down, n, s, out)
        add_output(s, n, -k_down, out)
    if k_up != k_down:
        add_output(s, n, k_down - k_up, right)


@inner
def shift(sets, i, up, down, step):
    """Mass `step` goes from plane `down` to plane `up`."""
    if up == ZERO:
        sets.rest[i] += step
    else:
        sets.mass[i, up] += step
    if down == ZERO:
        sets.rest[i] -= step
    else:
        sets.mass[i, down] -= step


@kernel
def exchange(visits, rows, s, terms, ascent, sets, done):
    """One Pass over the working sets, from row done.place of its order on. Returns the fields of an Exchanged, which stops early where a
    row finds no room; called again with more, the pass goes on."""
    order, decode, least, move = visits
    rule, tables, pending, l2 = ascent
    place, loss, gap, added, full, moved = done
    reader = Reader(rule, tables, np.int64(0))
    out, right = outputs(s)
    for b in range(place, len(order)):
        i = order[b]
        n, gold, price = row(rows.target, i)
        share = rows.weight[i] / len(rows.weight)
        fits = True
        if decode:
            fits = score(rows.input, s, i, n, reader)
        elif sets.gap[i] < least:
            gap += sets.gap[i]
            continue
        elif find_hot_slots(rows.target, sets, i, gold, n, s):
            fits = score_planes(rows.input, s, i, n, sets, reader)
        else:
            continue
        if not fits:
            return b, loss, gap, added, full, moved
        take_right(rows.target, s, i, n, gold, right)
        score_of_right = output_score(s, n, right)
        up, down, high, mean = ZERO, ZERO, 0.0, 0.0
        low = 0.0 if sets.rest[i] > 0.0 else np.inf
        for p in range(len(sets.value)):
            if sets.idle[i, p] >= 0:
                take_plane(sets, i, p, n, s, out)
                value = sets.cost[i, p] + factor(terms.upper, sets.cost[i, p]) * (output_score(s, n, out) - score_of_right)
                sets.value[p] = value
                mean += sets.mass[i, p] * value
                if value > high:
                    up, high = p, value
                if sets.mass[i, p] > 0.0 and value < low:
                    down, low = p, value
        if decode:
            under = measure(terms.lower, s, gold, price, n, 0.0, right)
            best = measure(terms.upper, s, gold, price, n, 0.0, out) - under
            loss += share * best
            if best > high + NEWER * (1.0 + abs(best)) and not is_known(sets, i, n, s, out):
                slot = free_slot(sets, i)
                if slot == NONE:
                    full += 1
                else:
                    add_plane(terms.upper, sets, i, slot, rows, s, out, right)
                    up, high = slot, best
                    added += 1
        sets.gap[i] = share * (high - mean)
        gap += sets.gap[i]
        if move and high > low and share > 0.0 and up != down:
            most = sets.rest[i] if down == ZERO else sets.mass[i, down]
            exchange_direction(terms.upper, sets, i, up, down, n, s, right)
            square = collect(rows.input, s, i, n, pending, reader)
            step = best_length(high - low, square, share, l2, most)
            take_step(rows.input, s, i, n, step * share / l2, pending, reader)
            shift(sets, i, up, down, step)
            moved += 1
    return len(order), loss, gap, added, full, moved
