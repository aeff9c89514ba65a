"""Calibration: do labels given with probability p turn out right in a share p of the cases?

    confidence  c_t = max_y P(y at t), its label the argmax
    bins        of equal width, bin b holding b/B < c <= (b+1)/B
    ECE         sum over bins of count/N * |accuracy - mean confidence|                    (Naeini et al. 2015; Guo et al. 2017)
    NLL         - mean of log P(gold label at t), in nats                                  (what a temperature is chosen by)

Gold labels are codes; two are not labels. HIDDEN_CODE (the label is not known) is left out of everything. ABSENT (a label that the model
does not have) counts as a wrong answer in accuracy and ECE, for so it is, and is left out of the NLL, where it is infinite at any
temperature.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError

HIDDEN_CODE, ABSENT = -1, -2
BINS = 15
FLOOR = float(np.finfo(np.float32).tiny)  # probabilities come as float32; what is less than these can hold counts as this in the NLL
GOLDEN = (math.sqrt(5) - 1) / 2
COLDEST, HOTTEST = 1 / 32, 32.0  # temperatures that are searched


@dataclass(frozen=True)
class Reliability:
    """Confidence and accuracy bin by bin, and what they sum up to."""

    count: np.ndarray  # int64 [B]
    confidence: np.ndarray  # [B], mean in the bin, NaN in an empty one
    accuracy: np.ndarray  # [B], likewise
    nll: float

    @property
    def tokens(self) -> int:
        return int(self.count.sum())

    @property
    def ece(self) -> float:
        """Expected calibration error, from 0 (calibrated) to 1."""
        gaps = np.abs(self.accuracy - self.confidence)
        return float(np.nansum(self.count * gaps) / self.tokens)

    def bins(self) -> list[dict]:
        """One dict per bin: its bounds, its count, and unless it is empty its mean confidence and accuracy."""
        size = len(self.count)
        return [
            {"low": round(b / size, 6), "high": round((b + 1) / size, 6), "count": int(self.count[b])}
            | ({"confidence": float(self.confidence[b]), "accuracy": float(self.accuracy[b])} if self.count[b] else {})
            for b in range(size)
        ]

    def as_dict(self) -> dict:
        """The sums and the bins."""
        right = float(np.nansum(self.count * self.accuracy) / self.tokens)
        return {"tokens": self.tokens, "accuracy": right, "ece": self.ece, "nll": self.nll, "bins": self.bins()}


def reliability(chance: np.ndarray, gold: np.ndarray, *, bins: int = BINS) -> Reliability:
    """Reliability of probabilities chance [N, Y] against gold codes int [N]."""
    nll = negative_log_likelihood(chance, gold)
    chance, gold = chance[gold != HIDDEN_CODE], gold[gold != HIDDEN_CODE]
    label = chance.argmax(axis=1)
    confidence = np.clip(chance[np.arange(len(gold)), label].astype(np.float64), 0.0, 1.0)
    at = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    count = np.bincount(at, minlength=bins)
    with np.errstate(invalid="ignore"):  # 0 / 0 in empty bins
        mean = np.bincount(at, confidence, minlength=bins) / count
        accuracy = np.bincount(at, label == gold, minlength=bins) / count
    return Reliability(count, mean, accuracy, nll)


def negative_log_likelihood(chance: np.ndarray, gold: np.ndarray) -> float:
    """- mean log probability of the gold labels that the model has."""
    known = np.flatnonzero(gold >= 0)
    if not len(known):
        raise InputError(
            "no gold answer here is one that the model can give, so there is nothing to compare its probabilities with; are there gold "
            "labels, trees or chains in this file?"
        )
    return -float(np.log(np.maximum(chance[known, gold[known]].astype(np.float64), FLOOR)).mean())


def best_temperature(loss: Callable[[float], float], *, evaluations: int = 16) -> tuple[float, float]:
    """The temperature with the smallest loss, and that loss: golden section on log temperature, between 1/32 and 32.

    The loss is taken to fall and then rise. Sixteen evaluations find the temperature to within half a per cent. One of them is spent on
    temperature 1, so that the answer is never worse than to leave everything as it is.
    """
    seen = {1.0: loss(1.0)}

    def at(x: float) -> float:
        seen[math.exp(x)] = value = loss(math.exp(x))
        return value

    low, high = math.log(COLDEST), math.log(HOTTEST)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f_left, f_right = at(left), at(right)
    for _ in range(evaluations - 3):
        if f_left < f_right:
            high, right, f_right = right, left, f_left
            left = high - GOLDEN * (high - low)
            f_left = at(left)
        else:
            low, left, f_left = left, right, f_right
            right = low + GOLDEN * (high - low)
            f_right = at(right)
    temperature = min(seen, key=lambda t: (seen[t], abs(math.log(t))))
    return temperature, seen[temperature]
