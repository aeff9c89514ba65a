"""Data by name: a column file, an item file, or a part of the embedded corpus, under the column names of a task or of a model."""

import dataclasses
import io
import re
from collections.abc import Iterator

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.sources import TOWN, town_part
from widemargin.families.tagging.column_names import named_by_task
from widemargin.families.tagging.doubts import doubt_columns
from widemargin.families.tagging.formats import Reading, json_lines, read_labelled, remembered, separator_of, treebanks
from widemargin.families.tagging.gold import HIDDEN
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.tasks import Task, task_named
from widemargin.features.expansion import plain
from widemargin.features.explicit import Given
from widemargin.readers.columns import Columns, from_sentences, read_columns, stream_columns
from widemargin.readers.encodings import read_text
from widemargin.readers.items import ItemFile, read_items
from widemargin.readers.parsing import column_names

TOWN_COLUMNS = ("word", "pos", "chunk", "entity")
SLASH = re.compile(r"(?<!\\)/")  # \/ is how treebanks write a slash inside a word


def open_columns(
    path: str, task: Task | str | None = None, *, names: tuple[str, ...] | None = None, encoding: str = "utf-8", how: Reading | None = None
) -> Columns:
    """A file of labelled tokens (.gz too, - for standard input) or town:PART[:SENTENCES]: under these names, those that the file brings, or
    the task's. how: another format or separator."""
    if isinstance(task, str):
        task = task_named(task)
    if path.startswith(TOWN):
        given = {"--format": how.format, "--separator": how.separator, "--label-names": how.label_names} if how else {}
        if asked := [flag for flag, value in given.items() if value]:
            raise InputError(f"{path} is a part of the embedded corpus, and {asked[0]} is for files; leave it out")
        columns = town_columns(path, task, names, encoding)
    else:
        columns = read_labelled(path, how or Reading(encoding=encoding))
        if names is not None:
            columns = dataclasses.replace(columns, names=column_names(names, len(columns.names), columns.source))
    if names is None and task is not None and columns.format == "columns":
        columns = named_by_task(columns, task)
    return with_spans_of(task.keep, columns) if task is not None and task.keep else columns


def with_spans_of(kind: str, columns: Columns) -> Columns:
    """The same columns with O for every label in the last of them that is of another type."""
    number: dict[str, int] = {}
    kept = (value if value == HIDDEN or value.endswith(f"-{kind}") else "O" for value in columns.values[-1])
    codes = columns.codes.copy()
    codes[-1] = np.array([number.setdefault(value, len(number)) for value in kept], codes.dtype)[codes[-1]]
    return dataclasses.replace(columns, codes=codes, values=(*columns.values[:-1], list(number)))


def town_columns(path: str, task: Task | None, names: tuple[str, ...] | None = None, encoding: str = "utf-8") -> Columns:
    """town:PART or town:PART:SENTENCES; the label column of the task stands last."""
    from widemargin.corpora.town import columns_text

    part, sentences = town_part(path, encoding)
    text = columns_text(part, sentences=sentences)
    keep = {"chunk": (0, 1, 2), "np": (0, 1, 2), "tag": (0, 1)}.get(task.name if task else "", (0, 1, 2, 3))
    lines = (line.split(" ") for line in text.splitlines())
    chosen = "\n".join(" ".join(cells[i] for i in keep) if len(cells) == 4 else "" for cells in lines) + "\n"
    columns = read_columns(io.BytesIO(chosen.encode()), names=names or tuple(TOWN_COLUMNS[i] for i in keep))
    return dataclasses.replace(columns, source=path)


def open_items(path: str, *, encoding: str = "utf-8") -> ItemFile:
    """An item file with attributes: a column file, read as one, has none."""
    items = read_items(path, encoding=encoding)
    if not len(items.ind):
        raise InputError("no item has an attribute; a line is a label and attributes, with tabs between them", items.where(0))
    return items


# ---- as a model reads them ------------------------------------------------------------------------------------------------------------


def takes_items(model: Tagger) -> bool:
    """Was the model trained on items, not on columns?"""
    return isinstance(plain(model.extractor), Given)


def opened_for(
    model: Tagger,
    path: str,
    *,
    gold: bool,
    names: tuple[str, ...] | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Columns | ItemFile:
    """A whole file under the names that the model was trained with. gold: labels must be there."""
    how = remembered(model.facts, separator, encoding)
    if takes_items(model):
        _refuse_names(names)
        return open_items(path, encoding=how.encoding)
    if names is not None or path.startswith(TOWN):
        asked = Reading(None, separator_of(separator), encoding or "utf-8") if path.startswith(TOWN) else how
        columns = open_columns(path, model.task, names=names, encoding=asked.encoding, how=asked)
    else:
        columns = named_for(model, read_labelled(path, how))
        columns = with_spans_of(model.task.keep, columns) if gold and model.task.keep else columns
    trained = model.facts.get("columns", ())
    if gold and len(columns.names) < len(trained):
        raise InputError(f"the file has no gold labels: the model was trained on the columns {' '.join(trained)}", columns.where(0))
    return columns


def streamed(
    path: str,
    model: Tagger,
    *,
    names: tuple[str, ...] | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    text: bool = False,
) -> Iterator[Columns | ItemFile]:
    """A file to be labelled, piece by piece; the label column may be missing. text: the file is plain text, a paragraph on each line."""
    if text and (takes_items(model) or names is not None or separator is not None or path.startswith(TOWN)):
        raise InputError("--text is for files of plain text and models of columns; leave it out, or --columns, --separator and town:")
    how = remembered(model.facts, separator, encoding)
    if takes_items(model):
        _refuse_names(names)
        yield open_items(path, encoding=how.encoding)
    elif text:
        columns = json_lines.read_texts(*read_text(path, how.encoding))
        yield answering(model, dataclasses.replace(columns, format="jsonl"))
    elif path.startswith(TOWN) or how.of(path) != "columns":
        yield opened_for(model, path, gold=False, names=names, separator=separator, encoding=encoding)
    else:
        for columns in stream_columns(path, names=names, encoding=how.encoding, separator=how.separator):
            yield named_for(model, columns) if names is None else columns


def _refuse_names(names: tuple[str, ...] | None) -> None:
    if names is not None:
        raise InputError("--columns is for column files, and this model was trained on items; leave it out")


def named_for(model: Tagger, columns: Columns) -> Columns:
    """Columns under the names that the model was trained with; the label column may be missing."""
    if columns.format != "columns":  # such a file has names of its own
        return answering(model, columns)
    names = tuple(model.facts.get("columns", ()))
    width = len(columns.names)
    if names and width == len(names):
        return dataclasses.replace(columns, names=names)
    if names and width == len(names) - 1:
        at = model.label_place()
        columns = dataclasses.replace(columns, names=names[:at] + names[at + 1 :])
        doubt_columns(model, columns)
        return columns
    if names:
        told = f"the file has {several(width, 'column')}, the model was trained on {len(names)} ({' '.join(names)})"
        if width == 1 and columns.separator is not None:
            told += f" with {columns.separator!r} between them; name this file's separator with --separator, such as blanks"
            raise InputError(told, columns.where(0))
        raise InputError(f"{told}; the label alone may be missing", columns.where(0))
    return columns


def answering(model: Tagger, columns: Columns) -> Columns:
    """Columns with names of their own, those that the model looks at among them; a treebank is told which of them answers replace."""
    missing = [name for name in sorted(model.looks_at()) if name not in columns.names and not name.isdigit()]
    if missing:
        there = ", ".join(columns.names)
        raise InputError(
            f"the model looks at column {', '.join(missing)}, and the file has {there}; name yours with --columns", columns.where(0)
        )
    if columns.format == "conllu" and model.label_column in treebanks.NAMES:
        return dataclasses.replace(columns, origin=dataclasses.replace(columns.origin, answered=model.label_column))
    return columns


def sentence_columns(text: str, model: Tagger) -> Columns:
    """ "The/DT cat/NN" as columns: as many parts between slashes as the model has columns without the label; one part needs no slash."""
    if takes_items(model) or len(text.split()) < 2:
        raise InputError('there is no such file, and a sentence has two tokens or more between quotes: "The cat"', text)
    names = model.input_columns()
    tokens = []
    for number, piece in enumerate(text.split(), 1):
        parts = [piece] if len(names) == 1 else SLASH.split(piece)
        if len(parts) != len(names) or not all(parts):
            form = "/".join(names)
            raise InputError(
                f"token {number} is {piece!r} and the model needs {several(len(names), 'part')} with slashes between; write {form} for "
                r"every token, \/ for a slash in a word, or give a column file"
            )
        tokens.append(parts)
    return from_sentences([tokens], names=names)
