"""The dial between precision and recall: sweeps, the decoding bias against its definition, the command."""

import dataclasses
import json
import math

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe
from widemargin.families.tagging.sources import open_columns
from widemargin.study.experiment import Bench
from widemargin.study.precision_recall import parse_sweep, steady, trade

SMALL = "word[-1..1]\nshape(word)\nlabel[-1]\n"
RECIPE = Recipe(task="ner", objective="softmax-margin", templates=SMALL, settings={"epochs": 3})


@pytest.fixture(scope="module")
def files():
    return open_columns("town:train:150", "ner"), open_columns("town:dev:80", "ner")


def test_a_sweep_goes_by_equal_ratios():
    sweep = parse_sweep("miss=0.25..8,type=2", 6)
    assert sweep.values == pytest.approx((0.25, 0.5, 1, 2, 4, 8))
    assert sweep.cost(0.5) == "miss=0.5,false=1,type=2"
    assert sweep.bias(8.0) == pytest.approx(math.log(8))
    assert parse_sweep("false=0.5..2", 2).bias(2.0) == pytest.approx(-math.log(2))


@pytest.mark.parametrize("text", ["hamming", "miss=1", "miss=1..2,false=1..2", "miss=4..2", "miss=0..1", "type=1..2", "miss=a..b"])
def test_what_is_no_sweep_is_refused(text):
    with pytest.raises(InputError):
        parse_sweep(text, 5)


def test_the_bias_is_added_to_every_label_but_o(files):
    """Against scores summed feature by feature, on a structure in which every token decides by itself."""
    columns, dev = files
    recipe = dataclasses.replace(RECIPE, labels="iob2", structure="choice", templates="word[-1..1]\nshape(word)\n")
    bench = Bench(recipe, columns)
    judge = bench.judge(dev)
    w = np.random.default_rng(0).normal(size=bench.problem.shape)
    linear, features, labels = bench.problem.linear(w), judge.held.features, bench.posed.material.gold.labels
    scores = np.zeros((dev.tokens, len(labels)))
    for t in range(dev.tokens):
        for f in features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]]:
            scores[t] += linear.labels[f, : len(labels)]
    for bias in (-1.5, 0.0, 2.0):
        expected = (scores + bias * np.array([label != "O" for label in labels])).argmax(axis=1)
        codes, values = bench.posed.decode(w, judge.held, bias=bias)
        assert [values[c] for c in codes] == [labels[c] for c in expected]  # the data are written in the model's scheme


def test_a_bias_on_a_chain_counts_its_labels(files):
    """With a bias beyond every score nothing is O, or everything is."""
    columns, dev = files
    bench = Bench(RECIPE, columns)
    judge, w = bench.judge(dev), bench.fit(RECIPE).w
    for bias, share in ((1e4, 1.0), (-1e4, 0.0)):
        codes, values = bench.posed.decode(w, judge.held, bias=bias)
        assert np.mean([values[c] != "O" for c in codes]) == share


def test_recall_rises_with_the_price_of_missing(files):
    found = trade(RECIPE, parse_sweep("miss=0.1..30", 3), *files)
    trained, bias = ([p for p in found.points if p["how"] == how] for how in ("trained", "bias"))
    assert [p["miss"] for p in trained] == [p["miss"] for p in bias] == pytest.approx([0.1, 3**0.5, 30])
    assert trained[0]["recall"] < trained[-1]["recall"]
    assert bias[0]["guessed"] < bias[1]["guessed"] < bias[2]["guessed"]
    assert found.steadiness()["trained"] == steady(trained)


def test_prices_of_false_alarms_lower_what_is_guessed(files):
    found = trade(RECIPE, parse_sweep("false=0.1..20", 2), *files, how="train")
    assert found.points[0]["guessed"] > found.points[1]["guessed"]
    assert found.steadiness()["trained"]["recall rises"] == (found.points[1]["recall"] < found.points[0]["recall"])


def test_objectives_without_cost_can_only_be_biased(files):
    likelihood = dataclasses.replace(RECIPE, objective="likelihood")
    with pytest.raises(InputError, match="--how bias"):
        trade(likelihood, parse_sweep("miss=1..2", 2), *files)
    assert len(trade(likelihood, parse_sweep("miss=1..2", 2), *files, how="bias").points) == 2
    with pytest.raises(InputError, match="has none"):
        trade(dataclasses.replace(RECIPE, task="tag"), parse_sweep("miss=1..2", 2), *files)


def test_curve_writes_table_figure_and_json(tmp_path, capsys):
    templates = tmp_path / "templates.txt"
    templates.write_text(SMALL)
    arguments = ["curve", "ner", "town:train:60", "town:dev:40", "--templates", str(templates), "--epochs", "2", "--points", "3"]
    assert main([*arguments, "-o", str(tmp_path / "out"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [p["how"] for p in facts["points"]] == ["trained"] * 3 + ["bias"] * 3
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["curve.json", "curve.png", "curve.svg", "table.md"]
    # where missing costs as much as a false alarm there is no bias, and both ways are one model
    assert main([*arguments, "--cost", "miss=1..4", "-o", str(tmp_path / "out"), "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert {k: v for k, v in points[0].items() if k != "how"} == {k: v for k, v in points[3].items() if k != "how"}
