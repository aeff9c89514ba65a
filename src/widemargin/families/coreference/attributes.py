"""Mentions as numbers: what each says by its words, its place and the document around it.

A mention's columns are what templates may name (templates.py): words as hashes, everything else as small numbers. Facts that only pairs are
compared by (kernels/pairs.py) are numbers that are equal for equal things. No resource but word_lists.py is asked.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.families.coreference import word_lists as lists
from widemargin.families.coreference.documents import Documents

CONTENT = 6  # words of a mention that are compared
FAR = np.iinfo(np.int32).max
COLUMNS = (
    "form head first last before after length capital determiner gender number person head_count string_count seen_head seen_string "
    "place nested evidence quoted index tag"
).split()
FACTS = "sentence first end gender number person form head string content modifiers quotation next_same speaker".split()
FACT = {name: place for place, name in enumerate(FACTS)}
EDGES = (6, 8, 11, 16, 21, 31, 51, 81, 131)  # distances up to 5 are themselves, then bins
EVIDENCE = 20  # words behind a mention in which he and she are counted


@dataclass(frozen=True)
class Mentions:
    """M mentions for kernels and templates."""

    column: np.ndarray  # uint64 [M, len(COLUMNS)]; [0, ...] where templates have been looked up (problem.link_corpus)
    fact: np.ndarray  # int32 [M, len(FACTS)]
    content: np.ndarray  # int32 [M, CONTENT]  content words, numbered from 1; 0 behind the last
    word: np.ndarray  # uint64 [N]  hashes of all words of the documents


def hashed(text: str) -> int:
    """64 bits of a text, never 0."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


def binned(distance: int) -> int:
    """A distance from 0 up as one of 15 bins."""
    return distance if distance < EDGES[0] else sum(distance >= edge for edge in EDGES) + EDGES[0] - 1


class _Hashes(dict):
    """Hashes of texts, each computed once."""

    def __missing__(self, text: str) -> int:
        self[text] = found = hashed(text)
        return found


class _Numbers(dict):
    """Numbers from 1 for things, in the order in which they are met."""

    def __missing__(self, thing) -> int:
        self[thing] = found = len(self) + 1
        return found


def lowered(words: Sequence[str]) -> list[str]:
    """Words in small letters, each spelling kept in memory once."""
    small = {word: word.lower() for word in set(words)}
    return [small[word] for word in words]


def attributes(documents: Documents) -> Mentions:
    """All mentions of the documents."""
    M = documents.mentions
    hashes, ids = _Hashes(), _Numbers()
    column, fact, content = np.zeros((M, len(COLUMNS)), np.uint64), np.zeros((M, len(FACTS)), np.int32), np.zeros((M, CONTENT), np.int32)
    low = lowered(documents.words)
    sentence = documents.sentence_of.tolist()
    begins = set(documents.sentence_ptr.tolist())
    for d, given in enumerate(documents.given):
        bounds = documents.row_ptr[d : d + 2].tolist()
        inside = _Inside(documents.words, low, bounds, hashes, begins)
        at, stop = documents.mention_ptr[d : d + 2].tolist()
        spans = list(zip(documents.first[at:stop].tolist(), documents.end[at:stop].tolist()))
        rows = inside.rows(spans, sentence, given.tags)
        quotation = quotations(documents.words[bounds[0] : bounds[1]])
        for m, ((first, end), row) in enumerate(zip(spans, rows), at):
            column[m] = row.columns(hashes, m - at, quotation[first - bounds[0]] > 0)
            speaker = given.speakers[first - bounds[0]] if given.speakers else ""
            fact[m] = (
                sentence[first],
                first,
                end,
                row.gender,
                row.number,
                row.person,
                row.form,
                ids[row.head],
                ids["string", row.string],
                len(row.words),
                ids["modifiers", *row.words[:-1]] if len(row.words) > 1 else 0,
                quotation[first - bounds[0]],
                at + row.next_same if row.next_same is not None else FAR,
                ids["speaker", speaker] if speaker else 0,
            )
            if row.form < 2:
                content[m, : len(row.words)] = [ids[word] for word in row.words]
    word = np.fromiter((hashes[text] for text in low), np.uint64, len(low))
    return Mentions(column, fact, content, word)


@dataclass(slots=True)
class _Row:
    """What is known of one mention."""

    form: int
    head: str
    first: str
    last: str
    before: str
    after: str
    length: int
    capital: int
    determiner: int
    gender: int
    number: int
    person: int
    string: str
    words: list[str]
    place: int
    nested: bool
    tag: str
    head_count: int = 0
    string_count: int = 0
    seen_head: int = 0
    seen_string: int = 0
    evidence: int = 0
    next_same: int | None = None

    def columns(self, hashes: _Hashes, index: int, quoted: bool) -> list[int]:
        """In the order of COLUMNS."""
        words = [hashes[text] for text in (self.head, self.first, self.last, self.before, self.after)]
        small = [self.length, self.capital, self.determiner, self.gender, self.number, self.person, self.head_count, self.string_count]
        small += [self.seen_head, self.seen_string, self.place, int(self.nested), self.evidence, int(quoted), binned(index)]
        return [self.form, *words, *small, hashes[self.tag]]


class _Inside:
    """The words of one document."""

    def __init__(self, words, low, bounds, hashes, begins):
        self.words, self.low, self.hashes, self.begins = words, low, hashes, begins
        self.start, self.stop = bounds

    def rows(self, spans, sentence, tags) -> list[_Row]:
        """One per mention, in order."""
        rows, place, last = [], 0, -1
        for m, (first, end) in enumerate(spans):
            place = place + 1 if sentence[first] == last else 0
            last = sentence[first]
            row = self._row(first, end, self.head(first, end), tags)
            row.place = min(place, 4)
            row.nested = any(spans[j][1] >= end for j in range(max(0, m - 4), m))
            rows.append(row)
        self._count(rows, spans)
        return rows

    def head(self, first: int, end: int) -> int:
        """The word that a phrase is about: the last before a comma, a preposition or a relative clause."""
        k, low = first, self.low
        while k + 1 < end:
            opens = k == first and (low[k] in lists.DEFINITE or low[k] in lists.INDEFINITE or low[k] in lists.POSSESSIVE)
            if low[k + 1] in lists.BEHIND_HEAD and not opens:
                break
            k += 1
        return k - 1 if k > first and low[k] in lists.POSSESSIVE_ENDS else k

    def _row(self, first: int, end: int, k: int, tags) -> _Row:
        low, words = self.low, self.words
        text = low[first:end]
        pronoun = lists.PRONOUNS.get(low[first]) if end == first + 1 or (end == first + 2 and text[1] in ("'s", "’s")) else None
        upper = words[k][:1].isupper()
        content = [w for w in low[first : k + 1] if w.isalpha() and not _is_determiner(w) and w not in lists.TITLES][-CONTENT:]
        if pronoun is not None:
            form, gender, number, person = pronoun
        else:
            form, person = int(upper and low[k] not in lists.DEFINITE), 3
            gender, number = self._gender(first, k, form), self._number(text, low[k], form)
        capital = 2 if all(w[:1].isupper() for w in words[first:end]) else int(upper)
        kind = (low[first] in lists.DEFINITE) + 2 * (low[first] in lists.INDEFINITE) + 3 * (low[first] in lists.POSSESSIVE)
        bare = text[1:] if len(text) > 1 and (text[0] in lists.DEFINITE or text[0] in ("a", "an")) else text
        bare = bare[:-1] if len(bare) > 1 and bare[-1] in ("'s", "’s") else bare
        return _Row(
            form=form,
            head=low[k],
            first=low[first],
            last=low[end - 1],
            before=low[first - 1] if first > self.start else "",
            after=low[end] if end < self.stop else "",
            length=min(end - first, 8),
            capital=capital + 3 * (first in self.begins),
            determiner=kind if kind < 4 else 1,
            gender=gender,
            number=number,
            person=person,
            string=" ".join(bare),
            words=content,
            place=0,
            nested=False,
            tag=tags[k - self.start] if tags else "",
        )

    def _gender(self, first: int, k: int, form: int) -> int:
        """By the head; of a name also by the words before it."""
        look = self.low[first : k + 1] if form == 1 else [self.low[k]]
        head = self.low[k]
        if head in lists.THING_WORDS:
            return lists.THING
        if any(w in lists.FEMALE_WORDS for w in look):
            return lists.FEMALE
        return lists.MALE if any(w in lists.MALE_WORDS for w in look) else lists.UNKNOWN

    def _number(self, text: list[str], head: str, form: int) -> int:
        many = head in lists.PLURAL_WORDS or "and" in text
        return lists.PLURAL if many or (form == 0 and len(head) > 2 and head[-1] == "s" and head[-2] not in "su") else lists.SINGULAR

    def _count(self, rows: list[_Row], spans) -> None:
        """What the document says of heads and strings: how often they stand there, how often before, and whether he or she follows."""
        heads, strings = Counter(row.head for row in rows), Counter(row.string for row in rows)
        seen: dict[str, int] = defaultdict(int)
        seen_string: dict[str, int] = defaultdict(int)
        near: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for row, (_, end) in zip(rows, spans):
            for t in range(end, min(self.stop, end + EVIDENCE)):
                pronoun = lists.PRONOUNS.get(self.low[t])
                if pronoun is not None and pronoun.gender in (lists.MALE, lists.FEMALE):
                    near[row.head][pronoun.gender - lists.MALE] += 1
        later: dict[str, int] = {}
        for row in rows:
            row.head_count, row.string_count = min(heads[row.head], 6), min(strings[row.string], 6)
            row.seen_head, row.seen_string = min(seen[row.head], 3), min(seen_string[row.string], 3)
            seen[row.head] += 1
            seen_string[row.string] += 1
            row.evidence = _evidence(*near[row.head])
        for m in range(len(rows) - 1, -1, -1):
            rows[m].next_same = later.get(rows[m].string)
            later[rows[m].string] = m


def _is_determiner(word: str) -> bool:
    return word in lists.DEFINITE or word in lists.INDEFINITE or word in lists.POSSESSIVE


def _evidence(he: int, she: int) -> int:
    """0: neither is near, 1: both are, 2 and 3: one of them mostly, 5 and 6: so five times or more."""
    if he + she == 0:
        return 0
    leaning = 1 if he > 2 * she else 2 if she > 2 * he else 0
    return 1 + leaning + (3 if leaning and he + she >= 5 else 0)


def quotations(words) -> list[int]:
    """For every word the number of the quotation that it is in, 0 outside: by double quotes, or by single ones in a text that uses those.

    An apostrophe may look like a single quote, so a few double ones decide; but not in a text where more quotations open with a single one.
    """
    marks = sum(word in ("“", "”", '"', "``", "''") for word in words)
    opening, straight = sum(word.startswith("‘") for word in words), sum(word in ("'", "`") for word in words)
    double = 2 * opening <= marks and (marks >= 4 or marks >= opening + straight)
    out, inside, number = [], False, 0
    for word in words:
        opens = word.startswith("“") if double else word.startswith("‘")
        closes = word.endswith("”") if double else word == "’"
        toggles = word in ('"', "``", "''") if double else word in ("'", "`")
        if opens or (toggles and not inside):
            inside, number = True, number + 1
        elif closes or toggles:
            inside = False
        out.append(number if inside else 0)
    return out
