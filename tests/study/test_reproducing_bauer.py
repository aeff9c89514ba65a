"""Table 1, Figure 2 and time by length of bauer2017 on a handful of trees."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.metrics.wilcoxon import signed_rank
from widemargin.study.papers.bauer import data, figure2, scaling, table1
from widemargin.study.papers.bauer.methods import METHODS, ORIGINAL
from widemargin.study.papers.bauer.runs import CHOOSING, Run, Runs, by_sentence
from widemargin.study.reproduction import Settings

pytestmark = pytest.mark.wide  # searching by counts is half a minute of compiling; other tests compile it

SMALL = ["--quick", "--sentences", "4", "--epochs", "2"]


def reproduced(name, folder, capsys, *more):
    """The JSON of a command on the embedded corpus."""
    assert main(["reproduce", name, "-o", str(folder), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_table_and_figure_share_their_runs(tmp_path, capsys, monkeypatch):
    facts = reproduced("bauer-table1", tmp_path / "b", capsys, *SMALL, "--task", "all")
    assert [row["method"] for row in facts["rows"]] == [method.name for method in METHODS]
    chosen = {row["method"]: row["C"] for row in facts["rows"]}
    for name, c in chosen.items():
        cells = [cell for cell in facts["grid"] if cell["method"] == name]
        assert [cell["C"] for cell in cells] == [10.0, 100.0]
        assert c == max(cells, key=lambda cell: cell["mean_f1"])["C"]
        assert {cell["fold"] for cell in cells} == {CHOOSING + 1}
        assert [fit["fold"] for fit in facts["fits"] if fit["method"] == name] == [1, 2]
        assert {fit["C"] for fit in facts["all"]["fits"] if fit["method"] == name} == {c}
    assert {test["over"] for test in facts["tests"]} == {"all", "not choosing"}
    assert len(facts["tests"]) == 2 * 6
    kept = sorted((tmp_path / "b" / "runs").iterdir())
    assert len(kept) == 4 * (2 + 1) + 4 * 2
    table = (tmp_path / "b" / "bauer-table1-all.md").read_text()
    assert "| F1 (bin.)" in table
    assert "90.82" in table

    monkeypatch.setattr("widemargin.study.experiment.Bench.fit", None)  # nothing may be fitted again
    assert reproduced("bauer-table1", tmp_path / "b", capsys, *SMALL, "--task", "all")["rows"] == facts["rows"]
    one = reproduced("bauer-table1", tmp_path / "b", capsys, *SMALL, "--only", ORIGINAL, "--folds", "1")  # F1 (bin.) begins so, too
    assert [row["method"] for row in one["rows"]] == [ORIGINAL]
    drawn = reproduced("bauer-figure2", tmp_path / "b", capsys, *SMALL)
    assert drawn["better"] + drawn["worse"] == drawn["n"] == sum(row["count"] for row in drawn["bins"])
    assert (tmp_path / "b" / "bauer-figure2.png").exists()

    kept[0].write_text("{}")
    assert main(["reproduce", "bauer-table1", "-o", str(tmp_path / "b"), *SMALL, "--task", "all"]) == 2
    assert "is not a run of this study; remove it" in capsys.readouterr().err


def test_every_sentence_is_tested_once_and_never_trained_on():
    folds = data.open_folds(Settings(quick=True, sentences=8))[data.SHORT]
    tested = []
    for fold in range(data.FOLDS):
        train, test = folds.split(fold)
        assert train.sentences + test.sentences == folds.trees.sentences
        tested += [" ".join(test.words(i)) for i in range(test.sentences)]
    assert tested == [" ".join(folds.trees.words(i)) for i in range(folds.trees.sentences)]
    assert np.diff(folds.trees.row_ptr).max() <= data.TASKS[data.SHORT]


def test_scores_are_means_of_sentences_and_sums():
    counts = np.array([[1, 2, 2], [4, 4, 4], [0, 0, 0]])
    np.testing.assert_allclose(by_sentence(counts), [[50, 50, 50], [100, 100, 100], [100, 100, 100]])
    row = table1.scores_of(ORIGINAL, [Run({"failed": 1}, counts[:1], counts[:1]), Run({"failed": 2}, counts[1:], counts[1:])], 10.0)
    assert (row["sentences"], row["failed"], row["C"]) == (3, 3, 10.0)
    assert row["mean_f1"] == pytest.approx(250 / 3)
    assert row["f1"] == pytest.approx(100 * 5 / 6)
    assert row["exact"] == pytest.approx(200 / 3)


def test_rows_are_compared_over_all_folds_and_over_those_that_did_not_choose():
    random = np.random.default_rng(3)
    found = {}
    for name in ("a", "b"):
        matched = random.integers(0, 9, size=(5, 20))
        found[name] = [Run({}, np.stack([m, np.full(20, 8), np.full(20, 8)], axis=1), np.zeros((20, 3), np.int64)) for m in matched]
    first, second = table1.tests_of(found)
    for test, skipped in ((first, 0), (second, 1)):
        a, b = (np.concatenate([run.f1 for run in found[name][skipped:]]) for name in ("b", "a"))
        assert (test["n"], test["w"], test["p"]) == (signed_rank(a, b).n, signed_rank(a, b).w, signed_rank(a, b).p_value)
        assert test["difference"] == pytest.approx((a - b).mean())
        assert test["sentences"] == len(a)


def test_bins_leave_out_zeros_and_are_symmetric():
    edges, counts = figure2.bins_of(np.array([0.0, 0.0, 0.01, -0.01, 0.05, -0.05, 1.0, -1.0, 0.06]))
    assert counts.sum() == 7
    assert counts[figure2.BINS] == counts[figure2.BINS - 1] == 2  # an edge belongs to the bin nearer 0
    assert (counts[0], counts[-1], counts[figure2.BINS + 1]) == (1, 1, 1)
    np.testing.assert_allclose(edges, -edges[::-1], atol=1e-12)


def test_the_search_finds_what_the_plain_table_finds(monkeypatch):
    monkeypatch.setattr(scaling, "SENTENCES", 3)
    report = scaling.report(Settings(quick=True, sentences=8))
    rows = report.facts["rows"]
    assert [row["length"] for row in rows] == list(scaling.QUICK_LENGTHS)
    assert all(row[way] > 0 for row in rows for way in (scaling.BEST, scaling.SEARCH))
    assert [scaling.TABLE in row for row in rows] == [True, False]
    assert len(report.sections[0].rows) == len(rows)
    monkeypatch.setitem(scaling.WAYS, scaling.TABLE, lambda rows, s, i: (1e9, 0.0))
    with pytest.raises(AssertionError):  # the two are compared sentence by sentence
        scaling.report(Settings(quick=True, sentences=8))


def test_refusals(tmp_path, capsys):
    with pytest.raises(InputError, match="choose one of short, long, all"):
        data.open_folds(Settings(quick=True, task="ner"))
    with pytest.raises(InputError, match="leave --data out"):
        data.open_folds(Settings(quick=True, data="somewhere"))
    with pytest.raises(InputError, match="ptb_sample/ must hold"):
        data.open_folds(Settings(data=str(tmp_path)))
    with pytest.raises(InputError, match="at least 5 are needed"):
        data.open_folds(Settings(quick=True, sentences=1))
    assert main(["reproduce", "letters", "--quick"]) == 2
    assert "--quick changes nothing in letters" in capsys.readouterr().err


def test_the_grid_of_the_paper():
    runs = Runs(data.open_folds(Settings(quick=True, sentences=8))[data.SHORT], Settings())
    assert runs.grid == (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
    recipe = METHODS[-1].recipe(100.0, 7, 3)
    assert (recipe.l2, recipe.objective, recipe.learner, recipe.structure) == (0.01, "slack", "cutting-plane", "wcfg")
