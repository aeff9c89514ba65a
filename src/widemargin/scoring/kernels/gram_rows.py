"""Rows of a Gram matrix: K(u, .) of one sparse vector against all others, and a cache of them under a budget of memory.

Inner products <x_u, x_v> for all v come from one walk over the places of each feature of u (an inverted index), then the kernel bends each:

    linear   <u, v>                              poly   (gamma <u, v> + coef)^degree
    tanh     tanh(gamma <u, v> + coef)           rbf    exp(-gamma (|u|^2 + |v|^2 - 2 <u, v>))

Sums are made in float64 and in the same order whenever a row is computed, so that the cache changes no byte of what follows.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.compiler.lanes import load, splat, store

LINEAR, POLY, TANH, RBF = range(4)
CLOCK, HITS, MISSES = range(3)


class Curve(NamedTuple):
    """What a kernel makes of an inner product."""

    kind: int
    degree: int
    gamma: float
    coef: float


class Vectors(NamedTuple):
    """D sparse vectors, vector by vector and feature by feature."""

    ptr: np.ndarray  # int64 [D+1]
    ind: np.ndarray  # int32 [nnz]
    val: np.ndarray  # float32 [nnz]
    at: np.ndarray  # int64 [F+1]   places of a feature
    place: np.ndarray  # int32 [nnz]   the vector
    weight: np.ndarray  # float32 [nnz]   its value there, times the number of merged features that the feature stands for
    square: np.ndarray  # [D]   |x|^2


class Cache(NamedTuple):
    """C rows of the Gram matrix; the row that has not been asked for the longest makes room."""

    row: np.ndarray  # float32 [C, D]
    slot: np.ndarray  # int32 [D]   where a vector's row is, or -1
    owner: np.ndarray  # int32 [C]  whose row it is, or -1
    stamp: np.ndarray  # int64 [C]  when it was asked for
    tally: np.ndarray  # int64 [3]  all requests, hits, misses
    dots: np.ndarray  # [D]   scratch


class KernelSum(NamedTuple):
    """What K(x, x_u) is multiplied by, for all vectors u."""

    vectors: Vectors
    curve: Curve
    alpha: np.ndarray  # [D, L]
    lanes: tuple


@inner
def inner_products(ind, val, low, high, vectors, dots):
    """dots[v] = sum of val * weight over the features ind[low:high]."""
    for v in range(len(dots)):
        dots[v] = 0.0
    for p in range(low, high):
        f, x = ind[p], np.float64(val[p])
        if f + 1 < len(vectors.at):  # others are in none of the vectors
            for q in range(vectors.at[f], vectors.at[f + 1]):
                dots[vectors.place[q]] += x * vectors.weight[q]


@inner
def apply_kernel(curve, square, squares, dots, out):
    """out[v] = K(u, v), from <u, v>, |u|^2 and |v|^2."""
    if curve.kind == POLY:
        for v in range(len(out)):
            x = curve.gamma * dots[v] + curve.coef
            power = x
            for _ in range(1, curve.degree):
                power *= x
            out[v] = power
    elif curve.kind == TANH:
        for v in range(len(out)):
            out[v] = np.tanh(curve.gamma * dots[v] + curve.coef)
    elif curve.kind == RBF:
        for v in range(len(out)):
            out[v] = np.exp(-curve.gamma * max(0.0, square + squares[v] - 2.0 * dots[v]))
    else:
        for v in range(len(out)):
            out[v] = dots[v]


@inner
def fetch(u, vectors, curve, cache):
    """The place in the cache of the row of vector u, computed when it is not there."""
    cache.tally[CLOCK] += 1
    k = np.int64(cache.slot[u])
    if k >= 0:
        cache.tally[HITS] += 1
    else:
        cache.tally[MISSES] += 1
        k = np.int64(0)
        for c in range(1, len(cache.stamp)):
            if cache.stamp[c] < cache.stamp[k]:
                k = np.int64(c)
        if cache.owner[k] >= 0:
            cache.slot[cache.owner[k]] = -1
        cache.owner[k], cache.slot[u] = u, k
        inner_products(vectors.ind, vectors.val, vectors.ptr[u], vectors.ptr[u + 1], vectors, cache.dots)
        apply_kernel(curve, vectors.square[u], vectors.square, cache.dots, cache.row[k])
    cache.stamp[k] = cache.tally[CLOCK]
    return k


@kernel
def gram_row(u, vectors, curve, cache):
    """fetch for Python."""
    return fetch(u, vectors, curve, cache)


@kernel
def fill_index(vectors, copies, at, sums):
    """Fills place, weight and square, in the order of the vectors. at int64 [F]: vectors.at without its last, to be written on; sums [F] is
    zeros."""
    ptr, ind, val, _, place, weight, square = vectors
    for d in range(len(ptr) - 1):
        total = 0.0
        for p in range(ptr[d], ptr[d + 1]):
            f = ind[p]
            place[at[f]], weight[at[f]] = d, val[p] * copies[f]
            at[f] += 1
            total += np.float64(val[p]) * copies[f] * (2.0 * sums[f] + val[p])  # a feature that fires twice counts with its summed value
            sums[f] += val[p]
        square[d] = total
        for p in range(ptr[d], ptr[d + 1]):
            sums[ind[p]] = 0.0


@kernel(vectorise=True)
def score_tokens(low, high, tokens, support, dots, row, out):
    """Tokens low..high (group.Sparse): out[t] += sum_u K(x_t, x_u) alpha[u], over all vectors u. dots [D], row float32 [D]: scratch."""
    node_ptr, node_ind, node_val = tokens
    vectors, curve, alpha, lanes = support
    for t in range(low, high):
        inner_products(node_ind, node_val, node_ptr[t], node_ptr[t + 1], vectors, dots)
        square = 0.0
        for p in range(node_ptr[t], node_ptr[t + 1] if curve.kind == RBF else node_ptr[t]):
            for q in range(node_ptr[t], node_ptr[t + 1]):
                if node_ind[p] == node_ind[q]:
                    square += np.float64(node_val[p]) * node_val[q]
        apply_kernel(curve, square, vectors.square, dots, row)
        sums = splat(out, 0.0, lanes)
        for u in range(len(row)):
            sums += load(alpha, u, lanes) * row[u]
        store(out, t, load(out, t, lanes) + sums)
