"""What is surely not meant is warned of, once and in a sentence; what may be meant is not."""

import json
import warnings

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.families.recipes import train
from widemargin.families.tagging.doubts import doubt_many, doubt_spans
from widemargin.families.tagging.gold import Written
from widemargin.families.tagging.sources import open_columns
from widemargin.families.tagging.tasks import TASKS

pytestmark = pytest.mark.twice
ROWS = [("Anna", "B-PER"), ("sleeps", "O"), ("in", "O"), ("Rome", "B-LOC")]
MARKED = "-DOCSTART- O\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    text = "".join(f"{word} {label}\n" for word, label in ROWS) + "\n"
    (folder / "train").write_text(text, encoding="utf-8")
    (folder / "marked").write_text(MARKED + text, encoding="utf-8")
    for name, templates in (("plain", "word\n"), ("remembering", "word\ndocument(word,case)\n")):
        train("ner", str(folder / "marked"), templates=templates, epochs=1).save(str(folder / name))
    return folder


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"B-PER": "B-PERSON"}, r"data:1: 1 token with gold labels that the model does not know: PERSON"),
        ({"B-PER": "B-A", "B-LOC": "B-B", "O": "B-A"}, r"none of the gold labels is one of the model's: they are A, B, its own LOC, PER"),
        ({"B-PER": "O", "B-LOC": "O"}, r"data:1: every gold label is O, so there is no span to find"),
        ({"B-PER": "NNP", "B-LOC": "NNP", "O": "VB"}, r"data:1: the labels mark no spans \(NNP, VB\), and ner is scored by spans"),
        ({"B-PER": "U-PER", "B-LOC": "U-LOC"}, None),
        ({"B-PER": "PER", "B-LOC": "LOC"}, None),
    ],
)
def test_gold_labels_are_doubted(folder, capsys, changed, message):
    (folder / "data").write_text("".join(f"{word} {changed.get(label, label)}\n" for word, label in ROWS), encoding="utf-8")
    line = ["evaluate", str(folder / "plain"), str(folder / "data"), "--json"]
    if message is None:
        assert main(line) == 0
    else:
        with pytest.warns(RuntimeWarning, match=message):
            assert main(line) == 0
    assert "metrics" in json.loads(capsys.readouterr().out)


def test_documents_that_are_not_marked(folder, capsys):
    with pytest.warns(RuntimeWarning, match="looks at the rest of the document, and this file marks no documents"):
        main(["predict", str(folder / "remembering"), str(folder / "train")])
    for model, data in (("remembering", "marked"), ("plain", "train")):
        assert main(["predict", str(folder / model), str(folder / data)]) == 0


def test_as_many_labels_as_words():
    many = [f"label{i}" for i in range(200)]
    with pytest.warns(RuntimeWarning, match="f: there are 200 different labels and 300 different words; is this the column of labels"):
        doubt_many(many, 300, "f")
    doubt_many(many, 4000, "f")
    doubt_many(many[:90], 100, "f")


def test_unknown_labels_may_be_hidden():
    row_ptr = np.array([0, 2])
    with warnings.catch_warnings(action="error"):
        assert not doubt_spans(TASKS["span"], Written(np.array([0, 0]), ["?"], row_ptr, str))
        assert not doubt_spans(TASKS["span"], Written(np.array([0, 1]), ["?", "B-X"], row_ptr, str))


def test_labels_where_tags_should_be(tmp_path, capsys):
    """A file of words and labels, for a model of words, tags and labels: the label may be missing, so labels are read as tags."""
    rows = "".join(f"{word} {tag} {label}\n" for (word, label), tag in zip(ROWS, ("NNP", "VBZ", "IN", "NNP"))) + "\n"
    (tmp_path / "three").write_text(rows, encoding="utf-8")
    (tmp_path / "two").write_text("".join(f"{word} {label}\n" for word, label in ROWS) + "\n", encoding="utf-8")
    (tmp_path / "tagged").write_text("".join(line.rpartition(" ")[0] + "\n" for line in rows.splitlines()), encoding="utf-8")
    columns = open_columns(str(tmp_path / "three"), "ner", names=("word", "pos", "entity"))
    train("ner", columns, templates="word\npos\n", epochs=1).save(str(tmp_path / "model"))
    told = r"last column is read as pos, and holds labels of the model \(B-LOC, B-PER, O\); the columns should be word pos entity"
    with pytest.warns(RuntimeWarning, match=told):
        assert main(["predict", str(tmp_path / "model"), str(tmp_path / "two")]) == 0
    with warnings.catch_warnings(record=True) as caught:
        assert main(["predict", str(tmp_path / "model"), str(tmp_path / "tagged")]) == 0
    assert "last column" not in str([warning.message for warning in caught])


def test_accuracy_in_another_scheme_than_that_of_the_training(folder, capsys):
    """The same spans, spelled otherwise, are all right, and so are their labels."""
    (folder / "data").write_text("".join(f"{word} {label.replace('B-', 'S-')}\n" for word, label in ROWS), encoding="utf-8")
    assert main(["evaluate", str(folder / "plain"), str(folder / "data"), "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    assert metrics["f1"] == metrics["accuracy"] == 100.0


def test_strict_spans_of_another_scheme(folder, capsys):
    line = ["evaluate", str(folder / "plain"), str(folder / "train"), "--strict"]
    with pytest.warns(RuntimeWarning, match="the gold labels are iob2, so --strict bioes leaves spans out; --strict iob2 counts them"):
        assert main([*line, "bioes"]) == 0
    with warnings.catch_warnings(record=True) as caught:
        assert main([*line, "BIO"]) == 0
    assert "--strict" not in str([warning.message for warning in caught])


def test_objects_without_labels(tmp_path, capsys):
    (tmp_path / "data.jsonl").write_text('{"tokens": ["Anna", "sleeps"], "ids": [[0, 1]]}\n', encoding="utf-8")
    assert main(["train", "ner", str(tmp_path / "data.jsonl"), "-o", str(tmp_path / "model")]) == 2
    assert "no labels to learn; give a list of labels beside tokens, or spans beside text" in capsys.readouterr().err
