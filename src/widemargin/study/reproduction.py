"""Published results by name: each is a function from settings to a report."""

import contextlib
import datetime
import importlib
import json
import os
import platform
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

import widemargin
from widemargin.corpora.catalogue import EMBEDDED
from widemargin.engine.names import known
from widemargin.errors import InputError
from widemargin.show.figures import can_draw
from widemargin.show.tables import Column, markdown_table, text_table
from widemargin.study.cells import Means
from widemargin.study.papers import REPRODUCTIONS
from widemargin.study.texts import write_texts
from widemargin.workers import Engine


@dataclass(frozen=True)
class Settings:
    """What a reproduction may be told."""

    data: str | None = None  # folder of data sets; None: $WIDEMARGIN_DATA, or the embedded corpus
    task: str | None = None  # None: the study's own
    sentences: int | None = None  # only the first so many of each file (yu-lam: of the training file, 0 for all)
    folds: int | None = None  # train on each of the first so many folds alone; None: on each
    epochs: int | None = None  # None: the study's own
    seed: int = 1
    samples: int = 10_000  # of the paired bootstrap
    seeds: int | None = None  # how many; None: the study's own
    threads: int = 1
    engine: Engine | None = None  # who fits; None: this process, one fit after the other
    quick: bool = False  # a small study of the embedded corpus
    only: tuple[str, ...] = ()  # rows of these names, or whose names begin like one of them; none: all
    folder: str | None = None  # where runs are kept, for studies that can be interrupted; None: nowhere
    listen: Callable[[str, dict], None] | None = None  # told of every epoch
    say: Callable[[str], None] | None = None  # told of every result, in words

    @property
    def place(self) -> str | None:
        """The folder of the data; that of a quick study is the embedded corpus."""
        return EMBEDDED if self.quick else self.data

    def sized(self, *, sentences: int | None = None, epochs: int | None = None) -> "Settings":
        """Of a quick study: on the embedded corpus, with so many sentences and epochs where no others are asked for."""
        if not self.quick:
            return self
        return replace(self, data=EMBEDDED, sentences=self.sentences or sentences, epochs=self.epochs or epochs)

    @property
    def means(self) -> Means:
        """How the cells of a tuned study come about."""
        return Means(self.folder, self.engine, self.threads, self.say)

    def wants(self, row: str, rows: Collection[str] = ()) -> bool:
        """Is this row asked for? The whole name of one of these rows means it alone."""
        return not self.only or any(row == part or (part not in rows and row.startswith(part)) for part in self.only)


@dataclass(frozen=True)
class Section:
    """A table with a title."""

    title: str
    rows: list[dict]
    columns: list[Column]

    def as_dict(self) -> dict:
        """What is shown of it, and no more."""
        keys = [column.key for column in self.columns]
        columns = [[column.key, column.title, column.precision] for column in self.columns]
        return {"title": self.title, "columns": columns, "rows": [{key: row[key] for key in keys if key in row} for row in self.rows]}


@dataclass(frozen=True)
class Report:
    """Tables, everything as data, and how to draw the figure if there is one: given a path without its ending, it returns the files."""

    sections: list[Section]
    facts: dict
    draw: Callable[[str], list[str]] | None = field(default=None)

    def text(self) -> str:
        """The tables as plain text."""
        return "\n".join(f"{section.title}\n\n{text_table(section.rows, section.columns)}" for section in self.sections)

    def write(self, folder: str, name: str, command: str = "") -> list[str]:
        """NAME.md, NAME.json and the figure in a folder; returns their paths. command: what was typed, for pages (pages.py)."""
        tables = [f"## {section.title}\n\n{markdown_table(section.rows, section.columns)}" for section in self.sections]
        kept = {"made": made(command), "tables": [section.as_dict() for section in self.sections]}
        written = write_texts(folder, {f"{name}.md": "\n".join(tables), f"{name}.json": json.dumps(self.facts | kept, indent=1) + "\n"})
        return written + (self.draw(os.path.join(folder, name)) if self.draw and can_draw() else [])


def made(command: str) -> dict:
    """By what, when and where a report was made."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    machine = f"{model}, {os.cpu_count()} cores"
    return {"command": command, "date": datetime.date.today().isoformat(), "machine": machine, "widemargin": widemargin.__version__}


def reproduction_named(name: str) -> Callable[[Settings], Report]:
    """A reproduction by name; unknown names are refused with those that exist."""
    name = known("reproduction", name, REPRODUCTIONS)
    return importlib.import_module(f"widemargin.study.papers.{REPRODUCTIONS[name][0]}").report


def refuse_unused(name: str, given: Iterable[str]) -> None:
    """Refuse settings that a reproduction does not read."""
    used = REPRODUCTIONS[name][1]
    for setting in given:
        if setting not in used:
            having = [other for other, (_, uses) in REPRODUCTIONS.items() if setting in uses]
            has = f"it takes {', '.join('--' + use for use in used)}" if used else "it takes no settings"
            raise InputError(f"--{setting} changes nothing in {name}; {has}. --{setting} is for {', '.join(having)}")
