"""CoNLL column files: one token per line, blank lines between sentences, -DOCSTART- lines between documents.

The file's bytes become integer codes in one compiled pass (kernels/text.py); only distinct values become Python strings.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels import text as kernels
from widemargin.readers.encodings import Recoder, read_whole, undecodable
from widemargin.readers.files import atomic_writer, file_name, open_bytes

DOCUMENT_MARK = bytes(kernels.DOCUMENT_MARK)
FIRST_TABLE = 1 << 14


@dataclass(frozen=True, eq=False)
class Columns:
    """A column file in memory: integer codes per cell, the distinct values of each column, and where sentences and documents begin."""

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

    def __len__(self) -> int:
        return self.codes.shape[1]

    def column(self, name: str | int) -> int:
        """The index of a column given by name or number; negative numbers count from the end."""
        if isinstance(name, str) and name in self.names:
            return self.names.index(name)
        number = name if isinstance(name, int) else int(name) if name.removeprefix("-").isdecimal() else None
        if number is None or not -len(self.names) <= number < len(self.names):
            there = ", ".join(f"{c} ({n})" if n != str(c) else n for c, n in enumerate(self.names))
            raise InputError(f"there is no column {name!r}; the columns are {there}.", self.source)
        return number % len(self.names)

    def cells(self, column: str | int) -> list[str]:
        """The strings of one column, one per token."""
        c = self.column(column)
        return np.array(self.values[c], dtype=object)[self.codes[c]].tolist()

    def where(self, token: int) -> str:
        """file:line of a token."""
        return f"{self.source}:{self.line[token]}"


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
    recode, byte = Recoder(encoding, source), _separator_byte(separator)
    rest, line, width, ended, marked = b"", 1, 0, False, False
    with open_bytes(path) as handle:
        while not ended:
            block = handle.read(min(max(1 << 16, 16 * tokens), 1 << 24))
            ended = not block
            rest += recode(block, final=ended)
            while cut := _cut(rest, byte, tokens, ended):
                piece = parse_columns(rest[:cut], names, separator, source, line=line, width=width, marked=marked)
                yield piece
                marked = piece.marked or len(piece.doc_ptr) > 2
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
    for cell in (cell for column in values for cell in column):
        if any(mark in cell for mark in "\t\n\r"):
            raise InputError(f"the cell {cell!r} holds a tab or a line end, which a column file cannot; replace it.")
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
        _column_names(names, len(codes), "<sentences>"),
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
    codes = np.empty((len(extra), len(columns)), np.int64)
    for e, (column, values) in enumerate(extra):
        if len(column) != len(columns) or (len(column) and not 0 <= np.min(column) <= np.max(column) < len(values)):
            raise InputError(
                f"added column {e + 1} has {len(column)} codes for {len(columns)} tokens and {len(values)} values; give one code in"
                " range(len(values)) per token."
            )
        codes[e] = column
        codes[e] += shifts[e]
    pool_ptr = np.cumsum([0] + [len(string) for string in strings], dtype=np.int64)
    size = len(columns.text) + codes.size + int(np.diff(pool_ptr)[codes].sum())
    woven = np.empty(size, np.uint8)
    pool = np.frombuffer(b"".join(strings), np.uint8)
    byte = _separator_byte(columns.separator)
    length = kernels.weave(columns.text, columns.begin, columns.stop, byte, codes, pool, pool_ptr, only_extra, woven)
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(woven[:length].data)
    else:
        out.write(woven[:length].data)


def _separator_byte(separator: str | None) -> int:
    if separator is None:
        return 0
    if len(separator) != 1 or not separator.isascii() or separator in "\n\r\0":
        raise InputError(f"the separator {separator!r} is not one ASCII character; give '\\t', say, or None for runs of spaces and tabs.")
    return ord(separator)


def _column_names(names: Sequence[str] | None, width: int, source: str) -> tuple[str, ...]:
    if names is not None and len(names) != width:
        raise InputError(
            f"the file has {width} columns and {len(names)} names are given ({', '.join(names)}); give one name per column.", source
        )
    return tuple(names) if names is not None else tuple(str(c) for c in range(width))


def _cut(data: bytes, separator: int, tokens: int, ended: bool) -> int:
    if ended and not data.endswith(b"\n"):
        data += b"\n"
    whole = len(data) if ended else data.rfind(b"\n") + 1
    return int(kernels.find_cut(np.frombuffer(data, np.uint8)[:whole], separator, tokens)) if whole else 0


@np.errstate(over="ignore")  # with the JIT off, NumPy would warn that hashes wrap around
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
    text, byte = np.frombuffer(data, np.uint8), _separator_byte(separator)
    lines = int(np.count_nonzero(text == kernels.NEWLINE))
    numbers, begin, stop = np.empty(lines, np.int32), np.empty(lines, np.int64), np.empty(lines, np.int64)
    row_ptr, doc_ptr = np.zeros(lines + 2, np.int64), np.zeros(lines + 2, np.int64)

    def scan(width: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
        codes, counts, state = np.empty((width, lines), np.int32), np.zeros(width, np.int64), np.zeros(7, np.int64)
        distinct, size, done = np.empty((0, 5), np.int64), FIRST_TABLE, False
        while not done:
            distinct = np.resize(distinct, (size // 2, 5))
            table = np.full(size, -1, np.int32)
            kernels.rehash(distinct, state[kernels.KNOWN], table)
            done = kernels.scan(text, byte, state, table, distinct, counts, codes, numbers, begin, stop, row_ptr, doc_ptr)
            size *= 2
        return codes, distinct, state.tolist()

    width = width or scan(0)[2][kernels.CELLS]
    if not width:
        raise InputError("there is no token in this file; give a file with one token per line and blank lines between sentences.", source)
    codes, distinct, (_, bad, tokens, sentences, documents, known, cells) = scan(width)
    if cells:
        how = "spaces or tabs" if separator is None else repr(separator)
        hint = "" if separator else ", or name the separator if cells may be empty or hold spaces"
        raise InputError(
            f"this line has {cells} columns and the first line has {width}; give every token the same columns, separated by {how}{hint}.",
            f"{source}:{line + bad}",
        )
    try:
        values = tuple(_distinct_cells(text, distinct[:known], c).decode().split("\n")[:-1] for c in range(width))
    except UnicodeDecodeError:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise undecodable(error, line, source) from None
        raise
    numbers[:tokens] += line
    return Columns(
        _column_names(names, width, source),
        np.ascontiguousarray(codes[:, :tokens]),
        values,
        row_ptr[: sentences + 1].copy(),
        doc_ptr[: documents + 1].copy(),
        numbers[:tokens],
        source,
        text,
        begin[:tokens],
        stop[:tokens],
        separator,
        marked or bool(tokens and data[: begin[0]].strip()),  # only blank lines and marks stand before the first token
    )


def _distinct_cells(text: np.ndarray, distinct: np.ndarray, column: int) -> bytes:
    """The distinct cells [U, 5] of one column, with a newline after each."""
    mine = distinct[distinct[:, kernels.COLUMN] == column]
    begin, length = mine[:, kernels.BEGIN], mine[:, kernels.LENGTH] + 1
    end = np.cumsum(length)
    out = text[np.arange(length.sum()) + np.repeat(begin - end + length, length)]
    out[end - 1] = kernels.NEWLINE
    return out.tobytes()
