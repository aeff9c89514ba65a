"""Features that come with the data: names with values (python-crfsuite's lists and dicts, CRFsuite's items), or columns of numbers."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import MOST_FEATURES, NUMBER, fill_table, numbers
from widemargin.errors import InputError
from widemargin.features.extractor import MOST_BITS, check_bits
from widemargin.features.index import FeatureIndex, HashedIndex
from widemargin.features.lexicons import Strings, read_only
from widemargin.readers.items import Items
from widemargin.scoring.token_features import Features


@dataclass(frozen=True, eq=False)
class NameIndex:
    """F features by name."""

    strings: Strings
    table: np.ndarray  # uint64 [2^b], see engine/hash.py
    bits = 0

    @classmethod
    def of(cls, strings: Strings) -> "NameIndex":
        table = np.zeros(1 << max(2, (2 * len(strings) + 1).bit_length()), np.uint64)
        fill_table(strings.hashes(), table)
        return cls(strings, table)

    def __len__(self) -> int:
        return len(self.strings)

    def numbers(self, names: list[str]) -> np.ndarray:
        """int64 [names]: the feature of each, or -1."""
        out = np.empty(len(names), np.int64)
        numbers(read_only(self.table), Strings.of(names).hashes(), out)
        return out

    def name(self, feature: int) -> str:
        """The name of a feature."""
        return self.strings[feature]

    def names(self) -> list[str]:
        """All names, in order."""
        return list(self.strings)

    def find(self, name: str) -> int:
        """The feature of that name, or -1."""
        return int(self.numbers([name])[0])


@dataclass(frozen=True, eq=False)
class ColumnIndex:
    """F columns of numbers, named x0, x1, ..."""

    width: int
    bits = 0

    def __len__(self) -> int:
        return self.width

    def name(self, feature: int) -> str:
        """x and the column's number."""
        return f"x{feature}"

    def names(self) -> list[str]:
        """All names, in order."""
        return [self.name(f) for f in range(len(self))]

    def find(self, name: str) -> int:
        """The column of that name, or -1."""
        return int(name[1:]) if re.fullmatch("x[0-9]{1,18}", name) and int(name[1:]) < self.width else -1


class Given:
    """Where features come from when no templates make them. It has no edge features: transitions are shared.

    cutoff: named features that are given less often in training are left out. bits: not 0, names are hashed to so many bits, not stored.
    """

    nodes: NameIndex | ColumnIndex | HashedIndex

    def __init__(self, *, cutoff: int = 1, bits: int = 0):
        check_bits(bits, cutoff)
        self.cutoff = cutoff
        self.nodes = HashedIndex((), bits) if bits else NameIndex.of(Strings.of([]))
        self.edges = FeatureIndex((), {}, np.zeros(4, np.uint64), np.empty(0, np.int32), np.empty((0, 0), np.int32))

    def fit(self, items: Items) -> Features:
        """Learn the features of these items, numbered in order of first appearance."""
        if items.names is None:
            self.nodes = ColumnIndex(items.width)
        elif not self.nodes.bits:
            kept = np.bincount(items.ind, minlength=len(items.names)) >= self.cutoff
            self.nodes = NameIndex.of(Strings.of(name for name, keep in zip(items.names, kept.tolist()) if keep))
        return self.transform(items)

    def transform(self, items: Items, *, threads: int = 1) -> Features:
        """The known features of these items."""
        number = self._numbers(items)
        ind = items.ind if number is None else number[items.ind].astype(np.int32)
        ptr, val = items.ptr, items.val if (items.val != 1.0).any() else items.val[:0]
        if len(ind) and ind.min() < 0:
            known = ind >= 0
            before = np.concatenate([[0], np.cumsum(known)])
            ptr, ind, val = before[ptr].astype(np.int64), ind[known], val[known] if len(val) else val
        return Features(items.row_ptr, ptr, np.ascontiguousarray(ind, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32), val)

    def _numbers(self, items: Items) -> np.ndarray | None:
        """Feature number of each name; None when they are the numbers already."""
        if isinstance(self.nodes, ColumnIndex) and items.names is None:
            if items.width != self.nodes.width:
                raise InputError(f"X has {items.width} features, but SequenceTagger is expecting {self.nodes.width} features as input")
            return None
        names = items.names if items.names is not None else [f"x{j}" for j in range(items.width)]
        if isinstance(self.nodes, HashedIndex):
            return (Strings.of(names).hashes() >> np.uint64(64 - self.nodes.bits)).astype(np.int64)
        if isinstance(self.nodes, ColumnIndex):
            return np.array([self.nodes.find(name) for name in names], np.int64)
        return self.nodes.numbers(names)

    def header(self) -> dict[str, Any]:
        """What is not an array, for a model's JSON header."""
        width = self.nodes.width if isinstance(self.nodes, ColumnIndex) else None
        return {"kind": "given", "cutoff": self.cutoff, "bits": self.nodes.bits, "width": width}

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a model."""
        if not isinstance(self.nodes, NameIndex):
            return {}
        return {"table": self.nodes.table, "pool": self.nodes.strings.pool, "bounds": self.nodes.strings.bounds}

    @classmethod
    def from_contents(cls, own: Contents) -> "Given":
        """The source as it was; arrays mapped from a file are used where they lie."""
        self = cls(cutoff=own.whole("cutoff", 0), bits=own.whole("bits", 0, MOST_BITS))
        if own.header.get("width") is not None:
            self.nodes = ColumnIndex(own.whole("width", 0, MOST_FEATURES))
        elif not self.nodes.bits:
            strings = Strings(*own.strings())
            self.nodes = NameIndex(strings, own.table("table", "u8", int(NUMBER), len(strings)))
        return self
