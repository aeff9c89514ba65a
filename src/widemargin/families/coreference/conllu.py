"""Chains in the MISC column of CoNLL-U: Entity=(e1-person-1(e2-place-1) opens mentions at a word, e1) closes them (CorefUD, GUM).

The first of a mention's attributes, up to -, is its chain, or the one that a comment `# global.Entity = eid-etype-...` calls eid or GRP.
`# newdoc` begins a document. Lines of multi-word tokens are left as they are; an empty node (8.1) is a word here if it bears a mention.
"""

import os
import re
from collections import defaultdict
from typing import IO, Any

from widemargin.errors import InputError, several
from widemargin.families.coreference.documents import Document, Documents, Span, documents_of, refuse_crossing
from widemargin.families.coreference.texts import numbered_lines, read_text

ID, FORM, UPOS, MISC, COLUMNS = 0, 1, 3, 9, 10
_MARK = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_KEY = re.compile(r"#\s*(newdoc(?:\s+id)?|global\.Entity|speaker)\s*=?\s*(.*)")
NAMED = ("eid", "GRP")
NOTHING = "_"


class _Reading:
    """The documents of a file while its lines are read."""

    def __init__(self, source: str):
        self.source, self.found, self.field = source, list[Document](), 0
        self.begin("document 1")

    def begin(self, name: str) -> None:
        """A new document."""
        self.name, self.sentences, self.fresh, self.speaker = name, list[list[str]](), True, ""
        self.mentions, self.chains, self.places = list[Span](), list[str](), list[str]()
        self.tags, self.speakers = list[str](), list[str]()
        self.open: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def close(self) -> None:
        """The end of a document, if it has words."""
        left = [(where, name) for name, stack in self.open.items() for _, where in stack]
        if left:
            raise InputError(f"a mention of {left[0][1]} is opened here and never closed; write {left[0][1]}) at its end.", left[0][0])
        if self.sentences:
            speakers = self.speakers if any(self.speakers) else None
            self.found.append(Document(self.name, self.sentences, self.mentions, self.chains, self.places, speakers, self.tags))

    def comment(self, line: str) -> None:
        """A line that begins with #."""
        key = _KEY.match(line)
        if key and key[1].startswith("newdoc"):
            self.close()
            self.begin(key[2].strip() or f"document {len(self.found) + 1}")
        elif key and key[1] == "global.Entity":
            names = key[2].strip().split("-")
            self.field = next((names.index(name) for name in NAMED if name in names), 0)
        elif key:
            self.speaker = key[2].strip()

    def add(self, cells: list[str], where: str) -> None:
        """A word with its marks."""
        if self.fresh:
            self.sentences.append([])
        t, self.fresh = len(self.tags), False
        self.sentences[-1].append(cells[FORM].replace(" ", "_") or NOTHING)
        self.tags.append(cells[UPOS])
        self.speakers.append(self.speaker)
        text = entity_of(cells[MISC])
        at = 0
        while text and at < len(text):
            mark = _MARK.match(text, at)
            if not mark:
                raise InputError(f"{text[at:]!r} in Entity is not the mark of a mention; write (e1-type-1, e1) or (e1-type-1).", where)
            at = mark.end()
            self._mark(mark, t, where)

    def _mark(self, mark: re.Match, t: int, where: str) -> None:
        attributes = (mark[1] or mark[3]).split("-")
        name = attributes[self.field if mark[1] and self.field < len(attributes) else 0]
        if "[" in name:
            text = "it is in several pieces, and mentions here are runs of words; write one piece"
            raise InputError(f"the mention of {name.partition('[')[0]}: {text}.", where)
        if mark[1]:
            self.open[name].append((t, where))
        if mark[3] or mark[2]:
            if not self.open[name]:
                raise InputError(f"{name}) closes a mention that is not open; open it with ({name}.", where)
            first, _ = self.open[name].pop()
            self.mentions.append((first, t + 1))
            self.chains.append(name)
            self.places.append(where)


def entity_of(misc: str) -> str:
    """What Entity= says in a MISC column."""
    return next((part.removeprefix("Entity=") for part in misc.split("|") if part.startswith("Entity=")), "")


def is_word(cells: list[str]) -> bool:
    """Is this line a word of ours?"""
    return "-" not in cells[ID] and ("." not in cells[ID] or bool(entity_of(cells[MISC])))


def read_entities(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", duplicates: str = "error") -> Documents:
    """A whole file (plain, gzip, or "-"), or an open file."""
    text, data, source = read_text(path, encoding)
    reading = _Reading(source)
    for number, line in numbered_lines(text):
        line, where = line.rstrip("\r"), f"{source}:{number}"
        if line.startswith("#"):
            reading.comment(line)
        elif not line.strip():
            reading.fresh, reading.speaker = True, ""
        else:
            cells = line.split("\t")
            if len(cells) != COLUMNS:
                raise InputError(
                    f"this line has {several(len(cells), 'column')}; a line of CoNLL-U has {COLUMNS}, with tabs between them.", where
                )
            if is_word(cells):
                reading.add(cells, where)
    reading.close()
    documents = documents_of(reading.found, source=source, format="conllu", raw=data, duplicates=duplicates)
    if not len(documents):
        raise InputError("there is no word in this file; give CoNLL-U lines of ten columns.", source)
    return documents


def entities_text(documents: Documents, comments: list[list[str]] | None = None) -> bytes:
    """The file as it was with these mentions in its MISC columns. comments: lines that begin documents."""
    marks: list[str] = []
    for d in range(len(documents.given)):
        refuse_crossing(documents, d)
        opens: dict[int, str] = defaultdict(str)
        closes: dict[int, str] = defaultdict(str)
        chains = [(span, f"e{c + 1}") for c, chain in enumerate(documents.chains(d)) for span in chain]
        for (first, end), name in sorted(chains, key=lambda item: (item[0][0], -item[0][1])):
            if end == first + 1:
                opens[first] += f"({name})"
            else:
                opens[first] += f"({name}"
                closes[end - 1] = f"{name})" + closes[end - 1]
        marks += [closes[t] + opens[t] for t in range(int(documents.row_ptr[d + 1] - documents.row_ptr[d]))]
    out, t, starts = [], 0, {int(low): d for d, low in enumerate(documents.row_ptr[:-1])}
    for line in documents.raw.decode().split("\n"):
        cells = line.rstrip("\r").split("\t")
        if line.startswith("#") and line[1:].strip().startswith("global.Entity"):
            line = "# global.Entity = eid"
        elif len(cells) == COLUMNS and not line.startswith("#") and is_word(cells):
            if comments and t in starts:
                out += [f"# {comment}" for comment in comments[starts[t]]]
            others = [part for part in cells[MISC].split("|") if part != NOTHING and not part.startswith("Entity=")]
            cells[MISC] = "|".join([*([f"Entity={marks[t]}"] if marks[t] else []), *others]) or NOTHING
            line = "\t".join(cells)
            t += 1
        out.append(line)
    return "\n".join(out).encode()
