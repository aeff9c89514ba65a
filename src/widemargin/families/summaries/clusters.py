"""Clusters: documents about one thing, their sentences, and summaries of them that people wrote."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from widemargin.engine.settings import shown
from widemargin.errors import InputError, several
from widemargin.families.summaries.text import split_sentences


@dataclass(frozen=True)
class Sentence:
    """A sentence, and where it stands."""

    text: str
    document: int
    place: int  # in the document, from 0
    begin: int  # characters of the document
    end: int


@dataclass(frozen=True)
class Cluster:
    """Documents about one thing."""

    id: str
    documents: tuple[str, ...]
    sentences: tuple[Sentence, ...]  # document by document
    references: tuple[str, ...] = ()
    summary: str | None = None  # a system's
    must: tuple[int, ...] = ()  # sentences, from 0, that a summary must have
    never: tuple[int, ...] = ()  # that it may not have
    where: str = ""  # file:line
    record: dict = field(default_factory=dict, compare=False)  # as it was read, to be written again


@dataclass(frozen=True)
class Clusters:
    """Clusters of a file or of memory."""

    clusters: tuple[Cluster, ...]
    source: str = "<memory>"

    @cached_property
    def row_ptr(self) -> np.ndarray:
        """Where the sentences of each begin, int64 [clusters + 1]."""
        return np.concatenate([[0], np.cumsum([len(cluster.sentences) for cluster in self.clusters])]).astype(np.int64)

    def __len__(self) -> int:
        """Sentences."""
        return int(self.row_ptr[-1])

    @property
    def text(self) -> bytes:
        """All that decides what is learnt from them, for digests."""
        return json.dumps(
            [[c.id, [[s.text, s.document, s.place] for s in c.sentences], c.references, c.must, c.never] for c in self.clusters]
        ).encode()


def cluster_of(record: Any, where: str = "", number: int = 1) -> Cluster:
    """A cluster from plain data: texts, or a dict.

    documents: a list of texts, split into sentences here, or of lists of sentences; or sentences: a list of texts, each a document of its
    own. references: texts. Optional: id; summary, a system's; must and never, numbers of sentences from 0.
    """
    if isinstance(record, str):
        record = {"documents": [record]}
    elif not isinstance(record, dict):
        record = {"documents": record}
    if ("documents" in record) == ("sentences" in record):
        raise InputError("a cluster needs documents (texts) or sentences (texts), one of the two", where or None)
    given = record["documents"] if "documents" in record else [[one] for one in _texts(record, "sentences", where)]
    if not isinstance(given, list | tuple) or not given:
        raise InputError(f"documents is {shown(given)}; give a list of texts, at least one", where or None)
    documents, sentences = [], []
    for d, document in enumerate(given):
        text, spans = _spans(document, where)
        documents.append(text)
        sentences += [Sentence(text[low:high], d, place, low, high) for place, (low, high) in enumerate(spans)]
    references = _texts(record, "references", where) if "references" in record else ()
    summary = record.get("summary")
    if summary is not None and not isinstance(summary, str):
        raise InputError(f"summary is {shown(summary)}; give text", where or None)
    must, never = (_numbers(record, name, len(sentences), where) for name in ("must", "never"))
    name = str(record.get("id", number))
    return Cluster(name, tuple(documents), tuple(sentences), references, summary, must, never, where, dict(record))


def _spans(document: Any, where: str) -> tuple[str, list[tuple[int, int]]]:
    """A document's text and its sentences; one that comes as a list of sentences has a space between them."""
    if isinstance(document, str):
        _check(document, where)
        return document, split_sentences(document)
    if not isinstance(document, list | tuple) or not all(isinstance(one, str) for one in document):
        raise InputError(f"a document is {shown(document)}; give text, or a list of sentences", where or None)
    text, spans, at = " ".join(document), [], 0
    _check(text, where)
    for one in document:
        spans.append((at, at + len(one)))
        at += len(one) + 1
    return text, spans


def _check(text: str, where: str) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"the text {text!r:.60} holds half of a surrogate pair, which is not a character; replace it", where or None)


def _texts(record: dict, name: str, where: str) -> tuple[str, ...]:
    found = record[name]
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise InputError(f"{name} is {shown(found)}; give a list of texts", where or None)
    for text in found:
        _check(text, where)
    return tuple(found)


def _numbers(record: dict, name: str, sentences: int, where: str) -> tuple[int, ...]:
    found = record.get(name, ())
    if not isinstance(found, list | tuple) or not all(isinstance(j, int) and not isinstance(j, bool) for j in found):
        raise InputError(f"{name} is {shown(found)}; give a list of numbers of sentences", where or None)
    if bad := [j for j in found if not 0 <= j < sentences]:
        raise InputError(f"{name} has sentence {bad[0]}, and there are {sentences}, counted from 0", where or None)
    return tuple(found)


def clusters_of(X: Any, y: Any = None) -> Clusters:
    """Clusters from Python: an iterable of what cluster_of takes; y: references of each, a text or a list of texts."""
    if isinstance(X, Clusters):
        found = X
    else:
        if isinstance(X, str | dict | bytes) or not hasattr(X, "__iter__"):
            raise InputError(f"X is {shown(X)}; give a list of clusters: lists of texts, or dicts with documents")
        found = Clusters(tuple(cluster_of(record, f"cluster {i}", i) for i, record in enumerate(X, start=1)))
    if y is None:
        return found
    given = list(y)
    if len(given) != len(found.clusters):
        raise InputError(f"there are {several(len(found.clusters), 'cluster')} and references for {len(given)}; give them for each")
    return Clusters(tuple(_with_references(cluster, one) for cluster, one in zip(found.clusters, given)), found.source)


def _with_references(cluster: Cluster, given: str | Sequence[str]) -> Cluster:
    from dataclasses import replace

    references = _texts({"references": [given] if isinstance(given, str) else given}, "references", cluster.where)
    return replace(cluster, references=references)
