"""Feature vectors of candidates, written out or sparse, times one vector of weights: score(k) = <w, x_k>.

The weights are lines of 16 numbers, so that the number of features D is no compile-time constant: feature d is number d % 16 of line
d // 16, and a table has ceil(D / 16) lines. The lines that a row needs are read once, as they are at the step (engine/rules.peek), and
kept in scratch while its candidates are scored; gradients go from each candidate with a residual straight to the lines it touches.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner
from widemargin.compiler.lanes import load, splat, store, total
from widemargin.engine.meta_descent import score_direction
from widemargin.engine.planes import score_planes
from widemargin.engine.rows import gather, has_residual, score
from widemargin.engine.rules import peek
from widemargin.engine.tables import Weights, bundle, room

LINE, LINE_BITS = 16, 4
ROW0 = np.int64(0)


@bundle(1)
class LineTable(NamedTuple):
    """One vector of weights, in lines."""

    weights: Weights


@generic(tiny=True)
def line_count(input, i):
    """How many lines of weights row i needs."""
    raise TypeError(input)


@generic(tiny=True)
def line_at(input, i, j):
    """Which line its j-th is."""
    raise TypeError(input)


@generic(tiny=True)
def product(input, c):
    """<x_c, w> of candidate c of all, from the lines of its row in input.scratch."""
    raise TypeError(input)


@generic(tiny=True)
def add_vector(input, i, c, v, into, layer):
    """v x_c is added to a layer of `into`, for candidate c of all, in row i."""
    raise TypeError(input)


# ---- written out ----------------------------------------------------------------------------------------------------------------------


class Vectors(NamedTuple):
    """An input: D numbers for every candidate, padded to whole lines by 0."""

    at: np.ndarray  # int64 [R+1]  where the candidates of a row begin
    lanes: tuple
    lines: int  # ceil(D / 16)
    x: np.ndarray  # [N * lines, 16]
    scratch: np.ndarray  # [lines, 16]


@line_count.when(Vectors)
def _(input, i):
    return input.lines


@line_at.when(Vectors)
def _(input, i, j):
    return np.int64(j)


@product.when(Vectors)
def _(input, c):
    sums, first = splat(input.scratch, 0.0, input.lanes), c * input.lines
    for j in range(input.lines):
        sums += load(input.x, first + j, input.lanes) * load(input.scratch, j, input.lanes)
    return total(sums)


@add_vector.when(Vectors)
def _(input, i, c, v, into, layer):
    for j in range(input.lines):
        r = room(into, np.int64(j)) + layer
        store(into.g, r, load(into.g, r, input.lanes) + load(input.x, c * input.lines + j, input.lanes) * v)


# ---- sparse ---------------------------------------------------------------------------------------------------------------------------


class Sparse(NamedTuple):
    """An input: a few of D numbers for every candidate. Row by row it is known which lines its candidates touch."""

    at: np.ndarray  # int64 [R+1]  where the candidates of a row begin
    ptr: np.ndarray  # int64 [N+1]  entries of a candidate
    place: np.ndarray  # int32 [nnz]  16 * (which of the row's lines) + number in it
    value: np.ndarray  # [nnz]
    line_ptr: np.ndarray  # int64 [R+1]  lines of a row
    line: np.ndarray  # int32 [E]
    scratch: np.ndarray  # [most lines of a row, 16]


@line_count.when(Sparse)
def _(input, i):
    return input.line_ptr[i + 1] - input.line_ptr[i]


@line_at.when(Sparse)
def _(input, i, j):
    return np.int64(input.line[input.line_ptr[i] + j])


@product.when(Sparse)
def _(input, c):
    sums = input.scratch.dtype.type(0.0)
    for e in range(input.ptr[c], input.ptr[c + 1]):
        k = input.place[e]
        sums += input.value[e] * input.scratch[k >> LINE_BITS, k & (LINE - 1)]
    return sums


@add_vector.when(Sparse)
def _(input, i, c, v, into, layer):
    for e in range(input.ptr[c], input.ptr[c + 1]):
        k = input.place[e]
        into.g[room(into, line_at(input, i, k >> LINE_BITS)) + layer, k & (LINE - 1)] += v * input.value[e]


# ---- what both do ---------------------------------------------------------------------------------------------------------------------


@inner
def fetch_lines(input, i, reader):
    """scratch = the weights that row i needs."""
    for j in range(line_count(input, i)):
        store(input.scratch, j, peek(reader.rule, reader.tables.weights, line_at(input, i, j), ROW0, reader.now))


def score_candidates(input, s, i, n, reader):
    """s.score [n]."""
    if n > len(s.score):
        return False
    fetch_lines(input, i, reader)
    for k in range(n):
        s.score[k] = product(input, input.at[i] + k)
    return True


def direct_candidates(input, s, i, n, reader):
    """s.direction [n]."""
    fetch_lines(input, i, reader)
    for k in range(n):
        s.direction[k] = product(input, input.at[i] + k)


def score_kept_candidates(input, s, i, n, sets, reader):
    """Only those that are planes, and the right one."""
    if n > len(s.score):
        return False
    fetch_lines(input, i, reader)
    right = sets.right[0]
    s.score[right] = product(input, input.at[i] + right)
    for p in range(sets.idle.shape[1]):
        if sets.idle[i, p] >= 0:
            k = np.int64(sets.part[p, sets.at[i]])
            s.score[k] = product(input, input.at[i] + k)
    return True


def candidates_have_residual(input, s, n, skip):
    """Looks at mu [n]; nothing is noted."""
    for k in range(n):
        if abs(s.mu[k]) > skip:
            return True
    return False


def gather_candidates(input, s, i, n, step, into):
    """Those with a residual above step.skip, in order."""
    for k in range(n):
        if abs(s.mu[k]) > step.skip:
            add_vector(input, i, input.at[i] + k, s.mu[k] * step.scale, into[0], step.layer)


for kind in (Vectors, Sparse):
    score.when(kind)(score_candidates)
    score_direction.when(kind)(direct_candidates)
    score_planes.when(kind)(score_kept_candidates)
    has_residual.when(kind)(candidates_have_residual)
    gather.when(kind)(gather_candidates)
