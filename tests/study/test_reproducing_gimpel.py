"""Losses against their formulas, hidden labels, and the reproduction on a handful of sentences."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.tagging.sources import open_columns
from widemargin.study.papers.gimpel.data import as_iob2, hide, open_data, select
from widemargin.study.papers.gimpel.losses import losses
from widemargin.study.papers.gimpel.methods import METHODS


@pytest.mark.parametrize("m", [0.5, 1.0, 3.0])
def test_losses_are_those_of_the_paper(m):
    z = np.linspace(-4, 4, 17)
    found = losses(z, m=m)
    soft, cll = np.log1p(np.exp(m - z)), np.log1p(np.exp(-z))
    expected = {"softmax-margin": soft, "hinge": np.maximum(0, m - z), "likelihood": cll, "jensen": soft - cll, "risk": m / (1 + np.exp(z))}
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=1e-9, err_msg=name)
    for name in ("hinge", "likelihood", "jensen", "risk"):
        assert (found[name] <= found["softmax-margin"] + 1e-12).all()
    assert (found["risk"] <= found["jensen"] + 1e-12).all()


@pytest.fixture(scope="module")
def town():
    return open_columns("town:train:80", "ner")


def test_select_keeps_sentences_and_forgets_values(town):
    keep = np.arange(len(town.row_ptr) - 1) % 3 == 0
    part = select(town, keep)
    cells = town.cells(0)
    expected = [cells[t] for s in np.flatnonzero(keep) for t in range(town.row_ptr[s], town.row_ptr[s + 1])]
    assert part.cells(0) == expected
    assert part.values[0] == list(dict.fromkeys(expected))
    assert part.row_ptr[-1] == part.tokens
    with pytest.raises(InputError, match="no sentence"):
        select(town, np.zeros(len(keep), bool))


def test_hiding_hides_the_same_labels_in_every_version(town):
    known = as_iob2(town)
    assert {v[:2] for v in known.values[-1]} <= {"O", "B-", "I-"}
    partial = hide(known, sentences=0.6, tokens=0.4, seed=3)
    labels, hidden, outside = known.cells(-1), partial.hidden.cells(-1), partial.outside.cells(-1)
    for label, h, o in zip(labels, hidden, outside):  # a span that has lost its first token begins later
        assert h in ("?", label)
        assert o in (("O",) if h == "?" else (label, "B" + label[1:]))
    assert partial.tokens == pytest.approx(hidden.count("?") / len(hidden))
    bounds = list(zip(known.row_ptr, known.row_ptr[1:]))
    whole = [label for a, b in bounds if "?" not in hidden[a:b] for label in labels[a:b]]
    assert partial.complete.cells(-1) == whole
    assert partial.sentences == sum("?" in hidden[a:b] for a, b in bounds) / len(bounds)
    assert hide(known, sentences=0.6, tokens=0.4, seed=3).hidden.cells(-1) == hidden


def test_data_is_the_embedded_corpus_unless_there_is_conll(monkeypatch, tmp_path):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    data = open_data(sentences=5)
    assert data.name.startswith("town")
    assert len(data.test.row_ptr) == 6
    with pytest.raises(InputError, match=r"eng\.train"):
        open_data(str(tmp_path))
    (tmp_path / "conll2003").mkdir()
    for part in ("train", "testa", "testb"):
        (tmp_path / "conll2003" / f"eng.{part}").write_text("EU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\n")
    assert open_data(str(tmp_path)).name == "CoNLL-2003"


def test_figure2_by_command(tmp_path, capsys):
    assert main(["reproduce", "gimpel-figure2", "-o", str(tmp_path / "f"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert len(facts["rows"]) == 13
    assert sorted(p.name for p in (tmp_path / "f").iterdir()) == [
        "gimpel-figure2.json",
        "gimpel-figure2.md",
        "gimpel-figure2.png",
        "gimpel-figure2.svg",
    ]


def test_table2_by_command(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    arguments = ["reproduce", "gimpel-table2", "--sentences", "30", "--epochs", "1", "--samples", "50", "-o", str(tmp_path / "t"), "--json"]
    assert main(arguments) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in facts["rows"]] == [method.name for method in METHODS]
    assert sum(len(found) for found in facts["pairs"].values()) == 21
    for row, method in zip(facts["rows"], METHODS):
        assert len(row["tried"]) == 1 + sum(len(values) - 1 for values in method.grid.values())
        assert row["dev"] == max(point["dev"] for point in row["tried"])
    assert facts["hidden"]["rows"][0]["way"] == "latent: summed over"
    assert facts["hidden"]["rows"][1]["sentences"] < facts["hidden"]["rows"][0]["sentences"] == 30


def test_figure3_by_command(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    assert main(["reproduce", "gimpel-figure3", "--sentences", "30", "--epochs", "1", "-o", str(tmp_path / "f"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {(p["false"], p["miss"], p["type"]) for p in facts["points"]} == {(a, 10 - a, 5) for a in (9, 7, 5, 3, 1)}
    assert set(facts["steady"]) == {method.name for method in METHODS if method.costly}


def test_unknown_reproductions_are_refused_with_those_that_exist(capsys):
    assert main(["reproduce", "gimpel-table9"]) == 2
    assert "gimpel-table2" in capsys.readouterr().err
