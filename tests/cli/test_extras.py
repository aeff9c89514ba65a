"""What needs an extra says so before it begins; a missing matplotlib costs figures alone."""

import json
import os

import pytest

from widemargin import errors
from widemargin.cli import main

pytestmark = pytest.mark.wide


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Without any of the extras, in an empty folder."""
    monkeypatch.setattr(errors, "installed", lambda module: False)
    monkeypatch.setattr("widemargin.show.figures.installed", lambda module: False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("extras") / "chunk.safetensors")
    assert main(["train", "chunk", "town:train:8", "--epochs", "1", "-o", path]) == 0
    return path


NO_FIGURE = "matplotlib is not installed, so no figure will be drawn; pip install 'widemargin[plot]' brings it"


def test_without_matplotlib_everything_but_the_figure_is_there(bare, model, capsys):
    commands = {
        "compare": ["compare", "chunk", "town:train:6", "town:dev:4", "--learners", "perceptron", "--epochs", "1"],
        "curve": ["curve", "chunk", "town:train:6", "town:dev:4", "--points", "2", "--epochs", "1"],
        "calibrate": ["calibrate", model, "town:dev:4", "--figure", "picture", "-o", "calibrated.safetensors"],
        "reproduce": ["reproduce", "gimpel-figure2", "-o", "figure2"],
    }
    for verb, command in commands.items():
        capsys.readouterr()
        assert main([*command, "--json"]) == 0, verb
        out, err = capsys.readouterr()
        assert NO_FIGURE in err.splitlines()[0], verb
        facts = json.loads(out)
        files = facts.get("files") or facts["figures"]
        assert not [path for path in files if path.endswith((".png", ".svg"))], verb
        assert all(os.path.exists(path) for path in files), verb
    assert os.path.exists("calibrated.safetensors")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["train", "rerank", "nowhere", "-o", "m", "--metric", "ter"], "--metric ter needs sacrebleu"),
        (["score", "rerank", "nowhere", "nobody", "--ter"], "--ter needs sacrebleu"),
        (["rerank", "tune", "nowhere", "-o", "m", "--metric", "chrf"], "--metric chrf needs sacrebleu"),
        (["score", "summarize", "nowhere", "nobody", "--stemmer"], "--stemmer needs nltk"),
        (["compare", "chunk", "nowhere", "nobody", "--engine", "ray"], "--engine ray needs ray"),
    ],
)
def test_other_extras_are_asked_for_before_a_file_is_read(bare, command, sentence, capsys):
    assert main(command) == 2
    assert f"widemargin: {sentence}, which is not installed; pip install 'widemargin[" in capsys.readouterr().err
