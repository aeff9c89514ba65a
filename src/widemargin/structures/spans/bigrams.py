"""Productions by bigrams of parent and child: w(A -> B C) = left[B, A] + right[C, A]."""

from typing import NamedTuple

import numpy as np

from widemargin.structures.spans.kernel import NoSplits, Spans, Splits


class Bigrams(NamedTuple):
    """Scores of parent and child; a pair that may not be has -inf. Rows are children, so that all parents of a child are one vector."""

    left: np.ndarray  # [K, L]  left[B, A]
    right: np.ndarray  # [K, L]  right[C, A]
    left_mu: np.ndarray  # [K, L]
    right_mu: np.ndarray  # [K, L]


class BigramSpans(NamedTuple):
    """Trees scored by bigrams of parent and child."""

    spans: Spans
    splits: NoSplits | Splits
    grammar: Bigrams
