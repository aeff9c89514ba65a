"""An epoch of RM-CP over lists: per sentence, the program of all margins and both bounds on the spread, by cutting planes.

    min 1/2 |w - w_t|^2 + C xi + D tau    s.t.  s+ - s(y) >= g+ - g(y) - xi,   s+ - s(y) <= B + tau,   s(y) - s+ <= B + tau    for all y

(eidelman2013, Algorithm 1, as corrected: all three searches take the slack off, and steps keep sum alpha <= C, sum beta <= D). The dual has
a simplex for margins and one for bounds. SMO moves mass within one of them at a time, always there where the most is to be gained (as
engine/simplex.py does with one): margins and bounds pull against each other, and to solve each in turn takes far longer.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.engine.simplex import NONE, ROUNDING
from widemargin.families.reranking.tuners.gains import after_sentence, gains
from widemargin.families.reranking.tuners.lists import add_features, forget_features, highest, lowest, project, score_list
from widemargin.families.reranking.tuners.passive import find_hope, step_along

ROUNDS = 100  # searches per sentence (MaxIter of the paper)
STEPS = 100_000  # of SMO per search
ROOM = 3 * 40  # planes of a sentence
CLOSE = 1e-6  # violations up to this, in the unit of scores, are none
SLACK = -1  # in place of a plane: the mass of a simplex that is left


class Planes(NamedTuple):
    """The working set of one sentence: plane p moves w along sign[p] (f+ - f(y_p)), with the linear term need[p]."""

    y: np.ndarray  # int64 [P]   hypotheses
    sign: np.ndarray  # [P]
    need: np.ndarray  # [P]   violation at w_t
    is_bound: np.ndarray  # bool [P]
    gram: np.ndarray  # [P, P]
    a: np.ndarray  # [P]   dual variables
    g: np.ndarray  # [P]   need - gram a
    left: np.ndarray  # [2]   mass of margins and of bounds that no plane has


def no_planes() -> Planes:
    """Memory for one sentence."""
    sign, need, a, g = (np.zeros(ROOM) for _ in range(4))
    return Planes(np.zeros(ROOM, np.int64), sign, need, np.zeros(ROOM, bool), np.zeros((ROOM, ROOM)), a, g, np.zeros(2))


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
def best_pair(planes, used, bounds):
    """Within a simplex: (where mass goes, where it comes from, how much, what that gains, the violation); SLACK is what no plane has."""
    gram, a, g, left = planes.gram, planes.a, planes.g, planes.left[np.int64(bounds)]
    up, high = SLACK, 0.0
    for p in range(used):
        if planes.is_bound[p] == bounds and g[p] > high:
            up, high = p, g[p]
    down, low, gain, step = NONE, high, 0.0, 0.0
    for p in range(SLACK, used):
        mass = left if p == SLACK else a[p]
        if p != up and mass > 0.0 and (p == SLACK or planes.is_bound[p] == bounds):
            difference = high - (0.0 if p == SLACK else g[p])
            low = min(low, high - difference)
            square = (0.0 if up == SLACK else gram[up, up]) + (0.0 if p == SLACK else gram[p, p])
            curvature = square - 2.0 * gram[up, p] if up != SLACK and p != SLACK else square
            # between equal planes both are rounding errors, and no reason to move mass back and forth
            curvature = max(curvature, ROUNDING * square, 1e-300)
            size = min(mass, difference / curvature)
            promise = size * (difference - 0.5 * size * curvature)
            if difference > 0.0 and promise > gain:
                down, gain, step = p, promise, size
    return up, down, step, gain, high - low


@inner
def move_mass(planes, used, bounds, up, down, step):
    """So much mass of a simplex goes from one plane to another."""
    a, gram, left = planes.a, planes.gram, planes.left
    if down == SLACK:
        left[np.int64(bounds)] -= step
    else:
        a[down] = 0.0 if step == a[down] else a[down] - step
    if up == SLACK:
        left[np.int64(bounds)] += step
    else:
        a[up] += step
    for p in range(used):
        planes.g[p] += (0.0 if down == SLACK else gram[p, down] * step) - (0.0 if up == SLACK else gram[p, up] * step)


@inner
def solve_planes(planes, used):
    """Both simplices maximised together; returns the largest violation that is left."""
    for p in range(used):
        planes.g[p] = planes.need[p]
        for q in range(used):
            planes.g[p] -= planes.gram[p, q] * planes.a[q]
    worst = 0.0
    for _ in range(STEPS):
        up, down, step, gain, of_margins = best_pair(planes, used, False)
        other_up, other_down, other_step, other_gain, of_bounds = best_pair(planes, used, True)
        worst = max(of_margins, of_bounds)
        if worst <= 0.5 * CLOSE or max(gain, other_gain) == 0.0:
            return worst
        if gain >= other_gain:
            move_mass(planes, used, False, up, down, step)
        else:
            move_mass(planes, used, True, other_up, other_down, other_step)
    return worst


@inner
def slack_of(planes, used, bounds):
    """The slack of one kind of planes: their largest violation, at least 0."""
    most = 0.0
    for p in range(used):
        if planes.is_bound[p] == bounds:
            most = max(most, planes.g[p])
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
    beyond the slacks, or within the working set where its duals did not settle."""
    plus, used, open_by, unsettled = first + hope, 0, 0.0, 0.0
    planes.left[0], planes.left[1] = rule.cap, rule.bound_cap
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
        unsettled = solve_planes(planes, used)
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
