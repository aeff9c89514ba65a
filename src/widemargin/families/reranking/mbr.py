"""Decoding by minimum Bayes risk (Kumar and Byrne 2004): the hypothesis with the highest expected sentence BLEU, each of its list taken
for the reference with its probability.

    y = argmax_h  sum_h' P(h') BLEU(h, h')
"""

import numpy as np

from widemargin.families.reranking.bleu import sentence_bleu
from widemargin.families.reranking.kernels.bleu import ReferenceWords
from widemargin.families.reranking.metrics import first_best
from widemargin.families.reranking.pool import Pool, ranges
from widemargin.families.reranking.references import word_statistics
from widemargin.scoring.list_corpus import pointer


def least_risk(pool: Pool, log_probability: np.ndarray, *, smoothing: str = "add-1") -> np.ndarray:
    """The chosen hypotheses, int64 [S]; log_probability [H] sums to 1 in each list."""
    size, gain = np.diff(pool.row_ptr), np.zeros(len(pool))
    for k in range(int(size.max())):  # the k-th hypothesis of each list as its reference
        taken = pool.row_ptr[:-1] + np.minimum(k, size - 1)
        words = ReferenceWords(
            np.arange(pool.sentences + 1), pointer(np.diff(pool.token_ptr)[taken]), pool.token[ranges(pool.token_ptr, taken)]
        )
        share = np.where(k < size, np.exp(log_probability[taken]), 0.0)
        gain += share[pool.row] * sentence_bleu(word_statistics(pool, words, len(pool.words)), smoothing)
    return first_best(pool.row_ptr, gain)
