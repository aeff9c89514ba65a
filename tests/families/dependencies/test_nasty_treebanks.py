"""Treebanks that nobody meant to write: both readers agree, and ids of any form get a sentence."""

import io
import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import read_treebank, stream_treebank

NINES = "9" * 5000


def word(id, head=0, form="w", deps="_"):
    return f"{id}\t{form}\t_\tX\t_\t_\t{head}\troot\t{deps}\t_"


SENTENCES = [
    [word(1)],
    [word(1), word(2, 1)],
    [word("1-2", "_"), word(1), word(2, 1)],
    [word(1), word("1.1", "_"), word(2, 1)],
    [word("0.1", "_"), word(1)],
    ["# newdoc", "# text = w", word(1)],
    ["# alone"],
    [word("1-2", "_")],
    [word("1.1", "_")],
    [word("0.1", "_")],
    [word(1, deps="0"), word(2, 1, deps="1")],
    [word(1, form="\u2028\x85\x0c")],
    [word(1, form="a b")],
    [word(1, form="")],
    [word(1, form="\0")],
    [word(1), word(2, 3), word(3, 2)],
    [word(1, 5)],
    [word(2)],
    [word("²")],
    [word("1.-1", "_")],
    [word(1, NINES)],
    ["1\tw"],
    [word(1) + "\tx"],
    ["-DOCSTART-"],
    [word(1).replace("\t", " ")],
    [" "],
    ["\t"],
    ["\r"],
    ["x" * 5000],
    ["\ufeff" + word(1)],
]
sentences = st.lists(st.sampled_from(SENTENCES), max_size=6)


def found(read):
    """Words with their lines, sentences, trees and lines aside; or the message."""
    try:
        pieces = read()
    except InputError as error:
        return str(error)
    each = [
        [
            (*(piece.columns.values[c][piece.columns.codes[c, t]] for c in range(10)), int(piece.columns.line[t]))
            for piece in pieces
            for t in range(piece.tokens)
        ],
        list(itertools.chain.from_iterable(np.diff(piece.row_ptr).tolist() for piece in pieces)),
        list(itertools.chain.from_iterable(piece.heads.tolist() for piece in pieces)),
        [piece.relations[r] if r >= 0 else None for piece in pieces for r in piece.relation],
        [line for piece in pieces for line in piece.aside[:, 0].tolist()],
    ]
    return each, b"".join(piece.text.tobytes() for piece in pieces)


@given(sentences, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["\n", "\n\n", " \n"]), st.booleans(), st.booleans(), st.integers(1, 3))
@example([[word(1)], [word("1-2", "_")], [word(1), word(2, 1)]], "\n", "\n", True, False, 1)
@example([[word(1)], [word(1, 5)], [word(1) + "\tx"]], "\n", "\n", True, False, 1)
@example([[word(1, deps="0")], ["# x", word(1, deps="0")]], "\n", "\n", True, False, 1)
@example([["# alone"]], "\n", "\n", True, False, 1)
@settings(max_examples=150, deadline=None)
def test_both_readers_agree(tmp_path_factory, parts, end, between, ended, single_root, words):
    path = tmp_path_factory.getbasetemp() / "nasty"
    text = (end + between.replace("\n", end)).join(end.join(part) for part in parts)
    path.write_bytes((text + (end if ended else "")).encode())
    whole = found(lambda: [read_treebank(path, single_root=single_root)])
    assert whole == found(lambda: list(stream_treebank(path, words=words, single_root=single_root)))


@pytest.mark.parametrize(
    "id",
    ["1.-1", "1-", "1.", "1-²", "1.²", "1-٣", f"1-{NINES}", f"1.{NINES}", f"{NINES}.1", f"{NINES}-1", NINES, "1-2-3", "1.1.1", "1-2.3"],
)
def test_ids_of_any_form(id):
    text = "\n".join([word(1), word(id, "_"), word(2, 1), ""])
    with pytest.raises(InputError, match=r"<file>:2: the (id|multi|empty)") as said:
        read_treebank(io.StringIO(text))
    assert len(str(said.value)) < 250


def test_the_first_of_several_faults_is_named():
    parts = [[word(1)]] * 50 + [[word(1, 7)]] + [[word(1)]] * 50 + [["1\tw"]]
    text = "\n\n".join("\n".join(part) for part in parts)
    with pytest.raises(InputError, match="<file>:101: the head 7"):
        read_treebank(io.StringIO(text))


def test_blank_lines_take_no_memory(monkeypatch):
    asked, empty = [], np.empty
    data = b"\n" * 100_000 + word(1).encode() + b"\n" * 100_000 + word(1).encode() + b"\n\n"
    monkeypatch.setattr(np, "empty", lambda shape, *rest, **more: asked.append((np.prod(shape), rest)) or empty(shape, *rest, **more))
    treebank = read_treebank(io.BytesIO(data))
    assert treebank.columns.line.tolist() == [100_001, 200_001]
    assert max(size for size, kind in asked if kind[0] is not np.uint8) < 100
