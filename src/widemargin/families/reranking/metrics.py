"""Metrics of hypotheses: what one is worth by itself, and counts that add up to what a whole choice is worth.

A metric's own numbers are in per cent, its `worth` is higher for what is better: error rates are worth 100 - rate.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.engine.names import hint
from widemargin.errors import InputError, require
from widemargin.families.reranking.bleu import corpus_bleu, sentence_bleu
from widemargin.families.reranking.edits import error_counts
from widemargin.families.reranking.pool import Pool

KNOWN = {
    "bleu": "BLEU of all sentences together; of one sentence, smoothed",
    "ter": "translation edit rate, by sacrebleu (extra mt)",
    "chrf": "character n-gram F-score, by sacrebleu (extra mt)",
    "wer": "word error rate",
    "cer": "character error rate",
}
ERRORS = ("ter", "wer", "cer")


@dataclass(frozen=True)
class Metric:
    """Numbers of the hypotheses of a pool."""

    name: str
    counts: np.ndarray  # [H, K]
    total: Callable[[np.ndarray], np.ndarray]  # sums of counts [..., K] to the metric, in per cent
    single: np.ndarray  # [H]   the metric of each hypothesis by itself, in per cent
    lower_is_better: bool = False

    @property
    def worth(self) -> np.ndarray:
        """Of each hypothesis by itself, higher for what is better [H]."""
        return 100.0 - self.single if self.lower_is_better else self.single

    def best(self, pool: Pool) -> np.ndarray:
        """The hypothesis of each sentence that is worth most, the first of equals, int64 [S]."""
        return first_best(pool.row_ptr, self.worth)


def first_best(row_ptr: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The place of the first highest value of each row, int64 [S]; no row is empty."""
    row = np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr))
    highest = np.maximum.reduceat(value, row_ptr[:-1])
    at = np.flatnonzero(value == highest[row])
    return at[np.searchsorted(row[at], np.arange(len(row_ptr) - 1))]


def metric_named(pool: Pool, name: str, *, smoothing: str = "add-1") -> Metric:
    """A metric of KNOWN, or a column of the lists, of which higher is better and the mean is reported."""
    if name in pool.columns:
        column = pool.columns[name]
        counts = np.column_stack([column, np.ones(len(column))])
        return Metric(name, counts, lambda sums: sums[..., 0] / np.maximum(sums[..., 1], 1.0), column)
    if name not in KNOWN:
        has = [*KNOWN, *pool.columns]
        bad = f"metric {name!r} is not known and the lists have no column of that name"
        raise InputError(f"{bad}; choose one of {', '.join(has)}{hint(name, has)}", pool.source)
    if not pool.references:
        columns = f", or one of the columns {', '.join(pool.columns)} as metric" if pool.columns else ""
        raise InputError(f"{name} needs references; give files with --refs{columns}", pool.source)
    if name == "bleu":
        return Metric(name, pool.counts, corpus_bleu, sentence_bleu(pool.counts, smoothing))
    counts = error_counts(pool, characters=name == "cer") if name in ("wer", "cer") else _by_sacrebleu(pool, name)
    total = _chrf_total if name == "chrf" else error_rate
    return Metric(name, counts, total, total(counts), name in ERRORS)


def error_rate(counts: np.ndarray) -> np.ndarray:
    """Edits over the reference's length [..., 2], in per cent."""
    return 100.0 * counts[..., 0] / np.maximum(counts[..., 1], 1.0)


def _by_sacrebleu(pool: Pool, name: str) -> np.ndarray:
    """sacrebleu's own statistics of every hypothesis, each distinct text of a sentence once."""
    metric = sacrebleu_metric(name)
    rows, seen = [], {}
    row = pool.row.tolist()
    for h, text in enumerate(pool.texts):
        key = row[h], text
        if key not in seen:
            cached = metric._cache_references([[one] for one in pool.references[row[h]]])
            seen[key] = metric._compute_segment_statistics(metric._preprocess_segment(text), cached[0])
        rows.append(seen[key])
    return np.array(rows, float)


def sacrebleu_metric(name: str):
    """TER or chrF of sacrebleu, with what is usual there."""
    require("sacrebleu", name)
    from sacrebleu.metrics import CHRF, TER

    return TER() if name == "ter" else CHRF()


def _chrf_total(counts: np.ndarray) -> np.ndarray:
    metric = sacrebleu_metric("chrf")
    flat = counts.reshape(-1, counts.shape[-1])
    return np.array([metric._compute_f_score(one.tolist()) for one in flat]).reshape(counts.shape[:-1])
