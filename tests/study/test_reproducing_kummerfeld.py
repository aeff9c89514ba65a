"""Table 1 and Figure 1 of kummerfeld2015 on a handful of sentences."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.study.experiment import Bench
from widemargin.study.papers.kummerfeld import methods
from widemargin.study.papers.kummerfeld.data import INSTANCES, open_spans, open_task
from widemargin.study.papers.kummerfeld.methods import METHODS, PERCEPTRON
from widemargin.study.papers.kummerfeld.rows import rows_of
from widemargin.study.papers.kummerfeld.table1 import decoding_seconds, per_iteration
from widemargin.study.reproduction import Settings

LEARNERS = {
    "ner": ("perceptron", "mira", "ops", "cutting-plane", "lbfgs"),
    "chunk": ("perceptron", "ocp", "one-slack"),
    "mst-projective": ("perceptron",),
    "mst-nonprojective": ("perceptron",),
}


@pytest.mark.parametrize("task", list(LEARNERS))
def test_by_command(task, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    small = ["--sentences", "25", "--epochs", "3", "-o", str(tmp_path / "k"), "--json"]
    some = tuple(method for method in METHODS if method.learner in LEARNERS[task])
    monkeypatch.setattr("widemargin.study.papers.kummerfeld.table1.METHODS", some)  # every method is seconds of compiling
    assert main(["reproduce", "kummerfeld-table1", "--task", task, *small]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["task"], facts["data"][:4]) == (task, "town")
    rows = {row["method"]: row for row in facts["rows"]}
    assert list(rows) == [method.name for method in some]
    assert rows[PERCEPTRON]["relative"] == 1.0
    for row in rows.values():
        assert row["dev"] == max(row["curve"]) == row["curve"][row["epoch"] - 1]
        assert 1 <= len(row["curve"]) <= 3
        assert row["seconds"] > 0
        assert row["decoding"] > 0
    stem = f"kummerfeld-table1-{task}"
    assert sorted(p.name for p in (tmp_path / "k").iterdir()) == [f"{stem}.{ending}" for ending in ("json", "md", "png", "svg")]
    table = (tmp_path / "k" / f"{stem}.md").read_text()
    assert ("theirs" in table) == (task != "chunk")


def test_the_grid_by_command(tmp_path, capsys):
    told = ["reproduce", "kummerfeld-grid", "--quick", "--sentences", "20", "--only", "MIRA; OCP", "--samples", "20", "--seeds", "2"]
    assert main([*told, "-o", str(tmp_path / "k"), "--json"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    assert part["data"].startswith("town")
    assert [(row["row"], row["cells"], row["seeds"]) for row in part["rows"]] == [(PERCEPTRON, 1, 2), ("MIRA", 2, 2), ("OCP", 2, 2)]
    kept = json.loads((tmp_path / "k" / "kummerfeld-grid.json").read_text())
    assert kept["made"]["command"].startswith("widemargin reproduce kummerfeld-grid")
    assert [table["title"][:6] for table in kept["tables"][-2:]] == ["Every ", "Memory"]
    assert [row["row"] for row in kept["tables"][-1]["rows"]] == ["OCP"]
    assert main(["reproduce", "kummerfeld-grid", "--quick", "--data", str(tmp_path)]) == 2
    assert "leave --data out" in capsys.readouterr().err


def test_sparse_and_eager_updates_agree(tmp_path, capsys):
    assert main(["reproduce", "kummerfeld-updates", "--quick", "--task", "chunk", "-o", str(tmp_path / "k"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["apart"] < 1e-6
    assert row["steps"] == 4
    assert row["ratio"] == pytest.approx(row["eager"] / row["sparse"])


def test_batches_by_threads(tmp_path, capsys):
    told = ["--quick", "--task", "mst-projective", "--sentences", "6", "--threads", "2"]
    assert main(["reproduce", "kummerfeld-batches", *told, "-o", str(tmp_path / "k"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["threads"], row["batch"]) for row in rows] == [(t, b) for t in (1, 2) for b in (1, 10, 100)]
    assert [row["speedup"] for row in rows[:3]] == [1.0] * 3


@pytest.mark.parametrize("name", ["kummerfeld-table1", "kummerfeld-figure1"])
def test_quick_studies(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("widemargin.study.papers.kummerfeld.table1.METHODS", METHODS[:2])
    assert main(["reproduce", name, "--quick", "--task", "chunk", "--sentences", "8", "-o", str(tmp_path / "k"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["data"].startswith("town")
    assert [len(row["curve"]) for row in facts["rows"]] == [2, 2]


@pytest.mark.parametrize(
    ("task", "only", "published"),
    [
        ("summarization", "Perceptron; OPS, l2, ind", {"Averaged perceptron": 1.0}),
        pytest.param("coref", "MIRA; OCP", {"Averaged perceptron": 1.0, "MIRA": 1.0, "OCP": 1.7}, marks=pytest.mark.wide),
    ],
)
def test_latent_tasks_are_tuned_in_full(task, only, published, tmp_path, capsys):
    """Rows of their own: other costs, other features, another structure for dual methods; the perceptron's decoding is timed."""
    told = [
        "reproduce",
        "kummerfeld-grid",
        "--task",
        task,
        "--quick",
        "--sentences",
        "12",
        "--only",
        only,
        "--samples",
        "20",
        "--seeds",
        "1",
    ]
    assert main([*told, "-o", str(tmp_path / "k"), "--json"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    rows = {row["row"]: row for row in part["rows"]}
    asked, names = Settings(only=tuple(only.split("; "))), [row.name for row in rows_of(task)]
    wanted = [row for row in rows_of(task) if row.name == PERCEPTRON or asked.wants(row.name, names)]
    assert list(rows) == [row.name for row in wanted]
    assert [row["cells"] for row in rows.values()] == [2 ** len(row.axes) for row in wanted]
    (table, *_) = json.loads((tmp_path / "k" / f"kummerfeld-grid-{task}.json").read_text())["tables"]
    assert {row["row"]: row["published"] for row in table["rows"] if row["published"]} == published
    assert [row["decoding"] > 0 for row in table["rows"] if "decoding" in row] == [True]


@pytest.mark.parametrize("name", ["kummerfeld-table1", "kummerfeld-figure1"])
def test_tables_of_latent_tasks_are_those_of_the_grid(name, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    monkeypatch.setattr("widemargin.study.papers.kummerfeld.grid.rows_of", lambda task: rows_of(task)[:2])
    small = ["--sentences", "6", "--epochs", "1", "-o", str(tmp_path / "k")]
    assert main(["reproduce", name, "--task", "summarization", *small]) == 0
    assert "Perceptron, last weights" in capsys.readouterr().out
    assert (tmp_path / "k" / f"{name}-summarization.png").exists()


def test_recipes_of_latent_tasks():
    links = {row.name: row.recipe("coref", 5, {"l2": 1e-3}) for row in rows_of("coref")}
    assert [links[name].structure for name in ("OPS, l2", "OCP", "Cutting plane, batch")] == ["lists", "links", "links"]
    costs = [links[name].cost for name in ("MIRA", "MIRA, costs 0.1/3/1")]
    assert costs == [links["OPS, l2"].family.cost, "durrett-klein"]
    summaries = {row.name: row.recipe("summarization", 5, {}) for row in rows_of("summarization")}
    assert [summaries[name].templates for name in (PERCEPTRON, "OPS, l2, indicators")] == [None, "counts"]


@pytest.mark.wide
def test_the_span_parser_is_tuned_and_its_memory_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(methods, "SPAN_BITS", 10)
    told = ["reproduce", "kummerfeld-grid", "--task", "span-parser", "--quick", "--sentences", "2", "--epochs", "1"]
    told += ["--only", "OPS, l2; Cutting plane, batch", "--samples", "20", "-o", str(tmp_path / "k"), "--json"]
    assert main(told) == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    rows = {row["row"]: row for row in part["rows"]}
    assert {name: row["cells"] for name, row in rows.items()} == {PERCEPTRON: 1, "OPS, l2": 4, "Cutting plane, batch": 2}
    kept = json.loads((tmp_path / "k" / "kummerfeld-grid-span-parser.json").read_text())
    (times, *_, memory) = kept["tables"]
    assert {row["row"]: row["published"] for row in times["rows"] if row["published"]} == {PERCEPTRON: 1.0, "OPS, l2": 1.1}
    assert memory["title"].startswith("Memory of the outputs that dual methods keep")
    (planes,) = memory["rows"]
    assert planes["row"] == "Cutting plane, batch"
    assert planes["megabytes"] > 0


def test_an_iteration_of_the_span_parser_is_as_many_instances_as_in_the_paper(tmp_path):
    (tmp_path / "ptb_sample").mkdir()
    for part, count in (("train", 3_000), ("dev", 2), ("test", 2)):
        (tmp_path / "ptb_sample" / f"{part}.mrg").write_text("".join(f"( (S (NN w{i}) (VB go)))\n" for i in range(count)))
    found = open_spans(str(tmp_path))
    assert (found.train.sentences, found.dev.sentences) == (INSTANCES, 2)
    words = [found.train.words(i)[0] for i in range(INSTANCES)]
    assert sorted(set(words)) == sorted(f"w{i}" for i in range(3_000))
    assert len(set(words[3_000:])) == 1_000
    assert open_spans(str(tmp_path), 5).train.sentences == 5


def test_step_sizes_on_trees_are_their_own():
    method = next(method for method in METHODS if method.name == "OPS, l2, batches of 10")
    chain, trees = (method.recipe(task, 4, 2) for task in ("ner", "mst-projective"))
    assert chain.settings == {"epochs": 4, "seed": 2, "rate": "auto", "batch": 10}
    assert trees.settings == {"epochs": 4, "seed": 2, "rate": 0.02, "initial": 10.0, "batch": 10}
    assert (trees.structure, chain.l2, trees.l2) == ("eisner", 1e-6, 1e-6)
    assert METHODS[-2].recipe("mst-nonprojective", 4, 2).l2 == 0.0


def test_a_sweep_that_only_decodes_moves_nothing():
    data = open_task("ner", sentences=20)
    recipe = METHODS[0].recipe("ner", 2, 1)
    bench = Bench(recipe, data.train)
    fitted = bench.fit(recipe)
    before = fitted.w.copy()
    assert decoding_seconds(bench, fitted) > 0
    np.testing.assert_array_equal(fitted.w, before)
    assert bench.problem.corpus.weight.all()


def test_the_time_of_an_iteration_leaves_out_the_first_and_the_last():
    assert per_iteration(np.array([9.0, 1.0, 3.0, 7.0])) == 2.0
    assert per_iteration(np.array([9.0, 1.0])) == 1.0
    assert per_iteration(np.array([9.0])) == 9.0


def test_chunks_are_held_out_where_there_is_no_development_data(tmp_path, monkeypatch):
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)
    with pytest.raises(InputError, match=r"train\.txt"):
        open_task("chunk", str(tmp_path))
    (tmp_path / "conll2000").mkdir()
    for part, count in (("train", 25), ("test", 3)):
        (tmp_path / "conll2000" / f"{part}.txt").write_text("".join(f"w{i} NN B-NP\n\n" for i in range(count)))
    data = open_task("chunk", str(tmp_path))
    assert (data.name, data.dev.cells(0), len(data.train.cells(0)), len(data.test.cells(0))) == ("CoNLL-2000", ["w9", "w19"], 23, 3)


def test_refusals(capsys):
    with pytest.raises(InputError, match="choose one of ner, chunk, mst-projective"):
        open_task("tag")
    assert main(["reproduce", "gimpel-table2", "--task", "ner"]) == 2
    assert "--task changes nothing in" in capsys.readouterr().err
