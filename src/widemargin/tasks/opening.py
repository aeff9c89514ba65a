"""Data by name: a column file, or a part of the embedded corpus, under the column names of a task."""

import dataclasses
import io

import numpy as np

from widemargin.corpora import town
from widemargin.errors import InputError
from widemargin.readers.columns import Columns, read_columns

from .base import Task, task_named
from .gold import HIDDEN

TOWN = "town:"
TOWN_COLUMNS = ("word", "pos", "chunk", "entity")


def open_columns(path: str, task: Task | str | None = None, *, names: tuple[str, ...] | None = None, encoding: str = "utf-8") -> Columns:
    """A column file (.gz too, - for standard input) or town:PART[:SENTENCES], with the task's column names unless others are given."""
    if isinstance(task, str):
        task = task_named(task)
    columns = town_columns(path, task) if path.startswith(TOWN) else named_columns(path, task, names, encoding)
    return with_spans_of(task.keep, columns) if task is not None and task.keep else columns


def named_columns(path: str, task: Task | None, names: tuple[str, ...] | None, encoding: str) -> Columns:
    """A column file under the names that are given, or the task's."""
    columns = read_columns(path, names=names, encoding=encoding)
    if names is not None or task is None or not task.columns:
        return columns
    if len(columns.names) != len(task.columns):
        raise InputError(
            f"the file has {len(columns.names)} columns and {task.name} expects {len(task.columns)} ({' '.join(task.columns)}); "
            f"name yours with --columns, for example --columns {','.join(task.columns)}",
            columns.where(0),
        )
    return dataclasses.replace(columns, names=task.columns)


def with_spans_of(kind: str, columns: Columns) -> Columns:
    """The same columns with O for every label in the last of them that is of another type."""
    number: dict[str, int] = {}
    kept = (value if value == HIDDEN or value.endswith(f"-{kind}") else "O" for value in columns.values[-1])
    codes = columns.codes.copy()
    codes[-1] = np.array([number.setdefault(value, len(number)) for value in kept], codes.dtype)[codes[-1]]
    return dataclasses.replace(columns, codes=codes, values=(*columns.values[:-1], list(number)))


def town_columns(path: str, task: Task | None) -> Columns:
    """town:PART or town:PART:SENTENCES; the label column of the task stands last."""
    part, _, size = path.removeprefix(TOWN).partition(":")
    if part not in town.SIZES or (size and not size.isdigit()):
        raise InputError(
            f"{path!r} is not a part of the embedded corpus; use town:train, town:dev or town:test, with :SENTENCES behind if you like"
        )
    text = town.columns_text(part, sentences=int(size) if size else None)
    keep = {"chunk": (0, 1, 2), "np": (0, 1, 2), "tag": (0, 1)}.get(task.name if task else "", (0, 1, 2, 3))
    lines = (line.split(" ") for line in text.splitlines())
    chosen = "\n".join(" ".join(cells[i] for i in keep) if len(cells) == 4 else "" for cells in lines) + "\n"
    columns = read_columns(io.BytesIO(chosen.encode()), names=tuple(TOWN_COLUMNS[i] for i in keep))
    return dataclasses.replace(columns, source=path)
