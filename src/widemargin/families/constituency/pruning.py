"""Smaller parsers: weights that are 0, or too small to matter, are not stored (families/dependencies does the same to its tables).

Rows of hashed tables are shared by features, so rows cannot go; single weights can: one bit for every weight, and those that stay.
"""

import dataclasses

import numpy as np

from widemargin.families.constituency.model import ChartParser
from widemargin.families.constituency.problem import SpanWeights
from widemargin.families.pruning import pruned_tables


def pruned(parser: ChartParser, *, threshold: float | None = None, keep: int | None = None) -> ChartParser:
    """A parser without the weights below the threshold in absolute value, or with the `keep` strongest only.

    Threshold 0 drops zeros alone: predictions stay the same, bit for bit, and the file is smaller.
    """
    tables, facts = pruned_tables(tuple(map(np.asarray, parser.weights)), threshold=threshold, keep=keep)
    return dataclasses.replace(parser, weights=SpanWeights(*tables), facts=parser.facts | {"pruned": facts})
