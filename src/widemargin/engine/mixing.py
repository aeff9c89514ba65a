"""Weights of several learners as one: w = sum_k mu_k w_k, row by row (McDonald, Hall and Mann 2010; learners/mixing.py)."""

from widemargin.compiler.jit import kernel


@kernel
def add_share(total, own, at, w, into, mu):
    """total[i] += mu[i] * row i of one learner, a weight row of height * L numbers; mu[i] = 0 adds nothing.

    total [r, height, L]: begins as -0, so that mu = 1 keeps every bit. at [r]: where row i begins in the learner's own [*, L], or -1 where
    the learner has not changed it; it is then at into[i] of w [*, L].
    """
    for i in range(len(at)):
        if mu[i] != 0.0:
            for j in range(total.shape[1]):
                if at[i] >= 0:
                    for c in range(total.shape[2]):
                        total[i, j, c] += mu[i] * own[at[i] + j, c]
                else:
                    for c in range(total.shape[2]):
                        total[i, j, c] += mu[i] * w[into[i] + j, c]


@kernel
def share_among_active(had, rows, mu):
    """mu[k, i] = 1 / n for the n learners k that had a step in row rows[i], and 0 for the others; where n = 0 it stays as it is.

    had: bool [K, F].
    """
    for i in range(len(rows)):
        n = 0
        for k in range(len(had)):
            n += had[k, rows[i]]
        if n > 0:
            for k in range(len(had)):
                mu[k, i] = 1.0 / n if had[k, rows[i]] else 0.0


@kernel
def hand_out(total, target, into, mu):
    """target, a learner's own table [*, L], gets row i of total [r, height, L] where into[i] says; with mu[i] = 1 it has that already."""
    for i in range(len(into)):
        if mu[i] != 1.0:
            for j in range(total.shape[1]):
                for c in range(total.shape[2]):
                    target[into[i] + j, c] = total[i, j, c]


@kernel
def copy_rows(source, begin, target, into, height):
    """Weight rows of `height` rows of lanes: the one that begins at row begin[i] of source to where into[i] says in target."""
    for i in range(len(begin)):
        for j in range(height):
            for c in range(target.shape[1]):
                target[into[i] + j, c] = source[begin[i] + j, c]
