"""The long vectors of L-BFGS and OWL-QN, swept in blocks that stay in the cache: an iteration reads its history twice.

Weights [R, L] are flat here, R L numbers, cut into blocks of `height` whole rows. Row r stands for copies[r] = D_r merged features and
holds the sum of their equal weights, so that inner products of the unmerged vectors are s'y and y'Dy. The history [blocks, 2m, height L]
keeps the 2m vectors of a block side by side: m steps s, then m changes of gradient y.

Every block writes its own row of `sums` and the caller adds them in order, so that a total does not depend on who swept which blocks.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel


class Piece(NamedTuple):
    """Blocks first <= b < last of the vectors, and what a thread needs to sweep them."""

    first: int
    last: int
    height: int  # rows of a block
    lanes: int  # L
    copies: np.ndarray  # [R]
    l1: float
    scratch: np.ndarray  # [4, height L]
    sums: np.ndarray  # [blocks, ...]  what the blocks add up to


class Iterate(NamedTuple):
    """Weights and the gradient of the smooth part there."""

    w: np.ndarray  # [R L]
    g: np.ndarray  # [R L]


class Direction(NamedTuple):
    """d = D (of_g g + sum_k of_y[k] y_k) + sum_k of_s[k] s_k, with k over the slots of the history in use."""

    of_s: np.ndarray
    of_y: np.ndarray
    of_g: float


@inner
def bounds(piece, b, size):
    """Where the numbers of block b begin and end, and its rows of copies."""
    x = b * piece.height * piece.lanes
    return x, min(size, x + piece.height * piece.lanes), piece.copies[b * piece.height : (b + 1) * piece.height]


@inner
def scale(x, copies, lanes):
    """x = D x, in place; most rows stand for one feature and are left alone."""
    for r in range(len(copies)):
        times = copies[r]
        if times != 1.0:
            row = x[r * lanes : (r + 1) * lanes]
            for j in range(len(row)):
                row[j] *= times


@inner
def pseudo_gradient(w, g, l1, out):
    """out = the derivative of f + l1 |w|_1 in its direction of steepest descent, 0 where both sides ascend (Andrew & Gao 2007, eq. 4)."""
    if l1 > 0.0:
        for j in range(len(out)):
            right, left = g[j] + l1, g[j] - l1
            at_zero = right if right < 0.0 else (left if left > 0.0 else 0.0)
            out[j] = right if w[j] > 0.0 else (left if w[j] < 0.0 else at_zero)
    else:
        for j in range(len(out)):
            out[j] = g[j]


@inner
def difference(a, b, out):
    """out = a - b."""
    for j in range(len(out)):
        out[j] = a[j] - b[j]


@inner
def dot(a, b):
    """a'b."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@inner
def dots(s, a, b, y, c, d):
    """s'a, s'b, y'c, y'd: two long streams at a time keep the memory busy."""
    sa, sb, yc, yd = 0.0, 0.0, 0.0, 0.0
    for j in range(len(s)):
        sa += s[j] * a[j]
        sb += s[j] * b[j]
        yc += y[j] * c[j]
        yd += y[j] * d[j]
    return sa, sb, yc, yd


@inner
def add(c, x, e, y, out):
    """out += c x + e y."""
    for j in range(len(out)):
        out[j] += c * x[j] + e * y[j]


@inner
def add_kept(weights, kept, base, slots, out):
    """out += sum_k weights[k] kept[base + slots[k]], two at a time; the last of an odd number is paired with itself, times 0."""
    n = len(slots)
    for k in range(0, n, 2):
        after = min(k + 1, n - 1)
        other = weights[after] if after > k else 0.0
        add(weights[k], kept[base + slots[k], : len(out)], other, kept[base + slots[after], : len(out)], out)


@kernel(vectorise=True)
def sum_norms(piece, at):
    """sums[b] = g'Dg of the pseudo-gradient, |w|_1."""
    for b in range(piece.first, piece.last):
        x, z, times = bounds(piece, b, len(at.w))
        W, P, DP = at.w[x:z], piece.scratch[0, : z - x], piece.scratch[1, : z - x]
        pseudo_gradient(W, at.g[x:z], piece.l1, P)
        length = 0.0
        for j in range(len(P)):
            DP[j] = P[j]
            length += abs(W[j])
        scale(DP, times, piece.lanes)
        piece.sums[b, 0], piece.sums[b, 1] = dot(P, DP), length


@kernel(vectorise=True)
def step_along(piece, at, history, slots, direction, step, w2):
    """w2 = w + step d; sums[b] = g'(w2 - w), |w2|_1.

    With l1 > 0, g is the pseudo-gradient, d is 0 where it does not descend, and w2 is 0 where it left the orthant of w, or that of -g where
    w is 0 (Andrew & Gao 2007, §3.2).
    """
    m = history.shape[1] // 2
    for b in range(piece.first, piece.last):
        x, z, times = bounds(piece, b, len(at.w))
        W, N, P, d = at.w[x:z], w2[x:z], piece.scratch[0, : z - x], piece.scratch[1, : z - x]
        pseudo_gradient(W, at.g[x:z], piece.l1, P)
        for j in range(len(d)):
            d[j] = direction.of_g * P[j]
        add_kept(direction.of_y, history[b], m, slots, d)
        scale(d, times, piece.lanes)
        add_kept(direction.of_s, history[b], 0, slots, d)
        if piece.l1 > 0.0:
            for j in range(len(d)):
                move = d[j] if (d[j] < 0.0) == (P[j] > 0.0) and P[j] != 0.0 else 0.0
                side = W[j] if W[j] != 0.0 else -P[j]
                there = W[j] + step * move
                N[j] = there if (there > 0.0) == (side > 0.0) and side != 0.0 else 0.0
        else:
            for j in range(len(d)):
                N[j] = W[j] + step * d[j]
        descent, length = 0.0, 0.0
        for j in range(len(d)):
            descent += P[j] * (N[j] - W[j])
            length += abs(N[j])
        piece.sums[b, 0], piece.sums[b, 1] = descent, length


@kernel(vectorise=True)
def record_pair(piece, old, new, history, slots):
    """Keep s = w2 - w and y = g2 - g, from the old point to the new, at the last of the slots.

    The inner products that the next direction needs are taken in the same sweep.
    sums[b] is five rows of m, of which for every slot k: s_k'g, y_k'Dg, s_k'y, y_k'Dy, and g'Dg at the head of the last, where g is the
    pseudo-gradient at the new point.
    """
    m, last, sums = history.shape[1] // 2, slots[len(slots) - 1], piece.sums
    for b in range(piece.first, piece.last):
        x, z, times = bounds(piece, b, len(old.w))
        P, DP, Y, DY = piece.scratch[0, : z - x], piece.scratch[1, : z - x], piece.scratch[2, : z - x], piece.scratch[3, : z - x]
        difference(new.w[x:z], old.w[x:z], history[b, last, : z - x])
        kept = history[b, m + last, : z - x]
        difference(new.g[x:z], old.g[x:z], kept)
        pseudo_gradient(new.w[x:z], new.g[x:z], piece.l1, P)
        for j in range(len(P)):
            DP[j] = P[j]
        for j in range(len(P)):
            Y[j] = kept[j]
            DY[j] = kept[j]
        scale(DP, times, piece.lanes)
        scale(DY, times, piece.lanes)
        sums[b, 4, 0] = dot(P, DP)
        for k in slots:
            sg, sy, yg, yy = dots(history[b, k, : z - x], P, Y, history[b, m + k, : z - x], DP, DY)
            sums[b, 0, k], sums[b, 1, k], sums[b, 2, k], sums[b, 3, k] = sg, yg, sy, yy
