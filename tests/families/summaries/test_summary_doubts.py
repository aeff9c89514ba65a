"""What is surely not meant is warned of: budgets that no sentence fits into, references that teach nothing."""

import json

import pytest

from widemargin.cli import main
from widemargin.families.recipes import train

pytestmark = pytest.mark.twice
CLUSTER = {
    "documents": [["The dam broke at noon .", "Nobody was hurt ."], ["At noon the dam broke .", "Fields were flooded ."]],
    "references": ["The dam broke at noon ."],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    (folder / "train.jsonl").write_text(json.dumps(CLUSTER) + "\n", encoding="utf-8")
    train("summarize", str(folder / "train.jsonl"), epochs=1, budget=6).save(str(folder / "model"))
    return folder


def test_a_budget_that_no_sentence_fits_into(folder, capsys):
    line = ["predict", str(folder / "model"), str(folder / "train.jsonl"), "--words"]
    told = "1 cluster of 1 got an empty summary: no sentence fits into 1 word, the first of them .*train.jsonl:1"
    with pytest.warns(RuntimeWarning, match=told):
        assert main([*line, "1"]) == 0
    assert main([*line, "6"]) == 0


def test_references_that_teach_nothing(folder, capsys):
    (folder / "apart.jsonl").write_text(json.dumps(CLUSTER | {"references": ["Something else altogether ."]}) + "\n", encoding="utf-8")
    assert main(["train", "summarize", str(folder / "apart.jsonl"), "-o", str(folder / "nothing"), "--epochs", "1"]) == 0
    assert "1 of 1 cluster: no bigram of their references is in two documents" in capsys.readouterr().err


def test_summaries_are_asked_for_by_their_key(folder, capsys):
    (folder / "key.jsonl").write_text(json.dumps({"documents": CLUSTER["documents"], "summaries": ["x"]}) + "\n", encoding="utf-8")
    assert main(["train", "summarize", str(folder / "key.jsonl"), "-o", str(folder / "nothing")]) == 2
    assert "give them as a list of texts under the key references" in capsys.readouterr().err
