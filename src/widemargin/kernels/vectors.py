"""The long vectors of L-BFGS and OWL-QN, swept in blocks that stay in the cache: an iteration reads its history twice.

Weights [R, L] are flat here, R L numbers, cut into blocks of `height` whole rows. Row r stands for copies[r] = D_r merged features and
holds the sum of their equal weights, so that inner products of the unmerged vectors are s'y and y'Dy. The history [blocks, 2m, height L]
keeps the 2m vectors of a block side by side: m steps s, then m changes of gradient y.

Every block writes its own row of `sums` and the caller adds them in order, so that a total does not depend on who swept which blocks.
"""

from .jit import inner, kernel


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
def measure(first, last, height, lanes, copies, l1, scratch, sums, w, g):
    """sums[b] = g'Dg of the pseudo-gradient, |w|_1, over the blocks first <= b < last. scratch [2, height L]."""
    for b in range(first, last):
        x = b * height * lanes
        z = min(len(w), x + height * lanes)
        times, W, P, DP = copies[b * height : (b + 1) * height], w[x:z], scratch[0, : z - x], scratch[1, : z - x]
        pseudo_gradient(W, g[x:z], l1, P)
        length = 0.0
        for j in range(len(P)):
            DP[j] = P[j]
            length += abs(W[j])
        scale(DP, times, lanes)
        sums[b, 0], sums[b, 1] = dot(P, DP), length


@kernel(vectorise=True)
def combine(first, last, height, lanes, copies, l1, scratch, sums, w, g, history, slots, of_s, of_y, of_g, step, w2):
    """w2 = w + step d with d = D (of_g g + sum_k of_y[k] y_k) + sum_k of_s[k] s_k, k over the slots; sums[b] = g'(w2 - w), |w2|_1.

    With l1 > 0, g is the pseudo-gradient, d is 0 where it does not descend, and w2 is 0 where it left the orthant of w, or that of -g where
    w is 0 (Andrew & Gao 2007, §3.2). scratch [2, height L].
    """
    m = history.shape[1] // 2
    for b in range(first, last):
        x = b * height * lanes
        z = min(len(w), x + height * lanes)
        times, W, N, P, d = copies[b * height : (b + 1) * height], w[x:z], w2[x:z], scratch[0, : z - x], scratch[1, : z - x]
        pseudo_gradient(W, g[x:z], l1, P)
        for j in range(len(d)):
            d[j] = of_g * P[j]
        add_kept(of_y, history[b], m, slots, d)
        scale(d, times, lanes)
        add_kept(of_s, history[b], 0, slots, d)
        if l1 > 0.0:
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
        sums[b, 0], sums[b, 1] = descent, length


@kernel(vectorise=True)
def record(first, last, height, lanes, copies, l1, scratch, sums, w, g, w2, g2, history, slots):
    """Keep s = w2 - w and y = g2 - g at the last of the slots, and take the inner products that the next direction needs in the same sweep.

    sums[b] is five rows of m, of which for every slot k: s_k'g, y_k'Dg, s_k'y, y_k'Dy, and g'Dg at the head of the last, where g is the
    pseudo-gradient at w2, g2. scratch [4, height L].
    """
    m, new = history.shape[1] // 2, slots[len(slots) - 1]
    for b in range(first, last):
        x = b * height * lanes
        z = min(len(w), x + height * lanes)
        times = copies[b * height : (b + 1) * height]
        P, DP, Y, DY = scratch[0, : z - x], scratch[1, : z - x], scratch[2, : z - x], scratch[3, : z - x]
        difference(w2[x:z], w[x:z], history[b, new, : z - x])
        kept = history[b, m + new, : z - x]
        difference(g2[x:z], g[x:z], kept)
        pseudo_gradient(w2[x:z], g2[x:z], l1, P)
        for j in range(len(P)):
            DP[j] = P[j]
        for j in range(len(P)):
            Y[j] = kept[j]
            DY[j] = kept[j]
        scale(DP, times, lanes)
        scale(DY, times, lanes)
        sums[b, 4, 0] = dot(P, DP)
        for k in slots:
            sg, sy, yg, yy = dots(history[b, k, : z - x], P, Y, history[b, m + k, : z - x], DP, DY)
            sums[b, 0, k], sums[b, 1, k], sums[b, 2, k], sums[b, 3, k] = sg, yg, sy, yy
