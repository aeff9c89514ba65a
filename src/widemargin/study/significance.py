"""Whether a system is really worse than the best: paired bootstraps from counts per sentence."""

from collections.abc import Callable

import numpy as np

from widemargin.metrics.bootstrap import Bootstrap, paired_bootstrap

LEVEL = 0.05


def against(best: np.ndarray, other: np.ndarray, score: Callable[[np.ndarray], np.ndarray], *, samples: int) -> Bootstrap:
    """The best system's counts [S, K] against another's; score: the metric of sums of counts."""
    return paired_bootstrap(best, other, score=score, samples=samples)


def is_worse(found: Bootstrap) -> bool:
    """Is the other system significantly worse than the best?"""
    return found.difference > 0 and found.p_value < LEVEL
