"""Documents by name: a file in one of the formats, a folder of them, or a part of the embedded corpus."""

import dataclasses
import io
import os
import pathlib
from collections.abc import Callable
from typing import Any

from widemargin.errors import InputError
from widemargin.families.coreference.brackets import read_trees
from widemargin.families.coreference.brat import ENDING, TEXT, brat_text, read_brat
from widemargin.families.coreference.conll2012 import chains_text, read_chains
from widemargin.families.coreference.conllu import entities_text, read_entities
from widemargin.families.coreference.documents import Documents, documents_of
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
    ".conll": "conll2012",
    "_conll": "conll2012",
}


def layout_of(path: str) -> str | None:
    """The format of a file by how its name ends, .gz aside."""
    name = path.removesuffix(".gz")
    return next((layout for ending, layout in ENDINGS.items() if name.endswith(ending)), None)


def open_documents(path: str, *, encoding: str = "utf-8", layout: str | None = None, singletons: bool = True, **reading: Any) -> Documents:
    """Documents (.gz too, - for standard input), those of all files of a folder, or town:PART[:SENTENCES].

    layout: one of READERS; None: by the name, and CoNLL-2012 where that says nothing. singletons: chains of one mention are read too.
    duplicates, and inclusive of JSONL: see the readers.
    """
    if path.startswith(TOWN):
        from widemargin.corpora.town.chains import chains_text as town_text

        part, sentences = town_part(path, encoding)
        found = dataclasses.replace(read_chains(io.StringIO(town_text(part, sentences=sentences))), source=path)
    elif os.path.isdir(path):
        found = _joined(path, [open_documents(file, encoding=encoding, layout=layout, **reading) for file in files_of(path, layout)])
    else:
        kind = layout or layout_of(path) or "conll2012"
        if reading.get("inclusive") is False:
            del reading["inclusive"]
        if reading.get("inclusive") and kind != "jsonl":
            raise InputError(f"inclusive is for mentions in JSONL, and this is read as {kind}; leave it out, or say layout=jsonl.", path)
        found = READERS[kind](path, encoding=encoding, **reading)
    return found if singletons else without_singletons(found)


def files_of(folder: str, layout: str | None = None) -> list[str]:
    """The files of a folder and of those below it whose names say what they hold, or say this layout, in the order of their names. A .txt
    beside an .ann is its text."""
    every = sorted(str(file) for file in pathlib.Path(folder).rglob("*") if file.is_file())
    texts = {name.removesuffix(ENDING) + TEXT for name in every if layout_of(name) == "brat"}
    found = [name for name in every if layout_of(name) is not None and name not in texts and layout in (None, layout_of(name))]
    if not found:
        endings = [ending for ending, kind in ENDINGS.items() if layout in (None, kind)]
        raise InputError(f"no file in this folder ends in {', '.join(endings)} (or .gz); name a file with documents.", folder)
    return found


def _joined(folder: str, parts: list[Documents]) -> Documents:
    """Documents of several files as those of one: written as they came where all are of one format that may hold several, else as JSONL."""
    formats = {part.format for part in parts}
    kind = formats.pop() if len(formats) == 1 else "jsonl"
    kind = "jsonl" if kind == "brat" else kind
    raw = b"".join(part.raw if part.raw.endswith(b"\n") else part.raw + b"\n" for part in parts) if kind in ("conll2012", "conllu") else b""
    return documents_of([document for part in parts for document in part.given], source=folder, format=kind, raw=raw)


def without_singletons(documents: Documents) -> Documents:
    """Chains of two mentions and more."""
    every = range(len(documents.given))
    kept = [[(span, c) for c, chain in enumerate(documents.chains(d)) for span in chain if len(chain) > 1] for d in every]
    return documents.with_mentions([[span for span, _ in own] for own in kept], [[c for _, c in own] for own in kept])


def text_of(documents: Documents, comments: list[list[str]] | None = None) -> bytes:
    """Documents in the format that they came in."""
    writer: Any = WRITERS.get(documents.format, chains_text)
    return writer(documents, comments)
