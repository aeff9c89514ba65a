"""Whether a system is really worse than the best: paired bootstraps from counts per sentence."""

from collections.abc import Callable

import numpy as np

from widemargin.metrics.bootstrap import Bootstrap, accuracy_from_counts, f1_from_counts, paired_bootstrap
from widemargin.metrics.spans import span_counts_per_sentence
from widemargin.tasks.base import Task
from widemargin.tasks.gold import Written

LEVEL = 0.05


def sentence_counts(task: Task, gold: Written, codes, values, *, strict: str | None = None) -> np.ndarray:
    """What the task's metric is computed from, sentence by sentence, int [S, K], for labels (codes, values) against gold ones."""
    if task.spans:
        return span_counts_per_sentence(gold.codes, codes, gold.values, values, gold.row_ptr, strict=strict)
    right = np.array(gold.values)[gold.codes] == np.array(values)[codes]
    return np.stack([np.add.reduceat(right, gold.row_ptr[:-1]), np.diff(gold.row_ptr)], axis=1)


def score_of(task: Task) -> Callable[[np.ndarray], np.ndarray]:
    """The task's metric as a function of sums of these counts."""
    return f1_from_counts if task.spans else accuracy_from_counts


def against(best: np.ndarray, other: np.ndarray, task: Task, *, samples: int) -> Bootstrap:
    """The best system's counts [S, K] against another's."""
    return paired_bootstrap(best, other, score=score_of(task), samples=samples)


def is_worse(found: Bootstrap) -> bool:
    """Is the other system significantly worse than the best?"""
    return found.difference > 0 and found.p_value < LEVEL
