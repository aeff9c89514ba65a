"""Item files: what is read is what was written, and what CRFsuite would read."""

import gzip
import io
import re
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.readers.items import ItemFile, read_items, write_items

SAMPLE = "B-NP\tw[0]=An\tpos=DT:0.5\t__BOS__\nI-NP\tw[0]=A\\:B\\\\\tpos=DT\n\n\nO\r\n\nB-NP\tw[0]=An:2\t\tx:\ty=1:30\n"


def plain(items):
    """ItemFile as nested lists: per sequence (weight, [(label, [(name, value)])])."""
    out = []
    for i, weight in enumerate(items.weight.tolist()):
        tokens = []
        for t in range(items.row_ptr[i], items.row_ptr[i + 1]):
            span = slice(items.ptr[t], items.ptr[t + 1])
            attributes = [(items.names[j], value) for j, value in zip(items.ind[span], items.val[span].tolist())]
            tokens.append((items.label_values[items.labels[t]], attributes))
        out.append((weight, tokens))
    return out


def items_of(sequences):
    """The way back."""
    labels, names, codes, ind, val, ptr, row_ptr = {}, {}, [], [], [], [0], [0]
    for _, tokens in sequences:
        for label, attributes in tokens:
            codes.append(labels.setdefault(label, len(labels)))
            ind += [names.setdefault(name, len(names)) for name, _ in attributes]
            val += [value for _, value in attributes]
            ptr.append(len(ind))
        row_ptr.append(len(codes))
    return ItemFile(
        row_ptr=np.array(row_ptr, np.int64),
        ptr=np.array(ptr, np.int64),
        ind=np.array(ind, np.int32),
        val=np.array(val, np.float32),
        names=list(names),
        labels=np.array(codes, np.int32),
        label_values=list(labels),
        weight=np.array([weight for weight, _ in sequences], np.float64),
        line=np.zeros(len(codes), np.int32),
        source="<test>",
    )


def test_a_file():
    items = read_items(io.StringIO(SAMPLE))
    assert plain(items) == [
        (1.0, [("B-NP", [("w[0]=An", 1), ("pos=DT", 0.5), ("__BOS__", 1)]), ("I-NP", [("w[0]=A:B\\", 1), ("pos=DT", 1)])]),
        (1.0, [("O", [])]),
        (1.0, [("B-NP", [("w[0]=An", 2), ("x", 1), ("y=1", 30)])]),
    ]
    assert (items.labels.dtype, items.ptr.dtype, items.ind.dtype) == (np.int32, np.int64, np.int32)
    assert (items.val.dtype, items.row_ptr.dtype, items.tokens) == (np.float32, np.int64, 4)
    assert items.names == ["w[0]=An", "pos=DT", "__BOS__", "w[0]=A:B\\", "x", "y=1"]
    assert items.line.tolist() == [1, 2, 5, 7]
    assert items.where(3) == "<file>:7"


def test_two_writings_of_one_name_or_label_are_one():
    items = read_items(io.StringIO("a:b\tx\tx:3\tx\n\na\\:b\ty\\z\ty\\\\z\n"))
    assert (items.label_values, items.names) == (["a:b"], ["x", "y\\z"])
    assert (items.ind.tolist(), items.val.tolist()) == ([0, 0, 0, 1, 1], [1, 3, 1, 1, 1])


def test_weights():
    items = read_items(io.StringIO("@weight:2.5\nA\tx\nB\n\nA\n\n@weight:0\tA\ty\n@weight\tz\n"))
    assert items.weight.tolist() == [2.5, 1, 0]
    assert plain(items)[2] == (0.0, [("A", [("y", 1)]), ("@weight", [("z", 1)])])


letters = st.text("aB:\\ =#@é\x0b\u2028", max_size=4)
labels = letters.filter(str.strip)
numbers = st.one_of(st.just(1.0), st.floats(width=32, allow_nan=False, allow_infinity=False))
tokens = st.tuples(labels, st.lists(st.tuples(letters, numbers), max_size=4))
weights = st.one_of(st.just(1.0), st.floats(0, 1e30))
sequences = st.lists(st.tuples(weights, st.lists(tokens, min_size=1, max_size=3)), min_size=1, max_size=3)


@settings(max_examples=300)
@given(sequences)
def test_written_then_read_is_the_same(sequences):
    items, out = items_of(sequences), io.BytesIO()
    write_items(items, out)
    again = read_items(io.BytesIO(out.getvalue()))
    assert plain(again) == plain(items) == sequences
    assert (again.names, again.label_values) == (items.names, items.label_values)
    second = io.BytesIO()
    write_items(again, second)
    assert second.getvalue() == out.getvalue()


def test_what_is_written():
    out = io.BytesIO()
    write_items(items_of([(2.0, [("B:1", [("a:b\\", 1.0), ("c", 0.1), ("", 1.0)])]), (1.0, [("O", [])])]), out)
    assert out.getvalue() == b"@weight:2.0\nB\\:1\ta\\:b\\\\\tc:0.1\t:1.0\n\nO\n\n"


@pytest.mark.parametrize(
    ("text", "where", "sentence"),
    [
        ("A\tx\n\nB\ty\nB\tx\thttp://z\n", ":4", r"the attribute 'http://z' has no number after its colon; write \: for a colon that"),
        ("A\tx:nan\n", ":1", "the attribute 'x:nan' has no number"),
        ("A\tx:1e39\n", ":1", "the attribute 'x:1e39' has no number"),
        ("A\tx\n\tx\n", ":2", "the label is missing; a line is a label and attributes, with tabs between them."),
        ("@weight:-1\nA\n", ":1", "'@weight:-1' is not a weight; write a number from 0 up, e.g. @weight:2."),
        ("\n \n@weight:2\n", "", "there is no item in this file"),
    ],
)
def test_errors_say_where(tmp_path, text, where, sentence):
    path = tmp_path / "items.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(f"{path}{where}: {sentence}")):
        read_items(path)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "items.txt"
    path.write_bytes(b"A\tx\nB\t\xe9\n")
    with pytest.raises(InputError, match=re.escape(f"{path}:2: the byte 0xe9 is not utf-8")):
        read_items(path)
    assert read_items(path, encoding="latin-1").names == ["x", "é"]


@pytest.mark.parametrize(
    ("sequences", "sentence"),
    [
        ([(1.0, [("A", [])]), (1.0, [])], "sequence 2 has no item"),
        ([(1.0, [(" ", [])])], "a label is empty or blank"),
        ([(1.0, [("A\n", [])])], r"the label 'A\n' holds a tab or a line end"),
        ([(1.0, [("A", [("x\ty", 1.0)])])], r"the attribute 'x\ty' holds a tab or a line end"),
    ],
)
def test_what_cannot_be_written(tmp_path, sequences, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        write_items(items_of(sequences), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_packed_and_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "items.gz"
    write_items(read_items(io.StringIO(SAMPLE)), path)
    assert gzip.open(path).read().startswith(b"B-NP\tw[0]=An\tpos=DT:0.5\t")
    assert plain(read_items(path)) == plain(read_items(io.StringIO(SAMPLE)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(SAMPLE.encode()))))
    items = read_items("-")
    assert plain(items) == plain(read_items(io.StringIO(SAMPLE)))
    assert items.where(0) == "<stdin>:1"


def test_speed():
    """A tenth of 200,000 items of 20 attributes, for which about two seconds are allowed."""
    random = np.random.default_rng(0)
    rows = random.zipf(1.2, (20_000, 20)) % 20_000
    text = "\n".join(
        "L" + "".join(f"\tf{k}={value}" for k, value in enumerate(row)) + "\n" * (t % 25 == 0) for t, row in enumerate(rows.tolist())
    )
    start = time.perf_counter()
    items = read_items(io.StringIO(text))
    assert time.perf_counter() - start < 2.0
    assert len(items.ind) == 400_000
