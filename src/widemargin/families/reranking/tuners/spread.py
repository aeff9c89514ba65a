"""How scores lie in their lists under some weights: spread, relative margin, and the features that make them."""

import numpy as np

from widemargin.families.reranking.metrics import Metric, first_best
from widemargin.families.reranking.pool import Pool


def spread_facts(pool: Pool, metric: Metric, w: np.ndarray) -> dict[str, float]:
    """spread, spread_sd: mean and standard deviation over sentences of s(y+) - min s, where y+ is the most of score and metric, the metric
    of a hypothesis by itself in words (in [0, 1] times the reference length; for other metrics than BLEU without it).

    relative_margin: the mean of s(y*) - s(y-) over the mean of s(y*) - min s, where y* is the best by the metric and y- the highest-scored
    of those that are worse: it does not change when w is multiplied by a number. active: weights that are not 0; fired: those of them whose
    feature some hypothesis has.
    """
    score, first = pool.scores(np.asarray(w, np.float64)), pool.row_ptr[:-1]
    words = pool.counts[:, 9] if metric.name == "bleu" else 1.0
    lowest = np.minimum.reduceat(score, first)
    spread = score[first_best(pool.row_ptr, score + words * metric.worth / 100.0)] - lowest
    best = metric.best(pool)
    worse = np.where(metric.worth < metric.worth[best][pool.row], score, -np.inf)
    second = np.maximum.reduceat(worse, first)
    has = np.isfinite(second)
    apart = (score[best] - lowest)[has].sum()
    margin = float((score[best] - second)[has].sum() / apart) if apart > 0.0 else 0.0
    fires = np.bincount(pool.feature, minlength=len(pool.names)) > 0
    counts = {"active": int(np.count_nonzero(w)), "fired": int(np.count_nonzero(np.asarray(w)[fires]))}
    return {"spread": float(spread.mean()), "spread_sd": float(spread.std()), "relative_margin": margin} | counts
