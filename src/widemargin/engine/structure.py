"""What every compiled structure can be asked; each structure's folder gives the answers, by the type of its workspace.

A workspace `s` is a NamedTuple of scores, room for outputs, mu and scratch, for one row at a time, of size n. Scores are put there by the
input (rows.score). `augment` makes augmented scores of them, which argmax, logsum, tilt, kbest and worst read and may destroy; mu is
added to until `clear`. An output is of a type of the structure's own (labels of tokens: an int32 array; trees: heads and labels) and
always an argument.
"""

from widemargin.compiler.jit import generic

UNKNOWN = -1  # a part of the gold that is not known


@generic
def augment(s, gold, price, n, cost, inside):
    """Augmented scores = scores + cost * price against the gold, -inf for what is illegal or, when `inside`, disagrees with what is known
    of it.

    Scores stay as they are."""
    raise TypeError(s)


@generic
def take_gold(s, gold, n, out):
    """out = the gold; False when something of it is unknown, and then out may be half written."""
    raise TypeError(s)


@generic
def set_direction(s, gold, price, n):
    """The direction of a tilt = price against the gold, 0 where the gold is unknown."""
    raise TypeError(s)


@generic
def argmax(s, n, out):
    """The highest augmented score, -inf when nothing is legal; its output goes to out."""
    raise TypeError(s)


@generic
def logsum(s, n, sign):
    """Log of the sum over the augmented scores; mu += sign * marginals."""
    raise TypeError(s)


@generic
def tilt(s, n, sign):
    """E[d], the expectation of the direction under the augmented scores; mu += sign * Cov(part, d)."""
    raise TypeError(s)


@generic
def add_output(s, n, sign, out):
    """mu += sign * indicator of out."""
    raise TypeError(s)


@generic
def output_score(s, n, out):
    """The score of out, not augmented."""
    raise TypeError(s)


@generic
def clear(s, n):
    """mu = 0."""
    raise TypeError(s)


@generic(tiny=True)
def outputs(s):
    """Room for two outputs: the upper term's and the lower term's."""
    raise TypeError(s)


@generic
def copy_output(s, n, out, at, into):
    """out is kept in `into`, arrays over all rows, from place `at` on."""
    raise TypeError(s)


# ---- of structures that list their best outputs ---------------------------------------------------------------------------------------


@generic
def kbest(s, n, found):
    """The len(found.value) best outputs under the augmented scores, best first, into `found`; found.value: their augmented scores.

    Returns how many there are. found: memory of the structure's own type (its face's `kbest_memory`)."""
    raise TypeError(s)


@generic
def listed(found, p, n, out):
    """out = output p of a list that kbest has made. Asked of `found`."""
    raise TypeError(found)


# ---- of structures that find the output of largest cost (need + score) ----------------------------------------------------------------


@generic
def worst(s, gold, price, n, need, out):
    """The largest cost(y) (score(y) - need), at least 0, under augmented scores without costs; and the cost of its output.

    The output goes to out; where the value is 0, out stays as it is."""
    raise TypeError(s)


# ---- of structures that find the output of lowest score ("argmin" is what they offer) --------------------------------------------------


@generic
def negate(s, n):
    """Every score of the row changes its sign; what is -inf stays: it is not allowed. Asked twice, scores are what they were."""
    raise TypeError(s)


# ---- outputs as numbers, for learners that keep many ----------------------------------------------------------------------------------


@generic
def output_cost(s, gold, price, n, out):
    """The cost of out against the gold: what `augment` adds to its score for cost 1, so what is unknown costs nothing."""
    raise TypeError(s)


@generic(tiny=True)
def slots(s, n):
    """In how many slots an output of a row of size n has one number each (Problem.slots): n, unless a structure says otherwise."""


@slots.when(object)
def _(s, n):
    return n


@generic(tiny=True)
def part_at(s, out, t):
    """What out has in slot t, as one number."""
    raise TypeError(s)


@generic(tiny=True)
def set_part(s, out, t, part):
    """out has it there now."""
    raise TypeError(s)


@generic(tiny=True)
def gold_part(s, gold, t):
    """What the gold has in slot t."""
    raise TypeError(s)
