"""Documents as arrays: words in sentences, and mentions, which are runs of words with the number of the chain that they belong to."""

import dataclasses
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widemargin.errors import InputError

NO_CHAIN = -1  # a mention of which it is not known what it refers to
DUPLICATES = ("error", "first", "merge")  # what becomes of a run of words that is given as a mention twice

Span = tuple[int, int]  # the first word of a document and the one behind the last
Chains = list[list[Span]]


@dataclass(frozen=True)
class Document:
    """One document as a reader gives it. Mentions and places are of one length; chain: any name, None where it is not known."""

    name: str
    sentences: list[list[str]]
    mentions: list[Span] = field(default_factory=list)
    chains: list[Any] = field(default_factory=list)
    places: list[str] = field(default_factory=list)  # file:line of every mention, for messages
    speakers: list[str] | None = None  # of every word; "" where nobody is known to speak
    tags: list[str] | None = None  # part of speech of every word
    parse: list[str] | None = None  # CoNLL-2012's parse bit of every word
    names: list[str] | None = None  # a name's class at every word of it, O elsewhere
    text: str | None = None  # the running text
    offsets: list[Span] | None = None  # of every word in it


@dataclass(frozen=True, eq=False)
class Documents:
    """D documents of N words with M mentions, those of a document by first word, the longer of two first."""

    words: tuple[str, ...]
    row_ptr: np.ndarray  # int64 [D+1]  documents in words
    sentence_ptr: np.ndarray  # int64 [S+1]  sentences in words
    mention_ptr: np.ndarray  # int64 [D+1]  documents in mentions
    first: np.ndarray  # int64 [M]  first word of a mention, of all N
    end: np.ndarray  # int64 [M]  one behind its last
    chain: np.ndarray  # int64 [M]  from 0 in all documents together, or NO_CHAIN
    given: tuple[Document, ...]  # what they were made of
    source: str = "<documents>"
    format: str = "conll2012"
    packed: bytes = b""  # the file as it was, by zlib: only writing asks for it, and it is often larger than all else

    def __len__(self) -> int:
        return len(self.words)

    @property
    def mentions(self) -> int:
        """M."""
        return len(self.first)

    @property
    def raw(self) -> bytes:
        """The file as it was; empty for documents that are from none, or from a file that is not written in its own lines."""
        return zlib.decompress(self.packed) if self.packed else b""

    @property
    def text(self) -> bytes:
        """All that may decide a training, as bytes."""
        plain = [vars(document) | {"places": []} for document in self.given]
        return json.dumps(plain, default=str).encode() + self.first.tobytes() + self.end.tobytes() + self.chain.tobytes()

    @property
    def sentence_of(self) -> np.ndarray:
        """The number of every word's sentence, int64 [N]."""
        return np.repeat(np.arange(len(self.sentence_ptr) - 1), np.diff(self.sentence_ptr))

    def spans(self, d: int) -> list[Span]:
        """The mentions of document d, counted in its own words."""
        at, low = slice(*self.mention_ptr[d : d + 2].tolist()), int(self.row_ptr[d])
        return [(a - low, b - low) for a, b in zip(self.first[at].tolist(), self.end[at].tolist())]

    def chains(self, d: int) -> Chains:
        """The chains of document d, by their first mention; a mention of unknown chain is one of its own."""
        return grouped(self.spans(d), self.chain[slice(*self.mention_ptr[d : d + 2].tolist())])

    def with_mentions(self, spans: Sequence[Sequence[Span]], chains: Sequence[Sequence[Any]] | None = None) -> "Documents":
        """The same words with other mentions: spans of every document, counted in its own words, and their chains."""
        new = []
        for d, document in enumerate(self.given):
            found = [(int(first), int(end)) for first, end in spans[d]]
            names = list(chains[d]) if chains is not None else [None] * len(found)
            new.append(dataclasses.replace(document, mentions=found, chains=names, places=[f"{self.source}: {document.name}"] * len(found)))
        return dataclasses.replace(documents_of(new, source=self.source, format=self.format), packed=self.packed)

    def part(self, which: Iterable[int]) -> "Documents":
        """Some of the documents."""
        return documents_of([self.given[d] for d in which], source=self.source, format=self.format)


def grouped(spans: Sequence[Span], chain: np.ndarray) -> Chains:
    """Spans by chain."""
    found: dict[Any, list[Span]] = {}
    for m, (span, c) in enumerate(zip(spans, chain.tolist())):
        found.setdefault(c if c != NO_CHAIN else ("alone", m), []).append(span)
    return list(found.values())


def documents_of(
    given: Sequence[Document], *, source: str = "<documents>", format: str = "conll2012", raw: bytes = b"", duplicates: str = "error"
) -> Documents:
    """Documents from what a reader found; mentions that are no runs of words of one document, or given twice, are refused.

    duplicates: with "first" a run of words that is a mention twice belongs to the first of its chains; with "merge" its chains become one.
    """
    words: list[str] = []
    row_ptr, sentence_ptr, mention_ptr = [0], [0], [0]
    first: list[int] = []
    end: list[int] = []
    chain: list[int] = []
    kept, taken = [], 0
    for document in given:
        begin = len(words)
        for sentence in document.sentences:
            words += sentence
            sentence_ptr.append(len(words))
        size = len(words) - begin
        for span, where in zip(document.mentions, document.places):
            if not 0 <= span[0] < span[1] <= size:
                raise InputError(f"the mention from word {span[0] + 1} to {span[1]} is not a span of the document's {size} words.", where)
        document = without_repeats(document, duplicates)
        number: dict[Any, int] = {}
        for span, name in zip(document.mentions, document.chains):
            first.append(begin + span[0])
            end.append(begin + span[1])
            chain.append(NO_CHAIN if name is None else number.setdefault(name, len(number)) + taken)
        kept.append(document)
        taken += len(number)
        row_ptr.append(len(words))
        mention_ptr.append(len(first))
    rows, sentences, mentions, low, high, chains = (
        np.array(numbers, np.int64) for numbers in (row_ptr, sentence_ptr, mention_ptr, first, end, chain)
    )
    packed = zlib.compress(raw, 1) if raw else b""
    return Documents(tuple(words), rows, sentences, mentions, low, high, chains, tuple(kept), source, format, packed)


def without_repeats(document: Document, duplicates: str) -> Document:
    """The mentions in order, no run of words twice."""
    order = sorted(range(len(document.mentions)), key=lambda m: (document.mentions[m][0], -document.mentions[m][1]))
    same: dict[Any, Any] = {}  # chain -> the chain that it is merged into

    def root(name: Any) -> Any:
        while name in same:
            name = same[name]
        return name

    found: dict[Span, int] = {}
    for m in order:
        span, name = document.mentions[m], document.chains[m]
        if span not in found:
            found[span] = m
            continue
        earlier = document.chains[found[span]]
        if name is None or earlier is None:
            found[span] = found[span] if name is None else m
        elif duplicates == "error" and name != earlier:
            text = "in two chains; read the file with duplicates=first or duplicates=merge, or take one of the two out."
            raise InputError(
                f"words {span[0] + 1} to {span[1]} of {document.name!r} are given as a mention twice, and {text}", document.places[m]
            )
        elif duplicates == "merge" and root(name) != root(earlier):
            same[root(name)] = root(earlier)
    keep = list(found.values())
    return dataclasses.replace(
        document,
        mentions=[document.mentions[m] for m in keep],
        chains=[root(document.chains[m]) for m in keep],
        places=[document.places[m] for m in keep],
    )


def refuse_crossing(documents: Documents, d: int) -> None:
    """Brackets with a chain's name cannot say which of two open mentions of it closes, unless one is inside the other."""
    for chain in documents.chains(d):
        inside: list[int] = []
        for first, end in chain:
            inside = [other for other in inside if other > first]
            if any(other < end for other in inside):
                text = f"two mentions of one chain cross at word {first + 1}, which brackets cannot show; write JSONL."
                raise InputError(text, f"{documents.source}: {documents.given[d].name}")
            inside.append(end)
