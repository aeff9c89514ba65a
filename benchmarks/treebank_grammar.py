"""A weighted grammar read off a treebank, with one weight a production, and slack-rescaled steps on it: what exact_f1.py measures on."""

import os
import pathlib
import time

import numpy as np
from harness import Skip

from widemargin.compiler.jit import kernel
from widemargin.engine.rows import row
from widemargin.engine.structure import argmax, augment, output_score, worst
from widemargin.families.constituency.binary import Binariser
from widemargin.families.constituency.grammar import read_grammar
from widemargin.families.constituency.sources import open_trees
from widemargin.structures.spans.count_prices import CountedTreebank, count_prices, original_counts
from widemargin.structures.spans.gold import nothing_known
from widemargin.structures.spans.kernel import Treebank
from widemargin.structures.spans.trees import Rules

MARGIN = 1.0


@kernel
def find_worst(s, gold, price, n, out):
    """The value and cost of slack rescaling."""
    augment(s, gold, price, n, 0.0, False)
    return worst(s, gold, price, n, output_score(s, n, gold.node) - MARGIN, out)


@kernel
def find_best(s, gold, price, n, out):
    """The best tree."""
    augment(s, gold, price, n, 0.0, False)
    return argmax(s, n, out)


def penn_sentences():
    """The training trees of the Penn sample, those of two and more words."""
    folder = pathlib.Path(os.environ.get("WIDEMARGIN_DATA") or pathlib.Path(__file__).parents[2] / "shared" / "data")
    path = folder / "ptb_sample" / "train.mrg.gz"
    if not path.exists():
        raise Skip(f"needs {path}")
    trees = open_trees(str(path))
    return trees.part(np.flatnonzero(np.diff(trees.row_ptr) > 1))


class TreebankGrammar:
    """Binarised trees and their grammar: weights of rules, of symbols over tags, and of symbols of whole sentences."""

    def __init__(self, trees, horizontal=1, vertical=1):
        """trees: a families.constituency Trees, every sentence with a tree."""
        self.binary = Binariser("right", horizontal, vertical)(trees)
        found = read_grammar(self.binary)
        self.symbols, K = found.symbols, len(found.symbols)
        legal = np.zeros((2, K), bool)
        node = self.binary.node
        legal[np.minimum(node[:, 2] - node[:, 0] - 1, 1), node[:, 3]] = True
        self.structure = Rules(K, found.binary, only_words=True, legal=legal)
        self.rules, self.lexical, self.top = self.structure.rules, found.lexical, found.top
        self.sizes = np.cumsum([len(self.rules), len(self.lexical), len(self.top)])
        self.number = {tuple(rule): r for r, rule in enumerate(self.rules.tolist())}
        self.word_number = {tuple(pair): self.sizes[0] + x for x, pair in enumerate(self.lexical.tolist())}
        self.top_number = {a: self.sizes[1] + x for x, a in enumerate(self.top.tolist())}
        nothing = nothing_known(self.structure)
        empty = np.zeros(len(self.binary.token), np.int64)
        self.trees = Treebank(self.binary.token, self.binary.node_ptr, node, empty, nothing.bracket, nothing.sets, ())

    @property
    def words(self) -> np.ndarray:
        return np.diff(self.binary.token)

    def target(self, cost: str, dtype) -> CountedTreebank:
        """All trees, at a cost by counts on the original ones."""
        labels = [self.symbols.stands_for(a) for a in range(len(self.symbols))]
        return CountedTreebank(self.trees, count_prices(self.structure, cost, original_counts(labels), self.trees, dtype=dtype))

    def load(self, s, w: np.ndarray, i: int) -> None:
        """Scores of sentence i into a workspace."""
        K = len(self.symbols)
        s.grammar.score[:] = w[: self.sizes[0]]
        over = np.full((K, K), -np.inf)
        over[self.lexical[:, 1], self.lexical[:, 0]] = w[self.sizes[0] : self.sizes[1]]
        first, end = self.binary.token[i : i + 2]
        s.spans.span.score[: end - first, :K] = over[self.binary.tag[first:end]]
        s.spans.root.score[0, :K] = -np.inf
        s.spans.root.score[0, self.top] = w[self.sizes[1] :]

    def productions(self, i: int, node: np.ndarray) -> np.ndarray:
        """Numbers of the weights that a tree of sentence i has."""
        rows, tags = node.tolist(), self.binary.tag[self.binary.token[i] : self.binary.token[i + 1]].tolist()
        out = [self.top_number[rows[0][3]]]
        for x, (first, split, _, a) in enumerate(rows):
            if split < 0:
                out.append(self.word_number[a, tags[first]])
            else:
                out.append(self.number[a, rows[x + 1][3], rows[x + 2 * (split - first)][3]])
        return np.array(out)

    def relative_frequencies(self) -> np.ndarray:
        """Logarithms of relative frequencies."""
        count, total = np.zeros(self.sizes[2]), np.zeros(len(self.symbols) + 1)
        for i in range(len(self.words)):
            np.add.at(count, self.productions(i, self.binary.nodes(i)), 1)
        parent = np.concatenate([self.rules[:, 0], self.lexical[:, 0], np.full(len(self.top), len(self.symbols))])
        np.add.at(total, parent, count)
        return np.log(count / total[parent])

    def train(self, rows: np.ndarray, epochs: int, target: CountedTreebank, s, rate=0.1, seed=1):
        """AdaGrad on the slack-rescaled loss, from weights 0; yields weights, loss and CPU seconds of the searches after every epoch."""
        w, squares, random = np.zeros(self.sizes[2]), np.full(self.sizes[2], 1e-9), np.random.default_rng(seed)
        for _ in range(epochs):
            loss, spent = 0.0, 0.0
            for i in random.permutation(rows):
                self.load(s, w, i)
                n, gold, price = row(target, i)
                out = s.spans.output[0]
                start = time.process_time()
                value, cost = find_worst(s, gold, price, n, out)
                spent += time.process_time() - start
                loss += value
                if value > 0.0:
                    gradient = np.zeros(len(w))
                    np.add.at(gradient, self.productions(i, out[: 2 * n - 1]), cost)
                    np.add.at(gradient, self.productions(i, gold.node), -cost)
                    some = np.flatnonzero(gradient)
                    squares[some] += gradient[some] ** 2
                    w[some] -= rate * gradient[some] / np.sqrt(squares[some])
            yield w.copy(), loss / len(rows), spent
