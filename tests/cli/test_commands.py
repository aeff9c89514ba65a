"""The commands as a user types them: in one process where that is enough, in their own where it is not."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from widemargin.cli import main
from widemargin.corpora import town
from widemargin.families.tagging import schemes
from widemargin.readers.columns import read_columns

TEMPLATES = "word[-1..1]\npos[-1..1]\n"


def write_town(folder, part: str, sentences: int) -> str:
    path = folder / f"{part}.txt"
    path.write_text(first_columns(town.columns_text(part, sentences=sentences), 3))
    return str(path)


def first_columns(text: str, count: int) -> str:
    lines = [" ".join(line.split()[:count]) for line in text.splitlines() if not line.startswith("-DOCSTART-")]
    return "\n".join(lines).lstrip("\n") + "\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "templates.txt").write_text(TEMPLATES)
    return folder


@pytest.fixture(scope="module")
def files(work):
    return write_town(work, "train", 200), write_town(work, "dev", 40)


@pytest.fixture(scope="module")
def model(work, files):
    path = str(work / "model.safetensors")
    train, dev = files
    arguments = ["train", "chunk", train, "--dev", dev, "-o", path, "--epochs", "3", "--templates", str(work / "templates.txt")]
    assert main(arguments) == 0
    return path


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_predict_keeps_the_columns_and_adds_a_label(model, files, work, capsys):
    _, dev = files
    out = work / "predicted.txt"
    assert run(capsys, "predict", model, dev, "-o", str(out))[0] == 0
    before, after = read_columns(dev), read_columns(str(out))
    assert len(after.names) == len(before.names) + 1
    for i in range(3):
        assert after.cells(i) == before.cells(i)
    assert np.array_equal(after.row_ptr, before.row_ptr)
    status, report, _ = run(capsys, "score", "chunk", dev, str(out))
    assert status == 0
    assert report == run(capsys, "evaluate", model, dev)[1]


def test_predict_without_the_label_column_gives_the_same_labels(model, files, work, capsys):
    _, dev = files
    bare = work / "bare.txt"
    bare.write_text(first_columns(Path(dev).read_text(), 2))
    labels = [line.split()[-1:] for line in run(capsys, "predict", model, dev)[1].splitlines()]
    assert [line.split()[-1:] for line in run(capsys, "predict", model, str(bare))[1].splitlines()] == labels


def test_predict_under_constraints_gives_legal_sequences(model, files, capsys):
    _, dev = files
    out = run(capsys, "predict", model, dev, "--constraints", "BIO")[1]
    columns = read_columns(io.BytesIO(out.encode()))
    schemes.check(columns.codes[-1], columns.values[-1], columns.row_ptr, "iob2")


def test_standard_input_and_output(model, files):
    _, dev = files
    with open(dev, "rb") as file:
        done = subprocess.run([sys.executable, "-m", "widemargin", "predict", model], stdin=file, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == len(Path(dev).read_text().splitlines())


def test_data(work, capsys):
    assert run(capsys, "data", "list")[0] == 0
    assert run(capsys, "data", "town", "dev", "--sentences", "5", "-o", str(work / "town.txt"))[0] == 0
    assert (work / "town.txt").read_text() == town.columns_text("dev", sentences=5)
    status, out, _ = run(capsys, "data", "check", "conll2000", "-o", str(work))
    assert (status, "conll2000/train.txt: missing" in out) == (1, True)


def test_fetch_checks_before_it_writes(work, monkeypatch, capsys):
    import dataclasses
    import zipfile

    from widemargin.corpora import catalogue

    archive = work / "set.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("set/a.txt", "x Y\n")
    good = hashlib.sha256(b"x Y\n").hexdigest()
    data = catalogue.DataSet("toy", "a toy", "none", {"a.txt": good}, url=archive.as_uri(), members={"a.txt": "set/a.txt"})
    monkeypatch.setitem(catalogue.CATALOGUE, "toy", data)
    assert run(capsys, "data", "fetch", "toy", "-o", str(work / "sets"))[0] == 0
    assert (work / "sets" / "toy" / "a.txt").read_text() == "x Y\n"
    monkeypatch.setitem(catalogue.CATALOGUE, "toy", dataclasses.replace(data, files={"a.txt": "0" * 64}))
    status, _, err = run(capsys, "data", "fetch", "toy", "-o", str(work / "other"))
    assert (status, "not what the catalogue expects" in err, (work / "other").exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "poetry", "town:train", "-o", "x"), "task 'poetry' is not known"),
        (("data", "fetch", "conll2003", "-o", "x"), "cannot be fetched"),
        (("data", "fetch"), "needs the name of a data set"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    complaint = [line for line in err.splitlines() if line.startswith("widemargin: ")]
    assert len(complaint) == 1
    assert sentence in complaint[0]
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == []


def test_wrong_words_on_the_command_line_are_status_2(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["train"])
    assert stop.value.code == 2
    assert "required" in capsys.readouterr().err


def test_kill_nine_then_resume_gives_the_same_bytes(work, files):
    train, dev = files
    whole, killed = work / "whole.safetensors", work / "killed.safetensors"
    base = [sys.executable, "-m", "widemargin", "train", "chunk", train, "--dev", dev, "--epochs", "40", "--checkpoint", "0"]
    subprocess.run([*base, "-o", str(whole)], check=True, capture_output=True)
    checkpoint = work / "killed.safetensors.checkpoint"
    process = subprocess.Popen([*base, "-o", str(killed)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert checkpoint.exists(), "the training must have been killed after its first checkpoint and before its end"
    assert not killed.exists()
    subprocess.run([*base, "-o", str(killed), "--resume"], check=True, capture_output=True)
    assert killed.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()
