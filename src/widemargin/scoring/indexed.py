"""Features with numbers, of labels at tokens and of transitions: scores from the weights of a row's features, and gradients back.

Occurrences are kept row by row: each feature of a row once, with the places where it fires, so that a step reads and moves its weights
once.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, magnitude, prefetch, splat, store, top, total
from widemargin.engine.meta_descent import score_direction
from widemargin.engine.rows import MOVE, Step, apply_gradient, gathers, has_residual, score, squared_length
from widemargin.engine.rules import move, peek
from widemargin.engine.tables import Weights, bundle, room
from widemargin.scoring.optional_inputs import Base, NoBase, Ones, Values, base_row, times
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice

# np.int64, not int: Numba compiles a function anew for every literal it is called with
ROW0, ONE = np.int64(0), np.int64(1)
AHEAD = 8  # weight rows are asked for so many places before they are read


@bundle(2)
class TokenTables(NamedTuple):
    """Weights of labels at tokens, height 1, and of transitions, height Y: row 0 is shared by all positions, then one per feature."""

    labels: Weights
    transitions: Weights


class Occurrences(NamedTuple):
    """Where features fire, row by row (scoring/group.py)."""

    at: np.ndarray  # int64 [R+1]      entries of a row
    feature: np.ndarray  # int32 [E]
    mark: np.ndarray  # int64 [E+1]    places of an entry
    place: np.ndarray  # int32 [nnz]   token within the row
    value: Ones | Values  # of the places


class Indexed(NamedTuple):
    """An input: features of rows of tokens, scores from elsewhere, and scratch for rows of up to T tokens."""

    token: np.ndarray  # int64 [R+1]  where the tokens of a row begin
    labels: Occurrences
    transitions: Occurrences
    base: NoBase | Base
    g: np.ndarray  # [Y, L]  one gathered gradient
    hot: np.ndarray  # bool [T]  tokens with a residual, as has_residual has found them
    later: np.ndarray  # bool [T]  all tokens but the first, which no transition leads into


class Firing(NamedTuple):
    """Features of one kind of part with the residuals of the parts: row r of mu belongs to place r // stride."""

    occurrences: Occurrences
    shift: int | np.integer  # feature f has weight row f + shift
    mu: np.ndarray
    stride: int | np.integer
    hot: np.ndarray  # bool [T]  places with a residual
    g: np.ndarray  # [h, L]  scratch


# ---- scores ---------------------------------------------------------------------------------------------------------------------------


@inner
def add_scores(table, stride, occurrences, i, shift, weights, reader):
    """table[place * stride + j] += w[f, j] for every occurrence in row i."""
    lanes = weights.lanes
    mark, place = occurrences.mark, occurrences.place
    end = occurrences.at[i + 1]
    for e in range(occurrences.at[i], end):
        f = occurrences.feature[e] + shift
        if e + AHEAD < end:
            prefetch(weights.row, (occurrences.feature[e + AHEAD] + shift) * weights.row_stride, weights.row_stride)
        for j in range(weights.height):
            w = peek(reader.rule, weights, f, j, reader.now)
            for p in range(mark[e], mark[e + 1]):
                r = place[p] * stride + j
                store(table, r, load(table, r, lanes) + times(occurrences.value, p, w))


@generic
def score_transitions(s, input, i, n, reader):
    """Scores of the transitions of row i, in a structure that has any."""
    raise TypeError(s)


@score_transitions.when(Choice)
def _(s, input, i, n, reader):
    pass


@inner
def sum_transitions(s, table, legal, input, i, n, reader):
    """table = scores of the transitions of row i; legal: with those that the structure itself gives them."""
    weights = reader.tables.transitions
    for j in range(s.labels):
        shared = peek(reader.rule, weights, ROW0, j, reader.now)
        if legal:
            shared += load(s.transitions, j, s.lanes)
        for t in range(n if s.edge_stride else 1):
            store(table, t * s.edge_stride + j, shared)
    if s.edge_stride:
        add_scores(table, s.edge_stride, input.transitions, i, ONE, weights, reader)


@score_transitions.when(Chain)
def _(s, input, i, n, reader):
    sum_transitions(s, s.edge, True, input, i, n, reader)


@score.when(Indexed)
def _(input, s, i, n, reader):
    if n > s.node.shape[0] or n > len(input.hot):
        return False
    for t in range(n):
        store(s.node, t, base_row(input.base, input.token[i] + t, s))
    add_scores(s.node, ONE, input.labels, i, ROW0, reader.tables.labels, reader)
    score_transitions(s, input, i, n, reader)
    return True


@generic
def direct_transitions(s, input, i, n, reader):
    """score_direction of the transitions, in a structure that has any."""
    raise TypeError(s)


@direct_transitions.when(Choice)
def _(s, input, i, n, reader):
    pass


@direct_transitions.when(Chain)
def _(s, input, i, n, reader):
    sum_transitions(s, s.direction_edge, False, input, i, n, reader)


@score_direction.when(Indexed)
def _(input, s, i, n, reader):
    for t in range(n):
        store(s.direction, t, splat(s.direction, 0.0, s.lanes))
    add_scores(s.direction, ONE, input.labels, i, ROW0, reader.tables.labels, reader)
    direct_transitions(s, input, i, n, reader)


# ---- gradients ------------------------------------------------------------------------------------------------------------------------


@inner
def find_hot(mu, lanes, n, skip, hot):
    """Which tokens have a residual worth passing on (more than `skip` anywhere); returns whether any has."""
    some = False
    for t in range(n):
        hot[t] = top(magnitude(load(mu, t, lanes))) > skip
        some = some or hot[t]
    return some


@has_residual.when(Indexed)
def _(input, s, n, skip):
    return find_hot(s.mu_node, s.lanes, n, skip, input.hot)


@gathers.when(Indexed)
def _(input):
    return False


class Norm(NamedTuple):
    """Instead of a Step: of gradients the squared length is wanted."""

    scale: float  # 1


@generic(tiny=True)
def apply_row(step, weights, f, g, into, reader):
    """What becomes of a gradient row g [h, L], which is overwritten: a step, a place in the batch's block, or its squared length, which is
    returned (else 0)."""
    raise TypeError(step)


@apply_row.when(Norm)
def _(step, weights, f, g, into, reader):
    square = 0.0
    for j in range(weights.height):
        row = load(g, j, weights.lanes)
        square += total(row * row)
    return square * weights.copies[f]


@apply_row.when(Step)
def _(step, weights, f, g, into, reader):
    lanes, h = weights.lanes, weights.height
    if step.scale != 1.0:
        for j in range(h):
            store(g, j, load(g, j, lanes) * step.scale)
    if step.mode == MOVE:
        move(reader.rule, weights, f, g, ROW0, step.rate, reader.now)
    else:
        first = room(into, f) + step.layer * h
        for j in range(h):
            store(into.g, first + j, load(into.g, first + j, lanes) + load(g, j, lanes))
    return 0.0


@inner
def apply_shared_row(weights, g, step, into, reader):
    """apply_row of row 0, once per row of data and therefore not inlined."""
    return apply_row(step, weights, ROW0, g, into, reader)


@inner
def apply_rows(firing, i, weights, step, into, reader):
    """apply_row of every weight row that row i touches: mu summed over its hot places."""
    lanes, h, square = weights.lanes, weights.height, 0.0
    occurrences, shift, mu, stride, hot, g = firing
    mark, place = occurrences.mark, occurrences.place
    for e in range(occurrences.at[i], occurrences.at[i + 1]):
        some = False
        for p in range(mark[e], mark[e + 1]):
            some = some or hot[place[p]]
        if some:
            for j in range(h):
                sums = splat(g, 0.0, lanes)
                for p in range(mark[e], mark[e + 1]):
                    if hot[place[p]]:
                        sums += times(occurrences.value, p, load(mu, place[p] * stride + j, lanes))
                store(g, j, sums)
            square += apply_row(step, weights, occurrences.feature[e] + shift, g, into, reader)
    return square


@generic
def apply_transitions(s, input, i, n, step, into, reader):
    """apply_row of the transitions that all positions share (weight row 0), and of those that look at the input."""
    raise TypeError(s)


@apply_transitions.when(Choice)
def _(s, input, i, n, step, into, reader):
    return 0.0


@apply_transitions.when(Chain)
def _(s, input, i, n, step, into, reader):
    if n == 1:
        return 0.0
    weights = reader.tables.transitions
    for j in range(s.labels):
        sums = load(s.mu_edge, j, s.lanes)
        for t in range(1, n if s.edge_stride else 1):
            sums += load(s.mu_edge, t * s.edge_stride + j, s.lanes)
        store(input.g, j, sums)
    square = apply_shared_row(weights, input.g, step, into[1], reader)
    if s.edge_stride:
        firing = Firing(input.transitions, ONE, s.mu_edge, s.edge_stride, input.later, input.g)
        square += apply_rows(firing, i, weights, step, into[1], reader)
    return square


@inner
def apply_all(input, s, i, n, step, into, reader):
    """apply_row of all weight rows that row i touches."""
    firing = Firing(input.labels, ROW0, s.mu_node, ONE, input.hot, input.g)
    square = apply_rows(firing, i, reader.tables.labels, step, into[0], reader)
    return square + apply_transitions(s, input, i, n, step, into, reader)


@apply_gradient.when(Indexed)
def _(input, s, i, n, step, into, reader):
    apply_all(input, s, i, n, step, into, reader)


@squared_length.when(Indexed)
def _(input, s, i, n, skip, into, reader):
    return apply_all(input, s, i, n, Norm(1.0), into, reader)
