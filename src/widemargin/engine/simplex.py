"""SMO: max b'a - a'Ga/2 over a >= 0 with sum a + rest fixed, two masses at a time (Platt 1998; Fan, Chen and Lin 2005 for the pair)."""

from widemargin.compiler.jit import kernel

GOLD, NONE = -1, -2  # the slack, and no variable at all
ROUNDING = 1e-14  # of curvature, beside the squares that it is the difference of


@kernel(shared=True)
def climb(G, b, a, rest, g, tolerance, limit):
    """From the a and the slack `rest` given; a is changed in place, g = b - Ga.

    Each step takes mass from where the gradient is lowest to where it is highest (the slack's is 0) until the two are within `tolerance`.
    Returns the slack, the last violation and the steps taken.
    """
    K = len(b)
    for k in range(K):
        g[k] = b[k]
        for j in range(K):
            g[k] -= G[k, j] * a[j]
    for count in range(limit):
        up, high = GOLD, 0.0
        for k in range(K):
            if g[k] > high:
                up, high = k, g[k]
        # the partner promises the largest gain, (difference)^2 / curvature; the lowest gradient is the measure of optimality
        down, low, gain = NONE, high, 0.0
        for k in range(GOLD, K):
            if k != up and (rest if k == GOLD else a[k]) > 0.0:
                difference = high - (0.0 if k == GOLD else g[k])
                low = min(low, high - difference)
                square = (0.0 if up == GOLD else G[up, up]) + (0.0 if k == GOLD else G[k, k])
                curvature = square - 2.0 * G[up, k] if up != GOLD and k != GOLD else square
                # between equal planes both are rounding errors, and no reason to move mass back and forth
                promise = difference * difference / max(curvature, ROUNDING * square, 1e-300)
                if difference > 0.0 and promise > gain:
                    down, gain = k, promise
        if down == NONE or high - low <= tolerance:
            return rest, high - low, count
        difference = high - (0.0 if down == GOLD else g[down])
        most = rest if down == GOLD else a[down]
        curvature = difference * difference / gain
        step = min(most, difference / curvature)
        if down == GOLD:
            rest = rest - step
        else:
            a[down] = 0.0 if step == most else a[down] - step
        if up == GOLD:
            rest = rest + step
        else:
            a[up] += step
        for k in range(K):
            g[k] += (0.0 if down == GOLD else G[k, down] * step) - (0.0 if up == GOLD else G[k, up] * step)
    return rest, high - low, limit
