"""An epoch of MIRA or of RM-PA over lists: one step against the most violated margin, and one for each bound on the spread.

With s = <w, f>, gains g, hope y+, fear y-, worst y^w = argmin s and top y^t = argmax s (eidelman2013, section 3.2, steps as corrected):

    margin   (g+ - g-) - (s+ - s-) > 0:   w += min(C, that / |f+ - f-|^2) (f+ - f-)          (MIRA: Crammer et al. 2006)
    upper    s+ - s^w - B > 0:            w -= min(D, that / |f+ - f^w|^2) (f+ - f^w)
    lower    s^t - s+ - B > 0:            w += min(D - upper step, that / |f+ - f^t|^2) (f+ - f^t)

Each step solves the program of its own constraint. y^w and y^t are those before the margin step, or are looked for again after it.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.families.reranking.tuners.gains import after_sentence, gains
from widemargin.families.reranking.tuners.lists import add_features, highest, lowest, project, score_list, square_of_difference

MODEL_AND_METRIC, METRIC, LOCAL, SINGLE = 0, 1, 2, 3  # hopes
COST, LEAST_METRIC, PREDICTION = 0, 1, 2  # fears
NEAREST = 10  # a local hope is the best of so many that score highest


class Rule(NamedTuple):
    """How an epoch steps."""

    cap: float  # C
    bound: float  # B; inf: none
    bound_cap: float  # D
    hope: int
    fear: int
    again: bool  # worst and top are looked for after the margin step
    both: bool  # the lower bound too
    by_cost: bool  # the bound is B * (g+ - g(y))


class State(NamedTuple):
    """Weights on their way, and scratch."""

    w: np.ndarray  # [D]
    steps: np.ndarray  # [D]  sum of u * (step u), for the average: sum_{u=0..U} w_u = (U+1) w - steps
    updates: np.ndarray  # int64 [2]   U, updates so far; sentences of the epoch that were updated
    scratch: np.ndarray  # [D]   zeros
    score: np.ndarray  # [the longest list]
    gain: np.ndarray  # [the longest list]
    single: np.ndarray  # [H]   worth of a hypothesis by itself
    spread: np.ndarray  # [3]   over the epoch: sums of s+ - s^w, of its square, and of s+ - s-


@inner
def best_of_nearest(score, gain, n):
    """The highest gain among the NEAREST highest scores."""
    best = highest(score, n)
    for k in range(n):
        if gain[k] > gain[best]:
            above = 0
            for j in range(n):
                above += score[j] > score[k]
            if above < NEAREST:
                best = k
    return best


@inner
def find_hope(kind, state, first, n):
    """The place of y+ in its list."""
    score, gain = state.score, state.gain
    if kind == METRIC:
        return highest(gain, n)
    if kind == LOCAL:
        return best_of_nearest(score, gain, n)
    if kind == SINGLE:
        return highest(state.single[first:], n)
    best = 0
    for k in range(1, n):
        if score[k] + gain[k] > score[best] + gain[best]:
            best = k
    return best


@inner
def find_fear(kind, state, n):
    """The place of y- in its list."""
    score, gain = state.score, state.gain
    if kind == LEAST_METRIC:
        return lowest(gain, n)
    if kind == PREDICTION:
        return highest(score, n)
    best = 0
    for k in range(1, n):
        if score[k] - gain[k] > score[best] - gain[best]:
            best = k
    return best


@inner
def step_along(lists, plus, minus, step, state):
    """w += step (f(plus) - f(minus)), as part of the update that is under way."""
    if step != 0.0:
        add_features(lists, plus, step, state.w)
        add_features(lists, minus, -step, state.w)
        late = step * (state.updates[0] + 1)
        add_features(lists, plus, late, state.steps)
        add_features(lists, minus, -late, state.steps)


@inner
def margin_step(lists, plus, minus, loss, cap, state):
    """The passive-aggressive step for a loss; returns its size, 0 where there is no loss or no difference."""
    if not loss > 0.0:
        return 0.0
    square = square_of_difference(lists, plus, minus, state.scratch)
    if not square > 0.0:
        return 0.0
    step = min(cap, loss / square)
    step_along(lists, plus, minus, step, state)
    return step


@inner
def bound_steps(lists, rule, first, n, hope, state):
    """Both bounds' steps around y+; returns whether something moved."""
    worst, top = lowest(state.score, n), highest(state.score, n)
    plus, moved, left = first + hope, False, rule.bound_cap
    if rule.again:
        for k in range(n):
            state.score[k] = project(lists, first + k, state.w)
        worst, top = lowest(state.score, n), highest(state.score, n)
    bound = rule.bound * (abs(state.gain[hope] - state.gain[worst]) if rule.by_cost else 1.0)
    over = project(lists, plus, state.w) - project(lists, first + worst, state.w) - bound
    step = margin_step(lists, first + worst, plus, over, left, state)
    left -= step
    moved |= step > 0.0
    if rule.both and left > 0.0:
        bound = rule.bound * (abs(state.gain[hope] - state.gain[top]) if rule.by_cost else 1.0)
        over = project(lists, first + top, state.w) - project(lists, plus, state.w) - bound
        moved |= margin_step(lists, plus, first + top, over, left, state) > 0.0
    return moved


@kernel
def passive_epoch(lists, kind, order, rule, state):
    """One visit of each sentence in this order. state.spread is the epoch's."""
    state.spread[:] = 0.0
    state.updates[1] = 0
    for i in order:
        first = lists.row_ptr[i]
        n = score_list(lists, state.w, i, state.score)
        gains(kind, first, n, state.gain)
        hope, fear = find_hope(rule.hope, state, first, n), find_fear(rule.fear, state, n)
        best = highest(state.score, n)
        told, moved = state.gain[hope] > state.gain[fear], False
        spread = state.score[hope] - state.score[lowest(state.score, n)]
        state.spread[0] += spread
        state.spread[1] += spread * spread
        state.spread[2] += state.score[hope] - state.score[fear]
        if told:
            loss = (state.gain[hope] - state.gain[fear]) - (state.score[hope] - state.score[fear])
            moved = margin_step(lists, first + hope, first + fear, loss, rule.cap, state) > 0.0
        if rule.bound < np.inf:
            moved |= bound_steps(lists, rule, first, n, hope, state)
        if moved:
            state.updates[0] += 1
            state.updates[1] += 1
        after_sentence(kind, first + hope, first + best, told)
