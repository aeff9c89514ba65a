"""Dual ascent on the hinge, row by row: every loss_i is a maximum of planes, and a dual learner keeps the planes it has met.

A plane of row i is an output y: its part vector r_y = k_y (mu_y - mu_right), its offset b_y = cost(y) (and what base scores add), and its
value b_y + <w, Phi' r_y>, which is the loss of y under w; k_y is 1, or cost(y) when the slack is rescaled (terms.factor). With shares
c_i = weight_i / n and masses a_iy >= 0, sum_y a_iy = 1 (one more plane is 0 everywhere), weak duality says

    w(a) = -1/l2 sum_i c_i Phi' sum_y a_iy r_y,      D(a) = sum_i c_i sum_y a_iy b_iy - l2/2 |w(a)|^2  <=  F(w)   for every w.

A step moves mass s along a direction d of part vectors of one row (s <= most). With v the value of d under w the gain is
s c v - s^2/2 c^2/l2 |Phi' d|^2, largest at s = v l2 / (c |Phi' d|^2). Masses live on parts or outputs, never on features: only |Phi' d|^2
and w itself are gathered over features, and only over those of places where d is not 0.

    frank_wolfe.py    d = r_y - sum_y a_iy r_y for the best y: block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013); a mixture of parts
                      is kept
    working_sets.py   d = r_up - r_down, the best plane against the worst that has mass: SMO on one row's working set of outputs
                      (Tsochantaridis et al. 2005; Chang and Yih 2013, L1 loss)

The right output is the gold, of which everything is then known, or in a round of the concave-convex procedure one that is kept fixed
(concave.py); costs are counted against the gold all the same.
"""

from typing import NamedTuple

from widemargin.compiler.jit import generic, inner
from widemargin.engine.rows import MOVE, Step, apply_gradient, gathers, has_residual, score, squared_length
from widemargin.engine.structure import gold_part, set_part, slots
from widemargin.engine.table_steps import flush
from widemargin.engine.tables import GRADIENT


class Ascent(NamedTuple):
    """What a dual learner moves, and how."""

    rule: tuple
    tables: tuple  # a bundle of weights
    pending: tuple  # a Pending per table
    l2: float


@generic(tiny=True)
def right_part(target, s, i, gold, t):
    """What the right output of row i has in slot t: the gold's part, unless a target says otherwise."""


@right_part.when(object)
def _(target, s, i, gold, t):
    return gold_part(s, gold, t)


@inner
def take_right(target, s, i, n, gold, out):
    """out = the right output of row i."""
    for t in range(slots(s, n)):
        set_part(s, out, t, right_part(target, s, i, gold, t))


@generic
def score_planes(input, s, i, n, sets, reader):
    """Scores of the planes of row i and of its right output, in `sets` (working_sets.WorkingSets), as rows.score; they may be 0 in slots
    that are not sets.hot: there all planes have the right part, and its score cancels. Unless an input does less, all is scored."""


@score_planes.when(object)
def _(input, s, i, n, sets, reader):
    return score(input, s, i, n, reader)


@generic
def fixed_score(input, s, i, n, out):
    """What scores that no weight changes (a base's) give to out: 0, unless an input has such."""


@fixed_score.when(object)
def _(input, s, i, n, out):
    return 0.0


@inner
def collect(input, s, i, n, pending, reader):
    """|Phi' d|^2 for the direction d in mu; what take_step needs is kept in `pending` or in the input's scratch."""
    has_residual(input, s, n, 0.0)
    return squared_length(input, s, i, n, 0.0, pending, reader)


@inner
def take_step(input, s, i, n, rate, pending, reader):
    """w -= rate Phi' d, as collected."""
    if gathers(input):
        flush(reader.tables, pending, reader.rule, rate, reader.now)
    else:
        apply_gradient(input, s, i, n, Step(MOVE, 1.0, rate, 0.0, GRADIENT), pending, reader)


@inner
def best_length(violation, square, share, l2, most):
    """The best step: violation l2 / (share |Phi' d|^2), at most `most`."""
    return min(most, violation * l2 / (share * square)) if square > 0.0 else most
