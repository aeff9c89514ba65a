"""The best trees of many sentences under fixed weights, on threads."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from widemargin.engine.tables import Reader, fixed, fixed_table
from widemargin.families.constituency.kernels.parsing import Into, Pruned, parse, parse_pruned
from widemargin.families.constituency.kernels.span_scores import span_tables
from widemargin.families.constituency.problem import Gold, SpanCorpus, SpanWeights, rows_of
from widemargin.parallel import together
from widemargin.structures.spans.arrays import SpanTrees, prices


@dataclass(frozen=True)
class Guess:
    """Binary trees of all sentences, with the parser's symbols."""

    node_ptr: np.ndarray  # int64 [S+1]
    node: np.ndarray  # int32 [M, 4], as BinaryTrees has them; of a sentence without a tree they say nothing
    score: np.ndarray  # float64 [S]; -inf: the sentence has no tree
    pruned: Pruned | None = None  # what a beam left out, of the sentences that were parsed

    def among(self, lengths: np.ndarray, asked: np.ndarray) -> "Guess":
        """The trees of some sentences, asked bool [S], as those of all S, of so many words [S]; the others have none."""
        at = np.concatenate([[0], np.cumsum(np.maximum(2 * lengths - 1, 0))]).astype(np.int64)
        node, score = np.zeros((int(at[-1]), 4), np.int32), np.full(len(lengths), -np.inf)
        node[np.repeat(asked, np.diff(at))], score[asked] = self.node, self.score
        return Guess(at, node, score, self.pruned)


@dataclass(frozen=True)
class Scorer:
    """A structure under fixed weights."""

    structure: SpanTrees
    weights: SpanWeights

    @property
    def reader(self) -> Reader:
        return fixed(span_tables(*map(fixed_table, self.weights)))

    def rows(self, corpus: SpanCorpus):
        """Sentences of which nothing is known, with scratch of one thread, in the precision of the weights."""
        corpus = dataclasses.replace(corpus, gold=Gold.nothing(corpus.rows, len(corpus.inventory)))
        price = prices(self.structure, dtype=self.weights.spans.dtype)
        return rows_of(corpus, price, corpus.longest)

    def parse(self, corpus: SpanCorpus, *, threads: int = 1, beam: float | None = None) -> Guess:
        """The best tree of every sentence. beam: symbols that score so much less than the best one of their span are not looked at."""
        at = 2 * corpus.token - np.arange(len(corpus.token))
        node, value, reader = np.zeros((int(at[-1]), 4), np.int32), np.zeros(corpus.rows), self.reader

        pruned = Pruned(beam or 0.0, np.zeros((corpus.rows, 2), np.int64), np.zeros(corpus.rows, np.bool_))

        def job(low, high):
            rows, s = self.rows(corpus), self.structure.workspace(corpus.longest, dtype=self.weights.spans.dtype)
            if beam is not None:
                return lambda: parse_pruned(low, high, rows, s, reader, pruned, Into(at, node, value))
            return lambda: parse(low, high, rows, s, reader, at, node, value)

        together([job(low, high) for low, high in pieces_by_spans(corpus.token, threads)], threads=threads)
        return Guess(at, node, value, None if beam is None else pruned)


def pieces_by_spans(token: np.ndarray, threads: int) -> list[tuple[int, int]]:
    """Ranges of sentences, at most one per thread, with about as many spans each."""
    spans = np.concatenate([[0], np.cumsum(np.diff(token).astype(np.float64) ** 2)])
    cuts = np.searchsorted(spans, np.linspace(0, spans[-1], threads + 1)).tolist()
    return [(low, high) for low, high in zip(cuts, cuts[1:]) if high > low]
