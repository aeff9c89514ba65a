"""Symbols of binarised trees: what each stands for in the original ones.

A symbol is a tag; a constituent, that is a chain of labels from the top down (`S+VP` is two brackets over the same words); or artificial,
a part of a constituent that no bracket of the original tree stands for. Names are for people and files: in them, a backslash stands before
+ | ^ and backslashes that are part of a label. Tags and other symbols may have the same name, so `find` asks which is meant.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

CHAIN, ABOVE, INSIDE, COVERED = "+", "^", "|", "-"  # between labels of a chain, before an ancestor, before and between covered children
_SPECIAL = re.compile(r"[\\+^|]")


class Symbol(NamedTuple):
    """Where it differs from another symbol: a tag (labels = the tag), a constituent, or the part of one."""

    kind: int  # TAG_SYMBOL, CONSTITUENT or ARTIFICIAL
    labels: tuple[str, ...]  # of a chain; of an artificial symbol, the lowest of its constituent's
    above: tuple[str, ...] = ()  # nearest ancestors, from the parent up (vertical markovisation)
    covered: tuple[str, ...] = ()  # children (horizontal markovisation)

    @property
    def name(self) -> str:
        if self.kind == TAG_SYMBOL:
            return self.labels[0]
        text = CHAIN.join(map(_escaped, self.labels)) + "".join(ABOVE + _escaped(label) for label in self.above)
        return text + (INSIDE + COVERED.join(map(_escaped, self.covered)) if self.kind == ARTIFICIAL else "")


TAG_SYMBOL, CONSTITUENT, ARTIFICIAL = range(3)


@dataclass(frozen=True)
class Symbols:
    """Symbols in a fixed order: tags, constituents, artificial ones, each by their labels. Codes are places in it."""

    items: tuple[Symbol, ...]

    @classmethod
    def of(cls, found: Iterable[Symbol]) -> "Symbols":
        return cls(tuple(sorted(set(found))))

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.items)

    @cached_property
    def artificial(self) -> np.ndarray:
        """bool [Y], no bracket of the original tree."""
        return np.array([symbol.kind == ARTIFICIAL for symbol in self.items], bool)

    @cached_property
    def is_tag(self) -> np.ndarray:
        """bool [Y]."""
        return np.array([symbol.kind == TAG_SYMBOL for symbol in self.items], bool)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Distinct labels of original brackets, sorted."""
        return tuple(sorted({label for symbol in self.items if symbol.kind == CONSTITUENT for label in symbol.labels}))

    @cached_property
    def label_ptr(self) -> np.ndarray:
        """int64 [Y+1], bounds of symbols in label_code."""
        return np.concatenate([[0], np.cumsum([len(self.stands_for(y)) for y in range(len(self))])]).astype(np.int64)

    @cached_property
    def label_code(self) -> np.ndarray:
        """int32, the labels (codes into `labels`) that each symbol stands for, from the top down."""
        index = {label: code for code, label in enumerate(self.labels)}
        return np.array([index[label] for y in range(len(self)) for label in self.stands_for(y)], np.int32)

    def stands_for(self, symbol: int) -> tuple[str, ...]:
        """The labels of the original brackets: none for a tag or an artificial symbol."""
        item = self.items[symbol]
        return item.labels if item.kind == CONSTITUENT else ()

    @cached_property
    def codes(self) -> dict[Symbol, int]:
        return {symbol: code for code, symbol in enumerate(self.items)}

    def find(self, name: str, *, tag: bool = False) -> int:
        """The code of a name, -1 where there is none."""
        return next((y for y, found in enumerate(self.names) if found == name and self.is_tag[y] == tag), -1)

    def as_json(self) -> list[list]:
        """For a model's header."""
        return [[symbol.kind, *map(list, symbol[1:])] for symbol in self.items]

    @classmethod
    def from_json(cls, rows: list[list]) -> "Symbols":
        """The inverse; the caller has checked that it is a list of such rows."""
        return cls(tuple(Symbol(int(kind), tuple(labels), tuple(above), tuple(covered)) for kind, labels, above, covered in rows))


def _escaped(label: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", label)
