"""Scores of all candidates of many mentions, for probabilities and explanations."""

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row, score


@kernel
def score_rows(low, high, rows, s, reader, at, out):
    """out[at[i] : at[i + 1]] = the scores of the candidates of row i, for rows low..high; s has room for them."""
    for i in range(low, high):
        n, _, _ = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        for k in range(n):
            out[at[i] + k] = s.score[k]
