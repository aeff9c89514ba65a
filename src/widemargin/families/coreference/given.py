"""Documents as people give them to an estimator: lists of words, lists of sentences, or dicts."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError, several
from widemargin.families.coreference.documents import Chains, Document, Documents, Span, documents_of
from widemargin.readers.encodings import check_text

SOURCE = "X"
KEYS = ("tokens", "sentences", "mentions", "speakers", "tags", "id")


def read_given(X: Any, y: Any = None, *, mentions: Any = None) -> Documents:
    """Documents of X: Documents themselves, or an iterable of documents, each a list of words, a list of sentences, or a dict with
    `tokens` or `sentences` and perhaps `mentions`, `speakers`, `tags` and `id`.

    y: the chains of every document, lists of mentions (first word, the one behind the last). mentions: spans of every document.
    """
    if isinstance(X, Documents):
        if y is None:
            return X if mentions is None else X.with_mentions(_per_document(mentions, len(X.given), "mentions"))
        found = list(X.given)
    else:
        if isinstance(X, str | bytes | Mapping) or not isinstance(X, Iterable):
            raise InputError(f"X is {shown(X)}; give a list of documents, each a list of words or of sentences")
        found = [_document(each, d) for d, each in enumerate(X)]
    if y is not None:
        given = _per_document(y, len(found), "y")
        found = [_chained(document, chains, d) for d, (document, chains) in enumerate(zip(found, given))]
    elif mentions is not None:
        given = _per_document(mentions, len(found), "mentions")
        found = [_with(document, _spans(own, f"mentions of document {d + 1}"), d) for d, (document, own) in enumerate(zip(found, given))]
    return documents_of(found, source=X.source if isinstance(X, Documents) else SOURCE)


def _per_document(values: Any, count: int, name: str) -> list:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {shown(values)}; give a list for each document")
    out = list(values)
    if len(out) != count:
        raise InputError(f"X has {several(count, 'document')} and {name} is for {len(out)}; give one for each")
    return out


def _document(each: Any, d: int) -> Document:
    if isinstance(each, Document):
        return each
    name, facts = f"document {d + 1}", dict(each) if isinstance(each, Mapping) else {"tokens": each}
    if unknown := [key for key in facts if key not in KEYS]:
        raise InputError(f"document {d + 1} has {unknown[0]!r}, which is not known; the keys are {', '.join(KEYS)}")
    words: Any = facts.get("sentences", facts.get("tokens"))
    if not is_sequence(words):
        raise InputError(f"document {d + 1} is {shown(words)}; give a list of words, or of sentences")
    nested = [is_sequence(part) for part in words]
    sentences = [list(part) for part in words] if nested and all(nested) else [list(words)] if len(words) else []
    for word in (word for sentence in sentences for word in sentence):
        if not isinstance(word, str) or not word:
            raise InputError(f"a word of document {d + 1} is {shown(word)}; give text of one character or more")
    check_text((word for sentence in sentences for word in sentence), "a word")
    size = sum(map(len, sentences))
    columns: dict[str, Any] = {}
    for key in ("speakers", "tags"):
        if facts.get(key) is not None:
            columns[key] = [str(cell) for cell in facts[key]]
            if len(columns[key]) != size:
                raise InputError(f"document {d + 1} has {size} words and {len(columns[key])} {key}; give one for each word")
    check_text([str(facts.get("id", "")), *(cell for column in columns.values() for cell in column)], "a text")
    spans = _spans(facts.get("mentions", ()), f"mentions of document {d + 1}")
    made = Document(str(facts.get("id", name)), [sentence for sentence in sentences if sentence], **columns)
    return _with(made, spans, d)


def _with(document: Document, spans: list[Span], d: int, chains: Sequence[Any] | None = None) -> Document:
    names = list(chains) if chains is not None else [None] * len(spans)
    return dataclasses.replace(document, mentions=spans, chains=names, places=[f"document {d + 1}"] * len(spans))


def _chained(document: Document, chains: Chains, d: int) -> Document:
    if not is_sequence(chains):
        raise InputError(f"the chains of document {d + 1} are {shown(chains)}; give a list of chains, each a list of mentions")
    pairs = [(span, c) for c, chain in enumerate(chains) for span in _spans(chain, f"a chain of document {d + 1}")]
    return _with(document, [span for span, _ in pairs], d, [c for _, c in pairs])


def _spans(values: Any, what: str) -> list[Span]:
    if not is_sequence(values):
        raise InputError(f"{what} is {shown(values)}; give a list of pairs: the first word and the one after the last")
    out = []
    for value in values:
        whole = is_sequence(value) and len(value) == 2 and all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in value)
        if not whole:
            raise InputError(f"{what} has {shown(value)}; a mention is a pair: its first word and the one after its last")
        out.append((int(value[0]), int(value[1])))
    return out
