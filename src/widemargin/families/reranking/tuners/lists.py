"""Lists of hypotheses as kernels read them: scores, differences of feature vectors, the best of each list."""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.families.reranking.pool import Pool


class Lists(NamedTuple):
    """The features of H hypotheses of S sentences, as a Pool has them."""

    row_ptr: np.ndarray  # int64 [S+1]
    feature_ptr: np.ndarray  # int64 [H+1]
    feature: np.ndarray  # int32 [E]
    value: np.ndarray  # float64 [E]


def lists_of(pool: Pool, unit: np.ndarray | None = None) -> Lists:
    """A pool's lists; unit [D]: what each feature is divided by."""
    value = pool.value if unit is None else pool.value / unit[pool.feature]
    return Lists(pool.row_ptr, pool.feature_ptr, pool.feature, np.ascontiguousarray(value, np.float64))


@inner
def score_list(lists, w, i, into):
    """Scores of the hypotheses of sentence i into `into`; returns how many there are."""
    first, end = lists.row_ptr[i], lists.row_ptr[i + 1]
    for h in range(first, end):
        value = 0.0
        for e in range(lists.feature_ptr[h], lists.feature_ptr[h + 1]):
            value += lists.value[e] * w[lists.feature[e]]
        into[h - first] = value
    return end - first


@inner
def add_features(lists, h, factor, into):
    """into [D] += factor f(h)."""
    for e in range(lists.feature_ptr[h], lists.feature_ptr[h + 1]):
        into[lists.feature[e]] += factor * lists.value[e]


@inner
def forget_features(lists, h, into):
    """into [D] = 0 where h has features."""
    for e in range(lists.feature_ptr[h], lists.feature_ptr[h + 1]):
        into[lists.feature[e]] = 0.0


@inner
def project(lists, h, vector):
    """<f(h), vector>."""
    value = 0.0
    for e in range(lists.feature_ptr[h], lists.feature_ptr[h + 1]):
        value += lists.value[e] * vector[lists.feature[e]]
    return value


@inner
def square_of_difference(lists, a, b, scratch):
    """|f(a) - f(b)|^2; scratch [D] is 0, and is 0 again afterwards."""
    add_features(lists, a, 1.0, scratch)
    add_features(lists, b, -1.0, scratch)
    square = project(lists, a, scratch) - project(lists, b, scratch)
    forget_features(lists, a, scratch)
    forget_features(lists, b, scratch)
    return square


@inner
def highest(numbers, n):
    """The place of the first highest of n numbers."""
    best = 0
    for k in range(1, n):
        if numbers[k] > numbers[best]:
            best = k
    return best


@inner
def lowest(numbers, n):
    """The place of the first lowest of n numbers."""
    best = 0
    for k in range(1, n):
        if numbers[k] < numbers[best]:
            best = k
    return best


@kernel
def choose(lists, w, scratch, into):
    """The hypothesis of each sentence that scores highest, the first of equals, to into int64 [S]; scratch: [the longest list]."""
    for i in range(len(into)):
        n = score_list(lists, w, i, scratch)
        into[i] = lists.row_ptr[i] + highest(scratch, n)


def chosen(lists: Lists, w: np.ndarray) -> np.ndarray:
    """The hypotheses that w chooses, int64 [S]."""
    out = np.zeros(len(lists.row_ptr) - 1, np.int64)
    choose(lists, np.ascontiguousarray(w, np.float64), np.zeros(longest(lists)), out)
    return out


def longest(lists: Lists) -> int:
    """Hypotheses in the longest list."""
    return int(np.diff(lists.row_ptr).max(initial=1))
