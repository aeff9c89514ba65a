"""Sets of sentences within a budget: arrays in, arrays out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.engine.settings import as_number, in_range
from widemargin.engine.terms import Max, answer, augment_row, kbest_row
from widemargin.errors import InputError
from widemargin.structures.listing import listable, outcomes
from widemargin.structures.subset.bounds import Scratch
from widemargin.structures.subset.cover import FREE, MUST, NEVER, Cover, Gold, Price
from widemargin.structures.subset.kernel import BestSets, worst_row
from widemargin.structures.subset.kernel import Subset as Workspace
from widemargin.structures.subset.search import BOUND, NODES, STOPPED

PATIENCE = 400  # nodes
LIMIT = 100_000  # nodes of a search, unless somebody wants more


@dataclass(frozen=True)
class Coverage:
    """One row: which of B items each of S sentences has, how long they are, and the budget."""

    items: int  # B
    entries: Sequence[Sequence[int] | np.ndarray]  # [S] of item numbers, in any order
    length: np.ndarray  # int64 [S]
    budget: int
    must: Sequence[int] = ()  # sentences that must be chosen
    never: Sequence[int] = ()  # that may not be


@dataclass(frozen=True)
class Found:
    """A set of sentences, and how sure it is that there is no better one."""

    value: float
    parts: np.ndarray  # int8 [B + S]
    sentences: np.ndarray  # int64, those chosen, in order
    bound: float  # no set has a higher value; equal to the value where the search went to its end
    nodes: int = 0

    @property
    def gap(self) -> float:
        """By how much a better set could be better."""
        return max(0.0, self.bound - self.value)


def cover_of(rows: Sequence[Coverage]) -> Cover:
    """Rows as kernels read them, checked."""
    lengths = [np.asarray(row.length) for row in rows]
    marks = [_marks(i, row) for i, row in enumerate(rows)]
    entries = [np.unique(np.asarray(sentence, np.int64)) for row in rows for sentence in row.entries]
    for i, (row, length, mark) in enumerate(zip(rows, lengths, marks)):
        if length.shape != (len(row.entries),) or length.dtype.kind not in "iu" or (len(length) and length.min() < 1):
            raise InputError(f"row {i} has {len(row.entries)} sentences; their lengths must be as many whole numbers from 1 up")
        if (needed := int(length[mark == MUST].sum())) > in_range("budget", as_number("budget", row.budget, int), 0):
            raise InputError(f"the sentences that row {i} must have are {needed} long, and its budget is {row.budget}; raise the budget")
        for sentence in row.entries:
            if len(sentence) and not 0 <= min(sentence) <= max(sentence) < row.items:
                raise InputError(f"a sentence of row {i} has item {max(sentence)} or {min(sentence)}; they are from 0 to {row.items - 1}")
    sizes = np.array([len(row.entries) for row in rows], np.int64)
    return Cover(
        at=_pointer([row.items + len(row.entries) for row in rows]),
        sentence=_pointer(sizes),
        ptr=_pointer([len(found) for found in entries]),
        item=np.concatenate([*entries, np.zeros(0, np.int64)]).astype(np.int32),
        length=np.concatenate([*lengths, np.zeros(0, np.int64)]).astype(np.int64),
        mark=np.concatenate([*marks, np.zeros(0, np.int8)]),
        budget=np.array([row.budget for row in rows], np.int64),
    )


def _marks(i: int, row: Coverage) -> np.ndarray:
    """int8 [S]."""
    mark = np.full(len(row.entries), FREE, np.int8)
    for sentences, value in ((row.never, NEVER), (row.must, MUST)):
        for j in sentences:
            if not 0 <= j < len(mark):
                raise InputError(f"there is no sentence {j} in row {i}; it has {len(mark)}, counted from 0")
            mark[j] = value
    if both := sorted(set(row.must) & set(row.never)):
        raise InputError(f"sentence {both[0]} of row {i} must and may not be chosen; leave it out of one of the two")
    return mark


def _pointer(counts) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


@dataclass(frozen=True)
class Subset:
    """Sets of sentences within a budget.

    limit: a search is given up after so many nodes, with the best set it has met. patience: after so many it begins again with the bound
    of multipliers.py."""

    limit: int = LIMIT
    patience: int = PATIENCE

    name = "subset"
    offers = frozenset({"argmax", "kbest", "strata"})
    part_type = np.int8  # of a part as a number (working sets)

    def workspace(self, cover: Cover, room: int, *, dtype) -> Workspace:
        """Memory of one thread for rows of up to `room` parts."""
        score, mu, work, price = (np.zeros(room, dtype) for _ in range(4))
        whole = {"covered": np.int32, "open": np.int32, "state": np.int8, "stack": np.int32}
        scratch = Scratch(**{name: np.zeros(room, whole.get(name, np.float64)) for name in Scratch._fields})
        best, output = BestSets(np.zeros(1), np.zeros((1, room), np.int8)), (np.zeros(room, np.int8), np.zeros(room, np.int8))
        own = np.zeros(1), np.zeros(1, np.int64), cover, scratch, np.int64(self.limit), np.int64(self.patience), np.zeros(3), best, output
        return Workspace(score, mu, work, price, *own)

    def kbest_memory(self, room: int, k: int, dtype=np.float64) -> BestSets:
        """Memory for the k best sets of rows of up to `room` parts."""
        k = listable(k, outcomes(2, room), 8 + room)
        return BestSets(np.zeros(k), np.zeros((k, room), np.int8))

    # ---- one row ----------------------------------------------------------------------------------------------------------------

    def argmax(self, scores: np.ndarray, row: Coverage) -> Found:
        """The best set: scores [B + S] of items and of sentences."""
        s, n, gold, price = self._loaded(scores, row)
        value = answer(Max(0.0, False), s, gold, price, n)
        return self._found(s, float(value), s.output[0], row)

    def kbest(self, scores: np.ndarray, row: Coverage, k: int) -> list[Found]:
        """The k best sets, best first."""
        s, n, gold, price = self._loaded(scores, row)
        augment_row(s, gold, price, n)
        best = self.kbest_memory(n, k)
        count = kbest_row(s, n, best)
        return [self._found(s, float(best.value[p]), best.part[p], row) for p in range(count)]

    def worst(self, scores: np.ndarray, row: Coverage, prices: np.ndarray, offset: float, need: float) -> tuple[float, np.ndarray]:
        """The largest cost (score - need), at least 0, and its set as parts int8 [B + S]; the cost is offset + prices [B + S]."""
        s, n, gold, _ = self._loaded(scores, row)
        prices = np.asarray(prices, float)
        if prices.shape != (n,) or (prices[: row.items] > 0.0).any():
            raise InputError(f"prices have shape {prices.shape} for {n} parts; those of items must be 0 or below")
        value, _ = worst_row(s, gold, Price(prices, float(offset)), n, float(need))
        return float(value), s.output[0]

    def _found(self, s: Workspace, value: float, parts: np.ndarray, row: Coverage) -> Found:
        bound = max(value, float(s.report[BOUND])) if s.report[STOPPED] else value
        return Found(value, parts, np.flatnonzero(parts[row.items :]), bound, int(s.report[NODES]))

    def _loaded(self, scores: np.ndarray, row: Coverage) -> tuple[Workspace, int, Gold, Price]:
        """A workspace with these scores, of a row whose gold is not known and where nothing costs anything."""
        scores, n = np.asarray(scores, float), row.items + len(row.entries)
        if scores.shape != (n,) or not np.isfinite(scores).all():
            raise InputError(f"scores have shape {scores.shape}; they must be {n} finite numbers, of the items and then of the sentences")
        s = self.workspace(cover_of([row]), n, dtype=np.float64)
        s.score[:] = scores
        return s, n, Gold(np.int64(0), np.zeros(n, np.int8), False), Price(np.zeros(n), 0.0)
