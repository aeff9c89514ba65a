"""Costs by counts on small trees: the slow twin, and small problems with symbols that stand for labels."""

from collections import Counter

import numpy as np
from span_cases import Case

from widemargin.compiler.jit import kernel
from widemargin.engine import structure as ask
from widemargin.structures.spans.count_prices import binarised_counts, count_prices, original_counts
from widemargin.structures.spans.gold import known
from widemargin.structures.spans.kernel import Treebank

ORIGINAL = [["NP"], ["S", "VP"], [], ["NP", "NP"], ["S"], ["X", "NP"]]  # labels by symbol: a chain, an artificial one, one that repeats


@kernel
def worst(s, gold, price, n, margin, out):
    """The value and cost of slack rescaling, as terms.Rescaled asks for them."""
    ask.augment(s, gold, price, n, 0.0, False)
    return ask.worst(s, gold, price, n, ask.output_score(s, n, gold.node) - margin, out)


@kernel
def most_augmented(s, gold, price, n, cost, out):
    """The value of margin rescaling."""
    ask.augment(s, gold, price, n, cost, False)
    return ask.argmax(s, n, out)


def treebank(structure, trees):
    """A target of known trees; prices are put beside it."""
    words = np.array([(len(nodes) + 1) // 2 for nodes in trees])
    begin, nothing = np.append(0, np.cumsum(words)), known(structure, trees[0])
    nodes_at = np.append(0, np.cumsum(2 * words - 1))
    empty = np.zeros(len(trees) + 1, np.int64)
    return Treebank(begin, nodes_at, np.concatenate(trees).astype(np.int32), empty, nothing.bracket, nothing.sets, ())


def labels_of(counting, symbols):
    """The labels of (words, symbol)."""
    if counting == "binarised":
        return lambda words, a: [str(a)] if words > 1 else []
    return lambda words, a: ORIGINAL[a]


def counts_of(counting, symbols):
    return binarised_counts(symbols) if counting == "binarised" else original_counts(ORIGINAL[:symbols])


def brackets(nodes, labels):
    """The multiset of (first, end, label) of a tree."""
    return Counter((i, j, label) for i, _, j, a in np.asarray(nodes).tolist() for label in labels(j - i, a))


def twin_counts(nodes, gold, labels):
    """tp, fp and the size of the gold."""
    ours, right = brackets(nodes, labels), brackets(gold, labels)
    tp = (ours & right).total()
    return tp, ours.total() - tp, right.total()


class Counted:
    """A small case with a gold tree and a cost by counts. formula: the cost as a Python function of tp, fp, gold."""

    def __init__(self, kind, size, seed, text, formula, counting, scale=1.0):
        self.case = Case(kind, size, seed, scale)
        case = self.case
        self.gold_nodes = case.random_tree()
        self.gold, self.n = known(case.structure, self.gold_nodes), case.n
        self.price = count_prices(case.structure, text, counts_of(counting, case.symbols), treebank(case.structure, [self.gold_nodes]))
        labels = labels_of(counting, case.symbols)
        self.costs = np.array([formula(*twin_counts(nodes, self.gold_nodes, labels)) for nodes in case.trees])
        self.scores = case.phi @ case.numbers
        self.right = next(y for y, nodes in enumerate(case.trees) if (nodes == self.gold_nodes).all())
        self.s = case.structure.workspace(case.n + 2, dtype=np.float64)
        case.structure.load(self.s, case.scores)
        self.out = self.s.spans.output[0]

    def found(self):
        """Which of the trees `out` is."""
        return next(y for y, nodes in enumerate(self.case.trees) if (nodes == self.out[: 2 * self.n - 1]).all())
