"""Binary trees over the spans of a sentence, by what their productions score."""

import numpy as np

from widemargin.compiler.lanes import width_of
from widemargin.engine.tables import aligned
from widemargin.structures.spans import bigram_sums  # noqa: F401, answers sum_nodes
from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.bigrams import Bigrams as BigramScores
from widemargin.structures.spans.bigrams import BigramSpans, Pairs


class Bigrams(SpanTrees):
    """Productions score by bigrams of parent and child. SpanParts.grammar: left [K, K] by (left child, parent), right [K, K]."""

    name = "bigrams"

    def workspace(self, longest: int, *, dtype) -> BigramSpans:
        K, L, rows = self.symbols, width_of(self.lanes), longest * (longest + 1) // 2
        tables = [aligned((K, L), dtype) for _ in range(4)]
        for table in tables[:2]:
            table[:, K:] = -np.inf
        return BigramSpans(
            spans=self.spans(longest, dtype),
            splits=self.split_tables(longest, dtype),
            grammar=BigramScores(*tables),
            inside=aligned((rows, L), dtype),
            from_left=aligned((rows, L), dtype),
            from_right=aligned((rows, L), dtype),
            spare=aligned((1, L), dtype),
            pairs=Pairs(np.zeros((2, K + 1), np.int32), np.zeros((2, K * K), np.int32), np.zeros((2, K * K))),
            sums=np.zeros((6, rows, L)),
            tilted=np.zeros((6, rows, L), np.complex128),
        )

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.symbols, self.symbols), (self.symbols, self.symbols)

    def fill(self, s, grammar: tuple) -> None:
        s.grammar.left[:, : self.symbols], s.grammar.right[:, : self.symbols] = grammar

    def grammar_mu(self, s) -> tuple:
        return s.grammar.left_mu[:, : self.symbols].copy(), s.grammar.right_mu[:, : self.symbols].copy()
