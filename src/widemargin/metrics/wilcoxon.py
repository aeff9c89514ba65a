"""Wilcoxon's signed-rank test: do two systems differ, sentence by sentence? (Wilcoxon 1945, Individual comparisons by ranking methods)

d_i = a_i - b_i, those that are 0 left out; n of them are left; their absolute values are ranked, ties by their mean rank
W = min(W+, W-), the sums of the ranks of positive and of negative differences
p, two-sided: exact for n <= EXACT without ties, from the number of subsets of {1, ..., n} with each sum; otherwise from the normal
distribution with the mean n (n + 1) / 4 and the variance n (n + 1) (2n + 1) / 24 - sum of (t^3 - t) / 48 over groups of t ties
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError

EXACT = 50


@dataclass(frozen=True)
class SignedRank:
    """What the test came to."""

    n: int  # pairs that differ
    w: float  # the smaller of the two sums of ranks
    p_value: float  # two-sided
    positive: float  # the sum of the ranks of pairs in which a is larger
    exact: bool


def signed_rank(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> SignedRank:
    """Compare paired numbers [S]. Where no pair differs, nothing speaks against equality: p is 1."""
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if x.ndim != 1 or x.shape != y.shape or not np.isfinite(x).all() or not np.isfinite(y).all():
        raise InputError(f"the numbers have the shapes {x.shape} and {y.shape}; give two rows of as many finite numbers.")
    difference = (x - y)[x != y]
    n = len(difference)
    if not n:
        return SignedRank(0, 0.0, 1.0, 0.0, True)
    _, group, ties = np.unique(np.abs(difference), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[group]
    positive = float(ranks[difference > 0].sum())
    w = min(positive, n * (n + 1) / 2 - positive)
    exact = n <= EXACT and bool((ties == 1).all())
    return SignedRank(n, w, _exact(n, int(w)) if exact else _normal(n, w, ties), positive, exact)


def _exact(n: int, w: int) -> float:
    """P(min(W+, W-) <= w) where each rank is positive or negative with probability 1/2; whole numbers of any size until the end."""
    subsets = [1] + [0] * w  # by sum, up to w
    for rank in range(1, n + 1):
        for total in range(w, rank - 1, -1):
            subsets[total] += subsets[total - rank]
    return min(1.0, 2 * sum(subsets) / 2**n)


def _normal(n: int, w: float, ties: np.ndarray) -> float:
    t = ties.astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((t**3 - t).sum()) / 48
    return math.erfc(abs(w - n * (n + 1) / 4) / math.sqrt(2 * variance))
