"""How sure a parser is: marginals of brackets, log-probabilities of trees, and the k best trees.

    p(y) = exp(b score(y)) / Z        P(bracket) = the sum over its symbols of their marginals on its span        b = 1 / temperature

Scores are summed as the weights are stored, in `s`; `exact` is a workspace in float64 with the scores times b (structures/scaling.py).
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import augment, copy_output, kbest, listed, logsum, output_score, outputs
from widemargin.structures.scaling import take_row
from widemargin.structures.spans import scaling  # noqa: F401  (gives scale_scores its meaning for trees over spans)
from widemargin.structures.spans.kbest import BestTrees
from widemargin.structures.spans.kernel import mu_at, row_of


class Brackets(NamedTuple):
    """Brackets whose probabilities are asked for, and binary trees."""

    at: np.ndarray  # int64 [R+1]
    bracket: np.ndarray  # int32 [B, 3]  first, end, label
    symbols: np.ndarray  # bool [labels, K]  symbols that stand for a label
    node_at: np.ndarray  # int64 [R+1]
    node: np.ndarray  # int32 [M, 4]


class Ranked(NamedTuple):
    """Where the k best trees of each sentence are written, and memory for those of one."""

    found: np.ndarray  # int64 [R]  how many there are
    score: np.ndarray  # float64 [R, k]  at temperature 1
    log_probability: np.ndarray  # float64 [R, k]
    node: np.ndarray  # int32 [k M, 4]  the trees of rank r from r M on
    memory: BestTrees


@kernel
def sum_trees(low, high, q, asked, probability, log_probability):
    """P of the brackets of sentences low..high into probability [B], and of their binary trees into log_probability [R]."""
    tree, _ = outputs(q.exact)
    for i in range(low, high):
        n, at = take_row(q, i), asked.node_at[i]
        log_z = logsum(q.exact, n, 1.0)
        if log_z == LOG_ZERO:
            log_probability[i] = LOG_ZERO
            continue
        for x in range(2 * n - 1):
            for f in range(4):
                tree[x, f] = asked.node[at + x, f]
        log_probability[i] = min(output_score(q.exact, n, tree) - log_z, 0.0)
        for b in range(asked.at[i], asked.at[i + 1]):
            r, value = row_of(asked.bracket[b, 0], asked.bracket[b, 1], n), 0.0
            for a in range(asked.symbols.shape[1]):
                if asked.symbols[asked.bracket[b, 2], a]:
                    value += mu_at(q.exact.spans.span, r, a)
            probability[b] = min(value, 1.0)


@kernel
def rank_trees(low, high, q, node_at, out):
    """The k best trees of sentences low..high into out (Ranked); returns the sentence for which its memory is too small, or high."""
    tree, _ = outputs(q.exact)
    nodes = node_at[len(node_at) - 1]
    for i in range(low, high):
        n = take_row(q, i)
        _, unknown, price = row(q.rows.target, i)
        augment(q.s, unknown, price, n, 0.0, False)
        found = kbest(q.s, n, out.memory)
        if found < 0:
            return i
        out.found[i] = found
        log_z = logsum(q.exact, n, 1.0)
        for r in range(found):
            listed(out.memory, r, n, tree)
            copy_output(q.exact, n, tree, r * nodes + node_at[i], out.node)
            value = output_score(q.exact, n, tree)
            out.score[i, r], out.log_probability[i, r] = value / q.factor, min(value - log_z, 0.0)
    return high
