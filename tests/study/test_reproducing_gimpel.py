"""Losses against their formulas, hidden labels, and the reproduction on a handful of sentences."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.tagging.sources import open_columns
from widemargin.features.extractor import Extractor
from widemargin.features.named import load_templates
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences
from widemargin.study.papers.gimpel.data import as_iob2, hide, open_data, select
from widemargin.study.papers.gimpel.features import seen_with_gold
from widemargin.study.papers.gimpel.gazetteers import covered, names_in, write_lists
from widemargin.study.papers.gimpel.losses import losses
from widemargin.study.papers.gimpel.methods import METHODS, trained_rows
from widemargin.study.papers.gimpel.published import TABLE3


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


def by_command(capsys, *words):
    assert main(["reproduce", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_table2_by_command(tmp_path, capsys):
    told = ["gimpel-table2", "--quick", "--sentences", "4", "--samples", "20", "--only", "Perceptron; Risk, AdaGrad; CLL, SGD"]
    facts = by_command(capsys, *told, "-o", tmp_path / "t")
    rows = {row["row"]: row for row in facts["rows"]}
    assert list(rows) == ["Perceptron", "CLL, SGD", "Risk, AdaGrad", "Risk, AdaGrad, from zeros"]
    assert [len(row["screened"]) for row in rows.values()] == [1, 4, 4 * 2, 4 * 2]
    for row in rows.values():
        assert [cell["point"]["averaged"] for cell in row["tried"]][:2] == [False, True]
        best = max(row["screened"], key=lambda cell: cell["dev"])  # the first of equals
        assert best["point"].items() <= row["tried"][0]["point"].items()
        assert not any("test" in cell for cell in [*row["screened"], *row["tried"]])
        assert row["finals"][0]["dev"] == max(cell["dev"] for cell in row["tried"])
    theirs = rows["CLL, SGD"]["tried"][2:]
    assert [cell["point"] for cell in theirs] == (
        [] if rows["CLL, SGD"]["screened"][0]["point"]["C"] == 0.01 else [{"C": 0.01, "averaged": False}]
    )
    table = json.loads((tmp_path / "t" / "gimpel-table2.json").read_text())["tables"][0]
    assert [row.get("paper_test") for row in table["rows"]] == [83.98, 85.46, None, None]


def test_recipes_are_what_the_paper_says():
    rows = {row.name: row for row in trained_rows(100)}
    assert len(rows) == 2 + 2 * (5 + 2)
    sgd = rows["Softmax-Margin, SGD"]
    assert len(sgd.points()) == 16
    recipe = sgd.long(None, {"m": 5, "C": 0.1, "averaged": True})
    assert (recipe.learner, recipe.cost, recipe.l2) == ("sgd", "hamming*5", pytest.approx(2 * 0.1 / 100))
    assert recipe.settings == {"epochs": 100, "patience": 4, "average": True, "schedule": "fixed", "rate": 0.01}
    mira = rows["MIRA"].long(None, {"m": 20, "C": 0.001, "averaged": False})
    assert (mira.learner, mira.cost, mira.l2, mira.settings["rate"], mira.settings["average"]) == ("mira", "hamming*20", None, 0.001, False)
    assert {point["C"] for point in rows["MIRA"].points()} == {0.001, 0.01, 0.1, 1.0}


def test_hidden_labels_by_command(tmp_path, capsys):
    facts = by_command(capsys, "gimpel-hidden", "--quick", "--sentences", 12, "--epochs", 1, "--samples", 20, "-o", tmp_path / "h")
    assert facts["rows"][0]["way"] == "latent: summed over"
    assert facts["rows"][1]["sentences"] < facts["rows"][0]["sentences"] == 12


def test_figure3_by_command(tmp_path, capsys):
    facts = by_command(capsys, "gimpel-figure3", "--quick", "--sentences", 4, "--epochs", 1, "-o", tmp_path / "f")
    assert {(p["false"], p["miss"], p["type"]) for p in facts["points"]} == {(a, 10 - a, 5) for a in (9, 7, 5, 3, 1)}
    assert set(facts["steady"]) == {method.name for method in METHODS if method.costly}


def test_table3_is_what_the_library_declares(tmp_path, capsys):
    rows = by_command(capsys, "gimpel-table3", "--quick", "-o", tmp_path / "t")["rows"]
    assert [row["method"] for row in rows] == list(TABLE3)
    for row in rows:
        for key in ("requirements", "cost", "convex", "probabilistic"):
            assert row[key] == row[f"their_{key}"] or (row["method"], key) == ("Perceptron", "convex")


def test_features_are_counted_by_gold_labels(tmp_path, capsys):
    sentences = [[("a", "O"), ("b", "I-PER"), ("a", "O")], [("a", "I-PER")]]
    columns = from_sentences([[(word, "X", label) for word, label in sentence] for sentence in sentences], names=("word", "pos", "ner"))
    features = Extractor(parse_templates("word\nlabel[-1] word\n")).fit(columns)
    # (a, O), (b, I-PER), (a, I-PER); O to b as I-PER, I-PER to a as O; the same two plain transitions
    assert seen_with_gold(features, columns) == {"label": 3, "pair": 2, "plain": 2, "total": 7}
    rows = by_command(capsys, "gimpel-features", "--quick", "-o", tmp_path / "c")["rows"]
    assert rows[0]["total"] < rows[1]["total"]
    assert rows[-1]["total"] == 1_312_255


def test_lists_of_names_are_read_as_table_1_prints_them(tmp_path, town, capsys):
    lists = names_in(town)
    labels, words = as_iob2(town).cells(-1), town.cells(0)
    inside = next(i for i, label in enumerate(labels) if label.startswith("I-"))
    assert f"{words[inside - 1]} {words[inside]}" in lists[labels[inside][2:]]
    assert covered(town, lists) == 1.0
    names = {str(template) for template in load_templates(write_lists(str(tmp_path), lists))}
    kind = labels[inside][2:]
    assert {f'in(word,"gazetteer-{kind}")[0]', f'label[-1] in(pair(word),"gazetteer-{kind}")[0]'} <= names
    rows = by_command(capsys, "gimpel-gazetteers", "--quick", "--sentences", 8, "--epochs", 1, "-o", tmp_path / "g")["rows"]
    assert rows[0]["gain"] == 0
    assert rows[3]["test_share"] == 100 > rows[1]["test_share"]


def test_unknown_reproductions_are_refused_with_those_that_exist(capsys):
    assert main(["reproduce", "gimpel-table9"]) == 2
    assert "gimpel-table2" in capsys.readouterr().err
