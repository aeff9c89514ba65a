"""How sure a parser is: marginals of arcs and relations, log Z and entropies, log-probabilities of trees, and the k best trees.

    p(y) = exp(b score(y)) / Z        P(A) = Z(A) / Z        H = log Z - E[b score]        b = 1 / temperature

Scores are summed as the weights are stored, in `s`; `exact` is a workspace in float64 with the scores times b (structures/scaling.py).
Trees are listed in `s`, as parsing finds them, and their probabilities are computed in `exact`.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, kernel
from widemargin.engine.rows import row
from widemargin.engine.semiring import LOG_ZERO
from widemargin.engine.structure import argmax, augment, copy_output, kbest, listed, logsum, output_score, outputs
from widemargin.structures.arcs import scaling  # noqa: F401  (gives scale_scores its meaning for trees)
from widemargin.structures.arcs.eisner_kbest import DerivationLists, kbest_projective
from widemargin.structures.arcs.kbest import BestTrees, NoLists
from widemargin.structures.arcs.kernel import Tree
from widemargin.structures.arcs.labels import Labels, NoLabels
from widemargin.structures.scaling import mean_score, take_row


class Sums(NamedTuple):
    """Where sums over trees are written. Arc h -> m of sentence i has the place arc_ptr[i] + h (n + 1) + m; A places in all."""

    arc_ptr: np.ndarray  # int64 [R+1]
    arc: np.ndarray  # float32 [A]  P(arc), 0 before
    label: np.ndarray  # float32 [A, kinds]  P(arc with this label), 0 before; [0, kinds]: not asked for
    log_z: np.ndarray  # float64 [R]
    entropy: np.ndarray  # float64 [R]  in nats


class Ranked(NamedTuple):
    """Where the k best trees of each sentence are written, and memory for those of one."""

    found: np.ndarray  # int64 [R]  how many there are
    score: np.ndarray  # float64 [R, k]  at temperature 1
    log_probability: np.ndarray  # float64 [R, k]
    trees: Tree  # int32 [k N]: rank r of the word t at r N + t
    memory: BestTrees


@generic
def copy_labels(labels, n, at, out):
    """mu of the labels of all arcs to the rows of `out` from `at` on, if it has any."""
    raise TypeError(labels)


@copy_labels.when(NoLabels)
def _(labels, n, at, out):
    pass


@copy_labels.when(Labels)
def _(labels, n, at, out):
    if len(out) > 0:
        for i in range((n + 1) * (n + 1)):
            if labels.fresh[i]:
                for r in range(labels.kinds):
                    out[at + i, r] = labels.mu[i, r]


@kernel
def sum_trees(low, high, q, out):
    """Marginals, log Z and entropies of sentences low..high into out (Sums)."""
    for i in range(low, high):
        n = take_row(q, i)
        at = out.arc_ptr[i]
        out.log_z[i] = logsum(q.exact, n, 1.0)
        out.entropy[i] = max(out.log_z[i] - mean_score(q.exact, n), 0.0)
        for h in range(n + 1):
            for m in range(1, n + 1):
                out.arc[at + h * (n + 1) + m] = q.exact.arcs.mu[h, m]
        copy_labels(q.exact.arcs.labels, n, at, out.label)


@kernel
def log_probabilities(low, high, q, gold, out):
    """log P of the trees of sentences low..high that agree with gold int32 [N, 2] (-1: any head, any label) into out [R]; -inf: none."""
    best, _ = outputs(q.exact)
    for i in range(low, high):
        n, at = take_row(q, i), q.rows.target.token[i]
        whole = logsum(q.exact, n, 1.0)
        augment(q.exact, gold[at : at + n], q.price, n, 0.0, True)
        out[i] = argmax(q.exact, n, best)
        if out[i] > LOG_ZERO:
            augment(q.exact, gold[at : at + n], q.price, n, 0.0, True)
            out[i] = min(logsum(q.exact, n, 1.0) - whole, 0.0)


@generic
def list_trees(lists, s, n, found):
    """The k best trees under the augmented scores of s, best first, into found (BestTrees).

    Returns how many there are, -1 when the lists are too short.
    """
    raise TypeError(lists)


@list_trees.when(DerivationLists)
def _(lists, s, n, found):
    return kbest_projective(s, n, lists, found)


@list_trees.when(NoLists)
def _(lists, s, n, found):
    return kbest(s, n, found)


@kernel
def rank_trees(low, high, q, lists, out):
    """The k best trees of sentences low..high into out (Ranked); returns the sentence for which the lists are too short, or high."""
    tree, _ = outputs(q.exact)
    words = q.rows.target.token[len(q.rows.target.token) - 1]
    for i in range(low, high):
        n, at = take_row(q, i), q.rows.target.token[i]
        _, unknown, price = row(q.rows.target, i)
        augment(q.s, unknown, price, n, 0.0, False)
        found = list_trees(lists, q.s, n, out.memory)
        if found < 0:
            return i
        out.found[i] = found
        log_z = logsum(q.exact, n, 1.0)
        for r in range(found):
            listed(out.memory, r, n, tree)
            copy_output(q.exact, n, tree, r * words + at, out.trees)
            value = output_score(q.exact, n, tree)
            out.score[i, r], out.log_probability[i, r] = value / q.factor, min(value - log_z, 0.0)
    return high
