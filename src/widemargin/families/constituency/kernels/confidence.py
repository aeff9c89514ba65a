"""How sure a parser is: marginals of spans, log Z and entropies, log-probabilities of trees, and the k best trees.

    p(y) = exp(b score(y)) / Z        P(A) = Z(A) / Z        H = log Z - E[b score]        b = 1 / temperature

Scores are summed as the weights are stored, in `s`; `exact` is a workspace in float64 with the scores times b (structures/scaling.py).
Trees are listed in `s`, as parsing finds them, and their probabilities are computed in `exact`.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import augment, copy_output, kbest, listed, logsum, output_score, outputs
from widemargin.structures.scaling import mean_score, take_row
from widemargin.structures.spans import scaling  # noqa: F401  (gives scale_scores its meaning for trees)
from widemargin.structures.spans.kbest import BestTrees
from widemargin.structures.spans.kernel import count_spans


class Sums(NamedTuple):
    """Where sums over trees are written. The spans of sentence i stand from at[i] on, in the order of kernel.row_of; A in all."""

    at: np.ndarray  # int64 [R+1]
    span: np.ndarray  # float32 [A, K]  P(symbol on a span), 0 before; [0, K]: not asked for
    log_z: np.ndarray  # float64 [R]  -inf: there is no tree
    entropy: np.ndarray  # float64 [R]  in nats


class Ranked(NamedTuple):
    """Where the k best trees of each sentence are written, and memory for those of one."""

    found: np.ndarray  # int64 [R]  how many there are
    score: np.ndarray  # float64 [R, k]  at temperature 1
    log_probability: np.ndarray  # float64 [R, k]
    at: np.ndarray  # int64 [R+1]  where a sentence's nodes begin
    node: np.ndarray  # int32 [k M, 4]  rank r of a sentence from r M + at[i] on
    memory: BestTrees


@kernel
def sum_trees(low, high, q, out):
    """Marginals, log Z and entropies of sentences low..high into out (Sums). q.exact has scores of all spans, not of words alone."""
    for i in range(low, high):
        n = take_row(q, i)
        out.log_z[i] = logsum(q.exact, n, 1.0)
        if out.log_z[i] == LOG_ZERO:
            continue
        out.entropy[i] = max(out.log_z[i] - mean_score(q.exact, n), 0.0)
        table = q.exact.spans.span
        if len(out.span) > 0:
            for r in range(count_spans(n)):
                if table.fresh[r]:
                    for a in range(out.span.shape[1]):
                        out.span[out.at[i] + r, a] = table.mu[r, a]


@kernel
def log_probabilities(low, high, q, gold, out):
    """log P of the trees of sentences low..high that agree with gold (a target, structures/spans/kernel.py) into out [R]; -inf: none."""
    for i in range(low, high):
        n = take_row(q, i)
        whole = logsum(q.exact, n, 1.0)
        _, known, _ = row(gold, i)
        augment(q.exact, known, q.price, n, 0.0, True)
        out[i] = logsum(q.exact, n, 1.0)
        if out[i] > LOG_ZERO:
            out[i] = min(out[i] - whole, 0.0)


@kernel
def rank_trees(low, high, q, out):
    """The k best trees of sentences low..high into out (Ranked); returns the sentence for which the lists have no room, or high."""
    tree, _ = outputs(q.exact)
    nodes = out.at[len(out.at) - 1]
    for i in range(low, high):
        n = take_row(q, i)
        _, unknown, price = row(q.rows.target, i)
        augment(q.s, unknown, price, n, 0.0, False)
        found = kbest(q.s, n, out.memory)
        if found < 0:
            return i
        out.found[i] = found
        log_z = logsum(q.exact, n, 1.0) if found > 0 else 0.0
        for r in range(found):
            listed(out.memory, r, n, tree)
            copy_output(q.exact, n, tree, r * nodes + out.at[i], out.node)
            value = output_score(q.exact, n, tree)
            out.score[i, r], out.log_probability[i, r] = value / q.factor, min(value - log_z, 0.0)
    return high
