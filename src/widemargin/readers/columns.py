"""CoNLL column files: one token per line, blank lines between sentences, -DOCSTART- lines between documents.

The file's bytes become integer codes in one compiled pass (readers/scan.py); only distinct values become Python strings.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

import numpy as np

from widemargin.engine.settings import whole_number
from widemargin.errors import InputError
from widemargin.readers import scan as kernels
from widemargin.readers.encodings import Recoder, check_text, read_whole
from widemargin.readers.files import atomic_writer, file_name, open_bytes
from widemargin.readers.parsing import column_names, parse, separator_byte
from widemargin.readers.sentences import Sentences

DOCUMENT_MARK = bytes(kernels.DOCUMENT_MARK)


@dataclass(frozen=True, eq=False)
class Columns(Sentences):
    """A column file in memory: a sequence of sentences, each a list of tokens, each a tuple of cells.

    Inside: integer codes per cell, the distinct values of each column, and where sentences and documents begin.
    """

    names: tuple[str, ...]  # "0", "1", ... unless given
    codes: np.ndarray  # int32 [C, N], in order of first occurrence
    values: tuple[list[str], ...]  # values[c][codes[c, t]] is the cell
    row_ptr: np.ndarray  # int64 [S+1], sentence bounds in tokens
    doc_ptr: np.ndarray  # int64 [D+1], document bounds in sentences
    line: np.ndarray  # int32 [N], line number from 1
    source: str  # the file's name, for messages
    text: np.ndarray  # uint8, the file as UTF-8, ending with a newline
    begin: np.ndarray  # int64 [N], where the token's line begins in text
    stop: np.ndarray  # int64 [N], where its last cell ends
    separator: str | None = None  # None: runs of spaces and tabs
    marked: bool = False  # whether the first document has a mark; without one, it may be no document at all
    format: str = "columns"  # of the file that it was
    encoding: str = "utf-8"  # of that file
    label_names: tuple[str, ...] = ()  # that its last column has numbers for
    origin: Any = None  # where the format is another: write(answers, out) writes them into that file

    @property
    def has_documents(self) -> bool:
        """Is there a mark of a document?"""
        return self.marked or len(self.doc_ptr) > 2

    def sentence(self, number: int) -> list[tuple[str, ...]]:
        """A tuple of cells for each token."""
        low, high = self.row_ptr[number : number + 2].tolist()
        return list(zip(*([values[code] for code in codes[low:high].tolist()] for codes, values in zip(self.codes, self.values))))

    def column(self, name: str | int) -> int:
        """The index of a column given by name or number; negative numbers count from the end."""
        if isinstance(name, str) and name in self.names:
            return self.names.index(name)
        number = name if isinstance(name, int) else whole_number(name)
        if number is None or not -len(self.names) <= number < len(self.names):
            there = ", ".join(f"{c} ({n})" if n != str(c) else n for c, n in enumerate(self.names))
            raise InputError(f"there is no column {name!r:.60}; the columns are {there}.", self.source)
        return number % len(self.names)

    def cells(self, column: str | int) -> list[str]:
        """The strings of one column, one per token."""
        c = self.column(column)
        return np.array(self.values[c], dtype=object)[self.codes[c]].tolist()

    def where(self, token: int) -> str:
        """file:line of a token."""
        return f"{self.source}:{self.line[token]}"


class OverColumns(Sentences):
    """What data that are made of columns, and more, have of them."""

    columns: Columns

    @property
    def row_ptr(self) -> np.ndarray:  # type: ignore[override]
        """int64 [S+1], sentence bounds in words."""
        return self.columns.row_ptr

    @property
    def text(self) -> np.ndarray:
        """uint8, what was read, as UTF-8."""
        return self.columns.text

    @property
    def source(self) -> str:
        """The name of what was read, for messages."""
        return self.columns.source


def read_columns(
    path: str | os.PathLike[str] | IO[Any], *, names: Sequence[str] | None = None, encoding: str = "utf-8", separator: str | None = None
) -> Columns:
    """A whole column file (plain, gzip, or "-"), or an open file; columns are separated by runs of spaces and tabs unless named."""
    data, source = read_whole(path, encoding)
    return parse_columns(data, names, separator, source)


def stream_columns(
    path: str | os.PathLike[str],
    *,
    tokens: int = 200_000,
    names: Sequence[str] | None = None,
    encoding: str = "utf-8",
    separator: str | None = None,
) -> Iterator[Columns]:
    """The same file in pieces of at most `tokens` tokens: whole documents where one fits, else whole sentences."""
    source = file_name(path)
    recode, byte = Recoder(encoding, source), separator_byte(separator)
    rest, line, width, ended, marked = b"", 1, 0, False, False
    with open_bytes(path) as handle:
        while not ended:
            block = handle.read(max(1 << 16, min(16 * tokens, 1 << 24), len(rest)))  # twice the rest: long sentences are scanned few times
            ended = not block
            rest += recode(block, final=ended)
            while cut := _cut(rest, byte, tokens, ended):
                piece = parse_columns(rest[:cut], names, separator, source, line=line, width=width, marked=marked)
                yield piece
                marked = piece.has_documents
                line, width, rest = line + rest.count(b"\n", 0, cut), len(piece.names), rest[cut:]
    yield parse_columns(rest, names, separator, source, line=line, width=width, marked=marked)


def from_sentences(
    sentences: Sequence[Sequence[Sequence[str]]], *, names: Sequence[str] | None = None, documents: Sequence[int] | None = None
) -> Columns:
    """Columns from sentences, each a sequence of tokens, each a sequence of as many strings as there are columns.

    documents: how many sentences each document has; without it there are no document marks.
    """
    rows = [token for sentence in sentences for token in sentence]
    row_ptr = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences], dtype=np.int64)]).astype(np.int64)
    if not rows:
        raise InputError("there is no token in these sentences; give at least one sentence with one token.")
    for t, row in enumerate(rows):
        if isinstance(row, str) or len(row) != len(rows[0]):
            s = int(np.searchsorted(row_ptr, t, side="right"))
            has = f"is the string {row!r}" if isinstance(row, str) else f"has {len(row)} columns and the first has {len(rows[0])}"
            raise InputError(
                f"this token {has}; give every token as a tuple with the same number of strings.",
                f"sentence {s}, token {t - row_ptr[s - 1] + 1}",
            )
    codes, values = [], []
    for column in zip(*rows):
        index: dict[str, int] = {}
        codes.append([index.setdefault(cell, len(index)) for cell in column])
        values.append(list(index))
    check_text((cell for column in values for cell in column), "the cell")
    for cell in (cell for column in values for cell in column):
        if any(mark in cell for mark in "\t\n\r"):
            raise InputError(f"the cell {cell!r} holds a tab or a line end, which a column file cannot hold; replace it.")
    if documents is not None and (sum(documents) != len(sentences) or min(documents) < 1):
        raise InputError(
            f"the documents have {sum(documents)} sentences, but {len(sentences)} are given; say how many each one has, from 1 up."
        )
    doc_ptr = np.cumsum([0, *([len(sentences)] if documents is None else documents)], dtype=np.int64)
    opening = set(doc_ptr.tolist()) if documents is not None else set()
    pieces: list[bytes] = []
    begin, stop, line, at = [], [], [], 0
    for s, sentence in enumerate(sentences):
        if s in opening:
            pieces += [DOCUMENT_MARK, b""]
            at += len(DOCUMENT_MARK) + 2
        for row in sentence:
            cells = "\t".join(row).encode()
            begin.append(at)
            stop.append(at + len(cells))
            line.append(len(pieces) + 1)
            pieces.append(cells)
            at = stop[-1] + 1
        pieces.append(b"")
        at += 1
    return Columns(
        column_names(names, len(codes), "<sentences>"),
        np.array(codes, np.int32),
        tuple(values),
        row_ptr,
        doc_ptr,
        np.array(line, np.int32),
        "<sentences>",
        np.frombuffer(b"\n".join(pieces) + b"\n", np.uint8),
        np.array(begin, np.int64),
        np.array(stop, np.int64),
        "\t",
        documents is not None,
    )


def document_sizes(begins: Sequence[int], sentences: int) -> list[int] | None:
    """How many sentences each document has, from the sentences with which documents begin; None where there are none."""
    if not begins:
        return None
    bounds = np.unique([0, *begins, sentences])
    return np.diff(bounds).tolist()


def write_columns(
    columns: Columns,
    extra: Sequence[tuple[np.ndarray, Sequence[str]]],
    out: str | os.PathLike[str] | BinaryIO,
    *,
    only_extra: bool = False,
) -> None:
    """The input as it was (lines, blank lines, -DOCSTART- lines), with columns added, each given as codes [N] and its values [V].

    only_extra leaves out the input's own cells, so that the output has the same lines with the added columns alone.
    """
    strings = [value.encode() for _, values in extra for value in values]
    shifts = np.cumsum([0] + [len(values) for _, values in extra])
    codes = np.empty((len(extra), columns.tokens), np.int64)
    for e, (column, values) in enumerate(extra):
        if len(column) != columns.tokens or (len(column) and not 0 <= np.min(column) <= np.max(column) < len(values)):
            raise InputError(
                f"added column {e + 1} has {len(column)} codes for {columns.tokens} tokens and {len(values)} values; give one code in"
                " range(len(values)) per token."
            )
        codes[e] = column
        codes[e] += shifts[e]
    pool_ptr = np.cumsum([0] + [len(string) for string in strings], dtype=np.int64)
    size = len(columns.text) + codes.size + int(np.diff(pool_ptr)[codes].sum())
    woven = np.empty(size, np.uint8)
    pool = np.frombuffer(b"".join(strings), np.uint8)
    byte = separator_byte(columns.separator)
    length = kernels.weave(columns.text, columns.begin, columns.stop, byte, kernels.Extra(codes, pool, pool_ptr), only_extra, woven)
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(woven[:length].data)
    else:
        out.write(woven[:length].data)


def _cut(data: bytes, separator: int, tokens: int, ended: bool) -> int:
    if ended and not data.endswith(b"\n"):
        data += b"\n"
    whole = len(data) if ended else data.rfind(b"\n") + 1
    return int(kernels.find_cut(np.frombuffer(data, np.uint8)[:whole], separator, tokens)) if whole else 0


def parse_columns(
    data: bytes,
    names: Sequence[str] | None,
    separator: str | None,
    source: str,
    *,
    line: int = 1,
    width: int = 0,
    marked: bool = False,
) -> Columns:
    """Columns of UTF-8 text whose first line has number `line`; `width` is the number of columns to expect, 0 for the first line's.

    marked: the text goes on in a document that had its mark.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data, np.uint8)
    names, codes, values, row_ptr, doc_ptr, lines, begin, stop = parse(data, names, separator, source, line=line, width=width)
    marked = marked or bool(len(begin) and data[: begin[0]].strip())  # only blank lines and marks stand before the first token
    return Columns(names, codes, values, row_ptr, doc_ptr, lines, source, text, begin, stop, separator, marked)
