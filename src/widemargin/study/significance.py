"""Whether a system is really worse than the best: paired bootstraps from counts per sentence."""

from collections.abc import Callable

import numpy as np

from widemargin.metrics.bootstrap import Bootstrap, accuracy_from_counts, f1_from_counts, paired_bootstrap
from widemargin.metrics.spans import span_counts_per_sentence
from widemargin.readers.columns import Columns
from widemargin.tasks.base import Task

LEVEL = 0.05


def sentence_counts(task: Task, columns: Columns, label_column: str | int, codes, values, *, strict: str | None = None) -> np.ndarray:
    """What the task's metric is computed from, sentence by sentence, int [S, K], for labels (codes, values) against a gold column."""
    gold = columns.column(label_column)
    gold_codes, gold_values = columns.codes[gold], columns.values[gold]
    if task.spans:
        return span_counts_per_sentence(gold_codes, codes, gold_values, values, columns.row_ptr, strict=strict)
    right = np.array(gold_values)[gold_codes] == np.array(values)[codes]
    return np.stack([np.add.reduceat(right, columns.row_ptr[:-1]), np.diff(columns.row_ptr)], axis=1)


def score_of(task: Task) -> Callable[[np.ndarray], np.ndarray]:
    """The task's metric as a function of sums of these counts."""
    return f1_from_counts if task.spans else accuracy_from_counts


def against(best: np.ndarray, other: np.ndarray, task: Task, *, samples: int) -> Bootstrap:
    """The best system's counts [S, K] against another's."""
    return paired_bootstrap(best, other, score=score_of(task), samples=samples)


def is_worse(found: Bootstrap) -> bool:
    """Is the other system significantly worse than the best?"""
    return found.difference > 0 and found.p_value < LEVEL
