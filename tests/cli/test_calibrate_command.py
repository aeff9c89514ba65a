"""widemargin calibrate and predict --probability on a slice of the embedded corpus."""

import dataclasses
import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.families.tagging.answers import gold_numbers
from widemargin.families.tagging.confidence import marginals
from widemargin.families.tagging.gold import written_in
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.sources import open_columns
from widemargin.metrics.calibration import ABSENT, HIDDEN_CODE, negative_log_likelihood
from widemargin.readers.columns import from_sentences

TEMPLATES = "word[-1..1]\npos[-1..1]\nshape(word)\n"
TRAIN, DEV, TEST = "town:train:200", "town:dev:60", "town:test:60"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrate")
    (folder / "templates.txt").write_text(TEMPLATES)
    return folder


@pytest.fixture(scope="module")
def paths(work):
    """A model by objective."""
    found = {}
    for objective in ("hinge", "softmax-margin"):
        found[objective] = str(work / f"{objective}.safetensors")
        arguments = ["train", "ner", TRAIN, "--objective", objective, "--epochs", "4", "--templates", str(work / "templates.txt")]
        assert main([*arguments, "-o", found[objective]]) == 0
    return found


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    return status, *capsys.readouterr()


def test_the_calibrated_model_fits_dev_best_and_tags_the_same(paths, work, capsys):
    out = str(work / "calibrated.safetensors")
    figure = str(work / "figure.png")
    status, text, _ = run(
        capsys, "calibrate", paths["hinge"], DEV, "-o", out, "--test", TEST, "--figure", figure, "--json", "--threads", "2"
    )
    assert status == 0
    facts = json.loads(text)
    assert text.count("\n") == 1
    model, calibrated = Tagger.load(paths["hinge"]), Tagger.load(out)
    assert model.temperature == 1.0
    assert calibrated.temperature == facts["temperature"] != 1.0
    dev = open_columns(DEV, "ner")
    features, gold = model.features(dev), gold_numbers(model, written_in(dev, "-1"))
    assert np.array_equal(calibrated.predict_codes(dev), model.predict_codes(dev))
    assert facts["dev"]["after"]["nll"] == pytest.approx(negative_log_likelihood(calibrated.marginals(dev), gold))
    grid = [negative_log_likelihood(marginals(model, features, t), gold) for t in np.exp(np.linspace(-3, 3, 61))]
    assert facts["dev"]["after"]["nll"] <= min(grid) * 1.0005
    assert facts["dev"]["after"]["nll"] < facts["dev"]["before"]["nll"]
    assert facts["test"]["before"]["tokens"] == open_columns(TEST, "ner").tokens
    assert sum(b["count"] for b in facts["test"]["after"]["bins"]) == facts["test"]["after"]["tokens"]
    assert facts["figures"] == [str(work / "figure.png"), str(work / "figure.svg")]
    assert (work / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(run(capsys, "inspect", out, "--json")[1])["temperature"] == pytest.approx(calibrated.temperature, abs=1e-4)


@pytest.mark.parametrize(("objective", "words"), [("hinge", "trains a ranking"), ("softmax-margin", "skewed by a cost")])
def test_the_report_in_words(paths, objective, words, capsys):
    status, text, _ = run(capsys, "calibrate", paths[objective], DEV, "--test", TEST)
    assert status == 0
    lines = text.splitlines()
    assert words in lines[0]
    assert lines[1].startswith("temperature ")
    assert [line.split()[0] for line in lines if line.startswith("ECE")] == ["ECE", "ECE"]
    assert "not written" in lines[-1]


def test_gold_labels_that_the_model_lacks_or_that_are_hidden(paths):
    model = dataclasses.replace(Tagger.load(paths["hinge"]), scheme="", inside="", constraints="")
    labels = [model.labels[1], "B-NOWHERE", "?", model.labels[0]]
    columns = from_sentences([[("a", "N", "O", label) for label in labels]], names=("word", "pos", "chunk", "entity"))
    assert gold_numbers(model, written_in(columns, "-1")).tolist() == [1, ABSENT, HIDDEN_CODE, 0]


def test_gold_spans_are_rewritten_in_the_scheme_of_the_model(paths):
    model = Tagger.load(paths["hinge"])
    dev = open_columns(DEV, "ner")
    labels = [model.labels[code] for code in gold_numbers(model, written_in(dev, "-1"))]
    assert {label[0] for label in labels} == set("OBES") | ({"I"} & {label[0] for label in labels})
    codes, values = model.as_written(gold_numbers(model, written_in(dev, "-1")), dev.row_ptr)
    assert [values[code] for code in codes] == dev.cells("entity")


def test_refusals(paths, work, capsys):
    words = work / "words.txt"
    words.write_text("a X N\nb Y N\n")
    hidden = work / "hidden.txt"
    hidden.write_text("a X N O\nb Y N ?\n")
    for arguments, sentence in [
        ((paths["hinge"], str(words)), "no gold labels"),
        ((paths["hinge"], str(words), "--columns", "word,pos,chunk"), "no gold labels"),
        ((paths["hinge"], str(hidden)), "hidden.txt:2: labels cannot be converted to bioes while some are ?"),
        (("nowhere.safetensors", DEV), "no such file"),
    ]:
        status, out, err = run(capsys, "calibrate", *arguments)
        assert (status, out) == (2, "")
        assert sentence in err
