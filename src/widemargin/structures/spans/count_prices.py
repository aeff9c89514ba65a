"""Costs by counts of brackets, Delta(tp, fp, gold), as a price (counts.py, count_costs.py). Such a cost is no sum over nodes, so the tree
that an objective asks for is searched (frontier.py):

    worst      the largest Delta (score - need): slack rescaling
    augment    the largest score + cost Delta: margin rescaling. The tree is found already there, and augmented scores are such that it is
               the one tree that they allow; so an argmax may follow, but neither a sum nor a list.

Everything of the gold must be known; where it is not, a tree costs nothing.
"""

import copy
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from widemargin.compiler.lanes import width_of
from widemargin.engine.rows import row, size
from widemargin.engine.structure import output_score
from widemargin.errors import InputError
from widemargin.structures.spans import frontier_grammars  # noqa: F401, answers search_in
from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.count_costs import CountCost, is_monotone, levels
from widemargin.structures.spans.counts import CountPrices, cost_of, gold_size, lay_nothing
from widemargin.structures.spans.frontier import search_in
from widemargin.structures.spans.frontier_bound import Question
from widemargin.structures.spans.kernel import Gold, Treebank, count_spans
from widemargin.structures.spans.prices import keep_gold, lay_costs, tree_cost, worst_tree


class CountedTreebank(NamedTuple):
    """A target whose errors cost by counts; price.start has a row for every row, or none."""

    trees: Treebank  # all of the gold is known; its own price is not read
    price: CountPrices


@size.when(CountedTreebank)
def _(target, i):
    return size(target.trees, i)


@row.when(CountedTreebank)
def _(target, i):
    n, gold, _ = row(target.trees, i)
    price = target.price
    start = price.start[i : i + 1]
    return n, gold, CountPrices(price.labels, price.shared, price.table, price.cost, price.monotone, start)


@lay_costs.when(CountPrices)
def _(price, s, gold, n, cost):
    spans, out = s.spans, s.spans.best
    if cost == 0.0 or len(gold.node) == 0:
        lay_nothing(s, n)
        return
    for x in range(2 * n - 1):
        for f in range(4):
            out[x, f] = gold.node[x, f]
    size = gold_size(price, gold, n)
    search_in(s, price, gold, n, Question(False, 0.0, cost, size, 0, size), out)
    extra = cost * cost_of(spans, price, gold, n, out)
    lay_nothing(s, n)
    keep_gold(s, Gold(out, gold.bracket, gold.sets), n)
    spans.work[count_spans(n) - 1, out[0, 3]] += extra


@tree_cost.when(CountPrices)
def _(price, s, gold, n, out):
    return cost_of(s.spans, price, gold, n, out) if len(gold.node) > 0 else 0.0


@worst_tree.when(CountPrices)
def _(price, s, gold, n, need, out):
    size = gold_size(price, gold, n)
    if search_in(s, price, gold, n, Question(True, need, 1.0, size, 0, size), out):
        cost = cost_of(s.spans, price, gold, n, out)
        return cost * (output_score(s, n, out) - need), cost
    return 0.0, 0.0


# ---- Python's side --------------------------------------------------------------------------------------------------------------------


def for_counts(structure: SpanTrees) -> SpanTrees:
    """The structure, offering what costs by counts go with: maxima and slack rescaling, neither sums nor tilts nor lists."""
    found = copy.copy(structure)
    found.offers = frozenset({"argmax", "strata"})
    return found


def original_counts(labels: Sequence[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
    """Counts on trees as they were before binarisation. labels: those of each symbol, without annotation, tags and root.

    Returns labels [2, K] and shared [K, K] of CountPrices."""
    bags = [Counter(symbol) for symbol in labels]
    many = np.array([bag.total() for bag in bags], np.int32)
    shared = np.array([[(one & two).total() for two in bags] for one in bags], np.int16)
    return np.array([many, many]), shared.reshape(len(bags), len(bags))


def binarised_counts(symbols: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts on binary trees: each node of two and more words is a bracket of its own symbol."""
    return np.array([np.zeros(symbols), np.ones(symbols)], np.int32), np.eye(symbols, dtype=np.int16)


def count_prices(
    structure: SpanTrees,
    text: str,
    counts: tuple[np.ndarray, np.ndarray],
    trees: Treebank,
    *,
    factor: float = 1.0,
    keep_start: bool = True,
    dtype=np.float64,
) -> CountPrices:
    """Prices of the trees of a target, all of them known. text: a CountCost, times `factor`; counts: original_counts or binarised_counts.

    keep_start: searches begin where the last one for the same row ended, which is faster. Of trees that are equally bad, the one that is
    found may then depend on it. Where there is none, or one sentence, the price may be used as it is; else in a CountedTreebank."""
    cost, (labels, shared) = CountCost(text), counts
    if labels.shape != (2, structure.symbols) or shared.shape != (structure.symbols, structure.symbols):
        raise InputError(f"there are labels of {labels.shape[1]} symbols; the structure has {structure.symbols}")
    words = np.diff(trees.word)
    if (np.diff(trees.node_at) != 2 * words - 1).any():
        raise InputError(f"the cost {text!r} counts brackets of whole trees, and some of the gold is not known; use a cost by nodes")
    top = np.where(structure.legal, labels, 0).max(axis=1)
    each = labels[np.minimum(trees.node[:, 2] - trees.node[:, 0] - 1, 1), trees.node[:, 3]]
    sizes = np.add.reduceat(each, trees.node_at[:-1]) if len(words) else np.zeros(0, np.int64)
    table, tables, at, monotone = np.zeros((sizes.max(initial=0) + 1, 5), np.int64), [np.zeros(0)], 0, True
    for gold in np.unique(sizes):
        longest = int(words[sizes == gold].max())
        here = factor * cost.table(int(gold), int(longest * top[0] + (longest - 1) * top[1]))
        monotone = monotone and is_monotone(here)
        table[gold] = at, here.shape[1] - 1, *levels(here)
        tables.append(here.ravel())
        at += here.size
    wide = np.zeros((2, width_of(structure.lanes)), dtype)
    wide[:, : structure.symbols] = labels
    start = np.zeros((len(words) if keep_start else 0, 2))
    start[:] = np.nan
    return CountPrices(wide, np.ascontiguousarray(shared, np.int16), table, np.concatenate(tables), monotone, start)
