"""Strings as arrays, and the two kinds of lexicon a model keeps: lists of words from files, and what was seen with what in training."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.contents import Contents
from widemargin.engine.hash import hash_strings
from widemargin.errors import InputError
from widemargin.readers.files import open_bytes


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
    """A list of strings as two arrays, which can be mapped from a file."""

    pool: np.ndarray  # uint8, UTF-8
    bounds: np.ndarray  # int64 [V+1]

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Strings":
        return cls.of_bytes([string.encode() for string in strings])

    @classmethod
    def of_bytes(cls, encoded: Sequence[bytes]) -> "Strings":
        bounds = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=bounds[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), bounds)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, i):
        return bytes(self.pool[self.bounds[i] : self.bounds[i + 1]]).decode()

    def hashes(self) -> np.ndarray:
        """uint64 [V], never 0."""
        out = np.empty(len(self), np.uint64)
        # Arrays mapped from a file cannot be written to: all come that way, so that the kernel is compiled once.
        pool, bounds = read_only(self.pool), read_only(self.bounds)
        with np.errstate(over="ignore"):
            hash_strings(pool, bounds, out)
        return out


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to."""
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A set of strings, kept as sorted 64-bit hashes."""

    name: str
    keys: np.ndarray  # uint64, sorted

    @classmethod
    def of(cls, name: str, words: Iterable[str]) -> "Lexicon":
        return cls(name, np.unique(Strings.of(words).hashes()))

    def contains(self, hashes: np.ndarray) -> np.ndarray:
        """bool [V]."""
        return _lookup(self.keys, hashes) >= 0


def read_lexicon(name: str, path: str | os.PathLike[str]) -> Lexicon:
    """A lexicon from a file (plain or gzip) with one value per line; blank lines do not count."""
    with open_bytes(path) as handle:
        data = handle.read()
    try:
        words = [word for line in data.decode("utf-8-sig").split("\n") if (word := line.strip())]
    except UnicodeDecodeError:
        raise InputError("this lexicon is not UTF-8; convert it first, e.g. with iconv.", os.fspath(path)) from None
    if not words:
        raise InputError("this lexicon is empty; give it one value per line.", os.fspath(path))
    return Lexicon.of(name, words)


@dataclass(frozen=True, eq=False)
class Learnt:
    """For each value seen in training, up to k strings: ranks[i, r] numbers the r-th of the value with hash keys[i], -1 when none."""

    keys: np.ndarray  # uint64 [U], sorted
    ranks: np.ndarray  # int32 [U, k]
    strings: Strings

    @classmethod
    def from_contents(cls, own: Contents, width: int) -> "Learnt":
        """What was learnt, as it is in a model."""
        strings, keys = Strings(*own.strings()), own.keys("keys")
        return cls(keys, own.numbers("ranks", len(keys), width, below=len(strings), least=-1), strings)

    def lookup(self, hashes: np.ndarray) -> np.ndarray:
        """int32 [V, k]: the strings' numbers."""
        at, out = _lookup(self.keys, hashes), np.full((len(hashes), self.ranks.shape[1]), -1, np.int32)
        out[at >= 0] = self.ranks[at[at >= 0]]
        return out


def learn(hashes: np.ndarray, codes: np.ndarray, others: np.ndarray, values: Sequence[str], *, most: int | None) -> Learnt:
    """What was seen with what. Values with these hashes [V] and codes [N] (-1: none) stood beside others [N], which number `values`.

    With most=k: the k most frequent, the earlier seen first among equals. With None: all of them, sorted and joined by / into one string.
    """
    there = codes >= 0
    pairs, first, count = np.unique(codes[there].astype(np.int64) * len(values) + others[there], return_index=True, return_counts=True)
    value, other = pairs // len(values), pairs % len(values)
    order = np.lexsort((first, -count, value))
    value, other = value[order], other[order]
    seen, start = np.unique(value, return_index=True)
    if most is not None:
        rank = np.arange(len(value)) - np.repeat(start, np.diff(np.append(start, len(value))))
        kept = rank < most
        ranks = np.full((len(seen), most), -1, np.int32)
        ranks[np.searchsorted(seen, value[kept]), rank[kept]] = other[kept]
        strings = Strings.of(values)
    else:
        index: dict[str, int] = {}
        joined = ("/".join(sorted(values[o] for o in group)) for group in np.split(other, start[1:]))
        numbers = [index.setdefault(text, len(index)) for text in joined] if len(seen) else []
        ranks, strings = np.array(numbers, np.int32).reshape(len(seen), 1), Strings.of(index)
    order = np.argsort(hashes[seen])
    return Learnt(hashes[seen][order], ranks[order], strings)


def _lookup(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each wanted key stands among the sorted keys, -1 when it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)
