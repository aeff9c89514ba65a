r"""CRFsuite's item files: one item (token) per line, LABEL TAB ATTRIBUTE TAB ATTRIBUTE:VALUE ..., empty lines between sequences.

A colon in a name is written \: and a backslash \\ ; an attribute without a value has the value 1. A line @weight:2 is the
weight of the sequence that it stands in or before.
"""

import itertools
import os
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

import numpy as np

from widemargin.errors import InputError
from widemargin.readers.encodings import UTF8_MARK, read_whole, undecodable
from widemargin.readers.files import atomic_writer
from widemargin.readers.sentences import Sentences

WEIGHT = "@weight:"
LARGEST = float(np.finfo(np.float32).max) * (1 + 2.0**-26)  # what still rounds to it
_ESCAPED, _SPECIAL = re.compile(r"\\([:\\])"), re.compile(r"[:\\]")
_COLON_OR_ESCAPE = re.compile(r":|\\[:\\]")
_FORBIDDEN = re.compile(r"[\t\n\r]")


@dataclass(frozen=True, eq=False)
class Items(Sentences):
    """The attributes of N items (tokens) in S sequences, as sparse rows of values; an item may have one twice."""

    row_ptr: np.ndarray  # int64 [S+1], sequence bounds in items
    ptr: np.ndarray  # int64 [N+1], where each item's attributes begin
    ind: np.ndarray  # int32 [nnz], names[ind[p]] is the attribute; where names is None, its column
    val: np.ndarray  # float32 [nnz], or empty: all 1
    names: list[str] | None  # of the attributes: distinct, in order of first appearance
    width: int = 0  # how many columns, where names is None

    def sentence(self, number: int) -> list[list[tuple[str, float]]]:
        """The pairs (attribute, value) of each item."""
        out = []
        for t in range(*self.row_ptr[number : number + 2].tolist()):
            at = slice(*self.ptr[t : t + 2].tolist())
            names = [str(i) if self.names is None else self.names[i] for i in self.ind[at].tolist()]
            out.append(list(zip(names, self.val[at].tolist() if len(self.val) else [1.0] * len(names))))
        return out


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemFile(Items):
    """An item file in memory: items with their labels."""

    labels: np.ndarray  # int32 [N]
    label_values: list[str]  # distinct, in order of first appearance; label_values[labels[t]] is the label of item t
    weight: np.ndarray  # float64 [S]
    line: np.ndarray  # int32 [N], line number from 1
    source: str  # the file's name, for messages
    text: bytes = b""  # the file as it was read

    def where(self, item: int) -> str:
        """file:line of an item."""
        return f"{self.source}:{self.line[item]}"


class _Numbers(dict[str, int]):
    """Numbers for strings in order of first appearance."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number

    def of(self, strings: Iterable[str]) -> np.ndarray:
        return np.fromiter(map(self.__getitem__, strings), np.int32)


def read_items(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8") -> ItemFile:
    """A whole item file (plain, gzip, or "-"), or an open file."""
    data, source = read_whole(path, encoding)
    try:
        return _parse(data.decode(), source)
    except UnicodeDecodeError as error:
        raise undecodable(error, 1, source) from None


def _parse(text: str, source: str) -> ItemFile:
    label_texts, fields = _Numbers(), _Numbers()  # as written
    labels, field, lines = array("i"), array("i"), array("i")
    ptr, row_ptr, weight = array("q", [0]), array("q", [0]), array("d", [1.0])
    number_of = fields.__getitem__
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.isspace():
            if row_ptr[-1] < len(labels):
                row_ptr.append(len(labels))
                weight.append(1.0)
            continue
        label, *attributes = line.rstrip("\r").split("\t")
        if label.startswith(WEIGHT):
            weight[-1] = _weight(label, f"{source}:{number}")
            if not attributes:
                continue
            label, *attributes = attributes
        if not label:
            raise InputError("the label is missing; a line is a label and attributes, with tabs between them.", f"{source}:{number}")
        labels.append(label_texts[label])
        field.extend(map(number_of, filter(None, attributes)))
        ptr.append(len(field))
        lines.append(number)
    if not labels:
        raise InputError("there is no item in this file; give one per line, its label first, and empty lines between sequences.", source)
    if row_ptr[-1] < len(labels):
        row_ptr.append(len(labels))
    starts, used, at = np.array(ptr, np.int64), np.array(field, np.int32), np.array(lines, np.int32)
    read = [_attribute(text) for text in fields]
    for j, (_, value) in enumerate(read):
        if value is None:
            item = np.searchsorted(starts, np.argmax(used == j), side="right") - 1
            sentence = rf"the attribute {list(fields)[j]!r} has no number after its colon; write \: for a colon that belongs to the name."
            raise InputError(sentence, f"{source}:{at[item]}")
    names, values = _Numbers(), _Numbers()
    name = names.of(text for text, _ in read)
    label_code = values.of(map(_unescaped, label_texts))
    val = np.array([value for _, value in read], np.float32)
    return ItemFile(
        row_ptr=np.array(row_ptr, np.int64),
        ptr=starts,
        ind=name[used],
        val=val[used],
        names=list(names),
        labels=label_code[np.array(labels, np.int32)],
        label_values=list(values),
        weight=np.array(weight[: len(row_ptr) - 1], np.float64),
        line=at,
        source=source,
        text=text.encode(),
    )


def _attribute(field: str) -> tuple[str, float | None]:
    """The name and value of an attribute as written; None when the value is no number."""
    if ":" not in field:
        return _unescaped(field), 1.0
    colon = max((found.start() for found in _COLON_OR_ESCAPE.finditer(field) if found[0] == ":"), default=len(field))
    return _unescaped(field[:colon]), _number(field[colon + 1 :] or "1")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None


def _weight(field: str, where: str) -> float:
    weight = _number(field.removeprefix(WEIGHT))
    if weight is None or weight < 0:
        raise InputError(f"{field!r} is not a weight; write a number from 0 up, e.g. {WEIGHT}2.", where)
    return weight


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def write_items(items: ItemFile, out: str | os.PathLike[str] | BinaryIO) -> None:
    """Items to a file (packed when its name ends in .gz, "-" for standard output) or to an open binary file; read_items reads the same."""
    empty = np.flatnonzero(np.diff(items.row_ptr) < 1)
    if len(empty):
        raise InputError(f"sequence {empty[0] + 1} has no item, which an item file cannot show; leave it out.")
    if any(not value.strip() for value in items.label_values):
        raise InputError("a label is empty or blank, which an item file cannot show; give every item a label, e.g. O.")
    names, labels = _escaped(items.names or [], "attribute"), _escaped(items.label_values, "label")
    value_bits = items.val.astype(np.float32).view(np.uint32).astype(np.int64)
    pairs, field = np.unique(items.ind.astype(np.int64) << 32 | value_bits, return_inverse=True)
    values = (pairs & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    fields = [name if value == 1 and name else f"{name}:{value!s}" for name, value in zip((names[i] for i in pairs >> 32), values)]
    numbers, starts, codes = field.tolist(), items.ptr.tolist(), items.labels.tolist()
    lines: list[str] = []
    for (low, high), weight in zip(itertools.pairwise(items.row_ptr.tolist()), items.weight.tolist()):
        if weight != 1:
            lines.append(f"{WEIGHT}{weight!r}")
        for t in range(low, high):
            lines.append("\t".join([labels[codes[t]], *(fields[j] for j in numbers[starts[t] : starts[t + 1]])]))
        lines.append("")
    data = "\n".join([*lines, ""]).encode()
    if data.startswith(UTF8_MARK):  # of the first label; readers take one mark away
        data = UTF8_MARK + data
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(data)
    else:
        out.write(data)


def _escaped(texts: list[str], kind: str) -> list[str]:
    bad = next(filter(_FORBIDDEN.search, texts), None)
    if bad is not None:
        raise InputError(f"the {kind} {bad!r} holds a tab or a line end, which an item file cannot hold; replace it.")
    return [_SPECIAL.sub(r"\\\g<0>", text) for text in texts]
