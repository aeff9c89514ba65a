"""The opposite of scores, for the lowest score of all outputs (structure.negate)."""

import numpy as np

from widemargin.compiler.jit import inner


@inner
def negate_numbers(scores, count):
    """The first `count` of scores [N] change their signs, but for -inf."""
    for k in range(count):
        if scores[k] > -np.inf:
            scores[k] = -scores[k]


@inner
def negate_rows(scores, count):
    """The first `count` rows of scores [N, L] likewise."""
    for r in range(count):
        negate_numbers(scores[r], scores.shape[1])
