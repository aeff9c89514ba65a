"""Sentences to be parsed, as tokens and as columns, and trees in CoNLL-2012 files."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text, read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.conll2012 import read_conll2012, write_conll2012
from widemargin.families.constituency.sentences import read_sentences, read_tagged_columns, stream_sentences, stream_tagged_columns


def test_tokens():
    trees = read_sentences(io.StringIO("The_DT snake_case_NN\n\n -LRB-_-LRB- like(d)_VBD\r\n"))
    assert [trees.words(i) for i in range(3)] == [["The", "snake_case"], [], ["(", "like(d)"]]  # a line each
    assert [trees.tags(i) for i in range(3)] == [["DT", "NN"], [], ["-LRB-", "VBD"]]
    assert [trees.where(i) for i in range(3)] == ["<file>:1", "<file>:2", "<file>:3"]
    assert not trees.parsed.any()
    assert not len(trees.node)
    assert brackets_text(trees) == "(? (DT The) (NN snake_case))\n(())\n(? (-LRB- -LRB-) (VBD like-LRB-d-RRB-))\n"
    assert read_sentences(io.StringIO("1/2/CD"), separator="/").tree(0).leaves == (("1/2", "CD"),)
    assert read_sentences(io.StringIO("a_b c"), separator=None).tree(0).leaves == (("a_b", "_"), ("c", "_"))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a_X\nb", {}, "<file>:2: the token 'b' has no tag"),
        ("_X", {}, "has no tag"),
        ("a_", {}, "has no tag"),
        ("a_(", {}, "tag '\\(' holds a parenthesis"),
        ("a_X\n\0", {}, "<file>:2: .*NUL"),
        ("\n \n", {}, "there is no word"),
        ("a_X", {"separator": "__"}, "'__' is not one character"),
    ],
)
def test_tokens_that_are_none(text, options, words):
    with pytest.raises(InputError, match=words):
        read_sentences(io.StringIO(text), **options)


def test_undecodable_bytes_are_named():
    with pytest.raises(InputError, match=r":2: the byte 0xe4 is not utf-8"):
        read_sentences(io.BytesIO(b"a_X\nK\xe4se_X\n"))


def test_pieces_of_tokens(tmp_path):
    lines = [f"w{i}_NN ö_X" if i != 7 else "" for i in range(3000)]
    (tmp_path / "many").write_text("\n".join(lines))
    pieces = list(stream_sentences(tmp_path / "many", words=100))
    assert len(pieces) > 3
    found = [piece.words(i)[:1] for piece in pieces for i in range(piece.sentences)]
    assert found == [[f"w{i}"] if i != 7 else [] for i in range(3000)]
    assert [piece.where(i) for piece in pieces for i in range(piece.sentences)][-1] == f"{tmp_path}/many:3000"
    (tmp_path / "none").write_text("\n\n")
    with pytest.raises(InputError, match="there is no word"):
        list(stream_sentences(tmp_path / "none"))


def test_columns(tmp_path):
    text = "\nThe\tx\tDT\ncat\tx\tNN\n\n(\tx\t-LRB-\n"
    trees = read_tagged_columns(io.StringIO(text), tag=2)
    assert brackets_text(trees) == "(? (DT The) (NN cat))\n(? (-LRB- -LRB-))\n"
    assert [trees.where(i) for i in range(2)] == ["<file>:2", "<file>:5"]
    assert trees.columns.where(2) == "<file>:5"
    named = read_tagged_columns(io.StringIO(text), word="form", tag="pos", names=("form", "y", "pos"))
    assert named.digest == trees.digest
    (tmp_path / "c").write_text(text * 3)
    pieces = list(stream_tagged_columns(tmp_path / "c", words=2, tag=2))
    assert "".join(map(brackets_text, pieces)) == brackets_text(trees) * 3
    assert [p.where(i).split(":")[-1] for p in pieces for i in range(p.sentences)] == ["2", "5", "7", "10", "12", "15"]
    with pytest.raises(InputError, match=r"<file>:1: the tag '\('"):
        read_tagged_columns(io.StringIO("( (\n"))


CONLL = """#begin document (nw/wsj/00); part 000
nw/wsj/00   0   0   Kids    NNS   (TOP(S(NP*)   -   -   -   Speaker#1   *   (0)
nw/wsj/00   0   1   see     VBP         (VP*    see 01   1   -   *   (V*)   -

#end document
nw/wsj/00   0   0   like(d)   NN   (TOP(NP*))
nw/wsj/01   0   0   it        PRP   -
"""


def test_conll2012_in_and_out():
    text = CONLL.replace("(VP*", "(VP*)))").replace("\nnw/wsj/01", "\n\nnw/wsj/01")
    trees = read_conll2012(io.StringIO(text))
    assert brackets_text(trees) == "(TOP (S (NP (NNS Kids)) (VP (VBP see))))\n(TOP (NP (NN like-LRB-d-RRB-)))\n(? (PRP it))\n"
    assert [trees.where(i) for i in range(3)] == ["<file>:2", "<file>:6", "<file>:8"]
    assert trees.parsed.tolist() == [True, True, False]
    out = io.BytesIO()
    write_conll2012(trees, out)
    assert out.getvalue().decode() == text
    out = io.BytesIO()
    write_conll2012(trees.with_trees([0, 1, 1, 2], [[1, 2, 0], [0, 1, 1]], ["A", "B"]), out)
    expected = text.replace("(TOP(S(NP*)", "*").replace("(VP*)))", "(A*)").replace("(TOP(NP*))", "*").replace("PRP   -", "PRP   (B*)")
    assert out.getvalue().decode() == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CONLL, "<file>:3: the sentence that ends here lacks 3 closing brackets"),
        ("d 0 0 a NN\n", "<file>:1: this line has 5 columns"),
        ("d 0 0 a NN (NP\n", r"'\(NP' is not a parse bit"),
        ("d 0 0 a NN *)\n", "closes more brackets than are open"),
        ("d 0 0 a NN *\nd 0 1 b NN -\n", "<file>:2: only some words of this sentence"),
        ("# nothing\n", "there is no word"),
        ("d 0 0 a NN \0\n", "NUL"),
    ],
)
def test_conll2012_that_is_none(text, words):
    with pytest.raises(InputError, match=words):
        read_conll2012(io.StringIO(text))


@given(st.lists(random_trees(), min_size=1, max_size=4))
def test_any_trees_come_back_through_conll2012(found):
    trees = from_trees(found)
    out = io.BytesIO()
    write_conll2012(trees, out)
    again = read_conll2012(io.BytesIO(out.getvalue()))
    assert [again.tree(i) for i in range(again.sentences)] == found
    twice = io.BytesIO()
    write_conll2012(again, twice)
    assert twice.getvalue() == out.getvalue()


def test_what_conll2012_cannot_hold():
    trees = read_brackets(io.StringIO("(N*P (NN a))"))
    with pytest.raises(InputError, match="holds a \\*"):
        write_conll2012(trees, io.BytesIO())


def test_a_part_of_a_conll2012_file_is_written_alone():
    out = io.BytesIO()
    write_conll2012(read_conll2012(io.StringIO("d 0 0 a NN (X*)\n\nd 0 0 b NN (Y*)\n")).part(np.array([1])), out)
    assert [line.split("\t")[3:6] for line in out.getvalue().decode().splitlines()[1:-2]] == [["b", "NN", "(Y*)"]]
