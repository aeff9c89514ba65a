"""Penn brackets: what can stand in a file and comes back, what cannot and is named by its place, and pieces of a stream."""

import gzip
import io
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from public_data import public
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text, last_end, read_brackets, stream_brackets, write_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.tree import Tree

CAT = "(S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .))"


def read(text, **options):
    return read_brackets(io.StringIO(text), **options)


def test_a_tree_as_arrays():
    trees = read("( (S (NP (DT The) (NN cat)) (VP (VBD sat))))\n(X (UH yes))")
    assert trees.row_ptr.tolist() == [0, 3, 4]
    assert trees.node_ptr.tolist() == [0, 4, 5]
    assert trees.labels == ("", "S", "NP", "VP", "X")
    assert trees.node.tolist() == [[0, 3, 0], [0, 3, 1], [0, 2, 2], [2, 3, 3], [0, 1, 4]]
    assert trees.words(0) == ["The", "cat", "sat"]
    assert trees.tags(1) == ["UH"]
    assert trees.parsed.all()
    assert (trees.node.dtype, trees.row_ptr.dtype, trees.columns.codes.dtype) == (np.int32, np.int64, np.int32)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{CAT}{CAT} {CAT}", id="several on a line"),
        pytest.param(CAT.replace(" ", "\n  ") + "\n\n\n" + CAT + CAT.replace(" ", "\r\n\t"), id="over many lines"),
        pytest.param("".join(f" {mark} " if mark in "()" else mark for mark in CAT * 3), id="blanks everywhere"),
    ],
)
def test_where_trees_stand_does_not_matter(text):
    assert brackets_text(read(text)) == f"{CAT}\n" * 3


def test_places_are_told():
    trees = read(f"\n{CAT}\n\n{CAT} {CAT}\n(S\n\n (UH a))\n")
    assert [trees.where(i) for i in range(4)] == ["<file>:2", "<file>:4", "<file>:4", "<file>:5"]
    assert trees.columns.where(trees.tokens - 1) == "<file>:7"


@pytest.mark.parametrize("word", ["like(d)", ":)", "(713)853-7041", "(", ")", "()", "-", "a-LRB", "{", "[x]"])
def test_words_with_parentheses(word):
    trees = from_trees([Tree((word,), ("NN",), ((0, 1, "NP"),))])
    again = read(brackets_text(trees))
    assert trees.words(0) == again.words(0) == [word]
    assert brackets_text(again) == brackets_text(trees)
    assert Tree(*trees.tree(0).__dict__.values()) == again.tree(0)


def test_escapes_are_read_and_what_was_there_is_kept():
    text = "(NP (-LRB- -LRB-) (-LRB- -LCB-) (-LRB- {) (NN like-LRB-d-RRB-) (CD 1\\/2))\n"
    trees = read(text)
    assert trees.words(0) == ["(", "{", "{", "like(d)", "1\\/2"]
    assert trees.tags(0)[0] == "-LRB-"
    assert brackets_text(trees) == text


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("(S (NP (NN a))", 1, "lacks 1 closing bracket;"),
        (f"{CAT}\n((S\n(NN a)", 2, "lacks 2 closing brackets;"),
        (f"{CAT}\n{CAT})", 2, "closes nothing, for none is open"),
        ("(S (NP) (VP (VB a)))", 1, "'NP' holds no word"),
        ("\n()", 2, "'' holds no word"),
        ("(S (NP the cat))", 1, "'the' has no tag of its own"),
        ("(S (NP (NN a) b))", 1, "'b' has no tag of its own"),
        ("\n\nThe cat sat", 3, "'The' stands outside of all brackets"),
        (f"{CAT} # a comment", 1, "'#' stands outside"),
        ("(S (NN a\0))", 1, "NUL"),
        ("  \n ", None, "there is no tree in here"),
        ("", None, "there is no tree in here"),
    ],
)
def test_what_is_no_tree_is_named_by_its_place(text, place, words):
    with pytest.raises(InputError, match=words) as caught:
        read(text)
    assert caught.value.where == ("<file>" if place is None else f"<file>:{place}")


def test_trees_without_words():
    failed = read(f"(())\n{CAT} ( ( ) )")
    assert np.diff(failed.row_ptr).tolist() == [0, 4, 0]
    assert brackets_text(failed) == f"(())\n{CAT}\n(())\n"
    for text in ("(()())", "((()))", "(S ())", "((S))", "(() (NN a))"):
        with pytest.raises(InputError, match=r":1: .*holds no word"):
            read(text)
    trees = read(f"(())\n{CAT}\n(TOP (S))\n()", empty=True)
    assert np.diff(trees.row_ptr).tolist() == [0, 4, 0, 0]
    assert np.diff(trees.node_ptr).tolist() == [0, 3, 0, 0]
    assert brackets_text(trees) == f"(())\n{CAT}\n(())\n(())\n"
    with pytest.raises(InputError, match="<file>:1: a bracket of this tree holds no word"):
        read("(S (NP) (VP (VB a)))", empty=True)


def test_empty_lines_as_evalb_has_them():
    trees = read(f"\n{CAT}\n \n{CAT}\n\n", empty_lines=True)
    assert np.diff(trees.row_ptr).tolist() == [0, 4, 0, 4, 0]
    assert [trees.where(i)[-2:] for i in range(5)] == [":1", ":2", ":3", ":4", ":5"]


def test_a_tree_deeper_than_python_recurses():
    deep = 100_000
    assert deep > sys.getrecursionlimit()
    text = "(S " * deep + "(NN a)" + ")" * deep + "\n"
    trees = read(text)
    assert len(trees.node) == deep
    assert brackets_text(trees) == text
    tree = trees.tree(0)
    assert str(tree) + "\n" == text
    assert tree.chains() == [(0, 1, ("S",) * deep)]
    assert len(tree.children[0].brackets) == deep - 1
    with pytest.raises(InputError, match=f"lacks {deep} closing"):
        read("(S " * deep)


def test_files_folders_and_encodings(tmp_path, monkeypatch):
    (tmp_path / "wsj" / "01").mkdir(parents=True)
    (tmp_path / "wsj" / "b.mrg").write_text(f"\n{CAT}")
    (tmp_path / "wsj" / "01" / "a.mrg.gz").write_bytes(gzip.compress(f"{CAT}\n".encode()))
    (tmp_path / "wsj" / "readme.txt").write_text("not a tree")
    trees = read_brackets(tmp_path / "wsj")
    assert [trees.where(i).removeprefix(f"{tmp_path}/") for i in range(2)] == ["wsj/01/a.mrg.gz:1", "wsj/b.mrg:2"]
    assert [trees.columns.text[b:s].tobytes() for b, s in zip(trees.columns.begin[4:], trees.columns.stop[4:])] == [
        b"The", b"cat", b"sat", b"."
    ]  # fmt: skip
    assert "".join(brackets_text(piece) for piece in stream_brackets(tmp_path / "wsj")) == brackets_text(trees)
    (tmp_path / "latin").write_bytes("(NP (NN Käse))".encode("latin-1"))
    assert read_brackets(tmp_path / "latin", encoding="latin-1").words(0) == ["Käse"]
    with pytest.raises(InputError, match=r"latin:1: the byte 0xe4 is not utf-8"):
        read_brackets(tmp_path / "latin")
    (tmp_path / "wide").write_bytes("(NP (NN a))".encode("utf-16"))
    with pytest.raises(InputError, match="utf-16"):
        read_brackets(tmp_path / "wide")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(CAT.encode()))))
    assert read_brackets("-").where(0) == "<stdin>:1"
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no file in this folder ends in"):
        read_brackets(tmp_path / "none")


def test_writing(tmp_path):
    trees = read(f"{CAT}\n{CAT}")
    write_brackets(trees, tmp_path / "out.mrg.gz")
    assert read_brackets(tmp_path / "out.mrg.gz").tree(1) == trees.tree(1)
    handle = io.BytesIO()
    write_brackets(trees.part([0]), handle)
    assert handle.getvalue().decode() == f"{CAT}\n"


def test_pieces_of_a_stream(tmp_path):
    text = "\n".join([CAT, CAT.replace(" ", "\n")] * 800)
    (tmp_path / "many").write_text(text)
    whole, pieces = read_brackets(tmp_path / "many"), list(stream_brackets(tmp_path / "many", words=100))
    assert len(pieces) > 5
    assert "".join(map(brackets_text, pieces)) == brackets_text(whole)
    assert [p.where(i) for p in pieces for i in range(p.sentences)] == [whole.where(i) for i in range(whole.sentences)]
    (tmp_path / "bad").write_text(f"{text}\n(S (NN a)))\n{text}")
    with pytest.raises(InputError, match=f"bad:{text.count(chr(10)) + 2}: this bracket closes nothing"):
        list(stream_brackets(tmp_path / "bad", words=100))
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(InputError, match="there is no tree"):
        list(stream_brackets(tmp_path / "empty"))


@given(st.lists(random_trees(), min_size=1, max_size=4), st.sampled_from(["\n", " ", "\n\n "]))
def test_any_trees_come_back(found, between):
    trees = from_trees(found)
    again = read(between.join(map(str, found)))
    assert [again.tree(i) for i in range(again.sentences)] == found == [trees.tree(i) for i in range(trees.sentences)]
    assert again.digest == trees.digest


@given(st.text("() \nab-LR\0é", max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        trees = read(text)
    except InputError:
        return
    assert read(brackets_text(trees)).digest == trees.digest


@given(st.text("()a ", max_size=30))
def test_the_last_end_is_where_no_bracket_is_open(text):
    depth, last = 0, 0
    for at, mark in enumerate(text, 1):
        depth += (mark == "(") - (mark == ")")
        if mark == ")" and depth <= 0:
            last = at
    assert last_end(text.encode()) == last


def test_the_penn_sample_comes_back_byte_for_byte_and_quickly():
    for path in public("ptb_sample/*.mrg.gz"):
        data = gzip.decompress(path.read_bytes())
        begun = time.process_time()
        trees = read_brackets(path)
        assert time.process_time() - begun < 2  # 0.12 s for 3,396 trees on a quiet core
        assert brackets_text(trees).encode() == data
