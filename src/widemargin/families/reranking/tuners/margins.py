"""MIRA and RM over lists: epochs of passive-aggressive steps or of cutting planes, averaged, the best on dev kept.

Both go through fixed lists in a random order, so they are batch variants of the online tuners of the paper: the lists are not decoded
anew under the weights of the moment.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.tuners.base import BestWeights, Task, Tuned, check_settings, one_of
from widemargin.families.reranking.tuners.cutting import cutting_epoch, no_planes
from widemargin.families.reranking.tuners.gains import NAMES as GAINS
from widemargin.families.reranking.tuners.gains import gain_of, in_context
from widemargin.families.reranking.tuners.lists import longest
from widemargin.families.reranking.tuners.passive import (
    COST,
    LEAST_METRIC,
    LOCAL,
    METRIC,
    MODEL_AND_METRIC,
    PREDICTION,
    SINGLE,
    Rule,
    State,
    passive_epoch,
)

HOPES = {"model": MODEL_AND_METRIC, "max-bleu": METRIC, "local": LOCAL, "bold": SINGLE}
FEARS = {"cost": COST, "metric": LEAST_METRIC, "prediction": PREDICTION}
INFINITY = float("inf")


@dataclass(frozen=True)
class Margins:
    """What MIRA and RM share.

    hope: `model` (the most of score + gain), `max-bleu` (the most gain), `local` (the most gain among the ten highest scores) or `bold`
    (the best by itself; Liang et al. 2006 have the reference, which no list need hold). fear: `cost` (the most of score - gain), `metric`
    (the least gain) or `prediction` (the highest score). gain, scale: gains.py.
    """

    C: float = 0.01
    epochs: int = 60
    gain: str = "background"
    scale: float = 1.0
    hope: str = "model"
    fear: str = "cost"
    average: bool = True
    shuffle: bool = True
    scaling: bool = False
    seed: int = 1

    name = "mira"

    def __post_init__(self):
        check_settings(self, C=(0, 1e12), epochs=(1, INFINITY), scale=(0, 1e12), seed=(0, 2**63 - 1))
        one_of("gain", self.gain, GAINS)
        one_of("hope", self.hope, HOPES)
        one_of("fear", self.fear, FEARS)

    def rule(self) -> Rule:
        """As kernels take it."""
        return Rule(float(self.C), INFINITY, 0.0, HOPES[self.hope], FEARS[self.fear], False, False, False)

    def epoch(self, task: Task, kind, order: np.ndarray, state: State) -> dict:
        """Visits the sentences in this order; more to say of the epoch."""
        passive_epoch(task.tuning.lists, kind, order, self.rule(), state)
        return {}

    def tune(self, pool: Pool, metric: Metric, start: np.ndarray | None = None, *, dev: tuple[Pool, Metric] | None = None) -> Tuned:
        """The (averaged) weights after the epoch that is best on dev, or on the lists themselves without it."""
        task = Task(pool, metric, start, dev, scaling=self.scaling)
        lists, D, room = task.tuning.lists, len(pool.names), longest(task.tuning.lists)
        single = np.ascontiguousarray(metric.worth, np.float64)
        zeros = np.zeros(D), np.zeros(2, np.int64), np.zeros(D), np.zeros(room), np.zeros(room)
        state = State(task.w.copy(), *zeros, single, np.zeros(3))
        kind, random, best = gain_of(self.gain, metric, self.scale), np.random.default_rng(self.seed), BestWeights(task)
        order, history = np.arange(pool.sentences), []
        for epoch in range(1, self.epochs + 1):
            if self.gain == "corpus":
                kind = in_context(metric, lists, state.w, self.scale)
            if self.shuffle:
                random.shuffle(order)
            more = self.epoch(task, kind, order, state)
            w = state.w - state.steps / (state.updates[0] + 1) if self.average else state.w.copy()
            mean, square, margin = state.spread / pool.sentences
            facts = {
                "epoch": epoch,
                "updates": int(state.updates[1]),
                "spread": float(mean),
                "spread_sd": float(np.sqrt(max(0.0, square - mean**2))),
            }
            history.append(facts | {"margin": float(margin)} | more | best.offer(w, epoch))
        return task.finish(self.name, best.w, best.epoch, history)


@dataclass(frozen=True)
class Mira(Margins):
    """k-best MIRA, batch over fixed lists (Cherry and Foster 2012), or with gain=pseudo-document the costs of Chiang et al. 2008."""


@dataclass(frozen=True)
class Rm(Margins):
    """Relative margin (eidelman2013), with the paper's defaults for dense features: C = D = 0.01, B = 1; D = 0.1 for sparse ones.

    method: `pa`, one step for each kind of constraint, or `cp`, the program of the whole list. bounds: `upper` (on argmin s) or `both`
    (also on argmax s). worst: found `before` the margin step, as the authors' program does, or `after` it, as their paper says. by_cost: B
    is multiplied by the difference of gains (footnote 4).
    """

    B: float = 1.0
    D: float = 0.01
    method: str = "pa"
    bounds: str = "upper"
    worst: str = "before"
    by_cost: bool = False

    name = "rm"

    def __post_init__(self):
        super().__post_init__()
        check_settings(self, B=(0, INFINITY), D=(0, 1e12))
        one_of("method", self.method, ("pa", "cp"))
        one_of("bounds", self.bounds, ("upper", "both"))
        one_of("worst", self.worst, ("before", "after"))

    def rule(self) -> Rule:
        found = Rule(float(self.C), float(self.B), float(self.D), HOPES[self.hope], FEARS[self.fear], False, False, False)
        return found._replace(again=self.worst == "after", both=self.bounds == "both", by_cost=self.by_cost)

    def epoch(self, task: Task, kind, order: np.ndarray, state: State) -> dict:
        if self.method == "pa":
            return super().epoch(task, kind, order, state)
        return {"open": float(cutting_epoch(task.tuning.lists, kind, order, self.rule(), state, no_planes(), np.zeros_like(state.score)))}
