"""An epoch of RM-CP over lists: per sentence, the program of all margins and both bounds on the spread, by cutting planes.

    min 1/2 |w - w_t|^2 + C xi + D tau    s.t.  s+ - s(y) >= g+ - g(y) - xi,   s+ - s(y) <= B + tau,   s(y) - s+ <= B + tau    for all y

(eidelman2013, Algorithm 1, as corrected: all three searches take the slack off, and steps keep sum alpha <= C, sum beta <= D). The dual has
a simplex for margins and one for bounds; each in turn is solved exactly by SMO (engine/simplex.py) until neither moves.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.simplex import climb
from widemargin.families.reranking.tuners.gains import after_sentence, gains
from widemargin.families.reranking.tuners.lists import add_features, forget_features, highest, lowest, project, score_list
from widemargin.families.reranking.tuners.passive import find_hope, step_along

ROUNDS = 100  # searches per sentence (MaxIter of the paper)
SWEEPS = 10_000  # exchanges of the two simplices per search
ROOM = 3 * 40  # planes of a sentence
CLOSE = 1e-9


class Planes(NamedTuple):
    """The working set of one sentence: plane p moves w along sign[p] (f+ - f(y_p)), with the linear term need[p]."""

    y: np.ndarray  # int64 [P]   hypotheses
    sign: np.ndarray  # [P]
    need: np.ndarray  # [P]   violation at w_t
    is_bound: np.ndarray  # bool [P]
    gram: np.ndarray  # [P, P]
    a: np.ndarray  # [P]   dual variables
    part: np.ndarray  # [3, P]   of one simplex: b, a, g
    square: np.ndarray  # [P, P]   Gram matrix of one simplex


def no_planes() -> Planes:
    """Memory for one sentence."""
    sign, need, a = (np.zeros(ROOM) for _ in range(3))
    gram, square = np.zeros((ROOM, ROOM)), np.zeros((ROOM, ROOM))
    return Planes(np.zeros(ROOM, np.int64), sign, need, np.zeros(ROOM, bool), gram, a, np.zeros((3, ROOM)), square)


@inner
def add_plane(lists, planes, used, plus, y, scratch):
    """The plane of hypothesis y has been written; its Gram row is made. scratch [D]: zeros, and zeros again."""
    add_features(lists, plus, 1.0, scratch)
    add_features(lists, y, -1.0, scratch)
    here = project(lists, plus, scratch)
    for p in range(used + 1):
        product = planes.sign[used] * planes.sign[p] * (here - project(lists, planes.y[p], scratch))
        planes.gram[used, p] = product
        planes.gram[p, used] = product
    forget_features(lists, plus, scratch)
    forget_features(lists, y, scratch)


@inner
def solve_side(planes, used, bounds, cap):
    """One simplex maximised, the other fixed; returns the largest change of a dual variable."""
    b, a, g, count = planes.part[0], planes.part[1], planes.part[2], 0
    left = cap
    for p in range(used):
        if planes.is_bound[p] == bounds:
            b[count], a[count] = planes.need[p], planes.a[p]
            left -= planes.a[p]
            other = 0
            for q in range(used):
                if planes.is_bound[q] == bounds:
                    planes.square[count, other] = planes.gram[p, q]
                    other += 1
                else:
                    b[count] -= planes.gram[p, q] * planes.a[q]
            count += 1
    climb(planes.square[:count, :count], b[:count], a[:count], max(left, 0.0), g[:count], 1e-12, 10000)
    change, count = 0.0, 0
    for p in range(used):
        if planes.is_bound[p] == bounds:
            change = max(change, abs(planes.a[p] - a[count]))
            planes.a[p] = a[count]
            count += 1
    return change


@inner
def slack_of(planes, used, bounds):
    """The slack of one kind of planes: their largest violation, at least 0."""
    most = 0.0
    for p in range(used):
        if planes.is_bound[p] == bounds:
            value = planes.need[p]
            for q in range(used):
                value -= planes.gram[p, q] * planes.a[q]
            most = max(most, value)
    return most


@inner
def most_violated(kind, rule, score, gain, n, hope):
    """(place, violation) of the constraint of a kind that is violated most; kinds: 0 margin, 1 upper, 2 lower."""
    place, most = hope, 0.0
    for k in range(n):
        bound = rule.bound * (abs(gain[hope] - gain[k]) if rule.by_cost else 1.0)
        ahead = score[hope] - score[k]
        violation = (gain[hope] - gain[k]) - ahead
        if kind == 1:
            violation = ahead - bound
        elif kind == 2:
            violation = -ahead - bound
        if k != hope and violation > most:
            place, most = k, violation
    return place, most


@inner
def list_scores(lists, planes, used, first, n, plus, state, start):
    """state.score = scores under w_t + sum_p a_p sign_p (f+ - f(y_p)); start [n]: scores under w_t. scratch is zeros again."""
    for p in range(used):
        add_features(lists, plus, planes.a[p] * planes.sign[p], state.scratch)
        add_features(lists, planes.y[p], -planes.a[p] * planes.sign[p], state.scratch)
    for k in range(n):
        state.score[k] = start[k] + project(lists, first + k, state.scratch)
    for p in range(used):
        forget_features(lists, planes.y[p], state.scratch)
    forget_features(lists, plus, state.scratch)


@inner
def solve_sentence(lists, rule, first, n, hope, state, planes, start):
    """The working set that solves the sentence's program, and its duals; returns its size and what is left: the last violation
    beyond the slacks, or the last move of the duals where they did not settle."""
    plus, used, open_by, unsettled = first + hope, 0, 0.0, 0.0
    for _ in range(ROUNDS):
        open_by, grown = 0.0, False
        for kind in range(3):
            if (kind > 0 and not rule.bound < np.inf) or (kind == 2 and not rule.both) or used == len(planes.y):
                continue
            k, violation = most_violated(kind, rule, state.score, state.gain, n, hope)
            beyond = violation - slack_of(planes, used, kind > 0)
            open_by = max(open_by, beyond)
            if k != hope and beyond > CLOSE:
                planes.y[used], planes.is_bound[used], planes.a[used] = first + k, kind > 0, 0.0
                planes.sign[used] = -1.0 if kind == 1 else 1.0
                ahead = start[hope] - start[k]
                bound = rule.bound * (abs(state.gain[hope] - state.gain[k]) if rule.by_cost else 1.0)
                need = (state.gain[hope] - state.gain[k]) - ahead
                if kind > 0:
                    need = (ahead if kind == 1 else -ahead) - bound
                planes.need[used] = need
                add_plane(lists, planes, used, plus, first + k, state.scratch)
                used += 1
                grown = True
        if not grown:
            return used, max(open_by, unsettled)
        moved = 0.0
        for _ in range(SWEEPS):
            moved = solve_side(planes, used, False, rule.cap)
            moved = max(moved, solve_side(planes, used, True, rule.bound_cap))
            if moved <= CLOSE * max(rule.cap, rule.bound_cap):
                moved = 0.0
                break
        unsettled = max(unsettled, moved)
        list_scores(lists, planes, used, first, n, plus, state, start)
    return used, max(open_by, unsettled)


@kernel
def cutting_epoch(lists, kind, order, rule, state, planes, start):
    """One visit of each sentence in this order; start [the longest list] is scratch. Returns the most that was left open."""
    state.spread[:] = 0.0
    state.updates[1] = 0
    left = 0.0
    for i in order:
        first = lists.row_ptr[i]
        n = score_list(lists, state.w, i, state.score)
        gains(kind, first, n, state.gain)
        hope, best = find_hope(rule.hope, state, first, n), highest(state.score, n)
        spread = state.score[hope] - state.score[lowest(state.score, n)]
        state.spread[0] += spread
        state.spread[1] += spread * spread
        for k in range(n):
            start[k] = state.score[k]
        used, open_by = solve_sentence(lists, rule, first, n, hope, state, planes, start)
        left = max(left, open_by)
        moved = False
        for p in range(used):
            step_along(lists, first + hope, planes.y[p], planes.a[p] * planes.sign[p], state)
            moved |= planes.a[p] > 0.0
        if moved:
            state.updates[0] += 1
            state.updates[1] += 1
        after_sentence(kind, first + hope, first + best, moved)
    return left
