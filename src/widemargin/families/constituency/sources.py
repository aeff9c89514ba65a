"""Trees and sentences by name: files and folders of any format, or a part of the embedded corpus."""

import dataclasses
import io
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import read_brackets, stream_brackets
from widemargin.families.constituency.conll2012 import read_conll2012
from widemargin.families.constituency.sentences import read_sentences, read_tagged_columns, stream_sentences, stream_tagged_columns
from widemargin.families.constituency.transforms import USUAL, transformed
from widemargin.families.constituency.trees import Trees
from widemargin.families.sources import TOWN, town_part

# formats by how names end, .gz aside; brackets have any other
ENDINGS = {".words": "words", ".tok": "tokens", ".tagged": "tokens", ".conll": "columns", ".tsv": "columns", "_conll": "conll2012"}
READERS: dict[str, Callable[..., Trees]] = {
    "brackets": read_brackets,
    "tokens": read_sentences,
    "words": partial(read_sentences, separator=None),
    "columns": read_tagged_columns,
    "conll2012": read_conll2012,
}


def format_of(path: str, format: str | None = None) -> str:
    """The format that is named, or that the file's name says."""
    if format is not None and format not in READERS:
        raise InputError(f"there is no format {format!r}; trees and sentences come as {', '.join(READERS)}.")
    name = os.path.basename(path).removesuffix(".gz")
    return format or next((found for ending, found in ENDINGS.items() if name.endswith(ending)), "brackets")


def open_trees(path: str, *, format: str | None = None, encoding: str = "utf-8", transforms: str | Sequence[str] = USUAL) -> Trees:
    """A file or folder (.gz too, - for standard input) or town:PART[:SENTENCES], changed by these transforms: names, or a text as
    `--transforms` has it ("functions,nulls", "none")."""
    if path.startswith(TOWN):
        from widemargin.corpora.town.brackets import brackets_text

        part, sentences = town_part(path, encoding)
        trees = read_brackets(io.StringIO(brackets_text(part, sentences=sentences)))
        trees = dataclasses.replace(trees, columns=dataclasses.replace(trees.columns, source=path), sources=(path,))
    else:
        trees = READERS[format_of(path, format)](path, encoding=encoding)
    return transformed(trees, transforms)


def stream_trees(
    path: str, *, words: int = 200_000, format: str | None = None, encoding: str = "utf-8", transforms: str | Sequence[str] = USUAL
) -> Iterator[Trees]:
    """The same in pieces of about so many words; CoNLL-2012 files and the embedded corpus come whole."""
    kind = format_of(path, format)
    if kind == "conll2012" or path.startswith(TOWN):
        yield open_trees(path, format=format, encoding=encoding, transforms=transforms)
        return
    streams: dict[str, Callable[..., Iterator[Trees]]] = {
        "brackets": stream_brackets,
        "tokens": stream_sentences,
        "words": partial(stream_sentences, separator=None),
        "columns": stream_tagged_columns,
    }
    for piece in streams[kind](path, words=words, encoding=encoding):
        yield transformed(piece, transforms)
