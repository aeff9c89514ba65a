"""Column files: codes, bounds and line numbers, streams, writing back, and what is said about files that are wrong."""

import gzip
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import public

from widemargin.errors import InputError
from widemargin.readers import parsing
from widemargin.readers.columns import from_sentences, read_columns, stream_columns, write_columns

TWO_DOCUMENTS = b"-DOCSTART- -X- O\n\nThe DT B\ncat NN I\n\n-DOCSTART- -X- O\n\n\nsat\tVB\tO\r\n\r\nThe DT B\n \nend NN I"

cell = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=4).filter(
    lambda s: s != "-DOCSTART-" and not s.isspace() and not s.startswith("\ufeff")
)
sentences = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.tuples(*[cell] * width), min_size=1, max_size=4), min_size=1, max_size=6)
)


def read(data, **settings):
    return read_columns(io.BytesIO(data), **settings)


def as_text(rows, separator=" "):
    return "\n".join("".join(separator.join(token) + "\n" for token in sentence) for sentence in rows).encode()


def as_sentences(columns):
    tokens = list(zip(*(columns.cells(c) for c in range(len(columns.names)))))
    return [tokens[a:b] for a, b in zip(columns.row_ptr, columns.row_ptr[1:])]


def slow_twin(data):
    """Sentences of tuples, their documents and their lines, by str.split."""
    rows, documents, lines, fresh = [], [], [], True
    for number, line in enumerate((data.decode() + "\n").replace("\r\n", "\n").split("\n"), 1):
        cells = line.replace("\t", " ").split(" ")
        cells = tuple(c for c in cells if c)
        if not cells or cells[0] == "-DOCSTART-":
            fresh = True
            documents += [len(rows)] if cells else []
            continue
        if not documents:
            documents.append(0)
        if fresh:
            rows.append([])
        rows[-1].append(cells)
        lines.append(number)
        fresh = False
    return rows, documents + [len(rows)], lines


def test_codes_bounds_and_lines():
    columns = read(TWO_DOCUMENTS, names=["word", "pos", "chunk"])
    assert columns.values == (["The", "cat", "sat", "end"], ["DT", "NN", "VB"], ["B", "I", "O"])
    assert columns.codes.tolist() == [[0, 1, 2, 0, 3], [0, 1, 2, 0, 1], [0, 1, 2, 0, 1]]
    assert columns.row_ptr.tolist() == [0, 2, 3, 4, 5]
    assert columns.doc_ptr.tolist() == [0, 1, 4]
    assert columns.line.tolist() == [3, 4, 9, 11, 13]
    assert columns.codes.dtype == np.int32
    assert columns.where(2) == "<file>:9"
    assert columns.cells("word") == columns.cells(-3) == ["The", "cat", "sat", "The", "end"]
    assert [bytes(columns.text[a:b]) for a, b in zip(columns.begin, columns.stop)][2:4] == [b"sat\tVB\tO", b"The DT B"]


@given(sentences)
@settings(max_examples=50)
def test_reads_what_split_reads(rows):
    for separator in (" ", "\t", "  \t"):
        columns = read(as_text(rows, separator))
        assert as_sentences(columns) == [[tuple(token) for token in sentence] for sentence in rows]
    same = from_sentences(rows)
    assert as_sentences(same) == as_sentences(columns)
    np.testing.assert_array_equal(same.codes, columns.codes)


lines = st.lists(
    st.sampled_from([b"a b", b" a\tc ", b"b a\r", b"", b"  ", b"\r", b"-DOCSTART- x", b"-DOCSTART-", b"-DOCSTART-x y"]), max_size=25
)


@given(lines, st.booleans(), st.integers(1, 6))
@settings(max_examples=150)
def test_any_lines_whole_and_streamed(tmp_path_factory, rows, ends, tokens):
    data = b"\n".join(rows) + (b"\n" if ends else b"")
    expected, documents, numbers = slow_twin(data)
    path = tmp_path_factory.mktemp("lines") / "file.txt"
    path.write_bytes(data)
    if not expected:
        with pytest.raises(InputError, match="no token"):
            read_columns(path)
        return
    whole = read_columns(path)
    assert as_sentences(whole) == expected
    assert whole.doc_ptr.tolist() == documents
    assert whole.line.tolist() == numbers
    pieces = list(stream_columns(path, tokens=tokens))
    assert [sentence for piece in pieces for sentence in as_sentences(piece)] == expected
    assert np.concatenate([piece.line for piece in pieces]).tolist() == numbers
    assert b"".join(bytes(piece.text) for piece in pieces) == bytes(whole.text)
    for piece in pieces:
        assert piece.tokens <= tokens or len(piece.row_ptr) == 2
    out = io.BytesIO()
    write_columns(whole, [], out)
    assert out.getvalue() == (data if data.endswith(b"\n") else data + b"\n")


def test_stream_cuts_at_documents(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"-DOCSTART- x\n\na b\n\na b\n\n" * 5))
    assert [(piece.tokens, len(piece.doc_ptr) - 1) for piece in stream_columns(path, tokens=5)] == [(4, 2), (4, 2), (2, 1)]
    assert [piece.line[0] for piece in stream_columns(path, tokens=5)] == [3, 15, 27]


def test_small_tables_grow(monkeypatch):
    rows = [[(f"w{i % 997}", f"p{i % 13}") for i in range(5000)]]
    monkeypatch.setattr(parsing, "FIRST_TABLE", 2)
    assert as_sentences(read(as_text(rows))) == rows


def test_written_columns_follow_the_line():
    columns = read(TWO_DOCUMENTS)
    out = io.BytesIO()
    write_columns(columns, [(columns.codes[2], columns.values[2]), (np.array([0, 1, 1, 0, 1]), ["é", "no"])], out)
    assert out.getvalue().decode() == (
        "-DOCSTART- -X- O\n\nThe DT B B é\ncat NN I I no\n\n-DOCSTART- -X- O\n\n\nsat\tVB\tO\tO\tno\r\n\r\nThe DT B B é\n \nend NN I I no\n"
    )
    again = read(out.getvalue())
    assert again.cells(4) == ["é", "no", "no", "é", "no"]
    out = io.BytesIO()
    write_columns(columns, [(columns.codes[2], columns.values[2]), (columns.codes[1], columns.values[1])], out, only_extra=True)
    assert out.getvalue() == b"-DOCSTART- -X- O\n\nB DT\nI NN\n\n-DOCSTART- -X- O\n\n\nO\tVB\r\n\r\nB DT\n \nI NN\n"


def test_writing_to_a_path_and_wrong_codes(tmp_path):
    columns = read(b"a b\n")
    write_columns(columns, [(np.array([0]), ["X"])], tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes() == b"a b X\n"
    for codes in ([1], [-1], [0, 0]):
        with pytest.raises(InputError, match="added column 1"):
            write_columns(columns, [(np.array(codes), ["X"])], tmp_path / "out.txt")


def test_named_separator_keeps_spaces_and_empty_cells():
    columns = read(b"New York\t\tB\r\n\t x\tO\n\nend\t\t\n", separator="\t")
    assert as_sentences(columns) == [[("New York", "", "B"), ("", " x", "O")], [("end", "", "")]]
    out = io.BytesIO()
    write_columns(columns, [(np.zeros(3, int), ["Z"])], out)
    assert out.getvalue() == b"New York\t\tB\tZ\r\n\t x\tO\tZ\n\nend\t\t\tZ\n"
    with pytest.raises(InputError, match="one ASCII character"):
        read(b"a b\n", separator="ab")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig", "utf-8"])
def test_encodings(tmp_path, encoding):
    path = tmp_path / "file.txt"
    path.write_bytes("é B\n\nß O\n".encode(encoding))
    assert read_columns(path, encoding=encoding).cells(0) == ["é", "ß"]
    assert [piece.cells(0) for piece in stream_columns(path, tokens=1, encoding=encoding)] == [["é"], ["ß"]]


def test_byte_order_mark_and_text_files():
    assert read(b"\xef\xbb\xbfa b\n").cells(0) == ["a"]
    assert read_columns(io.StringIO("é b\n")).cells(0) == ["é"]


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        (b"a b c\n\na b\n", {}, r"<file>:3: this line has 2 columns and the first line 3; .*separat"),
        (b"a b\na b c d\n", {}, r"<file>:2: this line has 4 columns and the first line 2"),
        (b"a b\n\xe9 b\n", {}, r"<file>:2: the byte 0xe9 is not utf-8; name the encoding: --encoding latin-1"),
        (b"a b\n\nb \xff\n", {"encoding": "ascii"}, r"<file>:3: the byte 0xff is not ascii"),
        (b"a b\n", {"encoding": "klingon"}, r"there is no encoding 'klingon'; common ones are utf-8"),
        (b"", {}, r"<file>: there is no token"),
        (b"\n \n-DOCSTART- x\n", {}, r"<file>: there is no token"),
        (b"a b\n", {"names": ["word"]}, r"2 columns cannot have 1 name"),
    ],
)
def test_what_is_said_about_wrong_files(data, settings, message):
    with pytest.raises(InputError, match=message):
        read(data, **settings)


def test_streams_name_the_line_of_the_whole_file(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"a b\n\n" * 50 + b"a\n")
    with pytest.raises(InputError, match=r"file\.txt:101: this line has 1 column and the first line 2"):
        list(stream_columns(path, tokens=7))
    path.write_bytes(b"a b\n\n" * 50 + b"a \xe9\n")
    with pytest.raises(InputError, match=r"file\.txt:101: the byte 0xe9"):
        list(stream_columns(path, tokens=7))


def test_columns_by_name_and_number():
    columns = read(b"a b c\n", names=["word", "pos", "chunk"])
    assert [columns.column(key) for key in ("pos", 1, -1, "-1", "0")] == [1, 1, 2, 2, 0]
    for key in ("tag", 3, -4, "7", "--1"):
        with pytest.raises(InputError, match=r"there is no column .*; the columns are 0 \(word\), 1 \(pos\), 2 \(chunk\)"):
            columns.column(key)


def test_from_sentences_keeps_empty_sentences_and_refuses_nonsense():
    columns = from_sentences([[("New York", "B")], [], [("é", "O")]], names=["word", "tag"])
    assert columns.row_ptr.tolist() == [0, 1, 1, 2]
    out = io.BytesIO()
    write_columns(columns, [(columns.codes[1], columns.values[1])], out)
    assert out.getvalue().decode() == "New York\tB\tB\n\n\né\tO\tO\n\n"
    for rows, message in [
        ([], "no token"),
        ([["ab"]], "is the string 'ab'"),
        ([[("a", "b"), ("a",)]], "token 2: .* 1 columns"),
        ([[("a\t",)]], "tab"),
    ]:
        with pytest.raises(InputError, match=message):
            from_sentences(rows)


def test_without_the_compiler(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(TWO_DOCUMENTS)
    code = (
        "import sys, io; from widemargin.readers.columns import *; c = read_columns(sys.argv[1]); o = io.BytesIO();"
        "write_columns(c, [(c.codes[2], c.values[2])], o);"
        "print(c.codes.tolist(), c.values, c.row_ptr.tolist(), [len(p) for p in stream_columns(sys.argv[1], tokens=2)], o.getvalue())"
    )
    results = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code, path], env={**os.environ, "NUMBA_DISABLE_JIT": off}, capture_output=True, text=True
        )
        for off in "01"
    ]
    assert results[0].stderr == results[1].stderr == ""
    assert results[0].stdout == results[1].stdout != ""


@pytest.mark.parametrize(
    ("name", "width", "sentences", "documents", "tokens"),
    [("conll2000/train.txt.gz", 3, 8936, 1, 211727), ("conll2003/eng.train.gz", 4, 14041, 946, 203621)],
)
def test_public_corpora(name, width, sentences, documents, tokens):
    path = public(name)[0]
    columns = read_columns(path)
    assert columns.codes.shape == (width, tokens)
    assert (len(columns.row_ptr) - 1, len(columns.doc_ptr) - 1) == (sentences, documents)
    with gzip.open(path) as handle:
        data = handle.read()
    rows, _, numbers = slow_twin(data)
    assert as_sentences(columns) == rows
    assert columns.line.tolist() == numbers
    out = io.BytesIO()
    write_columns(columns, [], out)
    assert out.getvalue() == data
