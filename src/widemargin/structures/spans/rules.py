"""Productions by rules: w(A -> B C) = score[r] for rule r, as in a weighted context-free grammar."""

from typing import NamedTuple

import numpy as np

from widemargin.structures.spans.kernel import NoSplits, Spans, Splits


class Rules(NamedTuple):
    """R rules A -> B C, sorted by (B, C, A): rules of one pair of children stand together."""

    score: np.ndarray  # [R]
    mu: np.ndarray  # [R]
    parent: np.ndarray  # int32 [R]
    left: np.ndarray  # int32 [R]
    right: np.ndarray  # int32 [R]


class RuleSpans(NamedTuple):
    """Trees scored by rules."""

    spans: Spans
    splits: NoSplits | Splits
    grammar: Rules
