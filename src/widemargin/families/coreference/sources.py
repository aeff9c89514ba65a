"""Documents by name: a file in one of the formats, or a part of the embedded corpus."""

import dataclasses
import io
from collections.abc import Callable
from typing import Any

from widemargin.corpora.town.chains import chains_text as town_text
from widemargin.errors import InputError
from widemargin.families.coreference.brackets import read_trees
from widemargin.families.coreference.brat import brat_text, read_brat
from widemargin.families.coreference.conll2012 import chains_text, read_chains
from widemargin.families.coreference.conllu import entities_text, read_entities
from widemargin.families.coreference.documents import Documents
from widemargin.families.coreference.jsonl import jsonl_text, read_jsonl
from widemargin.families.coreference.texts import read_plain
from widemargin.families.sources import TOWN, town_part

READERS: dict[str, Callable[..., Documents]] = {
    "conll2012": read_chains,
    "conllu": read_entities,
    "jsonl": read_jsonl,
    "brat": read_brat,
    "text": read_plain,
    "brackets": read_trees,
}
WRITERS: dict[str, Callable[..., bytes]] = {
    "conll2012": chains_text,
    "conllu": entities_text,
    "jsonl": jsonl_text,
    "brat": brat_text,
}
ENDINGS = {
    ".conllu": "conllu",
    ".jsonl": "jsonl",
    ".jsonlines": "jsonl",
    ".json": "jsonl",
    ".ann": "brat",
    ".txt": "text",
    ".mrg": "brackets",
}


def layout_of(path: str) -> str:
    """The format of a file by how its name ends; CoNLL-2012 unless it is another's."""
    name = path.removesuffix(".gz")
    return next((layout for ending, layout in ENDINGS.items() if name.endswith(ending)), "conll2012")


def open_documents(path: str, *, encoding: str = "utf-8", layout: str | None = None, singletons: bool = True, **reading: Any) -> Documents:
    """Documents (.gz too, - for standard input) or town:PART[:SENTENCES].

    layout: one of READERS; None: by the name. singletons: chains of one mention are read too. duplicates, and inclusive of JSONL: see the
    readers.
    """
    if path.startswith(TOWN):
        part, sentences = town_part(path, encoding)
        found = dataclasses.replace(read_chains(io.StringIO(town_text(part, sentences=sentences))), source=path)
    else:
        kind = layout or layout_of(path)
        if reading.get("inclusive") is False:
            del reading["inclusive"]
        if reading.get("inclusive") and kind != "jsonl":
            raise InputError(f"inclusive is of mentions in JSONL, and this is read as {kind}; leave it out, or say layout=jsonl.", path)
        found = READERS[kind](path, encoding=encoding, **reading)
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
