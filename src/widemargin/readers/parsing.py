"""The text of a column file as arrays, in memory that the text can fill."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from widemargin.errors import InputError, several
from widemargin.readers import scan as kernels
from widemargin.readers.encodings import nul_byte, undecodable

FIRST_TABLE = 1 << 14


class Parsed(NamedTuple):
    """As in Columns."""

    names: tuple[str, ...]
    codes: np.ndarray
    values: tuple[list[str], ...]
    row_ptr: np.ndarray
    doc_ptr: np.ndarray
    line: np.ndarray
    begin: np.ndarray
    stop: np.ndarray


def separator_byte(separator: str | None) -> int:
    """A separator as the scan wants it; None: runs of spaces and tabs."""
    if separator is None:
        return kernels.BLANKS
    if len(separator) != 1 or not separator.isascii() or separator in "\n\r\0":
        raise InputError(f"the separator {separator!r} is not one ASCII character; give '\\t', say, or None for runs of spaces and tabs.")
    return ord(separator)


def column_names(names: Sequence[str] | None, width: int, source: str) -> tuple[str, ...]:
    """The names of so many columns: numbers unless given."""
    if names is not None and len(names) != width:
        told = f"{several(width, 'column')} cannot have {several(len(names), 'name')} ({', '.join(names)})"
        raise InputError(f"{told}; give one name per column.", source)
    return tuple(names) if names is not None else tuple(str(c) for c in range(width))


@np.errstate(over="ignore")  # with the JIT off, NumPy would warn that hashes wrap around
def parse(data: bytes, names: Sequence[str] | None, separator: str | None, source: str, *, line: int, width: int) -> Parsed:
    """The cells of UTF-8 text that ends with a newline and begins with line number `line`. The first line that is wrong is named.

    width: how many columns to expect, 0 for the first token's.
    """
    width = width or _scan(data, separator, 0)[-1][kernels.CELLS]
    if not width:
        raise InputError("there is no token in this file; give a file with one token per line and blank lines between sentences.", source)
    names = column_names(names, width, source)
    found, cells, (at, number, tokens, sentences, documents, known, other) = _scan(data, separator, width)
    if separator is None and (nul := data.find(0, 0, at if other else len(data))) >= 0:
        at, number, other = data.rfind(b"\n", 0, nul) + 1, data.count(b"\n", 0, nul), -1
    if other:
        parse(data[:at], names, separator, source, line=line, width=width)  # is a line before it wrong?
        raise _wrong_line(other, width, separator, f"{source}:{line + number}")
    codes = np.ascontiguousarray(found.codes[:, :tokens])
    lines, begin, stop = found.line[:tokens] + line, found.begin[:tokens], found.stop[:tokens]
    try:
        values = _distinct_values(np.frombuffer(data, np.uint8), cells.distinct[:known], cells.counts)
    except UnicodeDecodeError:
        raise _undecodable_token(data, begin, stop, lines, source) from None
    return Parsed(names, codes, values, found.row_ptr[: sentences + 1].copy(), found.doc_ptr[: documents + 1].copy(), lines, begin, stop)


def _scan(data: bytes, separator: str | None, width: int) -> tuple[kernels.Found, kernels.Cells, list[int]]:
    """A scan for so many columns, with as large a table as it takes."""
    text, byte, state = np.frombuffer(data, np.uint8), separator_byte(separator), np.zeros(7, np.int64)
    # a line of so many cells has as many bytes at least, and lines that are empty hold none
    lines = min(int(np.count_nonzero((text[1:] == kernels.NEWLINE) & (text[:-1] != kernels.NEWLINE))) + 1, len(text) // max(width, 1))
    numbers, begin, stop = np.empty(lines, np.int32), np.empty(lines, np.int64), np.empty(lines, np.int64)
    row_ptr, doc_ptr = np.zeros(lines + 2, np.int64), np.zeros(data.count(kernels.DOCUMENT_MARK.tobytes()) + 2, np.int64)
    codes, counts = np.empty((width, lines), np.int32), np.zeros(width, np.int64)
    found = kernels.Found(codes, numbers, begin, stop, row_ptr, doc_ptr)
    distinct, size = np.empty((0, 5), np.int64), FIRST_TABLE
    while True:
        distinct = np.resize(distinct, (size // 2, 5))
        table = np.full(size, -1, np.int32)
        kernels.rehash(distinct, state[kernels.KNOWN], table)
        cells = kernels.Cells(table, distinct, counts)
        if kernels.scan(text, byte, state, cells, found):
            return found, cells, state.tolist()
        size *= 2


def _wrong_line(cells: int, width: int, separator: str | None, where: str) -> InputError:
    """The error for a line with another number of cells than the first, or (-1) with a NUL."""
    if cells < 0:
        return nul_byte(where)
    how = "spaces or tabs" if separator is None else repr(separator)
    hint = "" if separator else ", or name the separator if cells may be empty or hold spaces"
    told = f"this line has {several(cells, 'column')} and the first line {width}"
    return InputError(f"{told}; give every token the same columns, separated by {how}{hint}.", where)


def _undecodable_token(data: bytes, begin: np.ndarray, stop: np.ndarray, lines: np.ndarray, source: str) -> InputError:
    """The error for the first token that is no UTF-8; there is one."""
    for low, high, line in zip(begin.tolist(), stop.tolist(), lines.tolist()):
        try:
            data[low:high].decode()
        except UnicodeDecodeError as error:
            return undecodable(error, line, source)
    raise AssertionError("all tokens are UTF-8")


def _distinct_values(text: np.ndarray, distinct: np.ndarray, counts: np.ndarray) -> tuple[list[str], ...]:
    """The distinct cells [U, 5] of each column, of which it has so many, in order."""
    mine = distinct[np.argsort(distinct[:, kernels.COLUMN], kind="stable")]
    begin, length = mine[:, kernels.BEGIN], mine[:, kernels.LENGTH] + 1
    end = np.cumsum(length)
    out = text[np.arange(length.sum()) + np.repeat(begin - end + length, length)]
    out[end - 1] = kernels.NEWLINE
    cells = out.tobytes().decode().split("\n")
    bounds = [0, *np.cumsum(counts).tolist()]
    return tuple(cells[low:high] for low, high in zip(bounds, bounds[1:]))
