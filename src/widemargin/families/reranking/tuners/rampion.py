"""RAMPION: the ramp from hope to fear, by the concave-convex procedure (Gimpel and Smith 2012, Structured ramp loss minimization for MT).

    F(w) = 1/S sum_i [max(s - cost) of hope, fixed for a round, against max(s + cost)] + l2/2 |w - w_0|^2

Each round fixes the hopes of all sentences, y+ = argmax s + gain; then subgradient steps over sentences, w += rate (f(y+) - f(y-)) with
y- = argmax s - gain, and w shrinks towards w_0 by rate * l2. cost = scale * (100 - metric of the sentence) / 100.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.families.reranking.metrics import Metric, first_best
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.tuners.base import BestWeights, Task, Tuned, check_settings
from widemargin.families.reranking.tuners.lists import add_features, longest, score_list


@kernel
def ramp_pass(lists, gain, hope, order, rate, shrink, weights, scratch):
    """One step for each sentence of the order; returns how often fear was not hope. weights [3, D]: w, w_0, sums of w after every step."""
    w, start, sums = weights[0], weights[1], weights[2]
    moved = 0
    for i in order:
        first = lists.row_ptr[i]
        n = score_list(lists, w, i, scratch)
        fear = 0
        for k in range(1, n):
            if scratch[k] - gain[first + k] > scratch[fear] - gain[first + fear]:
                fear = k
        for f in range(len(w)):
            w[f] -= shrink * (w[f] - start[f])
        if first + fear != hope[i]:
            add_features(lists, hope[i], rate, w)
            add_features(lists, first + fear, -rate, w)
            moved += 1
        for f in range(len(w)):
            sums[f] += w[f]
    return moved


@dataclass(frozen=True)
class Rampion:
    """rounds, passes, rate, l2 and scale: T', T'', eta, C / S and alpha of the paper; its rate is for features as they come, this one for
    features of standard deviation 1 (scaling=false: as they come)."""

    rounds: int = 10
    passes: int = 5
    rate: float = 1e-2
    l2: float = 1e-3
    scale: float = 10.0
    average: bool = True
    scaling: bool = True
    seed: int = 1

    name = "rampion"

    def __post_init__(self):
        inf = float("inf")
        check_settings(self, rounds=(1, inf), passes=(1, inf), rate=(0, 1e12), l2=(0, 1e12), scale=(0, 1e12), seed=(0, 2**63 - 1))

    def tune(self, pool: Pool, metric: Metric, start: np.ndarray | None = None, *, dev: tuple[Pool, Metric] | None = None) -> Tuned:
        """The weights after the round that is best on dev, averaged over all steps so far."""
        task = Task(pool, metric, start, dev, scaling=self.scaling)
        lists, gain = task.tuning.lists, np.ascontiguousarray(metric.worth, np.float64) * (self.scale / 100.0)
        weights = np.vstack([task.w, task.w, np.zeros_like(task.w)])
        scratch, order, random = np.zeros(longest(lists)), np.arange(pool.sentences), np.random.default_rng(self.seed)
        best, history, steps = BestWeights(task), [], 0
        for number in range(1, self.rounds + 1):
            hope = first_best(pool.row_ptr, pool.scores(weights[0] / task.unit) + gain)
            for _ in range(self.passes):
                random.shuffle(order)
                moved = ramp_pass(lists, gain, hope, order, self.rate, self.rate * self.l2, weights, scratch)
                steps += pool.sentences
            w = weights[2] / steps if self.average else weights[0].copy()
            history.append({"epoch": number, "updates": int(moved)} | best.offer(w, number))
        return task.finish(self.name, best.w, best.epoch, history)
