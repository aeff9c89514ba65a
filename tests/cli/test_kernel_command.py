"""The kernel's settings on the command line, and what the commands make of a model with conjunctions."""

import json

import pytest

from widemargin.cli import main
from widemargin.families.tagging.sources import open_columns

TRAIN, DEV = "town:train:60", "town:dev:30"
TEMPLATES = "word[-1..1]\npos[-1..1]\n"


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main(list(arguments))
        out = capsys.readouterr()
        return status, out.out, out.err

    return call


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "templates.txt").write_text(TEMPLATES)
    return folder


def arguments(files, *sets):
    chosen = [word for item in sets for word in ("--set", item)]
    return ["train", "np", TRAIN, "-o", str(files / "m.safetensors"), "--templates", str(files / "templates.txt"), "--epochs", "3", *chosen]


def test_settings_apart_or_together_make_the_same_model(run, files):
    together = "kernel=poly,degree=2,gamma=0.5,expand=true,rate=0.05"
    models = []
    for sets in ([together], together.split(",")):
        assert run(*arguments(files, *sets))[0] == 0
        models.append((files / "m.safetensors").read_bytes())
    assert models[0] == models[1]


def test_commands_on_a_model_with_conjunctions(run, files):
    model, small = str(files / "m.safetensors"), str(files / "small.safetensors")
    status, out, _ = run(*arguments(files, "kernel=poly,expand=true,conjunction_cutoff=2"), "--dev", DEV, "--json")
    assert status == 0
    f1 = json.loads(out)["metrics"]["f1"]
    scored = json.loads(run("evaluate", model, DEV, "--json")[1])["metrics"]["f1"]
    assert scored == pytest.approx(f1, abs=1e-3)
    found = json.loads(run("inspect", model, "--search", "pos[0]=NN", "--json")[1])
    assert found["matches"] > 3
    assert any(" & " in row["feature"] for row in found["found"])
    assert run("prune", model, "-o", small, "--threshold", "0.001")[0] == 0
    assert run("explain", small, DEV)[0] == 0
    assert run("predict", small, DEV)[0] == 0


def test_kernels_that_no_learner_takes_are_refused(run, files):
    status, _, err = run(*arguments(files, "kernel=poly,degree=2"))
    assert status == 2
    assert "use smo, sgd, perceptron or mira, or write the kernel out as conjunctions: kernel=poly, expand=true" in err
    status, _, err = run(*arguments(files, "kernel=tanh,expand=true"))
    assert status == 2
    assert "only kernel=poly can" in err


def test_a_grid_of_kernels(run, files):
    options = ["--templates", str(files / "templates.txt"), "--epochs", "2", "-o", str(files / "report"), "--json"]
    grid = ["--set", "kernel=poly,expand=true,degree=1,2", "--set", "rate=0.05"]
    status, out, err = run("compare", "np", TRAIN, DEV, "--learners", "ops", *grid, *options)
    assert status == 0, err
    assert len(json.loads(out)["runs"][0]["grid"]) == 2


def test_noun_phrases_alone():
    chunks, phrases = open_columns(TRAIN, "chunk"), open_columns(TRAIN, "np")
    kept = [label if label.endswith("-NP") else "O" for label in chunks.cells("chunk")]
    assert phrases.cells("chunk") == kept
    assert len(set(kept)) == 3
    assert phrases.cells("pos") == chunks.cells("pos")


def test_noun_phrases_of_two_files(run, tmp_path):
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text("a NN B-NP\nb VB B-VP\n\n")
    system.write_text("a NN B-NP\nb VB B-ADJP\n\n")
    status, out, _ = run("score", "np", str(gold), str(system), "--json")
    assert status == 0
    assert json.loads(out)["metrics"]["f1"] == 100.0
