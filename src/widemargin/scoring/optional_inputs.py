"""What a corpus may or may not have, known by type: values of features, and scores that come from elsewhere.

Most features just fire and most models stand alone; kernels compiled for those spend nothing on the others.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic
from widemargin.compiler.lanes import load, splat


class Ones(NamedTuple):
    """Every feature that fires has the value 1."""

    one: float


class Values(NamedTuple):
    """Values of the occurrences, in their order."""

    x: np.ndarray  # [nnz]


class NoBase(NamedTuple):
    """The scores are the model's alone."""

    nothing: float


class Base(NamedTuple):
    """Fixed scores of every token's labels, to which the model's are added (gimpel-smith2010's base distribution)."""

    rows: np.ndarray  # [N, L]


@generic(tiny=True)
def times(values, p, row):
    """A row of weights or residuals times the value of occurrence p."""
    raise TypeError(values)


@times.when(Ones)
def _(values, p, row):
    return row


@times.when(Values)
def _(values, p, row):
    return row * values.x[p]


@generic(tiny=True)
def base_row(base, t, s):
    """The fixed scores of token t."""
    raise TypeError(base)


@base_row.when(NoBase)
def _(base, t, s):
    return splat(s.node, 0.0, s.lanes)


@base_row.when(Base)
def _(base, t, s):
    return load(base.rows, t, s.lanes)
