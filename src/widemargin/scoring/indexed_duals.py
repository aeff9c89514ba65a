"""Dual steps on indexed features of labels at tokens (engine/planes.py): few tokens visited alone, and Frank-Wolfe's mixture by parts."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, kernel
from widemargin.compiler.lanes import load, splat, store, total, where_nonzero
from widemargin.engine.frank_wolfe import fw_direction, fw_update
from widemargin.engine.planes import fixed_score, score_planes
from widemargin.engine.rows import apply_gradient, gathers, has_residual, score, squared_length
from widemargin.engine.rules import move, peek
from widemargin.engine.tables import aligned
from widemargin.scoring.indexed import ROW0, Indexed, Norm, apply_transitions, score_transitions
from widemargin.scoring.optional_inputs import Ones, Values, base_row, times
from widemargin.structures.chain.kernel import Chain
from widemargin.structures.choice.kernel import Choice


class TokenEntries(NamedTuple):
    """Entries of the rows' label occurrences (indexed.Occurrences) token by token, so that a few tokens can be visited alone."""

    at: np.ndarray  # int64 [N+1]
    entry: np.ndarray  # int32 [nnz]   counted from the row's first
    value: Ones | Values


class Gathered(NamedTuple):
    """Phi' d of one row for its features of labels; memory for the row with most of them. Empty but between squared_length and a step."""

    slot: np.ndarray  # int32 [E]     -1 or the entry's place below
    entry: np.ndarray  # int32 [E]
    g: np.ndarray  # [E, L]
    used: np.ndarray  # int64 [1]


class PlaneTokens(NamedTuple):
    """An input: Indexed, which keeps from squared_length to a step what it has gathered, at the tokens where there is something."""

    rows: Indexed
    tokens: TokenEntries
    found: Gathered


class Mixture(NamedTuple):
    """sum_y a_iy r_y of every row, by parts. The edges of row i: Y rows, or Y per token when they differ by position."""

    node: np.ndarray  # [N, L]
    edge: np.ndarray  # [n * Y or N * Y, L]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]


@kernel
def number_entries(at, ind, token, labels, place, entry):
    """entry[p] for the occurrences ind of all tokens, by the rows' Occurrences; place [F] is scratch."""
    for i in range(len(token) - 1):
        for e in range(labels.at[i], labels.at[i + 1]):
            place[labels.feature[e]] = e - labels.at[i]
        for p in range(at[token[i]], at[token[i + 1]]):
            entry[p] = place[ind[p]]


def plane_tokens(rows: Indexed, node, dtype, width: int) -> PlaneTokens:
    """node: the corpus' features of labels (corpus.Merged)."""
    entry, place = np.zeros(len(node.ind), np.int32), np.zeros(node.rows, np.int32)
    number_entries(node.ptr, node.ind, rows.token, rows.labels, place, entry)
    most = int(np.diff(rows.labels.at).max())
    found = Gathered(np.full(most, -1, np.int32), np.zeros(most, np.int32), aligned((most, width), dtype), np.zeros(1, np.int64))
    return PlaneTokens(rows, TokenEntries(node.ptr, entry, node.value), found)


# ---- scores ---------------------------------------------------------------------------------------------------------------------------


@score.when(PlaneTokens)
def _(input, s, i, n, reader):
    return score(input.rows, s, i, n, reader)


@score_planes.when(PlaneTokens)
def _(input, s, i, n, sets, reader):
    rows, tokens = input.rows, input.tokens
    if n > s.node.shape[0]:
        return False
    first, e = rows.token[i], rows.labels.at[i]
    for t in range(n):
        u = splat(s.node, 0.0, s.lanes)
        if sets.hot[t]:
            u = base_row(rows.base, first + t, s)
            for p in range(tokens.at[first + t], tokens.at[first + t + 1]):
                f = rows.labels.feature[e + tokens.entry[p]]
                u += times(tokens.value, p, peek(reader.rule, reader.tables.labels, np.int64(f), ROW0, reader.now))
        store(s.node, t, u)
    score_transitions(s, rows, i, n, reader)
    return True


@generic
def base_score(s, base, first, n, out):
    """What a base's scores of labels and pairs give to out."""
    raise TypeError(s)


@base_score.when(Choice)
def _(s, base, first, n, out):
    store(s.work, 0, base_row(base, first, s))
    return np.float64(s.work[0, out[0]])


@base_score.when(Chain)
def _(s, base, first, n, out):
    value = 0.0
    for t in range(n):
        store(s.work, t, base_row(base, first + t, s))
        value += s.work[t, out[t]]
        if t > 0:
            value += s.transitions[out[t - 1], out[t]]
    return value


@fixed_score.when(PlaneTokens)
def _(input, s, i, n, out):
    return base_score(s, input.rows.base, input.rows.token[i], n, out)


# ---- steps ----------------------------------------------------------------------------------------------------------------------------


@has_residual.when(PlaneTokens)
def _(input, s, n, skip):
    return has_residual(input.rows, s, n, skip)


@gathers.when(PlaneTokens)
def _(input):
    return False


@inner
def collect_tokens(input, s, i, n, weights):
    """Phi' mu of the hot tokens into input.found; returns its squared length."""
    rows, tokens, found = input.rows, input.tokens, input.found
    first, e, count, square = rows.token[i], rows.labels.at[i], 0, 0.0
    for t in range(n):
        if rows.hot[t]:
            mu = load(s.mu_node, t, s.lanes)
            for p in range(tokens.at[first + t], tokens.at[first + t + 1]):
                k = tokens.entry[p]
                slot = found.slot[k]
                if slot < 0:
                    found.slot[k], found.entry[count] = count, k
                    store(found.g, count, times(tokens.value, p, mu))
                    count += 1
                else:
                    store(found.g, slot, load(found.g, slot, s.lanes) + times(tokens.value, p, mu))
    for j in range(count):
        row = load(found.g, j, s.lanes)
        square += total(row * row) * weights.copies[rows.labels.feature[e + found.entry[j]]]
    found.used[0] = count
    return square


@inner
def move_tokens(input, i, rate, reader):
    """w -= rate times what was collected, which is forgotten."""
    rows, found = input.rows, input.found
    for j in range(found.used[0]):
        k = found.entry[j]
        found.slot[k] = -1
        f = np.int64(rows.labels.feature[rows.labels.at[i] + k])
        move(reader.rule, reader.tables.labels, f, found.g, j, rate, reader.now)
    found.used[0] = 0


@apply_gradient.when(PlaneTokens)
def _(input, s, i, n, step, into, reader):
    move_tokens(input, i, step.rate, reader)
    apply_transitions(s, input.rows, i, n, step, into, reader)


@squared_length.when(PlaneTokens)
def _(input, s, i, n, skip, into, reader):
    return collect_tokens(input, s, i, n, reader.tables.labels) + apply_transitions(s, input.rows, i, n, Norm(1.0), into, reader)


# ---- mixtures -------------------------------------------------------------------------------------------------------------------------


@generic
def turn_edges(s, i, first, n, mixture):
    """mu -= the mixture's edges; returns <edge scores, mu> and its fixed part."""
    raise TypeError(s)


@turn_edges.when(Choice)
def _(s, i, first, n, mixture):
    return 0.0, 0.0


@turn_edges.when(Chain)
def _(s, i, first, n, mixture):
    Y = s.labels
    at = first * Y if s.edge_stride else i * Y
    zero, values, offsets = splat(s.mu_edge, 0.0, s.lanes), splat(s.mu_edge, 0.0, s.lanes), splat(s.mu_edge, 0.0, s.lanes)
    for r in range(n * Y if s.edge_stride else Y):
        d = load(s.mu_edge, r, s.lanes) - load(mixture.edge, at + r, s.lanes)
        store(s.mu_edge, r, d)
        values += where_nonzero(d, load(s.edge, r, s.lanes), zero) * d  # what is illegal scores -inf and has no mass
        offsets += where_nonzero(d, load(s.transitions, r % Y, s.lanes), zero) * d
    return total(values), total(offsets)


@generic
def mix_edges(s, i, first, n, step, mixture):
    """mixture += step mu, for its edges."""
    raise TypeError(s)


@mix_edges.when(Choice)
def _(s, i, first, n, step, mixture):
    pass


@mix_edges.when(Chain)
def _(s, i, first, n, step, mixture):
    at = first * s.labels if s.edge_stride else i * s.labels
    for r in range(n * s.labels if s.edge_stride else s.labels):
        store(mixture.edge, at + r, load(mixture.edge, at + r, s.lanes) + load(s.mu_edge, r, s.lanes) * step)


@fw_direction.when(Mixture)
def _(mixture, input, s, i, n, right, out):
    first = input.rows.token[i]
    value, fixed = turn_edges(s, i, first, n, mixture)
    values, offsets = splat(s.mu_node, 0.0, s.lanes), splat(s.mu_node, 0.0, s.lanes)
    for t in range(n):
        d = load(s.mu_node, t, s.lanes) - load(mixture.node, first + t, s.lanes)
        store(s.mu_node, t, d)
        values += d * load(s.node, t, s.lanes)
        offsets += d * base_row(input.rows.base, first + t, s)
    return value + total(values), fixed + total(offsets)


@fw_update.when(Mixture)
def _(mixture, input, s, i, n, right, out, step):
    first = input.rows.token[i]
    for t in range(n):
        store(mixture.node, first + t, load(mixture.node, first + t, s.lanes) + load(s.mu_node, t, s.lanes) * step)
    mix_edges(s, i, first, n, step, mixture)
