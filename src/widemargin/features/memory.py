"""Same-document memory: what a document says elsewhere about a capitalised word (after the global features of Chieu and Ng 2002).

Words are compared in lower case, so that a headline in capitals and the text below it share their memory. A sentence without a lower-case
letter says nothing about its words' case and is left out of all counts, though its words remember what other sentences say. The first word
of a sentence is capitalised anyway, so it counts neither as capitalised nor as part of a run, a longest stretch of capitalised words.

    case       how often the word is capitalised, and how often in lower case: "2/0", both counted up to 2
    next       the word that follows it most often where it is capitalised (as a first word too); the earlier seen among equals
    previous   the word that precedes it most often, likewise
    name       first and last word of the longest run that it is in: "bank|england"; the most frequent, then the earlier, among equals
    place      its place in that run, and the run's length up to 4: "3/4"

Nothing is learnt in training: every text that is read has a memory of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.readers.columns import Columns

MOST_COUNTED, LONGEST_RUN = 2, 4


@dataclass(frozen=True, eq=False)
class Memory:
    """The memory of a column. An entry is a document and a lower-cased word in it; there are E. `recall` answers for the entries."""

    words: list[str]  # lower-cased, distinct
    word: np.ndarray  # int64 [N], numbers of `words`
    entry: np.ndarray  # int64 [N], below E
    entries: int  # E
    capital: np.ndarray  # bool [N], whether a token begins with an upper-case letter
    small: np.ndarray  # bool [N], or with a lower-case one
    first: np.ndarray  # bool [N], whether it begins a sentence
    counted: np.ndarray  # bool [N], capitals outside sentences without a lower-case letter

    @classmethod
    def of(cls, columns: Columns, column: int) -> "Memory":
        codes, values, rows = columns.codes[column], columns.values[column], len(columns.row_ptr) - 1
        index: dict[str, int] = {}
        word = np.array([index.setdefault(value.lower(), len(index)) for value in values], np.int64)[codes]
        capital, small, mixed = (
            np.array([test(value) for value in values])[codes]
            for test in (lambda v: v[:1].isupper(), lambda v: v[:1].islower(), lambda v: v.upper() != v)
        )
        sentence = np.repeat(np.arange(rows), np.diff(columns.row_ptr))
        keys, entry = np.unique(document_numbers(columns)[sentence] * len(index) + word, return_inverse=True)
        first = np.diff(sentence, prepend=-1) > 0
        counted = capital & (np.bincount(sentence[mixed], minlength=rows) > 0)[sentence]
        return cls(list(index), word, entry.reshape(-1), len(keys), capital, small, first, counted)

    @property
    def codes(self) -> np.ndarray:
        """int32 [N]: the entries of capitalised words; E, which has no answer, elsewhere."""
        return np.where(self.capital, self.entry, self.entries).astype(np.int32)

    def recall(self, what: str) -> tuple[np.ndarray, list[str]]:
        """int32 [E+1], which string each entry remembers (-1: none), and the strings."""
        if what == "case":
            inside, small = (np.bincount(self.entry[tokens], minlength=self.entries) for tokens in (self.counted & ~self.first, self.small))
            counts = zip(*(np.minimum(count, MOST_COUNTED).tolist() for count in (inside, small)))
            return self._numbered(np.arange(self.entries), (f"{i}/{s}" for i, s in counts))
        if what in ("next", "previous"):
            step = 1 if what == "next" else -1
            tokens = np.flatnonzero(self.counted & ~(np.append(self.first[1:], True) if what == "next" else self.first))
            chosen = tokens[favourites(self.entry[tokens], self.word[tokens + step])]
            return self._numbered(self.entry[chosen], (self.words[w] for w in self.word[chosen + step].tolist()))
        tokens, begin, end = self.runs
        if what == "name":
            pairs = zip(self.word[begin].tolist(), self.word[end - 1].tolist())
            return self._numbered(self.entry[tokens], (f"{self.words[a]}|{self.words[b]}" for a, b in pairs))
        if what == "place":
            pairs = zip((tokens - begin + 1).tolist(), np.minimum(end - begin, LONGEST_RUN).tolist())
            return self._numbered(self.entry[tokens], (f"{place}/{length}" for place, length in pairs))
        raise KeyError(what)

    @cached_property
    def runs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every entry that is in some run: a token of it in its longest one, and where that run begins and ends."""
        inside = np.concatenate([[False], self.counted & ~self.first, [False]])
        begin, end = np.flatnonzero(inside[1:] & ~inside[:-1]), np.flatnonzero(inside[:-1] & ~inside[1:])
        index: dict[bytes, int] = {}
        text = np.array([index.setdefault(self.word[a:b].tobytes(), len(index)) for a, b in zip(begin, end)], np.int64)
        tokens, run = np.flatnonzero(inside[1:-1]), np.repeat(np.arange(len(begin)), end - begin)
        at = favourites(self.entry[tokens], text[run], (end - begin)[run])
        return tokens[at], begin[run[at]], end[run[at]]

    def _numbered(self, entries: np.ndarray, texts: Iterable[str]) -> tuple[np.ndarray, list[str]]:
        index: dict[str, int] = {}
        number = np.full(self.entries + 1, -1, np.int32)
        number[entries] = [index.setdefault(text, len(index)) for text in texts]
        return number, list(index)


def favourites(entry: np.ndarray, other: np.ndarray, length: np.ndarray | None = None) -> np.ndarray:
    """Of the pairs (entry, other) [K], for each entry where its best one stands first: the longest, most frequent, earliest seen."""
    order = np.lexsort((other, entry))  # equal pairs side by side, in order of occurrence
    changes = np.flatnonzero(np.diff(entry[order], prepend=-1) | np.diff(other[order], prepend=-1))
    first, count = order[changes], np.diff(np.append(changes, len(order)))
    long = np.zeros(len(first), np.int64) if length is None else length[first]
    best = np.lexsort((first, -count, -long, entry[first]))
    return first[best][np.diff(entry[first][best], prepend=-1) > 0]


def document_numbers(columns: Columns) -> np.ndarray:
    """int64 [S]: the document of each sentence. What stands before the file's first mark is in none: each sentence is one of its own."""
    numbers = np.repeat(np.arange(len(columns.doc_ptr) - 1), np.diff(columns.doc_ptr))
    alone = 0 if columns.marked else int(columns.doc_ptr[1])
    return np.concatenate([np.arange(alone), alone + numbers[alone:]])
