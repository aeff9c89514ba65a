"""Trees and sentences by name: a file or folder, or the trees of a part of the embedded corpus."""

import io
from collections.abc import Iterator
from typing import IO

import numpy as np

from widemargin.corpora.town.brackets import brackets_text
from widemargin.errors import InputError
from widemargin.families.constituency.brackets import read_brackets, stream_brackets
from widemargin.families.constituency.conll2012 import read_conll2012
from widemargin.families.constituency.sentences import read_sentences, read_tagged_columns, stream_sentences, stream_tagged_columns
from widemargin.families.constituency.transforms import TRANSFORMS, USUAL, transformed
from widemargin.families.constituency.trees import Trees
from widemargin.families.sources import TOWN, town_part

BRACKETS, TOKENS, COLUMNS, CONLL2012 = "brackets", "tokens", "columns", "conll2012"
ENDINGS = {(".tokens", ".tagged"): TOKENS, (".columns", ".tsv", ".pos"): COLUMNS, ("_conll", ".conll", ".conll2012"): CONLL2012}


def open_trees(
    path: str, *, form: str | None = None, transforms: str = ",".join(USUAL), separator: str = "_", encoding: str = "utf-8"
) -> Trees:
    """All sentences of a file (.gz too, - for standard input), of a folder, or of town:PART[:SENTENCES].

    form: brackets, tokens, columns or conll2012; by default as the name says, else brackets. transforms: changes of the trees, by name."""
    names, form = _names(transforms), form or form_of(path)
    if path.startswith(TOWN):
        part, sentences = town_part(path, encoding)
        trees = read_brackets(_named(brackets_text(part, sentences=sentences), path))
    elif form == TOKENS:
        trees = read_sentences(path, separator=_mark(separator), encoding=encoding)
    elif form == COLUMNS:
        trees = read_tagged_columns(path, encoding=encoding)
    elif form == CONLL2012:
        trees = read_conll2012(path, encoding=encoding)
    else:
        trees = read_brackets(path, encoding=encoding, empty=True)
    return transformed(trees, names)


def stream_trees(
    path: str, *, form: str | None = None, transforms: str = ",".join(USUAL), separator: str = "_", encoding: str = "utf-8"
) -> Iterator[Trees]:
    """The same in pieces, so that a large file need not fit in memory; CoNLL-2012 in one."""
    names, form = _names(transforms), form or form_of(path)
    if path.startswith(TOWN) or form == CONLL2012:
        yield open_trees(path, form=form, transforms=transforms, encoding=encoding)
        return
    if form == TOKENS:
        pieces = stream_sentences(path, separator=_mark(separator), encoding=encoding)
    elif form == COLUMNS:
        pieces = stream_tagged_columns(path, encoding=encoding)
    else:
        pieces = stream_brackets(path, encoding=encoding, empty=True)
    for trees in pieces:
        yield transformed(trees, names)


def form_of(path: str) -> str:
    """What a file holds, by its name."""
    name = path.removesuffix(".gz")
    return next((form for endings, form in ENDINGS.items() if name.endswith(endings)), BRACKETS)


def _names(transforms: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in transforms.split(",") if name.strip() not in ("", "none"))
    if unknown := [name for name in names if name not in TRANSFORMS]:
        raise InputError(f"there is no transform {unknown[0]!r}; they are {', '.join(TRANSFORMS)}, or none")
    return names


def _mark(separator: str) -> str | None:
    return None if separator == "none" else separator


def _named(text: str, name: str) -> IO[bytes]:
    """Text as an open file of this name."""
    handle = io.BytesIO(text.encode())
    handle.name = name
    return handle


def facts_of(trees: Trees) -> dict:
    """What trees hold, for people."""
    lengths, labels = np.diff(trees.row_ptr), np.bincount(trees.node[:, 2], minlength=len(trees.labels))
    order = np.argsort(-labels, kind="stable")[:40]
    return {
        "file": trees.source,
        "format": trees.format,
        "sentences": trees.sentences,
        "words": len(trees),
        "longest": int(lengths.max(initial=0)),
        "mean length": round(float(lengths.mean()), 2) if len(lengths) else 0.0,
        "without a tree": int((~trees.parsed).sum()),
        "known in part": int(trees.partial.sum()),
        "brackets": len(trees.node),
        "columns": {name: len(values) for name, values in zip(trees.columns.names, trees.columns.values)},
        "labels": {trees.labels[i]: int(labels[i]) for i in order if labels[i]},
    }
