"""How sure a parser is: probabilities of brackets and of whole trees, and the k best trees.

A parser gives a sentence's tree y the probability p(y) = exp(score(y) / T) / Z, the sum Z over the trees of its grammar. T is the
temperature, the parser's own unless given. With structure labels the sum is over binary trees, of which several stand for one tree of
constituents where it has nodes with more than two children.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.decoding import Guess, Scorer, pieces_by_spans
from widemargin.families.constituency.kernels import confidence as kernels
from widemargin.families.constituency.problem import SpanCorpus, structure_of
from widemargin.parallel import together
from widemargin.structures.listing import listable
from widemargin.structures.scaling import Query
from widemargin.structures.spans.arrays import prices

ROOM = 64  # derivations per word and tree asked for; four times as many when they are too few


class RankedTree(NamedTuple):
    """One of the k best trees of a sentence."""

    score: float
    log_probability: float
    node: np.ndarray  # int32 [2n-1, 4], with the parser's symbols


@dataclass(frozen=True)
class Scored:
    """Sentences under fixed weights at a temperature."""

    scorer: Scorer
    corpus: SpanCorpus
    temperature: float
    threads: int = 1

    def __post_init__(self):
        if not 0.0 < self.temperature < np.inf:
            raise InputError(f"the temperature is {self.temperature}; it must be a number above 0")

    def probabilities(self, guess: Guess, at: np.ndarray, bracket: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P of brackets int32 [B, 3] (first, end, code of the label), those of sentence i from at[i] on; and log P of binary trees [S]."""
        symbols = self.corpus.inventory.symbols
        stand = np.zeros((len(symbols.labels), len(symbols)), np.bool_)
        stand[symbols.label_code, np.repeat(np.arange(len(symbols)), np.diff(symbols.label_ptr))] = True
        asked = kernels.Brackets(at, np.ascontiguousarray(bracket, np.int32), stand, guess.node_ptr, guess.node)
        found, log_probability = np.zeros(len(bracket)), np.zeros(self.corpus.rows)
        self._run(lambda low, high, query: kernels.sum_trees(low, high, query, asked, found, log_probability))
        return found, log_probability

    def kbest(self, k: int) -> list[list[RankedTree]]:
        """The k best trees of every sentence, best first; fewer where there are fewer."""
        structure, corpus, longest = self.scorer.structure, self.corpus, self.corpus.longest
        if not corpus.inventory.kind.grammar:
            raise InputError("structure=labels lists binary trees, several of which are one tree of constituents; use another structure")
        at, rows = 2 * corpus.token - np.arange(len(corpus.token)), corpus.rows
        k = len(structure.kbest_memory(longest, k, room=1).value)
        k = listable(k, k, 16 * rows + 16 * int(at[-1]))
        found, score, log_probability = np.zeros(rows, np.int64), np.zeros((rows, k)), np.zeros((rows, k))
        node = np.zeros((k * int(at[-1]), 4), np.int32)

        def rank(low, high, query):
            room = ROOM * (longest + k)
            while low < high:
                memory = structure.kbest_memory(longest, k, room=room)
                low, room = kernels.rank_trees(low, high, query, at, kernels.Ranked(found, score, log_probability, node, memory)), 4 * room

        self._run(rank)
        every = node.reshape(k, -1, 4)
        return [
            [RankedTree(float(score[i, r]), float(log_probability[i, r]), every[r, low:high]) for r in range(found[i])]
            for i, (low, high) in enumerate(zip(at.tolist(), at[1:].tolist()))
        ]

    def _run(self, call: Callable[[int, int, Query], Any]) -> None:
        """call(low, high, query) on pieces of the sentences, each with scratch of its own."""
        scorer, structure, corpus = self.scorer, self.scorer.structure, self.corpus
        reader, price, every = scorer.reader, prices(structure), structure_of(corpus.inventory, corpus.features, all_spans=True)

        def job(low, high):
            s, exact = (
                structure.workspace(corpus.longest, dtype=scorer.weights.spans.dtype),
                every.workspace(corpus.longest, dtype=np.float64),
            )
            query = Query(scorer.rows(corpus), s, exact, reader, price, 1.0 / self.temperature)
            return lambda: call(low, high, query)

        together([job(low, high) for low, high in pieces_by_spans(corpus.token, self.threads)], threads=self.threads)
