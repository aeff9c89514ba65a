"""Standoff annotation of brat: FILE.ann beside FILE.txt. Every T line is a mention, and Coref relations and Equiv lines make chains."""

import io
import os
from typing import Any

from widemargin.errors import InputError
from widemargin.families.coreference.documents import Documents, Span, documents_of
from widemargin.families.coreference.texts import document_of, read_text

ENDING, TEXT = ".ann", ".txt"
LINKS = ("coref", "coreference")


def read_brat(path: str | os.PathLike[str], *, encoding: str = "utf-8", duplicates: str = "error") -> Documents:
    """The document of an .ann file, whose text lies beside it."""
    name = os.fspath(path)
    lines, _, source = read_text(name, encoding)
    text, _, _ = read_text(name.removesuffix(ENDING) + TEXT, encoding)
    spans: dict[str, Span] = {}
    places: dict[str, str] = {}
    chain: dict[str, str] = {}
    for number, line in enumerate(lines.split("\n"), 1):
        where, cells = f"{source}:{number}", line.rstrip("\r").split("\t")
        if line.startswith("T"):
            spans[cells[0]], places[cells[0]] = _span(cells, where), where
            chain[cells[0]] = cells[0]
        elif line.startswith(("R", "*")):
            _link(cells, chain, where)
    names = list(spans)
    document = document_of(
        os.path.basename(name).removesuffix(ENDING),
        text,
        [spans[key] for key in names],
        [_root(chain, key) for key in names],
        [places[key] for key in names],
    )
    return documents_of([document], source=source, format="brat", duplicates=duplicates)


def _span(cells: list[str], where: str) -> Span:
    parts = cells[1].split() if len(cells) > 1 else []
    if any(";" in part for part in parts):
        raise InputError("this mention is in several pieces, and mentions here are runs of words; write one piece.", where)
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts[1:]):
        form = "T1, a tab, its type and where its characters begin and end, a tab, and its words"
        raise InputError(f"this line is not a mention; write {form}.", where)
    return int(parts[1]), int(parts[2])


def _link(cells: list[str], chain: dict[str, str], where: str) -> None:
    """Joins the chains that a relation or an equivalence names; relations of other kinds are none of ours."""
    words = cells[1].split() if len(cells) > 1 else []
    if not words or (words[0].lower() not in LINKS and words[0] != "Equiv"):
        return
    keys = [word.rpartition(":")[2] for word in words[1:]]
    for key in keys:
        if key not in chain:
            raise InputError(f"{key!r} is not a mention above this line; name one that is there.", where)
    for key in keys[1:]:
        chain[_root(chain, key)] = _root(chain, keys[0])


def _root(chain: dict[str, str], key: str) -> str:
    while chain[key] != key:
        key = chain[key]
    return key


def brat_text(documents: Documents, comments: Any = None) -> bytes:
    """The .ann file of one document: T lines, and an Equiv line for every chain of several mentions."""
    if len(documents.given) != 1 or documents.given[0].text is None or documents.given[0].offsets is None:
        raise InputError("an .ann file has one document and its text; write JSONL.", documents.source)
    document, out, number = documents.given[0], io.StringIO(), 0
    text, at = document.text or "", document.offsets or []
    for line in comments[0] if comments else ():
        out.write(f"#\tAnnotatorNotes\t{line}\n")
    for chain in documents.chains(0):
        keys = []
        for first, end in chain:
            number += 1
            low, high = at[first][0], at[end - 1][1]
            keys.append(f"T{number}")
            out.write(f"T{number}\tMention {low} {high}\t{' '.join(text[low:high].split())}\n")
        if len(keys) > 1:
            out.write(f"*\tEquiv {' '.join(keys)}\n")
    return out.getvalue().encode()
