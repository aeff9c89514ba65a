"""Is system A really better than B? Paired bootstrap over sentences (Koehn 2004, Statistical significance tests for MT evaluation, §4).

Sentences are drawn with replacement, as many as there are, and both systems are scored on the same draw from their sentence counts. With
m [samples, S] the number of times each sentence was drawn, the sums are m @ counts.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError

RESAMPLES_AT_ONCE = 1 << 16  # draws at a time, few enough to stay in the cache; the result does not depend on it


@dataclass(frozen=True)
class Bootstrap:
    """score(A) - score(B), how often a resample does not agree that the better one is better, and the 95% interval of the difference."""

    difference: float
    p_value: float
    low: float
    high: float
    samples: int


def f1_from_counts(counts: np.ndarray) -> np.ndarray:
    """F1 in per cent of correct, guessed, gold [..., 3]: 200 correct / (guessed + gold)."""
    return 200 * counts[..., 0] / np.maximum(counts[..., 1] + counts[..., 2], 1)


def accuracy_from_counts(counts: np.ndarray) -> np.ndarray:
    """Accuracy in per cent of correct, total [..., 2]."""
    return 100 * counts[..., 0] / np.maximum(counts[..., 1], 1)


def paired_bootstrap(
    a_counts: np.ndarray,
    b_counts: np.ndarray,
    *,
    score: Callable[[np.ndarray], np.ndarray] = f1_from_counts,
    samples: int = 10_000,
    seed: int = 0,
) -> Bootstrap:
    """Compare two systems from their counts per sentence, int [S, K], where `score` maps sums [..., K] to numbers [...].

    p = (1 + resamples in which the better system is not better) / (1 + samples), one-sided, never 0.
    """
    a_counts, b_counts = np.asarray(a_counts, np.float64), np.asarray(b_counts, np.float64)
    if a_counts.ndim != 2 or a_counts.shape != b_counts.shape or not len(a_counts):
        raise InputError(
            f"the counts have the shapes {a_counts.shape} and {b_counts.shape}; give both systems' counts of the same sentences, [S, K]."
        )
    if samples < 1:
        raise InputError(f"{samples} samples are too few; 1,000 to 10,000 are usual.")
    sentences, width = a_counts.shape
    both = np.concatenate([a_counts, b_counts], axis=1)
    random = np.random.default_rng(seed)
    rows = max(1, RESAMPLES_AT_ONCE // sentences)
    differences = np.empty(samples)
    for done in range(0, samples, rows):
        size = min(rows, samples - done)
        drawn = random.integers(0, sentences, size=(size, sentences), dtype=np.int32)
        drawn += np.arange(0, size * sentences, sentences, dtype=np.int32)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * sentences).reshape(size, sentences)
        sums = times.astype(np.float64) @ both  # whole numbers, so the same in any order of summation
        differences[done : done + size] = score(sums[:, :width]) - score(sums[:, width:])
    total = both.sum(axis=0)
    difference = float(score(total[:width]) - score(total[width:]))
    against = np.count_nonzero(differences <= 0 if difference >= 0 else differences >= 0)
    low, high = np.percentile(differences, [2.5, 97.5])
    return Bootstrap(difference, (1 + int(against)) / (1 + samples), float(low), float(high), samples)
