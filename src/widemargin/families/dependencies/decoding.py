"""The best trees of many sentences under fixed weights, on threads."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from widemargin.engine.gradient import decode_all
from widemargin.engine.rows import Rows
from widemargin.engine.tables import Reader, fixed, fixed_table
from widemargin.families.dependencies.kernels.arc_scores import arc_tables
from widemargin.families.dependencies.problem import ArcCorpus, TreeWeights, rows_of
from widemargin.parallel import together
from widemargin.structures.arcs.kernel import Tree
from widemargin.structures.arcs.trees import Trees, unknown


@dataclass(frozen=True)
class Guess:
    """Trees of all sentences of a treebank."""

    heads: np.ndarray  # int32 [N], from 1 inside the sentence, 0: the root
    relation: np.ndarray  # int32 [N], index into the parser's relations; -1 where it has none


def reader_of(weights: TreeWeights) -> Reader:
    """Reads these weights of arcs and of relations."""
    return fixed(arc_tables(*map(fixed_table, weights)))


def fixed_rows(structure: Trees, weights: TreeWeights, corpus: ArcCorpus) -> Rows:
    """Sentences, with scratch of one thread, in the precision of the weights."""
    arcs, labels = weights
    return rows_of(corpus, structure.prices(dtype=arcs.dtype), labels.shape[1], arcs.dtype, corpus.longest)


def pieces_by_arcs(token: np.ndarray, threads: int) -> list[tuple[int, int]]:
    """Ranges of sentences, at most one per thread, with about as many arcs each."""
    arcs = np.concatenate([[0], np.cumsum(np.diff(token).astype(np.float64) ** 2)])
    cuts = np.searchsorted(arcs, np.linspace(0, arcs[-1], threads + 1)).tolist()
    return [(low, high) for low, high in zip(cuts, cuts[1:]) if high > low]


def parse_corpus(structure: Trees, weights: TreeWeights, corpus: ArcCorpus, *, threads: int = 1) -> Guess:
    """The best trees of sentences of which nothing is known."""
    corpus = dataclasses.replace(corpus, gold=unknown(int(corpus.token[-1])))
    found, reader = Tree(*(np.zeros(int(corpus.token[-1]), np.int32) for _ in range(2))), reader_of(weights)

    def job(low, high):
        rows, s = fixed_rows(structure, weights, corpus), structure.workspace(corpus.longest, dtype=weights.arcs.dtype)
        return lambda: decode_all(low, high, rows, s, reader, corpus.token, found)

    together([job(low, high) for low, high in pieces_by_arcs(corpus.token, threads)], threads=threads)
    return Guess(found.head, found.label if structure.labels else np.full_like(found.label, -1))
