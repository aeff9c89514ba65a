"""Treebanks on the command line: writing the embedded one, its facts, and scores."""

import json

import pytest

from widemargin.cli import main
from widemargin.show.arcs import WRONG


def output(capsys, *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebanks")
    gold, system = folder / "gold.conllu", folder / "system.conllu"
    assert main(["data", "town", "dev", "--sentences", "40", "--format", "conllu", "-o", str(gold)]) == 0
    system.write_text(gold.read_text().replace("\tdet\t", "\tamod\t"))
    return str(gold), str(system)


def test_facts_of_a_treebank(files, capsys):
    facts = json.loads(output(capsys, "data", "stats", files[0], "--json"))
    assert facts["format"] == "conllu"
    assert facts["several roots"] == 0
    assert facts["words"] == sum(facts["relations"].values())
    assert "non-projective sentences" in output(capsys, "data", "stats", "town:dev:40", "--format", "conllu")


def test_scores_of_a_parse(files, capsys):
    same = json.loads(output(capsys, "score", "depparse", "town:dev:40", files[0], "--json"))["metrics"]
    assert same["las"] == same["clas"] == same["lem"] == 100
    scores = json.loads(output(capsys, "score", "depparse", *files, "--json"))["metrics"]
    assert scores["uas"] == 100
    assert scores["relations"]["det"]["recall"] == 0
    assert scores["las"] < 100
    assert scores["clas"] < 100
    bare = json.loads(output(capsys, "score", "depparse", *files, "--no-punctuation", "--json"))["metrics"]
    assert bare["las"] < scores["las"]
    assert bare["words"] < scores["words"]
    assert "UAS 100.00" in output(capsys, "score", "depparse", *files)


def test_a_tree_is_drawn(files, tmp_path, capsys):
    path = tmp_path / "tree.svg"
    assert main(["data", "draw", files[0], "--sentence", "3", "--system", files[1], "-o", str(path)]) == 0
    assert path.read_text().startswith("<svg")
    assert WRONG in path.read_text()
    assert WRONG not in output(capsys, "data", "draw", files[0], "--sentence", "3")
    assert main(["data", "draw", files[0], "--sentence", "9999"]) == 2
    assert "no sentence 9999" in capsys.readouterr().err
