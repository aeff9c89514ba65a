"""Training files as shards: labels and features are those of all files, whoever reads them; what cannot be is refused."""

import json

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.recipes import load, train
from widemargin.workers import Engine

pytestmark = pytest.mark.wide
TEXTS = {"ner": "columns", "depparse": "conllu", "constparse": "brackets"}
SMALL = {"ner": {}, "depparse": {"hash_bits": 10, "label_bits": 8}, "constparse": {"hash_bits": 10}}


@pytest.fixture(params=TEXTS)
def task(request):
    return request.param


@pytest.fixture
def files(task, tmp_path):
    paths = []
    for seed in (1, 2, 3):
        path = tmp_path / f"part-{seed}.{TEXTS[task]}"
        assert main(["data", "town", "train", "--format", TEXTS[task], "--sentences", "3", "--seed", str(seed), "-o", str(path)]) == 0
        paths.append(shortened(path, 3, "\n" if task == "constparse" else "\n\n"))
    return paths


def shortened(path, count, end):
    """The path of a file that now has its first sentences alone: the embedded corpus gives whole texts."""
    path.write_text("".join(sentence + end for sentence in path.read_text().split(end)[:count]))
    return str(path)


def arrays(model):
    return {name: array.tobytes() for name, array in model.parts()[1].items()}


def test_all_files_are_learnt_from_and_engines_agree(task, files):
    here, there = (train(task, files, epochs=2, engine=engine, **SMALL[task]) for engine in ("threads", Engine("processes", 2)))
    assert arrays(here) == arrays(there)
    alone = [train(task, path, epochs=1, **SMALL[task]) for path in files]
    assert here.facts["sentences"] == sum(model.facts["sentences"] for model in alone)
    assert len(here.facts["history"][0]["mixed"]) == 3
    known = {*label_names(here)}
    assert known == {label for model in alone for label in label_names(model)}
    assert any({*label_names(model)} < known for model in alone)  # no file has them all


def label_names(model):
    """Labels, relations or symbols."""
    return getattr(model, "labels", None) or getattr(model, "relations", None) or [str(item) for item in model.inventory.symbols.items]


def test_the_command_line_takes_several_files(tmp_path, capsys):
    paths = []
    for seed in (1, 2):
        path = tmp_path / f"part-{seed}"
        main(["data", "town", "train", "--sentences", "4", "--seed", str(seed), "-o", str(path)])
        paths.append(shortened(path, 4, "\n\n"))
    models = [str(tmp_path / name) for name in ("one", "two")]
    common = ["train", "ner", *paths, "--epochs", "2", "--mix-weights", "size", "--json"]
    capsys.readouterr()
    for model, engine in zip(models, (["--threads", "1"], ["--engine", "processes", "--workers", "2"])):
        assert main([*common, "-o", model, *engine]) == 0
        assert len(json.loads(capsys.readouterr().out)["history"][-1]["mixed"]) == 2
    assert arrays(load(models[0])) == arrays(load(models[1]))
    assert np.isfinite(load(models[0]).weights.labels).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["FILE", "--engine", "processes"], "runs mixed learners, and there is only one"),
        (["FILE", "--mix-weights", "size"], "--mix-weights is for mixed learners"),
        (["FILE", "--workers", "2"], "--workers is for the workers of an engine"),
        (["FILE", "--mix", "2", "--engine", "threads", "--address", "here:1"], "an address is that of a Ray cluster"),
        (["FILE", "FILE", "--mix", "3"], "2 files are for as many mixed online learners"),
        (["FILE", "FILE", "--learner", "lbfgs"], "2 files are for as many mixed online learners"),
        (["FILE", "FILE", "--cutoff", "2"], "a cutoff counts features in all training data"),
        (["FILE", "-"], "none of them standard input"),
        (["FILE", "FILE.2"], "there is no such file"),
        (["FILE", "--mix", "99"], "cannot be shared out among 99 learners"),
    ],
)
def test_refusals(arguments, words, tmp_path, capsys):
    path = str(tmp_path / "train")
    main(["data", "town", "train", "--sentences", "4", "-o", path])
    given = [argument.replace("FILE", path) for argument in arguments]
    assert main(["train", "ner", *given, "-o", str(tmp_path / "model")]) == 2
    assert words in capsys.readouterr().err


def test_what_is_per_sentence_needs_one_file(tmp_path):
    with pytest.raises(InputError, match="one file"):
        train("ner", ["town:train:3", "town:dev:3"], weight=[1.0] * 6)
