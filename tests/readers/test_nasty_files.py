"""Column files that nobody meant to write: no scan hangs or asks for the memory of what is not there, and both readers agree."""

import gzip
import io
import itertools
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.readers import files
from widemargin.readers.columns import read_columns, stream_columns
from widemargin.readers.encodings import Recoder
from widemargin.readers.items import read_items

NASTY = [
    b"a", b"b c", b"a\tb", b"a \t b", b" a b", b"a b ", b"a b\t", b"\t", b" ", b"", b"\r", b"a\rb c", b"\x0c", b"a\x0cb c", b"a b\r",
    b"#  x", b"\xef\xbb\xbf", b"\xef\xbb\xbfa b", "\x85".encode(), "a\x85b c".encode(), "\u2028".encode(), "a\u2028 b".encode(),
    "\xa0 b".encode(), b"-DOCSTART-", b"-DOCSTART- x", b"-DOCSTART-x y", b"-DOCSTAR", b"-DOCSTART-\xff", b"a\0b c", b"\0", b"\0 \0",
    b"\xff b", b"a \xe9", b"\x00\x01 b", b"x" * 5000 + b" y", b"a b c d e f",
]  # fmt: skip
lines = st.lists(st.one_of(st.sampled_from(NASTY), st.binary(max_size=6)), max_size=8)


def whole(path, **choices):
    """What the reader of whole files finds: tokens with their lines, sentences, and documents; or its message."""
    try:
        return facts([read_columns(path, **choices)])
    except InputError as error:
        return str(error)


def streamed(path, tokens, **choices):
    """The same of the reader of streams."""
    try:
        return facts(list(stream_columns(path, tokens=tokens, **choices)))
    except InputError as error:
        return str(error)


def facts(pieces):
    cells = [[tuple(column) for column in zip(*(piece.cells(c) for c in range(len(piece.names))))] for piece in pieces]
    bounds = [np.diff(piece.row_ptr).tolist() for piece in pieces]
    lines = [piece.line.tolist() for piece in pieces]
    text = b"".join(piece.text.tobytes() for piece in pieces)
    return [list(itertools.chain.from_iterable(each)) for each in (cells, bounds, lines)], text, pieces[0].names


@given(lines, st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.booleans(), st.sampled_from([None, "\t", " ", "x"]), st.integers(1, 3))
@example([b"a b"] * 3, b"\n\n", False, None, 1)
@example([b"a b c", b"a \xff b", b"a b"], b"\n", True, None, 1)
@example([b"a b", b"-DOCSTART- \xff", b"a \xff"], b"\n\n", True, None, 1)
@settings(max_examples=150, deadline=None)
def test_both_readers_agree(tmp_path_factory, found, end, ended, separator, tokens):
    path = tmp_path_factory.getbasetemp() / "nasty"
    path.write_bytes(end.join(found) + (end if ended else b""))
    for encoding in ("utf-8", "latin-1"):
        assert whole(path, separator=separator, encoding=encoding) == streamed(path, tokens, separator=separator, encoding=encoding)


@pytest.mark.parametrize("data", [b"a\0b c\n", b"\0\n", b"a b\n\n\0\0 c\n"])
def test_a_nul_is_named_by_its_line(data):
    with pytest.raises(InputError, match=rf"<file>:{data.count(10)}: this line holds a NUL byte|<file>: the file begins with NUL"):
        read_columns(io.BytesIO(data))
    if not data.startswith(b"\0"):
        assert read_columns(io.BytesIO(data), separator="\t").cells(0)[-1] == data.split(b"\n")[-2].decode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_two_or_four_bytes_a_character(tmp_path, encoding):
    path, text = tmp_path / "wide", "The DT B\ncat NN I\n\nEnd NN é\n"
    path.write_bytes(text.encode(encoding))
    expected = f"this looks like {encoding[:6].upper()}; use --encoding {encoding}, or"
    for read in (read_columns, read_items, lambda path: list(stream_columns(path))):
        with pytest.raises(InputError, match=expected):
            read(path)
    assert read_columns(path, encoding=encoding).cells(0) == ["The", "cat", "End"]


@pytest.mark.parametrize(
    "encoding", ["rot13", "hex", "zip", "bz2", "base64", "uu", "quopri", "klingon", "a\0b", "\ud800", "", "x" * 5000, "undefined"]
)
def test_encodings_that_are_none(encoding):
    with pytest.raises(InputError, match="encoding") as found:
        read_columns(io.BytesIO(b"a b\n"), encoding=encoding)
    assert len(str(found.value)) < 200


@pytest.mark.parametrize(
    "encoding", ["idna", "punycode", "unicode_escape", "utf-7", "raw_unicode_escape", "charmap", "cp1252", "shift_jis"]
)
@pytest.mark.parametrize("data", [b"a b\n", b"\\ud800 b\n", b"+2AA- b\n", b"\xff\xfe\x81 b\n", b"xn--\xff b\n"])
def test_odd_encodings_give_text_or_a_sentence(encoding, data):
    try:
        columns = read_columns(io.BytesIO(data), encoding=encoding)
    except InputError as error:
        columns, said = None, str(error)
    assert columns.cells(1) == ["b"] if columns else len(said) < 300


def test_long_lines_take_linear_time_and_memory():
    began = time.perf_counter()
    words = " ".join(map(str, range(100_000)))
    columns = read_columns(io.BytesIO(words.encode()))
    assert len(columns.names) == 100_000
    assert columns.cells(99_999) == ["99999"]
    with pytest.raises(InputError, match="<file>:2: this line has 1 column and the first line 300000"):
        read_columns(io.BytesIO(b"a " * 300_000 + b"\n" + b"b\n" * 300_000))
    assert time.perf_counter() - began < 30  # it was minutes, and 335 GiB


def test_blank_lines_take_no_memory(monkeypatch):
    asked = []
    empty = np.empty
    monkeypatch.setattr(np, "empty", lambda shape, *rest, **more: asked.append(np.prod(shape)) or empty(shape, *rest, **more))
    assert read_columns(io.BytesIO(b"\n" * 100_000 + b"a b\n" + b"\n" * 100_000)).tokens == 1
    assert max(asked) < 100_000


def test_small_gzip_files_do_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_UNPACKED", 50_000)
    path = tmp_path / "blank.gz"
    path.write_bytes(gzip.compress(b"a b\n" + b"\n" * 1_000_000))
    for read in (read_columns, read_items, lambda path: list(stream_columns(path))):
        with pytest.raises(InputError, match="unpacks to more than 50,000 bytes and 100 times its size"):
            read(path)
    rng = np.random.default_rng(0)
    path.write_bytes(gzip.compress(text := b"".join(b"%d b\n" % number for number in rng.integers(10**9, size=20_000))))
    assert len(text) > 100_000
    assert read_columns(path).tokens == 20_000


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "a\0b.gz"])
def test_names_that_can_be_no_file(path):
    with pytest.raises(InputError, match="cannot be a file name"):
        read_columns(path)


def test_a_mark_in_the_middle_of_a_block_stays():
    recode = Recoder("utf-8", "file")
    assert recode(b"", final=False) + recode(b"\xef\xbb\xbfa", final=False) + recode(b"\xef\xbb\xbfb", final=True) == b"a\xef\xbb\xbfb"
