"""How sure a parser is: probabilities of arcs, of relations and of whole trees, entropies, and the k best trees.

A parser gives a sentence's tree y the probability p(y) = exp(score(y) / T) / Z, the sum Z over the trees of its structure (with structure
heads: over all choices of heads). T is the temperature: above 1 it flattens p, below 1 it sharpens it. Unless given, it is the parser's
own: 1, or what `widemargin calibrate` has found. All is exact, and the same bytes for any number of threads.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.dependencies.decoding import fixed_rows, pieces_by_arcs, reader_of
from widemargin.families.dependencies.kernels import confidence as kernels
from widemargin.families.dependencies.problem import ArcCorpus, TreeWeights
from widemargin.parallel import together
from widemargin.structures.arcs.kernel import Tree
from widemargin.structures.arcs.trees import Trees, unknown
from widemargin.structures.listing import listable
from widemargin.structures.scaling import Query

DERIVATIONS_PER_TREE = 64  # derivations per word and tree asked for; four times as many when they are too few


class RankedTree(NamedTuple):
    """One of the k best trees of a sentence."""

    score: float
    log_probability: float
    heads: np.ndarray  # int32 [n], from 1 inside the sentence, 0: the root
    relation: np.ndarray  # int32 [n], index into the parser's relations


@dataclass(frozen=True)
class TreeSums:
    """Sums over the trees of every sentence."""

    arcs: list[np.ndarray]  # P(head -> word) float32 [n+1, n+1] by (head, word), or [n+1, n+1, R] with relations
    log_z: np.ndarray  # float64 [S]
    entropy: np.ndarray  # float64 [S], in nats


@dataclass(frozen=True)
class Scored:
    """Sentences under fixed weights at a temperature."""

    structure: Trees
    weights: TreeWeights
    corpus: ArcCorpus
    temperature: float
    threads: int = 1

    def __post_init__(self):
        if not 0.0 < self.temperature < np.inf:
            raise InputError(f"the temperature is {self.temperature}; it must be a number above 0")

    def sums(self, *, relations: bool = False) -> TreeSums:
        """Marginals, log Z and entropies."""
        if relations and not self.structure.labels:
            raise InputError("this parser was trained on heads alone, so relations have no probabilities; train it with labelled=true")
        lengths = np.diff(self.corpus.token)
        ptr = np.concatenate([[0], np.cumsum((lengths + 1) ** 2)]).astype(np.int64)
        rows, arcs = self.corpus.rows, int(ptr[-1])
        label = np.zeros((arcs if relations else 0, self.structure.labels), np.float32)
        out = kernels.Sums(ptr, np.zeros(arcs, np.float32), label, np.zeros(rows), np.zeros(rows))
        self._run(lambda low, high, query: kernels.sum_trees(low, high, query, out))
        flat = out.label if relations else out.arc
        tables = [flat[low:high].reshape(n + 1, n + 1, *flat.shape[1:]) for low, high, n in zip(ptr, ptr[1:], lengths.tolist())]
        return TreeSums(tables, out.log_z, out.entropy)

    def log_probability(self, gold: np.ndarray) -> np.ndarray:
        """log P [S] of the trees with these heads and relations int32 [N, 2], -1 standing for any; -inf where there is no such tree."""
        out = np.zeros(self.corpus.rows)
        self._run(lambda low, high, query: kernels.log_probabilities(low, high, query, gold, out))
        return out

    def kbest(self, k: int) -> list[list[RankedTree]]:
        """The k best trees of every sentence, best first; fewer where there are fewer."""
        token, rows, longest = self.corpus.token, self.corpus.rows, self.corpus.longest
        k = len(self.structure.kbest_memory(longest, k, self.weights.arcs.dtype).value)
        k = listable(k, k, 16 * rows + 8 * int(token[-1]))
        found, score, log_probability = np.zeros(rows, np.int64), np.zeros((rows, k)), np.zeros((rows, k))
        head, label = (np.zeros((k, int(token[-1])), np.int32) for _ in range(2))

        def rank(low, high, query):
            memory = self.structure.kbest_memory(longest, k, self.weights.arcs.dtype)
            out, room = (
                kernels.Ranked(found, score, log_probability, Tree(head.reshape(-1), label.reshape(-1)), memory),
                DERIVATIONS_PER_TREE * (longest + k),
            )
            while low < high:
                lists = self.structure.kbest_lists(longest, room)
                low, room = kernels.rank_trees(low, high, query, lists, out), 4 * room

        self._run(rank)
        bounds = list(zip(token.tolist(), token[1:].tolist()))
        return [
            [RankedTree(float(score[i, r]), float(log_probability[i, r]), head[r, low:high], label[r, low:high]) for r in range(found[i])]
            for i, (low, high) in enumerate(bounds)
        ]

    def _run(self, call: Callable[[int, int, Query], Any]) -> None:
        """call(low, high, query) on pieces of the sentences, each with scratch of its own."""
        corpus, structure, longest, dtype = self.corpus, self.structure, self.corpus.longest, self.weights.arcs.dtype
        corpus = dataclasses.replace(corpus, gold=unknown(int(corpus.token[-1])))
        reader, prices = reader_of(self.weights), structure.prices()

        def job(low, high):
            s, exact = (structure.workspace(longest, dtype=kind) for kind in (dtype, np.float64))
            query = Query(fixed_rows(structure, self.weights, corpus), s, exact, reader, prices, 1.0 / self.temperature)
            return lambda: call(low, high, query)

        together([job(low, high) for low, high in pieces_by_arcs(corpus.token, self.threads)], threads=self.threads)
