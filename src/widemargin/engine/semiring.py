"""Two ways to write positive numbers: as they are (Real, fast) and by their logarithms (Logs, which never underflow).

Sums over trees are written once on plus, times and over. They also run on complex numbers: with scores s + i e d and a tiny e, the
imaginary part of a result divided by e is its derivative along d, to machine precision (the complex step: Squire and Trapp 1998). That is
how tilts of trees are computed, by the code that sums.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner

STEP = 1e-20  # e above; its square is lost beside 1
LOG_ZERO = -np.inf


class Real(NamedTuple):
    """Numbers as they are."""

    zero: float


class Logs(NamedTuple):
    """Their logarithms."""

    zero: float


class Plain(NamedTuple):
    """Values alone."""

    step: float


class Along(NamedTuple):
    """Values and derivatives along a direction."""

    step: complex


REAL, LOGS = Real(0.0), Logs(-np.inf)
PLAIN, ALONG = Plain(0.0), Along(1j * STEP)


@generic(tiny=True)
def plus(kind, a, b):
    """a + b."""
    raise TypeError(kind)


@plus.when(Real)
def _(kind, a, b):
    return a + b


@plus.when(Logs)
def _(kind, a, b):
    if b.real > a.real:
        a, b = b, a
    if b.real == kind.zero:
        return a
    return a + np.log(1.0 + np.exp(b - a))


@generic(tiny=True)
def times(kind, a, b):
    """a * b."""
    raise TypeError(kind)


@times.when(Real)
def _(kind, a, b):
    return a * b


@times.when(Logs)
def _(kind, a, b):
    return a + b


@generic(tiny=True)
def over(kind, a, b):
    """a / b, for b > 0."""
    raise TypeError(kind)


@over.when(Real)
def _(kind, a, b):
    return a / b


@over.when(Logs)
def _(kind, a, b):
    return a - b


@generic(tiny=True)
def number(kind, a):
    """The number itself; it must not be too large for one."""
    raise TypeError(kind)


@number.when(Real)
def _(kind, a):
    return a


@number.when(Logs)
def _(kind, a):
    return np.exp(a)


@generic(tiny=True)
def from_log(kind, a):
    """The number whose logarithm is a."""
    raise TypeError(kind)


@from_log.when(Real)
def _(kind, a):
    return np.exp(a)


@from_log.when(Logs)
def _(kind, a):
    return a


@generic(tiny=True)
def to_log(kind, a):
    """The logarithm of the number that a stands for."""
    raise TypeError(kind)


@to_log.when(Real)
def _(kind, a):
    return np.log(a)


@to_log.when(Logs)
def _(kind, a):
    return a


@generic(tiny=True)
def shifted(kind, x, a):
    """x + a for a plain x of any sign, where the sum is not negative but for rounding."""
    raise TypeError(kind)


@shifted.when(Real)
def _(kind, x, a):
    return x + a


@shifted.when(Logs)
def _(kind, x, a):
    if a.real > 0.0:
        return a + np.log(1.0 + x * np.exp(-a))
    whole = x + np.exp(a)
    return np.log(whole) if whole.real > 0.0 else whole * 0.0 + kind.zero


@generic(tiny=True)
def above(kind, least):
    """The least logarithm of a sum of such numbers that has lost nothing that counts: `least`, but for logarithms, which lose nothing."""
    raise TypeError(kind)


@above.when(Real)
def _(kind, least):
    return least


@above.when(Logs)
def _(kind, least):
    return LOG_ZERO


@inner
def total(kind, a):
    """The sum of a row of numbers in this representation, in order."""
    value = a[0]
    for k in range(1, a.shape[0]):
        value = plus(kind, value, a[k])
    return value


@inner
def dot(kind, a, b):
    """Sum of products of two rows."""
    value = times(kind, a[0], b[0])
    for k in range(1, a.shape[0]):
        value = plus(kind, value, times(kind, a[k], b[k]))
    return value


@inner
def add_scaled(kind, out, x, a):
    """out += x * a."""
    for k in range(out.shape[0]):
        out[k] = plus(kind, out[k], times(kind, x, a[k]))


@inner
def weigh(kind, work, toward, turn, n, w):
    """w (modifier, head) = weights of arcs of scores work + turn.step * toward; returns the sum of the shifts, -inf if a word has no arc:
    the weights of arcs into it are then NaN."""
    shifts, step = 0.0, turn.step
    for h in range(n + 1):
        w[0, h] = kind.zero
    for m in range(1, n + 1):
        peak = LOG_ZERO
        for h in range(n + 1):
            peak = max(peak, np.float64(work[m, h]))
        if peak == LOG_ZERO:
            for h in range(n + 1):
                w[m, h] = np.nan
            return LOG_ZERO
        shifts += peak
        for h in range(n + 1):
            w[m, h] = from_log(kind, work[m, h] - peak + step * toward[m, h]) if work[m, h] > LOG_ZERO else kind.zero
    return shifts


@inner
def part(w, n, value, slope):
    """Values and derivatives of a complex table (modifier, head)."""
    for m in range(1, n + 1):
        for h in range(n + 1):
            value[m, h], slope[m, h] = w[m, h].real, w[m, h].imag / STEP
