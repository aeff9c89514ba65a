"""What every compiled structure can be asked; each structure's file gives the answers.

A structure is a NamedTuple of scores, answer and scratch (see chain.Chain). `work` holds augmented node scores on entry to argmax, logsum
and tilt, and n is the number of tokens of the row.
"""

from .jit import generic


@generic
def argmax(structure, n):
    """Best value over work; the answer goes to path."""
    raise TypeError(structure)


@generic
def logsum(structure, n, sign):
    """Log of the sum over work; adds sign * marginals to mu."""
    raise TypeError(structure)


@generic
def tilt(structure, n, sign):
    """Expectation of the direction `price` under work; adds sign * Cov(part, price) to mu."""
    raise TypeError(structure)


@generic
def add_path(structure, n, sign):
    """Adds sign * indicator of path to mu."""
    raise TypeError(structure)


@generic
def path_score(structure, n):
    """Score of path under the unaugmented scores."""
    raise TypeError(structure)


@generic
def clear(structure, n):
    """mu = 0."""
    raise TypeError(structure)
