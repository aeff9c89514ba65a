"""What is surely not meant is warned of: lists without the model's features, references of other sentences."""

import warnings

import pytest

from widemargin.cli import main
from widemargin.families.recipes import train

pytestmark = pytest.mark.twice
LISTS = "0 ||| a cat sat ||| lm= -2 tm= -3\n0 ||| the cat sat ||| lm= -3 tm= -1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    (folder / "train.nbest").write_text(LISTS, encoding="utf-8")
    (folder / "train.ref").write_text("the cat sat\n", encoding="utf-8")
    train("rerank", str(folder / "train.nbest"), epochs=1).save(str(folder / "model"))
    return folder


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (("lm=", "tm="), ("x=", "y="), r"has x, y, and none of those that the model weighs \(lm, tm\): all hypotheses score alike"),
        (("lm=", "tm="), ("lm=", "y="), r"other.nbest lacks features that the model weighs, and they count as 0: tm"),
        (("lm=", "tm="), ("lm=", "tm="), None),
    ],
)
def test_features_that_are_missing(folder, capsys, old, new, message):
    text = LISTS
    for before, after in zip(old, new):
        text = text.replace(before, after)
    (folder / "other.nbest").write_text(text, encoding="utf-8")
    line = ["predict", str(folder / "model"), str(folder / "other.nbest")]
    if message is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert main(line) == 0
    else:
        with pytest.warns(RuntimeWarning, match=message):
            assert main(line) == 0


def test_references_of_other_sentences(folder, capsys):
    (folder / "wrong.txt").write_text("nothing of this\n", encoding="utf-8")
    line = ["evaluate", str(folder / "model"), str(folder / "train.nbest"), "--refs", str(folder / "wrong.txt")]
    with pytest.warns(RuntimeWarning, match=r"no hypothesis of .*train.nbest has a word of its references; are these the references"):
        assert main(line) == 0
