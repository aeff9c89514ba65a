"""The best trees of sentences under fixed weights, and which have none; of all trees, or of those that agree with what is known."""

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row, score
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, augment, copy_output, outputs


@kernel
def parse(low, high, rows, s, reader, at, into, value):
    """The best tree of rows low..high, that of row i from into[at[i]] on, and its score in value [R]; -inf: it has none, and into stays as
    it is there. s has room for all rows."""
    best, _ = outputs(s)
    for i in range(low, high):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        augment(s, gold, price, n, 0.0, False)
        value[i] = argmax(s, n, best)
        if value[i] > LOG_ZERO:
            copy_output(s, n, best, at[i], into)


@kernel
def best_known(rows, s, reader, value):
    """The score of the best tree of every row that agrees with what is known of it, in value [R]; -inf: there is none. s has room for all
    rows."""
    best, _ = outputs(s)
    for i in range(len(value)):
        n, gold, price = row(rows.target, i)
        score(rows.input, s, i, n, reader)
        augment(s, gold, price, n, 0.0, True)
        value[i] = argmax(s, n, best)
