"""Derived columns: an expression is computed once per distinct value, in Python; per token there are only codes.

A derived column is (codes per token, number of each code, strings). Most take the codes of a base column as they are; `first`, `last`,
`pair` and `document` (memory.py) bring their own, because they look at whole sentences and documents.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.errors import InputError
from widemargin.features.atoms import Call, Column, Mark, check_column
from widemargin.features.functions import FUNCTIONS
from widemargin.features.lexicons import Learnt, Strings, learn
from widemargin.features.memory import Memory
from widemargin.readers.columns import Columns

SILENT = np.uint64(19)  # in the place of a hash

Expression = Column | Call | Mark


@dataclass(frozen=True, eq=False)
class Derived:
    """One derived column."""

    codes: np.ndarray  # int32 [N]
    number: np.ndarray  # int32 [V]: which string each code stands for, -1: silent
    texts: list[str] | Strings  # distinct

    @cached_property
    def strings(self) -> Strings:
        return self.texts if isinstance(self.texts, Strings) else Strings.of(self.texts)

    @cached_property
    def hashes(self) -> np.ndarray:
        return self.strings.hashes()

    def token_hashes(self) -> np.ndarray:
        """uint64 [N], the hash of each token's string; SILENT where there is none."""
        return np.append(self.hashes, SILENT)[self.number][self.codes]


def hashes_of(columns: list[Derived]) -> list[np.ndarray]:
    """The hashes of each column's strings; those that are not known yet in one go."""
    new = {id(derived): derived for derived in columns if "hashes" not in derived.__dict__ and isinstance(derived.texts, list)}
    if new:
        found, at = Strings.of(itertools.chain.from_iterable(derived.texts for derived in new.values())).hashes(), 0
        for derived in new.values():
            derived.__dict__["hashes"], at = found[at : at + len(derived.texts)], at + len(derived.texts)
    return [derived.hashes for derived in columns]


def is_bounded(what: Expression) -> bool:
    """Whether an expression has values outside the sentence: plain columns do, and functions that map every value."""
    if isinstance(what, Call):
        return FUNCTIONS[what.function].bounded and is_bounded(what.of)
    return isinstance(what, Column)


def is_textless(what: Expression) -> bool:
    """Whether an expression just fires or does not."""
    return isinstance(what, Mark) or (isinstance(what, Call) and FUNCTIONS[what.function].textless)


class Deriver:
    """The derived columns of one Columns. `learnt` holds what training saw; learning adds to it what is not there yet."""

    def __init__(self, columns: Columns, learnt: dict[str, Learnt] | Mapping[str, Learnt], *, learning: bool = False):
        self.columns, self.learnt, self.learning = columns, learnt, learning
        self.done: dict[str, list[Derived]] = {}
        self.memories: dict[int, Memory] = {}

    def __call__(self, what: Expression) -> list[Derived]:
        """The derived column of an expression; as many as there are alternatives for had(...)."""
        text = str(what)
        if text not in self.done:
            self.done[text] = (
                self.mark(what) if isinstance(what, Mark) else self.column(what) if isinstance(what, Column) else self.call(what)
            )
        return self.done[text]

    def mark(self, what: Mark) -> list[Derived]:
        codes = np.zeros(self.columns.tokens, np.int32)
        begin, end = self.columns.row_ptr[:-1], self.columns.row_ptr[1:]
        rows = begin < end
        codes[begin[rows] if what.name == "first" else end[rows] - 1] = 1
        return [Derived(codes, np.array([-1, 0], np.int32), [""])]

    def column(self, what: Column) -> list[Derived]:
        c = self.find(what)
        values = self.columns.values[c]
        return [Derived(self.columns.codes[c], np.arange(len(values), dtype=np.int32), values)]

    def find(self, what: Column) -> int:
        check_column(what, self.columns.names)
        return self.columns.column(what.name)

    def call(self, what: Call) -> list[Derived]:
        if what.function in ("document", "pair"):
            return [self.remembered(what) if what.function == "document" else self.paired(what)]
        (of,) = self(what.of)
        function = FUNCTIONS[what.function]
        if what.function == "in":
            assert what.lexicon is not None
            return [_composed(of, np.where(what.lexicon.contains(of.hashes), 0, -1), [""])]
        if function.make is None:
            learnt = self.seen_with(what, of)
            return [_composed(of, ranks, learnt.strings) for ranks in learnt.lookup(of.hashes).T]
        apply, index = function.make(*what.arguments), dict[str, int]()
        results = map(apply, of.texts)
        numbers = [-1 if result is None else index.setdefault(result, len(index)) for result in results]
        return [Derived(of.codes, np.array([*numbers, -1], np.int32)[of.number], list(index))]

    def remembered(self, what: Call) -> Derived:
        assert isinstance(what.of, Column)
        c = self.find(what.of)
        if c not in self.memories:
            self.memories[c] = Memory.of(self.columns, c)
        return Derived(self.memories[c].codes, *self.memories[c].recall(str(what.arguments[0])))

    def paired(self, what: Call) -> Derived:
        """The value before and this one with a blank between them; silent at first tokens."""
        assert isinstance(what.of, Column)
        c, index = self.find(what.of), dict[str, int]()
        values, now = self.columns.values[c], self.columns.codes[c].astype(np.int64)
        pairs, codes = np.unique(np.roll(now, 1) * len(values) + now, return_inverse=True)
        number = [index.setdefault(f"{values[pair // len(values)]} {values[pair % len(values)]}", len(index)) for pair in pairs.tolist()]
        begin, end = self.columns.row_ptr[:-1], self.columns.row_ptr[1:]
        codes = codes.reshape(-1).astype(np.int32)
        codes[begin[begin < end]] = len(number)
        return Derived(codes, np.array([*number, -1], np.int32), list(index))

    def seen_with(self, what: Call, of: Derived) -> Learnt:
        text = str(what)
        if self.learning and text not in self.learnt:
            c = self.find(Column(str(what.arguments[0]), what.where))
            most = int(what.arguments[1]) if what.function == "had" else None
            codes = of.number[of.codes] if len(of.number) else of.codes
            self.learnt[text] = learn(of.hashes, codes, self.columns.codes[c], self.columns.values[c], most=most)  # type: ignore[index]
        if text not in self.learnt:
            raise InputError(f"{text} has not been learnt yet; call fit before transform.", what.where)
        return self.learnt[text]


def _composed(of: Derived, number: np.ndarray, texts: list[str] | Strings) -> Derived:
    """A function's numbers [strings of `of`], seen from the codes of the base column."""
    return Derived(of.codes, np.append(number, -1).astype(np.int32)[of.number], texts)
