"""What a hypothesis costs: how much of a metric is lost by it, times a factor that says in which units (FAMILY.costs has the forms).

With worth m(h) of a hypothesis by itself and m* of the best one of its list, both in [0, 1],

    sentence:   price(h) = factor (m* - m(h))
    corpus:     price(h) = factor S (B* - B(h)),  B(h) = BLEU of all first hypotheses with the one of this sentence replaced by h
    hamming:    price(h) = factor, but 0 for what is correct

so that the best hypothesis is free. The other two strategies change while weights move, so that there is no F to be minimised: tuners
have them (kernels/costs.py).
"""

from dataclasses import dataclass

import numpy as np

from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.families.costs import split_factor
from widemargin.families.reranking.bleu import SMOOTHINGS, corpus_bleu
from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.pool import Pool

FORMS = "sentence, corpus or hamming, perhaps with *FACTOR after it, e.g. sentence*10"
MOVING = ("background", "pseudo-document")  # of tuners alone (tuners/gains.py)


@dataclass(frozen=True)
class ListCost:
    """How prices are made; `text` is how the user wrote it."""

    text: str
    strategy: str
    factor: float

    def prices(self, pool: Pool, metric: Metric, correct: np.ndarray) -> np.ndarray:
        """The price of every hypothesis [H]; correct: bool [H]."""
        if self.strategy == "hamming":
            return self.factor * (~correct).astype(float)
        worth = metric.worth / 100.0
        if self.strategy == "corpus":
            if metric.name != "bleu":
                raise InputError(f"cost corpus is for BLEU, and the metric is {metric.name}; use cost=sentence", "--cost")
            first = pool.counts[pool.row_ptr[:-1]].astype(float)
            rest = first.sum(axis=0) - first
            worth = pool.sentences * corpus_bleu(rest[pool.row] + pool.counts) / 100.0
        best = np.maximum.reduceat(worth, pool.row_ptr[:-1])
        return self.factor * (best[pool.row] - worth)


def parse_cost(text: str) -> ListCost:
    """Read one of the forms of FAMILY.costs."""
    strategy, factor = split_factor(text)
    if strategy in MOVING:
        how = f"`widemargin rerank tune --set gain={strategy}` has it"
        raise InputError(f"cost {strategy} changes while weights move, so that there is no F to minimise; {how}, or use {FORMS}", "--cost")
    if strategy not in ("sentence", "corpus", "hamming"):
        raise InputError(f"cost {text!r} is not known; use {FORMS}", "--cost")
    return ListCost(text, strategy, factor)


def check_smoothing(name: str) -> str:
    """A smoothing of BLEU by name."""
    return known("smoothing", name, SMOOTHINGS)
