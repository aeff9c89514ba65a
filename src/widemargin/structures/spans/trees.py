"""Binary trees over the spans of a sentence, by what their productions score."""

import numpy as np

from widemargin.compiler.lanes import lanes_of, width_of
from widemargin.engine.tables import aligned
from widemargin.errors import InputError
from widemargin.structures.spans import bigram_sums, kbest_edges, rule_best, rule_sums  # noqa: F401, answers
from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.bigrams import Bigrams as BigramScores
from widemargin.structures.spans.bigrams import BigramSpans, Pairs
from widemargin.structures.spans.factored import FactoredSpans, NoGrammar
from widemargin.structures.spans.kernel import NoSplits
from widemargin.structures.spans.rules import BLOCK, Live, RuleChart, RuleSpans
from widemargin.structures.spans.rules import Rules as RuleScores


class Bigrams(SpanTrees):
    """Productions score by bigrams of parent and child. SpanParts.grammar: left [K, K] by (left child, parent), right [K, K]."""

    name = "bigrams"

    def workspace(self, longest: int, *, dtype) -> BigramSpans:
        K, L, rows = self.symbols, width_of(self.lanes), longest * (longest + 1) // 2
        tables = [aligned((K, L), dtype) for _ in range(4)]
        for table in tables[:2]:
            table[:, K:] = -np.inf
        return BigramSpans(
            lanes=self.lanes,
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

    def grammar_scores(self, s) -> tuple:
        return s.grammar.left[:, : self.symbols], s.grammar.right[:, : self.symbols]


class Rules(SpanTrees):
    """Productions score by rules A -> B C. SpanParts.grammar: scores [R] of `rules`, which are sorted by (B, C, A)."""

    name = "rules"

    def __init__(self, symbols: int, rules: np.ndarray, **options):
        """rules: integers [R, 3], parent, left child, right child, in any order; options: those of SpanTrees."""
        super().__init__(symbols, **options)
        rules = np.asarray(rules).reshape(-1, 3)
        if len(rules) == 0 or rules.min() < 0 or rules.max() >= symbols:
            raise InputError(f"rules are rows (parent, left child, right child) of numbers from 0 to {symbols - 1}, and at least one")
        self.rules = np.unique(rules[:, [1, 2, 0]], axis=0)[:, [2, 0, 1]].astype(np.int32)
        if len(self.rules) < len(rules):
            raise InputError(f"{len(rules) - len(self.rules)} rules are there twice; give every rule once")
        pairs, first = np.unique(self.rules[:, 1:], axis=0, return_index=True)
        self._pair = np.append(first, len(self.rules)).astype(np.int32)
        tags = ~self.legal[1]
        wide, narrow = np.flatnonzero(~tags[pairs[:, 1]]), np.flatnonzero(tags[pairs[:, 1]])
        self._by_left = self._listed(pairs[wide, 0], wide, pairs[:, 1])
        self._by_right = self._listed(pairs[narrow, 1], narrow, pairs[:, 0])
        self._by_parent = self._listed(self.rules[:, 0], np.arange(len(self.rules)))

    def _listed(self, key: np.ndarray, item: np.ndarray, *columns: np.ndarray) -> tuple[np.ndarray, ...]:
        """Items by key, a symbol: where those of each begin, the items, and what columns have for them; int32."""
        first = np.append(0, np.cumsum(np.bincount(key, minlength=self.symbols)))
        item = item[np.argsort(key, kind="stable")]
        return tuple(array.astype(np.int32) for array in (first, item, *(column[item] for column in columns)))

    def workspace(self, longest: int, *, dtype) -> RuleSpans:
        K, R, wide = self.symbols, len(self.rules), (longest + BLOCK) // BLOCK * BLOCK
        left, right = aligned(((longest + 1) * K * wide,), dtype), aligned(((longest + 1) * K * wide,), dtype)
        split = aligned((K * wide if self.splits else 0,), dtype)
        first_end, last_end, first_start, last_start, starting = (np.zeros((longest + 1, K), np.int32) for _ in range(5))
        parent, one, two = (np.ascontiguousarray(column) for column in self.rules.T)
        chart = RuleChart(
            spans=self.spans(longest, dtype),
            splits=self.split_tables(longest, dtype),
            grammar=RuleScores(
                np.zeros(R, dtype), np.zeros(R, dtype), parent, one, two, self._pair, *self._by_left, *self._by_right, *self._by_parent
            ),
            live=Live(first_end, last_end, first_start, last_start, starting, np.zeros(longest + 1, np.int32)),
            block=lanes_of(BLOCK),
            left=left,
            right=right,
            left_blocks=left.reshape(-1, BLOCK),
            right_blocks=right.reshape(-1, BLOCK),
            split=split,
            split_blocks=split.reshape(-1, BLOCK),
            found=np.zeros(K, dtype),
            touched=np.zeros(K, np.int32),
            counter=np.zeros(1, np.int64),
        )
        sums, tilted = np.zeros((5, len(left))), np.zeros((5, len(left)), np.complex128)
        return RuleSpans(self.lanes, chart.spans, chart.splits, chart.grammar, chart, sums, tilted)

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((len(self.rules),),)

    def fill(self, s, grammar: tuple) -> None:
        s.grammar.score[:] = grammar[0]

    def grammar_mu(self, s) -> tuple:
        return (s.grammar.mu.copy(),)

    def grammar_scores(self, s) -> tuple:
        return (s.grammar.score,)


class Factored(SpanTrees):
    """Symbols of spans score alone; productions and splits do not. SpanParts.grammar is empty."""

    name = "factored"
    has_productions = False

    def __init__(self, symbols: int, *, only_words: bool = False, legal: np.ndarray | None = None):
        super().__init__(symbols, only_words=only_words, legal=legal)

    def workspace(self, longest: int, *, dtype) -> FactoredSpans:
        across, named = longest + 1, aligned((1, width_of(self.lanes)), dtype)
        named[0, 0] = -np.inf
        return FactoredSpans(
            lanes=self.lanes,
            spans=self.spans(longest, dtype),
            splits=NoSplits(0),
            grammar=NoGrammar(0),
            named=named,
            symbol=np.zeros((2, longest * across // 2), dtype),
            inside=np.zeros((2, across, across), dtype),
            sums=np.zeros((4, across, across)),
            tilted=np.zeros((4, across, across), np.complex128),
        )

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ()

    def fill(self, s, grammar: tuple) -> None:
        pass

    def grammar_mu(self, s) -> tuple:
        return ()

    def grammar_scores(self, s) -> tuple:
        return ()


SPAN_TREES: dict[str, type[SpanTrees]] = {"bigrams": Bigrams, "rules": Rules, "factored": Factored}
