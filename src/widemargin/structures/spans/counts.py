"""True and false positives of nodes and trees.

A symbol stands for a multiset of labels: none for tags and for symbols that binarisation made, two for the chain S+VP. A node's true
positives are the labels that it shares with the gold's node on the same span; its other labels are false positives (Bauer et al. 2017,
section 3.1). Spans are those of all words, punctuation too.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, tiny
from widemargin.compiler.lanes import load, splat, store
from widemargin.structures.spans.kernel import UNKNOWN, count_spans, row_of
from widemargin.structures.spans.prices import add_scores, mark_nodes


class CountPrices(NamedTuple):
    """Delta(tp, fp, gold) for all sizes of the gold that there are. `start` is written to: where the last search for a row ended is a good
    place to begin the next one."""

    labels: np.ndarray  # [2, L]  labels of a symbol; first row: at nodes of one word, second: of more
    shared: np.ndarray  # [K, L]  shared[B, A]: labels that A shares with B
    table: np.ndarray  # int64 [G, 5]  by size of the gold: where its costs begin, false positives 0..most, and levels of tp, fp, flat
    cost: np.ndarray  # float64  tables [gold + 1, most + 1], one after the other
    monotone: bool  # no cost falls with fp or rises with tp
    start: np.ndarray  # float64 [1, 2] multipliers of the row, or [0, 2]: none are kept; in a target, [R, 2]


@tiny
def node_counts(price, mark, gold, r, a, n):
    """True and false positives of symbol a on the span of row r."""
    labels, tp, g = np.int64(price.labels[0 if r < n else 1, a]), np.int64(0), mark[r]
    if labels > 0 and g != UNKNOWN:
        tp = np.int64(price.shared[gold.node[g, 3], a])
    return tp, labels - tp


@inner
def gold_size(price, gold, n):
    """How many brackets the gold has."""
    total = np.int64(0)
    for x in range(2 * n - 1):
        total += np.int64(price.labels[0 if gold.node[x, 2] - gold.node[x, 0] == 1 else 1, gold.node[x, 3]])
    return total


@inner
def tree_counts(spans, price, gold, n, out):
    """True and false positives of a tree, spans.mark being the gold's."""
    tp, fp = 0, 0
    for x in range(2 * n - 1):
        t, f = node_counts(price, spans.mark, gold, row_of(out[x, 0], out[x, 2], n), out[x, 3], n)
        tp += t
        fp += f
    return tp, fp


@tiny
def cost_at(price, size, tp, fp):
    """Delta."""
    return price.cost[price.table[size, 0] + tp * (price.table[size, 1] + 1) + fp]


@inner
def cost_of(spans, price, gold, n, out):
    """Delta of a tree."""
    mark_nodes(spans, gold.node, n)
    tp, fp = tree_counts(spans, price, gold, n, out)
    return cost_at(price, gold_size(price, gold, n), tp, fp)


@inner
def lay_multipliers(s, price, gold, n, each):
    """work = scores + each[0] for every true positive + each[1] for every false one. spans.mark is the gold's."""
    spans, lanes, (by_tp, by_fp) = s.spans, s.lanes, each
    short, long = load(price.labels, 0, lanes) * by_fp, load(price.labels, 1, lanes) * by_fp
    for r in range(count_spans(n)):
        spans.rebates.at[r] = UNKNOWN
        store(spans.work, r, short if r < n else long)
    for x in range(2 * n - 1 if by_tp != by_fp else 0):
        r = row_of(gold.node[x, 0], gold.node[x, 2], n)
        for a in range(spans.symbols):
            tp, _ = node_counts(price, spans.mark, gold, r, a, n)
            spans.work[r, a] += (by_tp - by_fp) * tp
    add_scores(s, n)


@inner
def lay_nothing(s, n):
    """work = scores."""
    spans = s.spans
    for r in range(count_spans(n)):
        spans.rebates.at[r] = UNKNOWN
        store(spans.work, r, splat(spans.work, 0.0, s.lanes))
    add_scores(s, n)
