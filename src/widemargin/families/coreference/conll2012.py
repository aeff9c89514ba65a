"""Chains in the last column of CoNLL-2012 files (Pradhan et al. 2012), in and out.

A line is a word: document, part, number, word, tag, parse bit, lemma, two columns of the frame, speaker, name, ..., and last the chains:
(12 opens a mention of chain 12 at this word, 12) closes one, (12) is one, | stands between several, and - is none. Files with fewer columns
have the word in front of the last. #begin document and #end document stand around documents, empty lines between sentences.
"""

import os
import re
import sys
from collections import defaultdict
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.families.coreference.documents import Document, Documents, Span, documents_of, refuse_crossing
from widemargin.families.coreference.texts import numbered_lines, read_text
from widemargin.readers.encodings import nul_byte

WORD, TAG, PARSE, SPEAKER, NAME, USUAL = 3, 4, 5, 9, 10, 12  # columns, and how many a line usually has at least
NOTHING = ("-", "_", "*")
_BEGIN = re.compile(r"#\s*begin document\s*(.*)")
_NAME = re.compile(r"\((.*)\)(?:;\s*part\s*(\S+))?$")
_MARK = re.compile(r"(\()?([^()|]+)(\))?")
_BLANKS = re.compile(r"[ \t]+")
_BREAKS = re.compile(r"[ \t\r\n]+")


class _Reading:
    """A document while its lines are read."""

    def __init__(self, name: str):
        self.name, self.sentences, self.fresh = name, list[list[str]](), True
        self.open: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self.mentions, self.chains, self.places = list[Span](), list[str](), list[str]()
        self.cells: list[list[str]] = []

    def add(self, cells: list[str], where: str) -> None:
        """A word with its marks."""
        if len(cells) < 2:
            raise InputError("this line has one column; a line has at least a word and, last, its chains.", where)
        if self.fresh:
            self.sentences.append([])
        t, self.fresh = len(self.cells), False
        self.sentences[-1].append(sys.intern(cells[WORD] if len(cells) > WORD + 1 else cells[-2]))  # words come again and again
        self.cells.append(cells)
        if cells[-1] in NOTHING:
            return
        for mark in cells[-1].split("|"):
            found = _MARK.fullmatch(mark)
            if not found or not (found[1] or found[3]):
                raise InputError(
                    f"{mark!r} is not the mark of a mention; write (12, 12) or (12), with | between several, or - for none.", where
                )
            if found[1]:
                self.open[found[2]].append((t, where))
            if found[3]:
                if not self.open[found[2]]:
                    raise InputError(f"{mark!r} closes a mention of chain {found[2]} that is not open; open it with ({found[2]}.", where)
                first, _ = self.open[found[2]].pop()
                self.mentions.append((first, t + 1))
                self.chains.append(found[2])
                self.places.append(where)

    def close(self) -> Document:
        """The document, all of whose mentions are closed."""
        left = [(where, name) for name, stack in self.open.items() for _, where in stack]
        if left:
            raise InputError(
                f"a mention of chain {left[0][1]} is opened here and never closed; write {left[0][1]}) at its end.", left[0][0]
            )
        rich = all(len(cells) >= USUAL for cells in self.cells)
        return Document(
            self.name,
            self.sentences,
            self.mentions,
            list(self.chains),
            self.places,
            speakers=_column(self.cells, SPEAKER) if rich else None,
            tags=_column(self.cells, TAG) if rich else None,
            parse=_column(self.cells, PARSE) if rich else None,
            names=_names(self.cells) if rich else None,
        )


def _column(cells: list[list[str]], column: int) -> list[str] | None:
    """A column of every word, "" where it says nothing; None where it does so everywhere."""
    found = [row[column] for row in cells]
    bare = ("-", "_")
    return None if all(cell in bare for cell in found) else ["" if cell in bare else cell for cell in found]


def _names(cells: list[list[str]]) -> list[str] | None:
    """The name's class at every word, from (PERSON* ... *)."""
    out, inside = [], "O"
    for row in cells:
        bit = row[NAME]
        inside = bit.strip("()*") if bit.startswith("(") else inside
        out.append(inside)
        inside = "O" if bit.endswith(")") else inside
    return None if all(row[NAME] in NOTHING for row in cells) else out


def read_chains(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", duplicates: str = "error") -> Documents:
    """A whole file (plain, gzip, or "-"), or an open file."""
    text, data, source = read_text(path, encoding)
    found, reading = list[Document](), None
    for number, line in numbered_lines(text):
        where = f"{source}:{number}"
        if line.startswith("#"):
            begin = _BEGIN.match(line)
            if reading is not None and (begin or line.startswith("#end")):
                found.append(reading.close())
                reading = None
            if begin:
                name = _NAME.fullmatch(begin[1].strip())
                reading = _Reading(begin[1].strip() if not name else name[1] + (f"; part {name[2]}" if name[2] else ""))
        elif "\0" in line:
            raise nul_byte(where)
        elif line.strip(" \t\r"):
            reading = reading or _Reading(f"document {len(found) + 1}")
            reading.add(_cells(line), where)
        elif reading is not None:
            reading.fresh = True
    if reading is not None:
        found.append(reading.close())
    documents = documents_of(found, source=source, format="conll2012", raw=data, duplicates=duplicates)
    if not len(documents):
        raise InputError("there is no word in this file; give CoNLL-2012 lines, with chains in the last column.", source)
    return documents


def _cells(line: str) -> list[str]:
    """Columns have blanks or tabs between them; other spaces are letters."""
    return _BLANKS.split(line.strip(" \t\r"))


# ---- writing --------------------------------------------------------------------------------------------------------------------------


def marks_of(documents: Documents, d: int) -> list[str]:
    """The last column of document d."""
    low, high = documents.row_ptr[d : d + 2].tolist()
    opens: list[list[str]] = [[] for _ in range(high - low)]
    closes: list[list[str]] = [[] for _ in range(high - low)]
    refuse_crossing(documents, d)
    for c, chain in enumerate(documents.chains(d)):
        for first, end in chain:
            name = str(c)
            if end == first + 1:
                closes[first].append(f"({name})")
            else:
                opens[first].append(f"({name}")
                closes[end - 1].append(f"{name})")
    return ["|".join(o + c) or "-" for o, c in zip(opens, closes)]


def chains_text(documents: Documents, comments: list[list[str]] | None = None) -> bytes:
    """The file as it was with these mentions; documents from elsewhere in lines of twelve columns. comments: lines before documents."""
    out: list[str] = []
    lines = iter(documents.raw.decode().split("\n")) if documents.format == "conll2012" else iter(())
    cells = [_cells(line) for line in lines if line.strip(" \t\r") and not line.startswith("#")]
    cells = cells if len(cells) == len(documents) else []
    for d, document in enumerate(documents.given):
        name, _, part = _BREAKS.sub(" ", document.name).partition("; part ")
        out += [f"# {comment}" for comment in (comments[d] if comments else ())]
        out.append(f"#begin document ({name}); part {part or '000'}")
        t, marks = 0, marks_of(documents, d)
        for sentence in document.sentences:
            for number, word in enumerate(sentence):
                at = int(documents.row_ptr[d]) + t
                row = cells[at][:-1] if cells else _made(document, t, word, number)
                out.append("\t".join([*row, marks[t]]))
                t += 1
            out.append("")
        out.append("#end document")
    return "".join(line + "\n" for line in out).encode()


def _made(document: Document, t: int, word: str, number: int) -> list[str]:
    """All columns but the last of a word that comes from elsewhere: its document, part, number in the sentence, itself, tag, ..."""
    tag, parse, speaker = ((column[t] if column else "") or "-" for column in (document.tags, document.parse, document.speakers))
    row = [document.name.lstrip("#") or "-", "0", str(number), word, tag, parse, "-", "-", "-", speaker, "*"]
    return [_BREAKS.sub("_", cell) or "-" for cell in row]
