"""Files of labelled tokens that are no plain columns: read as columns, written as what they were.

FORMATS has a reader for each: reader(text, source, separator) -> Columns, whose `origin` writes answers into the file they came from.
"""

import dataclasses
from dataclasses import dataclass

from widemargin.errors import InputError
from widemargin.families.tagging.formats import json_lines, tables, treebanks
from widemargin.families.tagging.formats.recognition import format_of
from widemargin.readers.columns import Columns, read_columns
from widemargin.readers.encodings import read_text

FORMATS = {"conllu": treebanks.read, "csv": tables.read, "tsv": tables.read_tabs, "jsonl": json_lines.read}
SEPARATORS = {"blanks": None, "tab": "\t", "comma": ",", "semicolon": ";"}


def separator_of(name: str | None) -> str | None:
    """The character that a name of --separator stands for; None: runs of blanks and tabs."""
    if name is None or len(name) == 1:
        return name
    if name.lower() not in SEPARATORS:
        raise InputError(f"there is no separator {name!r:.40}; give {', '.join(SEPARATORS)}, or one character")
    return SEPARATORS[name.lower()]


@dataclass(frozen=True)
class Reading:
    """How a file is read. format None: as its name or its first lines tell."""

    format: str | None = None
    separator: str | None = None  # a character; None: runs of blanks and tabs, in a CSV commas
    encoding: str = "utf-8"
    otherwise: str = "columns"  # the format of files that tell none
    label_names: tuple[str, ...] = ()  # of labels that a file has as numbers

    def of(self, path: str) -> str:
        """The format of this file."""
        return self.format or format_of(path, self.encoding, self.otherwise)

    def facts(self) -> dict:
        """What a model's header says of it: no word of what is usual."""
        usual = Reading("columns")
        found = {name: value for name, value in dataclasses.asdict(self).items() if value != getattr(usual, name)}
        return found | ({"label_names": list(self.label_names)} if self.label_names else {})


def reading_of(columns: Columns) -> Reading:
    """How these columns were read."""
    separator = columns.separator if columns.format == "columns" else getattr(columns.origin, "separator", None)
    return Reading(columns.format, separator, columns.encoding, label_names=columns.label_names)


def remembered(facts: dict, separator: str | None, encoding: str | None) -> Reading:
    """How a model reads files: as its training file was, unless it is told otherwise."""
    found = facts.get("reading", {})
    known = {"separator": str, "encoding": str, "format": str}
    usable = isinstance(found, dict) and all(isinstance(found[name], known[name]) for name in known if name in found)
    names = found.get("label_names", []) if usable else None
    if (
        not usable
        or not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
        or found.get("format", "columns") not in ("columns", *FORMATS)
    ):
        raise InputError("facts.reading in the model's header does not say how files are read; the model is damaged")
    return Reading(
        None,
        found.get("separator") if separator is None else separator_of(separator),
        encoding or found.get("encoding", "utf-8"),
        found.get("format", "columns"),
        tuple(names),
    )


def read_labelled(path: str, how: Reading) -> Columns:
    """A file as columns."""
    format = how.of(path)
    if format == "columns":
        columns = read_columns(path, encoding=how.encoding, separator=how.separator)
    else:
        if how.separator is not None and format != "csv":
            raise InputError(f"--separator is for columns and csv, and {path} is read as {format}; leave it out, or --format columns")
        columns = FORMATS[format](*read_text(path, how.encoding), how.separator)
    columns = dataclasses.replace(columns, format=format, encoding=how.encoding)
    return with_names(columns, how.label_names) if how.label_names and columns.tokens else columns


def with_names(columns: Columns, names: tuple[str, ...]) -> Columns:
    """The columns with names in the place of the numbers of the last one. A file that has names already stays as it is."""
    values = columns.values[-1]
    numbers = [int(value) if value.isdecimal() and len(value) < 9 else -1 for value in values]
    if set(values) <= set(names) or len(columns.names) < 2:
        return dataclasses.replace(columns, label_names=names)
    if bad := next((value for value, number in zip(values, numbers) if not 0 <= number < len(names)), None):
        told = f"the label {bad!r} is neither one of the {len(names)} names nor a number from 0 to {len(names) - 1}"
        raise InputError(f"{told}; give --label-names in the order of their numbers", columns.source)
    return dataclasses.replace(columns, values=(*columns.values[:-1], [names[number] for number in numbers]), label_names=names)
