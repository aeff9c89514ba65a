"""Feature vectors of parts, of which an output may have any number: dense.py without the knowledge that one candidate is right."""

from typing import Any, NamedTuple

import numpy as np

from widemargin.engine.rows import gather, has_residual, score


class PartVectors(NamedTuple):
    """An input: vectors of a row's parts, from at[i] on (dense.Vectors or dense.Sparse)."""

    at: np.ndarray  # int64 [R+1]
    vectors: Any


@score.when(PartVectors)
def _(input, s, i, n, reader):
    return score(input.vectors, s, i, n, reader)


@has_residual.when(PartVectors)
def _(input, s, n, skip):
    return has_residual(input.vectors, s, n, skip)


@gather.when(PartVectors)
def _(input, s, i, n, step, into):
    gather(input.vectors, s, i, n, step, into)
