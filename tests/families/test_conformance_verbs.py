"""Every verb for every family: what it prints has the same keys with the same meaning, and what a family lacks is said in a sentence."""

import json

import numpy as np
import pytest
from conformance import SMALL, command, write_samples

import widemargin
from widemargin.cli import main
from widemargin.families.base import OFFERS
from widemargin.families.registry import family_named

SUMMING = [name for name in SMALL if "marginals" in family_named(name).offers]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verbs")
    write_samples(folder, epochs=4)
    return folder


@pytest.fixture
def facts(folder, capsys, monkeypatch, tmp_path):
    """What a command prints as JSON."""
    monkeypatch.chdir(tmp_path)

    def run(verb: str, name: str, *more: str) -> dict:
        capsys.readouterr()
        assert main([*command(verb, name, folder), *more]) == 0
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        return json.loads(out)

    return run


@pytest.mark.parametrize("name", SUMMING)
def test_answers_have_the_same_keys(name, facts, folder):
    found = facts("predict", name, "--kbest", "3", "--marginals", "--probability")
    assert found["task"] == SMALL[name].TASK
    assert {"seconds", "tokens_per_second", "sentences_per_second"} <= set(found)
    for sentence in found["sentences"]:
        answer = next(key for key in ("labels", "heads", "brackets", "antecedents", "chosen") if key in sentence)
        assert len(sentence[answer]) == len(sentence["marginals"])
        assert answer in ("brackets", "antecedents", "chosen") or len(sentence[answer]) == len(sentence["tokens"])
        best, *others = sentence["kbest"]
        assert best[answer] == sentence[answer]
        assert sentence["probability"] == pytest.approx(np.exp(best["log_probability"]), abs=2e-6)
        assert sentence["probability"] <= min(sentence["marginals"]) + 1e-4
        assert [a["score"] for a in sentence["kbest"]] == sorted((a["score"] for a in sentence["kbest"]), reverse=True)
        for other in others:  # the difference of two log-probabilities is that of the scores
            assert best["score"] - other["score"] == pytest.approx(best["log_probability"] - other["log_probability"], abs=1e-3)
        assert sum(np.exp(a["log_probability"]) for a in sentence["kbest"]) <= 1.001


@pytest.mark.parametrize("name", SMALL)
def test_a_file_says_what_json_says(name, facts, folder, capsys):
    """Probabilities of tokens and sentences stand in the written file too."""
    found = facts("predict", name)["sentences"]
    line = [word for word in command("predict", name, folder) if word != "--json"]
    assert main([*line, *(["--marginals", "--probability"] if name in SUMMING else [])]) == 0
    out = capsys.readouterr().out
    assert len(SMALL[name].written(out)) == len(found)
    assert main([*line, "--json", "-o", "x"]) == 2
    assert "--json goes to standard output" in capsys.readouterr().err
    if name not in SUMMING:
        assert main([*line, "--marginals"]) == 2
        assert f"predict --marginals is not for {SMALL[name].TASK}: " in capsys.readouterr().err
        return
    for more in (["--kbest", "2", "--marginals"], ["--kbest", "2", "--probability"]):
        assert main([*line, *more]) == 2
        assert "which have room for both" in capsys.readouterr().err


@pytest.mark.parametrize("name", SMALL)
def test_a_model_is_scored_alike_by_every_way(name, facts, folder, capsys):
    family, model = family_named(name), widemargin.load(str(folder / f"{name}.model"))
    scores = facts("evaluate", name)
    gold = family.labelled(str(folder / f"{name}.dev"), model)
    metric = family.tasks[SMALL[name].TASK].metric
    assert scores["metrics"][metric] == pytest.approx(model.evaluate(gold)[metric])
    line = [word for word in command("predict", name, folder) if word != "--json"]
    assert main([*line, "-o", "predicted"]) == 0
    capsys.readouterr()
    assert main(["score", SMALL[name].TASK, str(folder / f"{name}.dev"), "predicted", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"] == scores["metrics"]
    found = facts("score", name, "--against", str(folder / f"{name}.dev"), "--samples", "50")
    assert found["metric"] == metric
    assert found["against"] == getattr(SMALL[name], "PERFECT", 100)
    assert found["difference"] < 0


@pytest.mark.parametrize("name", SMALL)
def test_compare_trains_what_train_trains(name, facts, folder):
    (run,) = facts("compare", name, "-o", "report")["runs"]
    trained = facts("train", name, "--learner", family_named(name).learner, "--dev", str(folder / f"{name}.dev"))
    assert [epoch["dev"] for epoch in run["history"]] == [epoch["dev"] for epoch in trained["history"]]


@pytest.mark.parametrize("name", SMALL)
def test_calibrate_explain_inspect_and_prune(name, facts, folder):
    if name in SUMMING:
        found = facts("calibrate", name, "-o", "calibrated")
        assert widemargin.load("calibrated").temperature == found["temperature"]
        assert found["dev"]["after"]["nll"] <= found["dev"]["before"]["nll"]
    found = facts("explain", name)
    assert len(found["labels"]) == len(found["decisions"])
    first = [decision for decision in found["decisions"] if decision["token"] == 1]
    assert facts("explain", name, "--token", "1")["decisions"] == first != []
    assert facts("inspect", name)["task"] == SMALL[name].TASK
    found = facts("prune", name, "--dev", str(folder / f"{name}.dev"))
    assert found["after"]["features"] <= found["before"]["features"]
    assert set(found["after"]["metrics"]) == set(found["before"]["metrics"])


@pytest.mark.parametrize("name", SMALL)
def test_what_a_family_lacks_is_said_with_what_it_offers(name, folder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    family, task = family_named(name), SMALL[name].TASK
    lines = {"curve": command("curve", name, folder), "explain": [*command("explain", name, folder), "--svg", "x.svg"]}
    lines["calibrate"] = command("calibrate", name, folder)
    for verb, offer in (("curve", "curve"), ("explain", "draw"), ("calibrate", "calibrate")):
        if offer not in family.offers:
            assert main(lines[verb]) == 2
            error = capsys.readouterr().err
            assert f"{OFFERS[offer]} is not for {task}: {family.lacks[offer]}; {task} offers " in error
            assert all(OFFERS[other] in error for other in family.offers)


@pytest.mark.parametrize("name", SMALL)
def test_models_load_by_their_family_and_without_its_name(name, folder, tmp_path):
    """Files of older versions do not say the family; the task does."""
    from widemargin import models

    path = str(folder / f"{name}.model")
    header, arrays = models.load(path)
    assert header["family"] == name
    models.save(str(tmp_path / "old"), {key: value for key, value in header.items() if key != "family"}, arrays)
    assert widemargin.load(str(tmp_path / "old")).parts()[0] == widemargin.load(path).parts()[0] == header


@pytest.mark.parametrize("name", SMALL)
def test_training_in_python_by_keywords(name, folder):
    task, small = SMALL[name].TASK, SMALL[name].SMALL
    files = {part: str(folder / f"{name}.{part}") for part in ("train", "dev", "templates")}
    model = widemargin.train(task, files["train"], dev=files["dev"], templates=files["templates"], epochs=2, **small)
    assert [facts["epoch"] for facts in model.facts["history"]] == [1, 2]
    recipe = widemargin.Recipe(task, templates=files["templates"], settings={"epochs": 2}, **small)
    data, dev = (widemargin.open_data(files[part], task) for part in ("train", "dev"))
    again = widemargin.train(recipe, data, dev=dev)
    for key, array in model.parts()[1].items():
        np.testing.assert_array_equal(array, again.parts()[1][key])
    with pytest.raises(widemargin.InputError, match="has no setting 'speed'"):
        widemargin.train(task, data, speed=3)
    with pytest.raises(widemargin.InputError, match="put it into the recipe"):
        widemargin.train(recipe, data, epochs=3)
    with pytest.raises(widemargin.InputError, match="has no option 'speed'"):
        widemargin.Recipe(task, speed=3)


@pytest.mark.parametrize(("name", "more", "words"), [(name, *case) for name, small in SMALL.items() for case in small.INIT])
def test_a_model_to_start_from_brings_its_features(name, more, words, folder, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = ["train", SMALL[name].TASK, str(folder / f"{name}.train"), "-o", "m", "--init", str(folder / f"{name}.model")]
    assert main([*line, *(word.format(other=folder / f"{name}.other") for word in more)]) == 2
    assert words in capsys.readouterr().err
    assert main([*line, *SMALL[name].SAME, "--templates", str(folder / f"{name}.templates"), "--epochs", "1"]) == 0


def test_new_relations_at_init_are_refused(folder, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (folder / "dependencies.train").read_text()
    (tmp_path / "new").write_text(text.replace("\tdet\t", "\tdet:some\t").replace("\tnsubj\t", "\tnsubj:some\t"))
    line = ["train", "depparse", "new", "-o", "m", "--init", str(folder / "dependencies.model"), "--epochs", "1"]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert "does not know the relation" in error
    assert "subtypes=no" in error
    assert main([*line, "--set", "subtypes=no"]) == 0


def test_a_checkpoint_knows_every_array_of_a_start_model(folder):
    """Models that differ in transitions, or in relations, alone are two starts."""
    import dataclasses

    from widemargin.families.checkpoints import fingerprint

    for name, small in SMALL.items():
        model = widemargin.load(str(folder / f"{name}.model"))
        data = widemargin.open_data(str(folder / f"{name}.train"), small.TASK)
        recipe = widemargin.Recipe(small.TASK)
        seen = {fingerprint(recipe, (data, None), (None, None)), fingerprint(recipe, (data, data), (None, None))}
        for field, table in model.weights._asdict().items():
            other = np.array(table)
            other.reshape(len(other), -1)[-1, 0] += 1  # not in padding
            changed = dataclasses.replace(model, weights=model.weights._replace(**{field: other}))
            seen |= {fingerprint(recipe, (data, None), (changed, None)), fingerprint(recipe, (data, None), (None, changed))}
        seen |= {fingerprint(recipe, (data, None), (model, None)), fingerprint(recipe, (data, None), (model, None), np.ones(10))}
        assert len(seen) == 4 + 2 * len(model.weights)


@pytest.mark.parametrize("name", SMALL)
def test_files_are_described_and_drawn_or_not(name, facts, folder, capsys):
    file, family = str(folder / f"{name}.dev"), family_named(name)
    form = next(iter(family.formats))
    assert main(["data", "stats", file, "--format", form, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[getattr(SMALL[name], "ROWS", "sentences")] == 6
    assert main(["data", "town", "dev", "--sentences", "3", "--format", form, "-o", "town"]) == 0
    assert family.stats(family.open("town", SMALL[name].TASK))["sentences"] >= 3
    drawn = main(["data", "draw", file, "--format", form, "--sentence", "2", "-o", "picture"])
    assert drawn == (0 if "draw" in family.offers else 2), capsys.readouterr().err


@pytest.mark.parametrize("what", ["learners", "objectives", "tasks", "templates", "structures", "costs", "options"])
def test_lists_name_every_family(what, capsys):
    assert main(["list", what]) == 0
    text = capsys.readouterr().out
    assert main(["list", what, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[what]
    if what == "structures":
        assert all(structure in text for name in SMALL for structure in family_named(name).structures)
    if what == "tasks":
        assert all(task in text for name in SMALL for task in family_named(name).tasks)


BAD = {
    "no such file": (["train", "{task}", "nowhere", "-o", "x"], "nowhere: there is no such file"),
    "an empty file": (["train", "{task}", "empty", "-o", "x"], "empty"),
    "no such part": (["train", "{task}", "town:autumn", "-o", "x"], "use town:train, town:dev or town:test"),
    "no value": (["train", "{task}", "{train}", "-o", "x", "--set", "rate"], "is not KEY=VALUE"),
    "no such cost": (["train", "{task}", "{train}", "-o", "x", "--cost", "hammer"], "hammer"),
    "no such structure": (["train", "{task}", "{train}", "-o", "x", "--set", "structure=torus"], "structure 'torus' is not known"),
    "no such objective": (["train", "{task}", "{train}", "-o", "x", "--objective", "hingle"], "hingle"),
    "no place": (["train", "{task}", "{train}", "-o", "/nowhere/x", "--epochs", "1"], "/nowhere"),
    "no such model": (["predict", "nowhere"], "nowhere"),
    "a model cut short": (["predict", "cut", "{dev}"], "cut"),
    "no sentence 99": (["explain", "{model}", "{dev}", "--sentence", "99"], "99"),
    "nothing to keep": (["prune", "{model}", "-o", "x", "--threshold", "-1"], "it must be 0 or a positive number"),
    "an option of nobody": (["train", "{task}", "{train}", "-o", "x", "--set", "speed=3"], "speed"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", SMALL)
def test_bad_input_is_one_sentence_and_status_2(name, case, folder, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("")
    (tmp_path / "cut").write_bytes((folder / f"{name}.model").read_bytes()[:-100])
    files = {part: str(folder / f"{name}.{part}") for part in ("train", "dev", "model")}
    arguments, words = BAD[case]
    try:
        status = main([word.format(task=SMALL[name].TASK, **files) for word in arguments])
    except SystemExit as stop:  # argparse
        status = stop.code
    out, err = capsys.readouterr()
    complaints = [line for line in err.splitlines() if line.startswith("widemargin")]
    assert (status, out, len(complaints)) == (2, "", 1), err
    assert words in complaints[0]
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut", "empty"]
