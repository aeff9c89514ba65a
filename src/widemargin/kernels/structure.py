"""What every compiled structure can be asked; each structure's file gives the answers.

A structure is a NamedTuple of scores, answer and scratch (see chain.Chain, arcs.Arcs). `work` holds augmented scores on entry to argmax,
logsum and tilt, and n is the number of tokens of the row. The first three answers are those of terms.py for labels at tokens (chain,
choice) and those of arcs.py for heads of words (eisner, arborescence, heads).
"""

from .jit import generic


@generic
def augment(structure, gold, price, n, cost, inside):
    """work = scores + cost * price against the gold, and -inf for what is illegal or, when `inside`, disagrees with what is known of it."""
    raise TypeError(structure)


@generic
def take_gold(structure, gold, n):
    """Copies the gold to path; False when something of it is unknown."""
    raise TypeError(structure)


@generic
def aim(structure, gold, price, n):
    """The direction of a tilt = price against the gold, 0 where it is unknown."""
    raise TypeError(structure)


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
