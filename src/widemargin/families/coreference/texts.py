"""Running text as words and sentences: simple rules, so that plain text needs no tokeniser from elsewhere.

A word is a run of letters and digits, with inner apostrophes, hyphens and points kept ('s and n't are words of their own), or one other
sign. A sentence ends behind . ! or ?, with quotes and brackets that close there, before a blank and a capital or a quote; at an
abbreviation of our list, or one letter with a point, it does not; and at an empty line.
"""

import bisect
import os
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.families.coreference.documents import Document, Documents, Span, documents_of
from widemargin.readers.encodings import read_whole, undecodable

_WORD = re.compile(r"n't\b|['’](?:s|re|ve|ll|d|m)\b|\w+?(?=n't\b)|\w+(?:[-.&]\w+)*|[^\w\s]", re.UNICODE)
ENDS, CLOSING = frozenset(".!?"), frozenset("\"'”’)]»")
ABBREVIATIONS = frozenset("mr mrs ms dr st prof sr jr vs etc no vol fig capt col gen lt sgt rev hon messrs mme mlle".split())


def read_text(path: str | os.PathLike[str] | IO[Any], encoding: str) -> tuple[str, bytes, str]:
    """All of a file (plain, gzip, or "-") or of an open file: as text, in UTF-8, and what to call it in messages."""
    data, source = read_whole(path, encoding)
    try:
        return data.decode(), data, source
    except UnicodeDecodeError as error:
        raise undecodable(error, 1, source) from None


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines from 1, one at a time, so that neither a list of them nor a copy fills the memory."""
    low, number = 0, 0
    while low < len(text):
        high = text.find("\n", low)
        high = len(text) if high < 0 else high
        number += 1
        yield number, text[low:high]
        low = high + 1


def words_of(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Where the words of a text are; none runs over a cut."""
    bounds, out = sorted(set(cuts)), list[Span]()
    for found in _WORD.finditer(text):
        low, high = found.span()
        for cut in bounds[bisect.bisect_right(bounds, low) : bisect.bisect_left(bounds, high)]:
            out.append((low, cut))
            low = cut
        out.append((low, high))
    return out


def sentences_of(text: str, words: list[Span]) -> list[list[str]]:
    """The words by sentence."""
    out: list[list[str]] = [[]]
    ended = False
    for t, (low, high) in enumerate(words):
        word = text[low:high]
        gap = text[words[t - 1][1] : low] if t else ""
        opens = word[:1].isupper() or word[:1].isdigit() or word in ('"', "“", "‘", "'", "(")
        if out[-1] and ((ended and gap and opens) or gap.count("\n") > 1):
            out.append([])
            ended = False
        out[-1].append(word)
        if word in ENDS:
            before = text[words[t - 1][0] : words[t - 1][1]].lower() if t else ""
            ended = not (word == "." and (before in ABBREVIATIONS or (len(before) == 1 and before.isalpha() and before != "i")))
        else:
            ended = ended and word in CLOSING
    return [sentence for sentence in out if sentence]


def read_plain(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", duplicates: str = "error") -> Documents:
    """A whole file of running text as one document without mentions; it is answered as JSONL, with letters for places."""
    text, _, source = read_text(path, encoding)
    found = documents_of([document_of(os.path.basename(source), text, [], [], [])], source=source, format="jsonl", duplicates=duplicates)
    if not len(found):
        raise InputError("there is no word in this file.", source)
    return found


def document_of(name: str, text: str, spans: list[Span], chains: list, places: list[str]) -> Document:
    """A document of a text, whose mentions are runs of letters."""
    for (low, high), where in zip(spans, places):
        if not 0 <= low < high <= len(text):
            raise InputError(f"the mention {low} to {high} is not a span within the text's {len(text)} characters.", where)
    words = words_of(text, (edge for span in spans for edge in span))
    firsts, ends = [low for low, _ in words], [high for _, high in words]
    found = []
    for (low, high), where in zip(spans, places):
        first, end = bisect.bisect_left(firsts, low), bisect.bisect_right(ends, high)
        if first >= end:
            raise InputError(f"the mention {low} to {high} has no word in it, only blanks.", where)
        found.append((first, end))
    return Document(name, sentences_of(text, words), found, chains, places, text=text, offsets=words)
