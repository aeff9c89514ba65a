"""Documents by name: a file in one of the formats, or a part of the embedded corpus."""

import dataclasses
import io
from collections.abc import Callable
from typing import Any

from widemargin.corpora.town.chains import chains_text as town_text
from widemargin.families.coreference.conll2012 import chains_text, read_chains
from widemargin.families.coreference.documents import Documents
from widemargin.families.sources import TOWN, town_part

READERS: dict[str, Callable[..., Documents]] = {"conll2012": read_chains}
WRITERS: dict[str, Callable[..., bytes]] = {"conll2012": chains_text}


def open_documents(path: str, *, encoding: str = "utf-8", duplicates: str = "error", singletons: bool = True) -> Documents:
    """Documents (.gz too, - for standard input) or town:PART[:SENTENCES]. singletons: chains of one mention are read too."""
    if path.startswith(TOWN):
        part, sentences = town_part(path, encoding)
        found = dataclasses.replace(read_chains(io.StringIO(town_text(part, sentences=sentences))), source=path)
    else:
        found = read_chains(path, encoding=encoding, duplicates=duplicates)
    return found if singletons else without_singletons(found)


def without_singletons(documents: Documents) -> Documents:
    """Chains of two mentions and more."""
    every = range(len(documents.given))
    kept = [[(span, c) for c, chain in enumerate(documents.chains(d)) for span in chain if len(chain) > 1] for d in every]
    return documents.with_mentions([[span for span, _ in own] for own in kept], [[c for _, c in own] for own in kept])


def text_of(documents: Documents, comments: list[list[str]] | None = None) -> bytes:
    """Documents in the format that they came in."""
    writer: Any = WRITERS.get(documents.format, chains_text)
    return writer(documents, comments)
