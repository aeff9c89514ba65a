"""How sure a parser is: probabilities of brackets and of whole trees, entropies, and the k best trees.

A parser gives a sentence's tree y the probability p(y) = exp(score(y) / T) / Z, the sum Z over the trees of its grammar. T is the
temperature: above 1 it flattens p, below 1 it sharpens it. Unless given, it is the parser's own: 1, or what `widemargin calibrate` has
found. All is exact, and the same bytes for any number of threads. A sentence that the grammar has no tree for has no probabilities: its
marginals are 0, and its list of trees is empty.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.decoding import Guess, Scorer, pieces_by_spans
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kernels import confidence as kernels
from widemargin.families.constituency.problem import Gold, SpanCorpus, rows_of, structure_of
from widemargin.families.constituency.trees import Trees
from widemargin.parallel import together
from widemargin.structures.listing import listable
from widemargin.structures.scaling import Query
from widemargin.structures.spans.arrays import prices

NUMBERS_AT_ONCE = 1 << 24  # marginals in memory at a time
DERIVATIONS_PER_TREE = 64  # derivations per word and tree asked for; four times as many when they are too few


class RankedTree(NamedTuple):
    """One of the k best trees of a sentence."""

    score: float
    log_probability: float
    node: np.ndarray  # int32 [2n-1, 4], as BinaryTrees has them, with the parser's symbols


@dataclass(frozen=True)
class TreeSums:
    """Sums over the trees of every sentence."""

    spans: list[np.ndarray]  # P(symbol on a span) float32 [n(n+1)/2, K], in the order of arrays.spans_of; [] when not asked for
    log_z: np.ndarray  # float64 [S]
    entropy: np.ndarray  # float64 [S], in nats


@dataclass(frozen=True)
class Scored:
    """Sentences, each with words, under fixed weights at a temperature."""

    scorer: Scorer
    corpus: SpanCorpus
    temperature: float
    threads: int = 1

    def __post_init__(self):
        if not 0.0 < self.temperature < np.inf:
            raise InputError(f"the temperature is {self.temperature}; it must be a number above 0")

    def sums(self, *, marginals: bool = True) -> TreeSums:
        """Marginals, log Z and entropies."""
        n, symbols, rows = np.diff(self.corpus.token), len(self.corpus.inventory), self.corpus.rows
        at = np.concatenate([[0], np.cumsum(n * (n + 1) // 2)]).astype(np.int64)
        span = np.zeros((int(at[-1]) if marginals else 0, symbols), np.float32)
        out = kernels.Sums(at, span, np.full(rows, -np.inf), np.zeros(rows))
        self._run(lambda low, high, query: kernels.sum_trees(low, high, query, out))
        return TreeSums([span[low:high] for low, high in zip(at, at[1:])] if marginals else [], out.log_z, out.entropy)

    def log_probability(self, gold: Gold) -> np.ndarray:
        """log P [S] of what is known of the trees; -inf where there is no such tree."""
        out = np.zeros(self.corpus.rows)
        zero = prices(self.scorer.structure, dtype=self.scorer.weights.spans.dtype)
        target = rows_of(replace(self.corpus, gold=gold), zero, 1).target
        self._run(lambda low, high, query: kernels.log_probabilities(low, high, query, target, out))
        return out

    def guess_log_probability(self, guess: Guess) -> np.ndarray:
        """log P [S] of binary trees, -inf where there is none."""
        found, sizes = np.isfinite(guess.score), np.diff(guess.node_ptr)
        nothing = Gold.nothing(self.corpus.rows, len(self.corpus.inventory))
        at = np.concatenate([[0], np.cumsum(sizes * found)]).astype(np.int64)  # a sentence without a tree has nodes that say nothing
        out = self.log_probability(replace(nothing, node_at=at, node=guess.node[np.repeat(found, sizes)]))
        return np.where(found, out, -np.inf)

    def kbest(self, k: int) -> list[list[RankedTree]]:
        """The k best trees of every sentence, best first; fewer where there are fewer."""
        structure, rows, longest = self.scorer.structure, self.corpus.rows, self.corpus.longest
        at = 2 * self.corpus.token - np.arange(rows + 1)
        k = len(structure.kbest_memory(longest, k, room=1).value)
        k = listable(k, k, 16 * rows + 16 * int(at[-1]))
        found, score, log_probability = np.zeros(rows, np.int64), np.zeros((rows, k)), np.zeros((rows, k))
        node = np.zeros((k, int(at[-1]), 4), np.int32)

        def rank(low, high, query):
            room = DERIVATIONS_PER_TREE * (longest + k)
            while low < high:
                memory = structure.kbest_memory(longest, k, room=room)
                out = kernels.Ranked(found, score, log_probability, at, node.reshape(-1, 4), memory)
                low, room = kernels.rank_trees(low, high, query, out), 4 * room

        self._run(rank)
        return [
            [RankedTree(float(score[i, r]), float(log_probability[i, r]), node[r, at[i] : at[i + 1]]) for r in range(found[i])]
            for i in range(rows)
        ]

    def _run(self, call: Callable[[int, int, Query], Any]) -> None:
        """call(low, high, query) on pieces of the sentences, each with scratch of its own."""
        corpus, scorer, longest = self.corpus, self.scorer, self.corpus.longest
        full, reader, zero = structure_of(corpus.inventory, corpus.features, all_spans=True), scorer.reader, prices(scorer.structure)

        def job(low, high):
            s, exact = scorer.structure.workspace(longest, dtype=scorer.weights.spans.dtype), full.workspace(longest, dtype=np.float64)
            query = Query(scorer.rows(corpus), s, exact, reader, zero, 1.0 / self.temperature)
            return lambda: call(low, high, query)

        together([job(low, high) for low, high in pieces_by_spans(corpus.token, self.threads)], threads=self.threads)


class LabelSets:
    """Which symbols have a label at least so often: what makes a bracket of a node."""

    def __init__(self, inventory: Inventory):
        self.inventory = inventory
        self._known: dict[tuple[str, int], np.ndarray] = {}

    def __call__(self, label: str, times: int) -> np.ndarray:
        """bool [K]."""
        if (label, times) not in self._known:
            symbols = self.inventory.symbols
            self._known[label, times] = np.array([symbols.stands_for(y).count(label) >= times for y in range(len(symbols))])
        return self._known[label, times]


def repeats(brackets: Sequence) -> list[int]:
    """Of each bracket how many of these, itself included, are equal to it up to there: a chain may repeat a label."""
    seen: dict = {}
    out = []
    for bracket in map(tuple, brackets):
        seen[bracket] = seen.get(bracket, 0) + 1
        out.append(seen[bracket])
    return out


def bracket_marginals(scored: Scored, trees: Trees) -> np.ndarray:
    """The probability of every bracket of these trees [M], of the same sentences: that a tree has it; of one that is there for the second
    time, that a tree has two."""
    inventory, out = scored.corpus.inventory, np.zeros(len(trees.node))
    sets, n = LabelSets(inventory), np.diff(trees.row_ptr)
    piece = np.cumsum(n * (n + 1) // 2 * len(inventory)) // NUMBERS_AT_ONCE
    for number in np.unique(piece):
        rows = np.flatnonzero(piece == number)
        for i, table in zip(rows.tolist(), replace(scored, corpus=scored.corpus.part(rows)).sums().spans):
            brackets = [(first, end, trees.labels[label]) for first, end, label in trees.nodes(i).tolist()]
            out[trees.node_ptr[i] : trees.node_ptr[i + 1]] = [
                table[row_of(first, end, int(n[i])), sets(label, times)].sum()
                for (first, end, label), times in zip(brackets, repeats(brackets))
            ]
    return np.clip(out, 0.0, 1.0)


def row_of(first: int, end: int, n: int) -> int:
    """The place of a span among those of n words, as kernel.row_of has it."""
    return (end - first - 1) * n - (end - first - 1) * (end - first - 2) // 2 + first
