"""Costs of summaries (FAMILY.costs has the forms).

recall     recall(gold) - recall(y), from 0 to 1, where recall(y) = sum of r_b over the bigrams that y covers / sum over all bigrams of
           references, and r_b is the share of references that have bigram b. The gold is the set of highest recall, so no cost is below 0.
hamming    how many sentences are chosen that the gold has not, or missed
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.costs import split_factor

NAMES = ("recall", "hamming")


@dataclass(frozen=True)
class SummaryCost:
    """`text` is how the user wrote it."""

    text: str
    name: str
    factor: float

    def prices(self, gold: np.ndarray, reference: np.ndarray, total: float) -> tuple[np.ndarray, float]:
        """Prices [B + S] of parts and what every output costs besides. gold [B + S]; reference [B]: r_b; total: the sum of all r_b."""
        B = len(reference)
        prices = np.zeros(len(gold))
        if self.name == "hamming":
            prices[B:] = 1.0 - 2.0 * gold[B:]
        elif total > 0.0:
            prices[:B] = -reference / total
        prices *= self.factor
        return prices, float(-prices[gold > 0].sum())


def parse_summary_cost(text: str) -> SummaryCost:
    """recall or hamming, perhaps *FACTOR."""
    body, factor = split_factor(text)
    if body not in NAMES:
        raise InputError(f"cost {text!r} is not known; use recall or hamming, perhaps with a factor: recall*10")
    return SummaryCost(text, body, factor)
