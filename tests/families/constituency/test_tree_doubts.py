"""What is surely not meant is warned of: gold trees of another treebank, words without tags, files without trees."""

import pytest

from widemargin.cli import main
from widemargin.families.recipes import train

pytestmark = pytest.mark.twice
TREE = "(S (NP (DT the) (NN cat)) (VP (VBD sat)))\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    (folder / "train.mrg").write_text(TREE * 2, encoding="utf-8")
    train("constparse", str(folder / "train.mrg"), structure="labels", epochs=1, hash_bits=10).save(str(folder / "model"))
    return folder


def test_gold_labels_that_the_parser_does_not_know(folder, capsys):
    (folder / "other.mrg").write_text(TREE.replace("NP", "GN"), encoding="utf-8")
    with pytest.warns(RuntimeWarning, match=r"1 of 3 gold brackets in .*other.mrg have labels that the parser does not know: GN"):
        assert main(["evaluate", str(folder / "model"), str(folder / "other.mrg")]) == 0
    assert main(["evaluate", str(folder / "model"), str(folder / "train.mrg")]) == 0


def test_words_without_tags(folder, capsys):
    (folder / "few.words").write_text("the cat sat\n", encoding="utf-8")
    told = r"the parser was trained with tags, and .*few.words has none: its trees will be poor; .*--tagger MODEL"
    with pytest.warns(RuntimeWarning, match=told):
        assert main(["predict", str(folder / "model"), str(folder / "few.words")]) == 0


def test_words_are_no_trees(folder, capsys):
    (folder / "few.txt").write_text("the cat sat\n", encoding="utf-8")
    assert main(["predict", str(folder / "model"), str(folder / "few.txt")]) == 2
    assert "or say what the file holds with --trees (trees=): tokens, words or columns" in capsys.readouterr().err
    (folder / "few.tagged").write_text("the_DT cat_NN sat_VBD\n", encoding="utf-8")
    assert main(["evaluate", str(folder / "model"), str(folder / "few.tagged")]) == 2
    assert "few.tagged:1: this file has no gold trees to compare with; give trees in brackets" in capsys.readouterr().err
