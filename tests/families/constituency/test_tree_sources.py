"""Trees and sentences by name: formats by endings, transforms, pieces, and the embedded corpus."""

import pytest

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text
from widemargin.families.constituency.sources import format_of, open_trees, stream_trees

TEXTS = {
    "a.mrg": "( (S (NP-SBJ (-NONE- *)) (VP (VB go))))\n" * 40,
    "a.tok": "go_VB\n" * 40,
    "a.conll": "go VB\n\n" * 40,
    "a.gold_conll": "d 0 0 go VB (TOP(S(VP*)))\n\n" * 40,
}


@pytest.mark.parametrize(("name", "tree"), list(zip(TEXTS, ["(S (VP (VB go)))", "(? (VB go))", "(? (VB go))", "(S (VP (VB go)))"])))
def test_formats_by_endings(tmp_path, name, tree):
    (tmp_path / name).write_text(TEXTS[name])
    path = str(tmp_path / name)
    trees = open_trees(path)
    assert brackets_text(trees) == f"{tree}\n" * 40
    pieces = list(stream_trees(path, words=5))
    assert "".join(map(brackets_text, pieces)) == brackets_text(trees)
    assert (len(pieces) > 1) == (name != "a.gold_conll")
    assert open_trees(path, transforms=()).original is None


def test_formats_by_name():
    assert format_of("x.tok.gz") == "tokens"
    assert format_of("x.tok", "brackets") == "brackets"
    assert format_of("wsj") == "brackets"
    with pytest.raises(InputError, match="no format 'penn'; trees and sentences come as brackets, tokens"):
        format_of("x", "penn")


def test_the_embedded_corpus():
    trees = open_trees("town:dev:30")
    assert trees.sentences >= 30
    assert trees.where(3) == "town:dev:30:4"
    assert trees.source == "town:dev:30"
    assert [piece.digest for piece in stream_trees("town:dev:30")] == [trees.digest]
    with pytest.raises(InputError, match="not a part of the embedded corpus"):
        open_trees("town:nowhere")
