"""One sentence at a time, for those who take the time of it: its scores, its best tree, and the tree that violates its margin most.

The last is slack rescaling by counts of brackets, the largest Delta (MARGIN + score - the gold's), by the search or by the plain table
(structures/spans: frontier.py, plain_frontier.py). s has room for the row.
"""

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row, score
from widemargin.engine.structure import argmax, augment, output_score, outputs, worst
from widemargin.structures.spans.plain_frontier import plain_worst

MARGIN = 1.0


@kernel
def score_row(rows, s, i, reader):
    """Scores of row i into s."""
    n, _, _ = row(rows.target, i)
    return score(rows.input, s, i, n, reader)


@kernel
def search_row(rows, s, i):
    """The largest cost times (margin + score - the gold's), and the cost."""
    n, gold, price = row(rows.target, i)
    out, _ = outputs(s)
    augment(s, gold, price, n, 0.0, False)
    return worst(s, gold, price, n, output_score(s, n, gold.node) - MARGIN, out)


def table_row(rows, s, i):
    """The same value by the plain table, which is a kernel by itself."""
    n, gold, price = row(rows.target, i)
    out, _ = outputs(s)
    return plain_worst(s, gold, price, n, MARGIN, out)


@kernel
def best_row(rows, s, i):
    """The score of the best tree."""
    n, gold, price = row(rows.target, i)
    out, _ = outputs(s)
    augment(s, gold, price, n, 0.0, False)
    return argmax(s, n, out)
