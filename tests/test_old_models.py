"""Models written before families were folders, of all three formats, load and predict what they predicted then (data/models-v3/make.sh)."""

import pathlib

import pytest
from modes import cases

from widemargin import models
from widemargin.cli import main

FOLDER = pathlib.Path(__file__).parent / "data" / "models-v3"
NAMES = sorted(path.stem for path in FOLDER.glob("*.safetensors"))
INPUT = {"items": "input.items"} | {
    name: "input.conllu" for name in NAMES if name.startswith(("eisner", "siblings", "heads", "arborescence"))
}


@pytest.mark.parametrize("name", cases(NAMES, wide=lambda name: name in ("arborescence", "siblings", "heads")))
def test_an_old_model_predicts_what_it_did(name, tmp_path):
    found = tmp_path / "found"
    assert main(["predict", str(FOLDER / f"{name}.safetensors"), str(FOLDER / INPUT.get(name, "input.txt")), "-o", str(found)]) in (None, 0)
    assert found.read_bytes() == (FOLDER / f"{name}.expected").read_bytes()


def test_all_formats_are_there():
    assert {models.load(FOLDER / f"{name}.safetensors", verify=True)[0]["format"] for name in NAMES} == {1, 2, 3}
