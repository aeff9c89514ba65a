"""What is surely not meant is warned of: documents without chains where chains are compared."""

import json
import warnings

import pytest

from widemargin.cli import main
from widemargin.families.recipes import train

pytestmark = pytest.mark.twice
WORDS = "Ann met Bob . She liked his dog .".split()
CHAINS = [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doubts")
    for name, facts in {"gold": {"clusters": CHAINS}, "bare": {}, "empty": {"clusters": []}}.items():
        (folder / f"{name}.jsonl").write_text(json.dumps({"id": "a", "tokens": WORDS} | facts) + "\n", encoding="utf-8")
    train("coref", str(folder / "gold.jsonl"), epochs=1, hash_bits=10).save(str(folder / "model"))
    return folder


@pytest.mark.parametrize("name", ["bare", "empty"])
def test_files_without_gold_chains(folder, capsys, name):
    with pytest.warns(RuntimeWarning, match=rf"{name}.jsonl has no chain, .*; are there gold chains in this file\?"):
        assert main(["evaluate", str(folder / "model"), str(folder / f"{name}.jsonl")]) == 0


def test_both_sides_of_a_comparison_are_looked_at(folder, capsys):
    with pytest.warns(RuntimeWarning, match="bare.jsonl has no chain, .*; are there chains of the system in this file"):
        assert main(["score", "coref", str(folder / "gold.jsonl"), str(folder / "bare.jsonl")]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["score", "coref", str(folder / "gold.jsonl"), str(folder / "gold.jsonl")]) == 0


def test_calibration_needs_chains(folder, capsys):
    assert main(["calibrate", str(folder / "model"), str(folder / "bare.jsonl")]) == 2
    assert "are there gold labels, trees or chains in this file?" in capsys.readouterr().err


@pytest.mark.parametrize("sentences", [[[0, 4], [4, 9]], [0, 4]])
def test_sentences_are_lists_of_words(folder, capsys, sentences):
    facts = {"tokens": WORDS, "sentences": sentences, "clusters": CHAINS}
    (folder / "numbers.jsonl").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    assert main(["evaluate", str(folder / "model"), str(folder / "numbers.jsonl")]) == 2
    assert "numbers.jsonl:1: sentences holds numbers; give lists of words there" in capsys.readouterr().err
