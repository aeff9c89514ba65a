"""Weights of several learners as one: w = sum_k mu_k w_k, row by row (McDonald, Hall and Mann 2010; learners/mixing.py)."""

from widemargin.compiler.jit import kernel


@kernel
def add_share(total, rows, w, own, at, mu, first):
    """total[i] += mu * the learner's row rows[i], or = where it is the first learner; so mu = 1 keeps every bit, that of -0 too.

    own [r, c]: rows that the learner has sent; at [F]: where row f is among them, -1 for one that it has not changed and is as in w.
    """
    for i in range(len(rows)):
        f = rows[i]
        j = at[f]
        row = own[j] if j >= 0 else w[f]
        if first:
            for c in range(w.shape[1]):
                total[i, c] = mu * row[c]
        else:
            for c in range(w.shape[1]):
                total[i, c] += mu * row[c]


@kernel
def copy_rows(source, begin, target, into, height):
    """Weight rows of `height` rows of lanes: the one that begins at row begin[i] of source to where into[i] says in target."""
    for i in range(len(begin)):
        for j in range(height):
            for c in range(target.shape[1]):
                target[into[i] + j, c] = source[begin[i] + j, c]
