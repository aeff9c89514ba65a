"""PRO's pairs of hypotheses: which are drawn, and the logistic loss of telling the better from the worse.

Of each list, `draws` pairs (a, b) are drawn, uniformly and with replacement. A pair counts if the worths of a and b differ by at least
`least`, and if their lengths do not differ by more than `outlier` standard deviations of such differences; the `keep` largest differences
of those are kept, in the order of drawing among equals (Hopkins and May 2011; for lengths Nakov et al. 2013, A tale about PRO and
monsters).
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.families.reranking.tuners.lists import Lists, add_features, project

AT_ONCE = 1 << 21  # random numbers at a time; the result does not depend on it


class Sampling(NamedTuple):
    """How pairs are drawn."""

    draws: int
    keep: int
    least: float
    outlier: float  # 0: lengths do not matter


class Kept(NamedTuple):
    """Pairs of one list, largest difference first, and all pairs so far."""

    difference: np.ndarray  # [keep]
    better: np.ndarray  # int64 [S * keep]
    worse: np.ndarray  # int64 [S * keep]


@inner
def longest_difference(length, first, end, outlier):
    """Differences of lengths up to this are no outliers: between two independent draws their variance is twice that of a length."""
    if not outlier > 0.0:
        return np.inf
    mean, square = 0.0, 0.0
    for h in range(first, end):
        mean += length[h] / (end - first)
    for h in range(first, end):
        square += (length[h] - mean) ** 2 / (end - first)
    return outlier * np.sqrt(2.0 * square)


@kernel
def sample_pairs(bounds, worth, length, drawn, sampling, kept, found):
    """Pairs of the lists bounds[i]..bounds[i+1], i < len(drawn), behind the `found` that there are; returns how many there are then.

    drawn: uint32 [lists, draws, 2], uniform. worth, length [H]."""
    draws, keep, least, outlier = sampling
    difference, better, worse = kept
    for i in range(len(drawn)):
        first, n = bounds[i], bounds[i + 1] - bounds[i]
        most, count = longest_difference(length, first, first + n, outlier), 0
        for t in range(draws):
            a, b = first + ((np.int64(drawn[i, t, 0]) * n) >> 32), first + ((np.int64(drawn[i, t, 1]) * n) >> 32)
            gap = worth[a] - worth[b]
            size = abs(gap)
            if size < least or size == 0.0 or abs(length[a] - length[b]) > most or (count == keep and size <= difference[keep - 1]):
                continue
            place = min(count, keep - 1)
            count = min(count + 1, keep)
            while place > 0 and size > difference[place - 1]:
                difference[place] = difference[place - 1]
                better[found + place], worse[found + place] = better[found + place - 1], worse[found + place - 1]
                place -= 1
            difference[place] = size
            better[found + place], worse[found + place] = (a, b) if gap > 0.0 else (b, a)
        found += count
    return found


def drawn_pairs(row_ptr: np.ndarray, worth: np.ndarray, length: np.ndarray, sampling: Sampling, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The better and the worse hypotheses of all pairs, int64 [P] each; a list of one hypothesis has none."""
    random, sentences = np.random.default_rng(seed), len(row_ptr) - 1
    kept = Kept(np.zeros(sampling.keep), np.zeros(sentences * sampling.keep, np.int64), np.zeros(sentences * sampling.keep, np.int64))
    step, found = max(1, AT_ONCE // (2 * sampling.draws)), 0
    for first in range(0, sentences, step):
        bounds = row_ptr[first : first + step + 1]
        drawn = random.integers(0, 1 << 32, (len(bounds) - 1, sampling.draws, 2), np.uint32)
        found = int(sample_pairs(bounds, worth, length, drawn, sampling, kept, found))
    return kept.better[:found].copy(), kept.worse[:found].copy()


@kernel
def logistic(lists, better, worse, w, scratch, g):
    """Mean of log(1 + exp(-<w, f(better) - f(worse)>)) over pairs; its gradient is added to g [D]. scratch: [2, H], scores and shares."""
    score, share = scratch[0], scratch[1]
    for h in range(len(score)):
        score[h] = project(lists, h, w)
        share[h] = 0.0
    value, each = 0.0, 1.0 / len(better)
    for p in range(len(better)):
        m = score[better[p]] - score[worse[p]]
        small = np.exp(-abs(m))
        value += each * (np.log1p(small) + max(-m, 0.0))
        slope = each * (small if m >= 0.0 else 1.0) / (1.0 + small)
        share[better[p]] -= slope
        share[worse[p]] += slope
    for h in range(len(score)):
        if share[h] != 0.0:
            add_features(lists, h, share[h], g)
    return value


def pair_loss(lists: Lists, pairs: tuple[np.ndarray, np.ndarray], l2: float):
    """function(w, g) for quasi_newton.minimise, over lines of weights, of which the first D count: logistic + l2/2 |w|^2."""
    scratch = np.zeros((2, len(lists.feature_ptr) - 1))

    def function(w: np.ndarray, g: np.ndarray) -> float:
        g[:] = l2 * w
        return float(logistic(lists, *pairs, w.reshape(-1), scratch, g.reshape(-1))) + 0.5 * l2 * float((w * w).sum())

    return function
