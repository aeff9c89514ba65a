"""What commands share: opening data by name, reading options, saying how things go."""

import json
import os
import sys

from widemargin.errors import InputError
from widemargin.readers.columns import Columns, read_columns
from widemargin.tasks.base import Task

TOWN = "town:"


def open_columns(path: str, options, task: Task | None) -> Columns:
    """A column file, or a part of the embedded corpus, with the task's column names where they fit."""
    names = tuple(options.columns.split(",")) if options.columns else None
    if path.startswith(TOWN):
        return town_columns(path, task)
    columns = read_columns(path, names=names, encoding=options.encoding)
    if names is None and task is not None and len(columns.names) == len(task.columns):
        columns = read_names(columns, task.columns)
    elif names is None and task is not None and task.columns:
        raise InputError(
            f"the file has {len(columns.names)} columns and {task.name} expects {len(task.columns)} ({' '.join(task.columns)}); "
            f"name yours with --columns, for example --columns {','.join(task.columns)}",
            columns.where(0),
        )
    return columns


def read_names(columns: Columns, names: tuple[str, ...]) -> Columns:
    """The same columns under other names."""
    import dataclasses

    return dataclasses.replace(columns, names=names)


def town_columns(path: str, task: Task | None) -> Columns:
    """town:PART or town:PART:SENTENCES as columns; the label column of the task stands last."""
    import io

    from widemargin.corpora import town

    part, _, size = path.removeprefix(TOWN).partition(":")
    if part not in town.SIZES or (size and not size.isdigit()):
        raise InputError(
            f"{path!r} is not a part of the embedded corpus; use town:train, town:dev or town:test, with :SENTENCES behind if you like"
        )
    text = town.columns_text(part, sentences=int(size) if size else None)
    keep = {"chunk": (0, 1, 2), "ner": (0, 1, 2, 3), "tag": (0, 1)}[task.name if task else "ner"]
    lines = (line.split(" ") for line in text.splitlines())
    chosen = "\n".join(" ".join(cells[i] for i in keep) if len(cells) == 4 else "" for cells in lines) + "\n"
    names = ("word", "pos", "chunk", "entity")
    file = io.BytesIO(chosen.encode())
    file.name = path
    return read_columns(file, names=tuple(names[i] for i in keep))


def threads_of(options) -> int:
    """--threads, or one per core that this process may use."""
    if options.threads < 0:
        raise InputError(f"--threads is {options.threads}; it must be at least 0")
    return options.threads or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


def print_json(facts: dict) -> None:
    """One object on standard output."""
    print(json.dumps(facts, ensure_ascii=False))


class Progress:
    """Lines about work under way, on standard error: rewritten in place on a terminal, plain in a log."""

    def __init__(self):
        self.live = sys.stderr.isatty()

    def __call__(self, text: str, *, last: bool = False) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K" + text + ("\n" if last else ""))
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def note(self, text: str) -> None:
        """A line that stays."""
        self(text, last=True)


def epoch_line(facts: dict, metric: str) -> str:
    """One epoch in words."""
    line = f"epoch {facts['epoch']:3d}  loss {facts['loss']:.5f}"
    if "dev" in facts:
        line += f"  dev {metric} {facts['dev'][metric]:.2f}"
    return line + f"  {facts['seconds']:.1f} s"


def say_if_compiling(progress: Progress) -> None:
    """Compiling takes seconds, once: say so rather than seem stuck."""
    from widemargin.kernels.jit import cache_folder

    if not os.path.isdir(cache_folder()):
        progress.note("compiling kernels (first run only)")
