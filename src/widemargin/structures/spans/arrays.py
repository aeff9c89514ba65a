"""Trees over spans: arrays in, kernels, arrays out. A tree is int32 [2n-1, 4], its nodes in pre-order (kernel.py)."""

from typing import Any, NamedTuple

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.engine.tables import aligned
from widemargin.engine.terms import Given, LogSum, Max, answer, augment_row, kbest_row, tilt_row
from widemargin.errors import InputError
from widemargin.structures.listing import listable, outcomes
from widemargin.structures.spans.gold import nothing_known, prices
from widemargin.structures.spans.kbest import ITEMS, BestTrees, DerivationLists
from widemargin.structures.spans.kernel import NoSplits, Rebates, Root, Spans, Splits, Table


class SpanParts(NamedTuple):
    """Numbers for the parts of trees over n words: scores, indicators, marginals or covariances. -inf: not allowed."""

    span: np.ndarray  # [n+1, n+1, K]  symbol of the words i..j-1, i < j; where only words have scores, j = i + 1
    root: np.ndarray  # [K]
    left: np.ndarray  # [n+1, n+1, K]  a node from i on is split at k; empty where splits have no scores
    right: np.ndarray  # [n+1, n+1, K]  a node up to j is split at k
    grammar: tuple  # arrays of the structure's own


class SpanTrees:
    """What the structures share."""

    name = ""
    offers: frozenset[str] = frozenset({"argmax", "logsum", "tilt", "kbest", "argmin"})
    has_productions = True  # can productions have prices?
    part_type = np.int64  # of a node as one number (working sets)

    def __init__(self, symbols: int, *, splits: bool = False, only_words: bool = False, legal: np.ndarray | None = None):
        """symbols: K. splits: where nodes are split has scores. only_words: longer spans have no scores of their own.
        legal: bool [2, K], which symbols nodes of one word may have, and nodes of more."""
        if symbols < 1 or symbols > 1 << 16:
            raise InputError(f"{symbols} symbols were asked for; there must be between 1 and 65,536")
        self.symbols, self.splits, self.only_words = symbols, splits, only_words
        self.lanes = lanes_for(symbols)
        self.legal = np.ones((2, symbols), bool) if legal is None else np.asarray(legal, bool)
        if self.legal.shape != (2, symbols):
            raise InputError(f"the mask of legal symbols has shape {self.legal.shape}; (2, {symbols}) was expected")

    # ---- what a structure of its own gives ------------------------------------------------------------------------------------------

    def workspace(self, longest: int, *, dtype) -> Any:
        """Scratch memory for sentences of up to `longest` words."""
        raise NotImplementedError

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the arrays in SpanParts.grammar."""
        raise NotImplementedError

    def fill(self, s, grammar: tuple) -> None:
        """Scores of the grammar into a workspace."""
        raise NotImplementedError

    def grammar_mu(self, s) -> tuple:
        """mu of the grammar."""
        raise NotImplementedError

    def grammar_scores(self, s) -> tuple:
        """Scores of the grammar, as `fill` takes them."""
        raise NotImplementedError

    # ---- operations -----------------------------------------------------------------------------------------------------------------

    def argmax(self, scores: SpanParts, allowed: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """The best tree and its score. allowed: bool like scores.span, or without its last axis."""
        s, n = self._loaded(scores, allowed)
        value = self._value(answer(Max(0.0, False), s, nothing_known(self), prices(self), n))
        return value, s.spans.output[0][: 2 * n - 1].copy()

    def logsum(self, scores: SpanParts, allowed: np.ndarray | None = None) -> tuple[float, SpanParts]:
        """log of the sum of exp(score) over trees, and the marginals of their parts."""
        s, n = self._loaded(scores, allowed)
        return self._value(answer(LogSum(0.0, False), s, nothing_known(self), prices(self), n)), self.mu(s, n)

    def tilt(self, scores: SpanParts, direction: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, SpanParts]:
        """E[d] and Cov(part, d) under exp(score)/Z, for a direction [n+1, n+1, K] of nodes: the derivatives of logsum and marginals."""
        s, n = self._loaded(scores, allowed)
        direction = np.asarray(direction, float)
        if direction.shape != (n + 1, n + 1, self.symbols):
            raise InputError(f"the direction has shape {direction.shape}; {(n + 1, n + 1, self.symbols)} was expected, as spans have")
        self._put(s.spans.direction, direction, n)
        return self._value(tilt_row(s, nothing_known(self), prices(self), n)), self.mu(s, n)

    def kbest(self, scores: SpanParts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, np.ndarray]]:
        """The k best trees and their scores, best first (fewer when there are fewer)."""
        s, n = self._loaded(scores, allowed)
        room = 64 * n
        while True:
            found = self.kbest_memory(n, k, np.float64, room)
            augment_row(s, nothing_known(self), prices(self), n)
            if (count := kbest_row(s, n, found)) >= 0:
                return [(float(found.value[p]), found.node[p].copy()) for p in range(count)]
            room *= 4

    def kbest_memory(self, longest: int, k: int, dtype=np.float64, room: int | None = None) -> BestTrees:
        """Memory for the k best trees of a sentence; room: how many derivations and items, else as many as there can be."""
        k = listable(k, outcomes(4 * self.symbols**2, longest), 8 + 16 * (2 * longest - 1))
        most = k * ITEMS * (longest + 1)
        derivations, items = most * (k + 4) if room is None else room, most if room is None else room
        if room is None:
            listable(derivations, derivations, 28)
        table = 1 << int(2 * items).bit_length()
        ask, stack = (np.zeros((ITEMS * (longest + 1), 2), np.int64) for _ in range(2))
        edge, then, waiting, first, last = (np.zeros(size, np.int32) for size in (derivations, derivations, table, table, table))
        choice = np.zeros((derivations, 2), np.int32)
        index = np.zeros(table, np.int64), waiting, first, last, np.zeros(table, np.bool_)
        lists = DerivationLists(np.zeros(derivations), edge, choice, then, np.zeros(1, np.int64), *index, ask, stack)
        return BestTrees(np.zeros(k), np.zeros((k, 2 * longest - 1, 4), np.int32), lists)

    def indicator(self, node: np.ndarray) -> SpanParts:
        """The parts of a tree."""
        n = (len(node) + 1) // 2
        s = self.workspace(n, dtype=np.float64)
        s.spans.output[0][:] = node
        answer(Given(0.0), s, nothing_known(self), prices(self), n)
        return self.mu(s, n)

    def zeros(self, n: int) -> SpanParts:
        """Parts of trees over n words, all 0."""
        K = self.symbols
        split = (n + 1, n + 1, K) if self.splits else (0, 0, K)
        span, root, left, right = np.zeros((n + 1, n + 1, K)), np.zeros(K), np.zeros(split), np.zeros(split)
        return SpanParts(span, root, left, right, tuple(np.zeros(shape) for shape in self.shapes()))

    def mu(self, s, n: int) -> SpanParts:
        """mu of a workspace."""
        parts = self.zeros(n)
        tables = [(parts.span, s.spans.span)]
        if self.splits:
            tables += [(parts.left, s.splits.left), (parts.right, s.splits.right)]
        first, end = spans_of(n)
        for array, table in tables:
            rows = np.flatnonzero(table.fresh[: len(first)])
            array[first[rows], end[rows]] = table.mu[rows, : self.symbols]
        parts.root[:] = s.spans.root.mu[0, : self.symbols]
        return parts._replace(grammar=self.grammar_mu(s))

    def scores(self, s, n: int) -> SpanParts:
        """The scores in a workspace, in float64; of longer spans 0 where only words have any."""
        parts = self.zeros(n)
        tables = [(parts.span, s.spans.span.score)]
        if self.splits:
            tables += [(parts.left, s.splits.left.score), (parts.right, s.splits.right.score)]
        first, end = spans_of(n)
        for array, table in tables:
            rows = n if self.only_words and array is parts.span else len(first)
            array[first[:rows], end[:rows]] = table[:rows, : self.symbols]
        parts.root[:] = s.spans.root.score[0, : self.symbols]
        return parts._replace(grammar=tuple(array.astype(np.float64) for array in self.grammar_scores(s)))

    def load(self, s, scores: SpanParts, allowed: np.ndarray | None = None) -> int:
        """Scores into a workspace with room for them; returns n."""
        n = self._check(scores)
        span = np.asarray(scores.span, float)
        if self.only_words:
            span = np.where(np.eye(n + 1, k=1, dtype=bool)[..., None], span, 0.0)
        if allowed is not None:
            allowed = np.asarray(allowed, bool)
            if allowed.shape not in (span.shape, span.shape[:2]):
                raise InputError(f"the mask of allowed spans has shape {allowed.shape}, the scores {span.shape}; they must be the same")
            if self.only_words:
                raise InputError("spans of more than one word have no scores here, so they cannot be masked; use only_words=False")
            span = np.where(allowed if allowed.ndim == 3 else allowed[..., None], span, -np.inf)
        self._put(s.spans.span.score, span, n)
        s.spans.root.score[0, : self.symbols] = scores.root
        if self.splits:
            self._put(s.splits.left.score, np.asarray(scores.left, float), n)
            self._put(s.splits.right.score, np.asarray(scores.right, float), n)
        self.fill(s, scores.grammar)
        return n

    # ---- memory ---------------------------------------------------------------------------------------------------------------------

    def table(self, rows: int, dtype) -> Table:
        """A table of spans."""
        L = width_of(self.lanes)
        score = aligned((rows, L), dtype)
        score[:, self.symbols :] = -np.inf
        return Table(score, aligned((rows, L), dtype), np.zeros(rows, np.bool_))

    def split_tables(self, longest: int, dtype) -> NoSplits | Splits:
        """Tables of splits, if they have scores."""
        rows = longest * (longest + 1) // 2
        return Splits(self.table(rows, dtype), self.table(rows, dtype)) if self.splits else NoSplits(0)

    def spans(self, longest: int, dtype) -> Spans:
        """What all structures over spans have."""
        L, rows = width_of(self.lanes), longest * (longest + 1) // 2
        legal, root = np.full((2, L), -np.inf, dtype), np.full((1, L), -np.inf, dtype)
        legal[:, : self.symbols] = np.where(self.legal, 0.0, -np.inf)
        root[:, : self.symbols] = 0.0
        first, second, best = (np.zeros((2 * longest - 1, 4), np.int32) for _ in range(3))
        return Spans(
            symbols=self.symbols,
            only_words=self.only_words,
            legal=legal,
            span=self.table(longest if self.only_words else rows, dtype),
            root=Root(root, np.zeros((1, L), dtype)),
            work=aligned((rows, L), dtype),
            direction=aligned((rows, L), dtype),
            rebates=Rebates(np.full(rows, -1, np.int32), np.zeros((longest, 4), np.int32), np.zeros(longest), np.zeros(longest)),
            mark=np.zeros(rows, np.int32),
            stack=np.zeros((2 * longest, 3), np.int32),
            output=(first, second),
            best=best,
            shift=np.zeros(longest),
        )

    # ---- checks ---------------------------------------------------------------------------------------------------------------------

    def _loaded(self, scores, allowed):
        n = self._check(scores)
        s = self.workspace(n, dtype=np.float64)
        self.load(s, scores, allowed)
        return s, n

    def _check(self, scores: SpanParts) -> int:
        """n; scores of another shape are refused."""
        span = np.shape(scores.span)
        if len(span) != 3 or span[0] != span[1] or span[0] < 2 or span[2] != self.symbols:
            raise InputError(f"scores of spans have shape {span}; [n+1, n+1, {self.symbols}], for n >= 1 words, was expected")
        wanted = self.zeros(span[0] - 1)
        if len(scores.grammar) != len(wanted.grammar):
            raise InputError(f"the grammar has {len(scores.grammar)} arrays of scores; {len(wanted.grammar)} were expected")
        names = [*SpanParts._fields[:4], *(f"the grammar ({i + 1})" for i in range(len(wanted.grammar)))]
        for name, given, like in zip(names, (*scores[:4], *scores.grammar), (*wanted[:4], *wanted.grammar)):
            numbers = np.asarray(given, float)
            if numbers.shape != like.shape:
                raise InputError(f"scores of {name} have shape {numbers.shape}; {like.shape} was expected")
            if np.isnan(numbers).any() or np.isposinf(numbers).any():
                raise InputError(f"scores of {name} have a NaN or inf in them; give numbers, or -inf for what is not allowed")
        return span[0] - 1

    def _put(self, table, array, n):
        first, end = spans_of(n)
        rows = min(len(first), len(table))
        table[:rows, : self.symbols] = array[first[:rows], end[:rows]]

    def _value(self, value):
        if not np.isfinite(value):
            raise InputError("no tree is allowed: grammar, scores of -inf and masks leave none; allow more spans, symbols or productions")
        return float(value)


def spans_of(n: int) -> tuple[np.ndarray, np.ndarray]:
    """First words and ends of all spans of n words, in the order of kernel.row_of."""
    first = np.concatenate([np.arange(n - d) for d in range(n)])
    return first, first + np.repeat(np.arange(1, n + 1), np.arange(n, 0, -1))
