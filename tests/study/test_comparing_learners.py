"""Grids, seeds and significance of comparisons, against direct calls."""

import csv
import dataclasses
import json
import os
import statistics

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.sources import open_columns
from widemargin.families.tagging.spans import span_counts_per_sentence
from widemargin.metrics.bootstrap import f1_from_counts, paired_bootstrap
from widemargin.study.cells import Means
from widemargin.study.comparison import compare_recipes, write_report
from widemargin.study.experiment import Bench, Benches
from widemargin.study.grids import Axis, Candidate, axis_of, candidates

SMALL = "word[-1..1]\nsuffix(word,2)\nlabel[-1]\n"
TRAIN, DEV = "town:train:60", "town:dev:40"


@pytest.fixture(scope="module")
def files():
    return open_columns(TRAIN, "ner"), open_columns(DEV, "ner")


def recipe(learner="ops", objective=None, **fields):
    settings = {"epochs": 2, "seed": 1} | fields.pop("settings", {})
    return Recipe(task="ner", learner=learner, objective=objective, templates=SMALL, settings=settings, **fields)


def test_a_bench_fits_what_training_fits(files):
    columns, dev = files
    for chosen in (recipe(), recipe("perceptron"), recipe("ops", "softmax-margin", cost="miss=3,false=1", l2=1e-4), recipe("lbfgs")):
        bench = Bench(recipe(), columns)
        judge = bench.judge(dev)
        fitted, model = bench.fit(chosen, judge), train(chosen, columns, dev=dev)
        assert [h["dev"] for h in fitted.history] == [h["dev"] for h in model.facts["history"]]
        assert fitted.epoch == model.facts["epoch"]
        codes, values = bench.posed.decode(fitted.w, judge.held)
        expected, names = model.predict(dev)
        assert [values[c] for c in codes] == [names[c] for c in expected]


def test_a_fit_continues_from_the_weights_of_another(files):
    """With hardly any step nothing changes: merged rows come back as they went."""
    columns, dev = files
    bench = Bench(recipe(), columns)
    judge = bench.judge(dev)
    first = bench.fit(recipe(), judge)
    again = bench.fit(recipe(settings={"rate": 1e-9}), start=first.w)
    assert (bench.problem.copies > 1).any()
    np.testing.assert_allclose(again.w, first.w, atol=1e-5)


def test_a_bench_refuses_other_features(files):
    bench = Bench(recipe(), files[0])
    assert bench.suits(recipe("mira", cost="hamming*3", settings={"rate": 1}))
    with pytest.raises(InputError, match="other features or labels"):
        bench.fit(dataclasses.replace(recipe(), cutoff=2))


def test_significance_is_a_direct_bootstrap_against_the_best(files):
    columns, dev = files
    names = {"perceptron": recipe("perceptron"), "ops": recipe(), "adadelta": recipe("adadelta")}
    study = compare_recipes({name: [Candidate({}, r)] for name, r in names.items()}, columns, dev, samples=500)
    counts = {}
    for name, chosen in names.items():
        codes, values = train(chosen, columns, dev=dev).predict(dev)
        counts[name] = span_counts_per_sentence(dev.codes[-1], codes, dev.values[-1], values, dev.row_ptr)
    best, *others = study.rows()
    assert best["best"] == max(run["best"] for run in study.runs)
    assert best["p_value"] is None
    for run in others:
        expected = paired_bootstrap(counts[best["name"]], counts[run["name"]], samples=500)
        assert run["p_value"] == expected.p_value
        assert run["bootstrap"]["difference"] == pytest.approx(best["best"] - run["best"], abs=1e-3)
        assert run["worse"] == (expected.p_value < 0.05)


def test_seeds_give_mean_and_spread(files):
    columns, dev = files
    rows = {"ops": [Candidate({}, recipe())], "lbfgs": [Candidate({}, recipe("lbfgs"))]}
    study = compare_recipes(rows, columns, dev, seeds=3, samples=200)
    ops, lbfgs = study.runs
    alone = [max(h["dev"]["f1"] for h in train(recipe(settings={"seed": s}), columns, dev=dev).facts["history"]) for s in (1, 2, 3)]
    assert ops["scores"] == alone
    assert ops["best"] == statistics.fmean(alone)
    assert ops["spread"] == statistics.stdev(alone) > 0
    assert (len(lbfgs["scores"]), lbfgs["spread"]) == (1, None)  # nothing random there
    assert "mean of 3" in study.table()


def test_a_grid_is_every_combination_and_the_row_shows_the_best(files):
    columns, dev = files
    axes = [axis_of("rate=0.02,0.2"), axis_of("mira.rate=0.01"), Axis("cost", ("hamming", "hamming*5")), axis_of("l2=0,1e-4")]
    found = {name: candidates(name, recipe(name), axes) for name in ("ops", "perceptron", "mira")}
    assert len(found["ops"]) == 8
    assert [c.point for c in found["perceptron"]] == [{}]  # neither cost nor penalty nor rate matters
    assert {c.recipe.settings["rate"] for c in found["mira"]} == {"0.01"}
    assert all(c.recipe.l2 is None for c in found["mira"])
    study = compare_recipes({"ops": found["ops"][:3]}, columns, dev, samples=100)
    (run,) = study.runs
    assert len(run["grid"]) == 3
    assert run["best"] == max(point["best"] for point in run["grid"])
    chosen = found["ops"][[point["best"] for point in run["grid"]].index(run["best"])]
    assert run["settings"] == chosen.point
    assert max(h["dev"]["f1"] for h in train(chosen.recipe, columns, dev=dev).facts["history"]) == run["best"]


def test_axes_of_other_labels_get_a_bench_of_their_own(files):
    columns, dev = files
    study = compare_recipes({"ops": candidates("ops", recipe(), [axis_of("labels=iob2,bioes")])}, columns, dev, samples=100)
    assert [point["settings"] for point in study.runs[0]["grid"]] == [{"labels": "iob2"}, {"labels": "bioes"}]


def test_compare_prints_grids_and_writes_json(tmp_path, capsys):
    templates = tmp_path / "templates.txt"
    templates.write_text(SMALL)
    arguments = [
        "compare",
        "ner",
        TRAIN,
        DEV,
        "--templates",
        str(templates),
        "--learners",
        "perceptron,ops:softmax-margin",
        "--epochs",
        "2",
    ]
    arguments += ["--set", "ops.rate=0.05,0.2", "--cost", "hamming;hamming*3", "--l2", "1e-5", "--seeds", "2", "--samples", "200"]
    assert main([*arguments, "-o", str(tmp_path / "report")]) == 0
    out = capsys.readouterr().out
    assert "p against best" in out
    assert "rate=0.2 cost=hamming*3" in out
    study = json.loads((tmp_path / "report" / "comparison.json").read_text())
    grids = {run["name"]: run["grid"] for run in study["runs"]}
    assert {name: len(grid) for name, grid in grids.items()} == {"perceptron": 1, "ops:softmax-margin": 4}
    assert all(len(point["scores"]) == 2 for grid in grids.values() for point in grid)
    assert all(point["l2"] == 1e-5 for point in grids["ops:softmax-margin"])


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--set", "sgd.rate=1"], "not compared"),
        (["--set", "rate"], "not KEY=VALUE"),
        (["--set", "rate=1,,2"], "not KEY=VALUE"),
        (["--l2", "much"], "not a number"),
        (["--seeds", "0"], "at least 1"),
        (["--set", "speed=1"], "--set speed is not known"),
    ],
)
def test_bad_grids_are_refused_in_one_sentence(extra, message, tmp_path, capsys):
    arguments = ["compare", "ner", TRAIN, DEV, "--learners", "ops", "--epochs", "1", "-o", str(tmp_path), *extra]
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_pooled_counts_of_one_seed_and_of_several_compare(files):
    """F1 does not care how often all counts are added, so one run of lbfgs beside three of ops is fair."""
    counts = np.array([[3, 4, 5], [1, 2, 2], [0, 1, 3]])
    assert f1_from_counts((3 * counts).sum(axis=0)) == f1_from_counts(counts.sum(axis=0))
    assert paired_bootstrap(3 * counts, counts, samples=50).difference == 0


def test_a_comparison_that_was_stopped_goes_on(files, tmp_path, monkeypatch):
    rows = {"ops": candidates("ops", recipe(), [axis_of("rate=0.1,0.01")]), "perceptron": [Candidate({}, recipe("perceptron"))]}
    run, done = Benches.run, []

    def stopping(self, name, chosen):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(name)
        return run(self, name, chosen)

    monkeypatch.setattr(Benches, "run", stopping)
    with pytest.raises(KeyboardInterrupt):
        compare_recipes(rows, *files, samples=50, means=Means(str(tmp_path)))
    monkeypatch.setattr(Benches, "run", lambda self, *given: done.append(given[0]) or run(self, *given))
    study = compare_recipes(rows, *files, samples=50, means=Means(str(tmp_path)))
    assert done == ["[1/3] ops rate=0.1", "[2/3] ops rate=0.01", "[1/1] perceptron"]
    monkeypatch.setattr(Benches, "run", lambda *_: pytest.fail("a training was done again"))
    again = compare_recipes(rows, *files, samples=50, means=Means(str(tmp_path)))
    assert json.dumps(again.as_dict()) == json.dumps(study.as_dict())


@pytest.mark.wide
def test_everything_is_checked_before_anything_is_trained(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Benches, "run", lambda *_: pytest.fail("something was trained"))
    for extra, message in (
        (["--learners", "ops,lbfgs:hinge"], "lbfgs needs a smooth objective"),
        (["--learners", "ops,bcfw:likelihood"], "bcfw minimises the hinge"),
        (["--learners", "ops,mira", "--set", "mira.k=0"], "k is 0; it must be at least 1"),
        (["--learners", "perceptron", "--set", "rate=1,2"], "--set rate changes nothing: none of perceptron looks at it"),
    ):
        assert main(["compare", "ner", TRAIN, DEV, "-o", str(tmp_path), *extra]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.wide
def test_test_scores_csv_and_curves_say_what_the_table_says(files, tmp_path):
    rows = {"ops": candidates("ops", recipe(), [axis_of("rate=0.1,0.01")]), "lbfgs": [Candidate({}, recipe("lbfgs"))]}
    study = compare_recipes(rows, *files, seeds=2, samples=50, test=files[1])  # dev once more: test scores must be those of dev
    written = write_report(study, str(tmp_path), train=TRAIN, dev=DEV)
    assert {"table.csv", "grid.csv", "table.md", "comparison.json"} <= {os.path.basename(path) for path in written}
    with open(tmp_path / "table.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    for run, row, curve in zip(study.rows(), table, study.curves().values()):
        assert run["test_scores"] == pytest.approx(run["scores"], abs=1e-3)
        assert float(row["best"]) == run["best"] == pytest.approx(curve.points[-1][1])
        assert curve.label.startswith(f"{run['best']:.2f}")
        assert all(low <= y <= high for (_, y), (_, low, high) in zip(curve.points, curve.band))
    assert len(study.rows()[0]["test_scores"]) in (1, 2)
