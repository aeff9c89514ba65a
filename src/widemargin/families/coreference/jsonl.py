"""Documents as JSON, one a line: {"id", "sentences" or "tokens" or "text", "clusters", "speakers", "tags"}, in and out.

clusters is a list of chains, each a list of mentions [first, end]: words counted through the document from 0, the end behind the last; with
inclusive, the last itself, as in files of e2e-coref. Of a document with "text" they are letters, and texts.py finds its words. "mentions"
may have mentions of which nothing else is known. A document without clusters has no chains yet.
"""

import json
import os
from typing import IO, Any

from widemargin.engine.settings import shown
from widemargin.errors import InputError
from widemargin.families.coreference.documents import Document, Documents, Span, documents_of
from widemargin.families.coreference.texts import document_of, numbered_lines, read_text
from widemargin.readers.encodings import check_text

NAMES = ("id", "doc_key", "document_id")


def read_jsonl(
    path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", duplicates: str = "error", inclusive: bool = False
) -> Documents:
    """A whole file (plain, gzip, or "-"), or an open file."""
    text, _, source = read_text(path, encoding)
    found: list[Document] = []
    for number, line in numbered_lines(text):
        if line.strip():
            found.append(_document(line, f"{source}:{number}", len(found), inclusive))
    documents = documents_of(found, source=source, format="jsonl", duplicates=duplicates)
    if not len(documents):
        raise InputError("there is no word in this file; give a JSON object with tokens or text on every line.", source)
    return documents


def _document(line: str, where: str, count: int, inclusive: bool) -> Document:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise InputError('this line is not a JSON object; give {"tokens": [...], "clusters": [...]}, each on a line of its own.', where)
    name = next((str(facts[key]) for key in NAMES if key in facts), f"document {count + 1}")
    check_text([name], "the id")
    spans, chains = list[Span](), list[Any]()
    clusters = _listed(facts, "clusters", where)
    for c, chain in enumerate(clusters):
        if not isinstance(chain, list):
            raise InputError(f"chain {c + 1} is {shown(chain)}; give a list of mentions [first, end].", where)
        for mention in chain:
            spans.append(_span(mention, inclusive, where))
            chains.append(c)
    known = set(spans)
    for mention in _listed(facts, "mentions", where):
        if (span := _span(mention, inclusive, where)) not in known:
            known.add(span)
            spans.append(span)
            chains.append(None)
    places = [where] * len(spans)
    if isinstance(facts.get("text"), str):
        check_text([facts["text"]], "the text")
        return document_of(name, facts["text"], spans, chains, places)
    sentences = _sentences(facts, where)
    size = sum(map(len, sentences))
    columns: dict[str, Any] = {key: _column(facts[key], size, key, where) for key in ("speakers", "tags") if facts.get(key) is not None}
    return Document(name, sentences, spans, chains, places, **columns)


def _listed(facts: dict, key: str, where: str) -> list:
    value = facts.get(key)
    if value is not None and not isinstance(value, list):
        raise InputError(f"{key} is {shown(value)}; give a list.", where)
    return value or []


def _span(mention: Any, inclusive: bool, where: str) -> Span:
    if not isinstance(mention, list | tuple) or len(mention) < 2 or not all(type(n) is int for n in mention[:2]):
        raise InputError(f"a mention is {shown(mention)}; give [first, end], two whole numbers.", where)
    return mention[0], mention[1] + int(inclusive)


def _sentences(facts: dict, where: str) -> list[list[str]]:
    """Words by sentence, from sentences, or from tokens and perhaps the sentence of each."""
    words = facts.get("sentences", facts.get("tokens"))
    if isinstance(words, list) and words and all(isinstance(one, int | list) for one in words) and isinstance(_first(words), int):
        raise InputError("sentences holds numbers; give lists of words there, or leave it out where tokens has the words.", where)
    if not isinstance(words, list):
        raise InputError("this document has neither tokens, sentences nor text; give one of them.", where)
    if words and not all(isinstance(sentence, list) for sentence in words):
        words = [words]
    for word in (word for sentence in words for word in sentence):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"a word is {shown(word)}; give text of one character or more.", where)
    check_text((word for sentence in words for word in sentence), "a word")
    return [sentence for sentence in words if sentence]


def _first(words: list) -> Any:
    """The first word of the first sentence."""
    return words[0][0] if isinstance(words[0], list) and words[0] else words[0]


def _column(cells: Any, size: int, key: str, where: str) -> list[str]:
    """One text per word; lists of sentences are joined."""
    flat = [cell for part in cells for cell in (part if isinstance(part, list) else [part])] if isinstance(cells, list) else []
    if len(flat) != size:
        raise InputError(f"there are {size} words and {len(flat)} {key}; give one for each word.", where)
    out = ["" if cell in (None, "-", "_") else str(cell) for cell in flat]
    check_text(out, f"one of the {key}")
    return out


def jsonl_text(documents: Documents, comments: list[list[str]] | None = None) -> bytes:
    """Documents as lines of JSON. comments: texts that are kept with each."""
    out = []
    for d, document in enumerate(documents.given):
        chains: Any = documents.chains(d)
        facts: dict[str, Any] = {"id": document.name}
        if document.text is not None and document.offsets is not None:
            at = document.offsets
            facts["text"] = document.text
            chains = [[[at[first][0], at[end - 1][1]] for first, end in chain] for chain in chains]
        else:
            facts["sentences"] = document.sentences
        facts |= {key: column for key, column in (("speakers", document.speakers), ("tags", document.tags)) if column}
        facts["clusters"] = chains
        if comments and comments[d]:
            facts["comments"] = comments[d]
        out.append(json.dumps(facts, ensure_ascii=False))
    return "".join(line + "\n" for line in out).encode()
