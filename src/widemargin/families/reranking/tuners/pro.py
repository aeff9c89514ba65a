"""PRO: tuning as ranking (Hopkins and May 2011). Pairs are drawn from the lists (pairs.py), and a logistic loss is minimised by L-BFGS."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.tuners.base import BestWeights, Task, Tuned, check_settings
from widemargin.families.reranking.tuners.pairs import Sampling, drawn_pairs, pair_loss
from widemargin.learners.quasi_newton import SearchSettings, minimise

LINE = 16


@dataclass(frozen=True)
class Pro:
    """draws, keep, least: Gamma, Xi and alpha of the paper (least in per cent of the metric of one hypothesis). outlier: pairs.py. l2: of
    the mean loss plus l2/2 |w|^2, features having standard deviation 1. rounds: each draws anew; their weights are averaged, and the best
    average on dev is kept."""

    draws: int = 5000
    keep: int = 50
    least: float = 5.0
    outlier: float = 2.0
    l2: float = 1e-3
    rounds: int = 1
    iterations: int = 100
    scaling: bool = True
    seed: int = 1

    name = "pro"

    def __post_init__(self):
        inf = float("inf")
        check_settings(self, draws=(1, inf), keep=(1, inf), least=(0, 1e12), outlier=(0, 1e12), l2=(0, 1e12))
        check_settings(self, rounds=(1, inf), iterations=(1, inf), seed=(0, 2**63 - 1))

    def tune(self, pool: Pool, metric: Metric, start: np.ndarray | None = None, *, dev: tuple[Pool, Metric] | None = None) -> Tuned:
        """The loss is convex, so the start matters only where the loss is flat: it begins at 0 there."""
        task = Task(pool, metric, start, dev, scaling=self.scaling)
        sampling = Sampling(self.draws, self.keep, float(self.least), float(self.outlier))
        worth = np.ascontiguousarray(metric.worth, np.float64)
        length = np.diff(pool.token_ptr).astype(np.float64)
        best, history, sums, D = BestWeights(task), [], np.zeros(len(pool.names)), len(pool.names)
        for number in range(1, self.rounds + 1):
            pairs = drawn_pairs(pool.row_ptr, worth, length, sampling, self.seed + number - 1)
            if not len(pairs[0]):
                raise InputError(
                    f"no two hypotheses that were drawn differ by {self.least:g} in {metric.name}; use a smaller least", pool.source
                )
            begin = np.zeros((-(-D // LINE), LINE))
            settings = SearchSettings(0.0, 6, self.iterations, 10, 1e-6, 1, np.float64)
            found = minimise(pair_loss(task.tuning.lists, pairs, self.l2), begin, settings)
            sums += found.w.reshape(-1)[:D]
            facts = {"epoch": number, "pairs": len(pairs[0]), "loss": found.value, "iterations": found.iterations}
            history.append(facts | best.offer(sums / number, number))
        return task.finish(self.name, best.w, best.epoch, history)
