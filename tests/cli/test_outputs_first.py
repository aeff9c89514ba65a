"""An output that cannot be written is refused before anything is read or learnt; what stops a training leaves its checkpoint."""

import os
import signal
import subprocess
import sys

import pytest

from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families import checkpoints
from widemargin.readers import outputs

# every command that writes files, with inputs that are not there: if they were looked at first, the sentence would be about them
MODELS = {
    "train": ["train", "chunk", "no-such-file", "-o"],
    "prune": ["prune", "no-such-file", "--keep", "3", "-o"],
    "calibrate": ["calibrate", "no-such-file", "no-such-file", "-o"],
}
FILES = {
    "predict": ["predict", "no-such-file", "-o"],
    "figure": ["calibrate", "no-such-file", "no-such-file", "--figure"],
    "svg": ["explain", "no-such-file", "-", "--svg"],
    "town": ["data", "town", "dev", "--sentences", "1", "-o"],
    "draw": ["data", "draw", "no-such-file", "-o"],
}
FOLDERS = {
    "compare": ["compare", "chunk", "no-such-file", "no-such-file", "-o"],
    "curve": ["curve", "chunk", "no-such-file", "no-such-file", "-o"],
    "reproduce": ["reproduce", "letters", "-o"],
    "fetch": ["data", "fetch", "conll2000", "-o"],
}


@pytest.fixture
def refuses(tmp_path, monkeypatch, capsys):
    """The command line, run: the sentence of its refusal."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.delenv("WIDEMARGIN_DATA", raising=False)

    def run(*arguments):
        assert main(list(arguments)) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert sorted(os.listdir()) == ["file", "folder"]
        return err

    return run


@pytest.mark.parametrize("command", [*MODELS, *FILES])
def test_a_file_that_cannot_be_written(command, refuses, monkeypatch):
    line = (MODELS | FILES)[command]
    assert "empty" in refuses(*line, "")
    assert "there is no folder" in refuses(*line, "none/x")
    assert "Not a directory" in refuses(*line, "file/x")
    assert "too long" in refuses(*line, "x" * 300)
    if command != "figure":  # which adds an ending
        assert "this is a folder" in refuses(*line, "folder")
    if command in MODELS:
        for name in ("-", "x.gz"):
            assert "cannot be packed or piped" in refuses(*line, name)

    def no(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(outputs, "OutputFile", no)
    assert "Permission denied" in refuses(*line, "x")


@pytest.mark.parametrize("command", FOLDERS)
def test_a_folder_that_cannot_be_made(command, refuses):
    line = FOLDERS[command]
    assert "this is a file" in refuses(*line, "file")
    assert "Not a directory" in refuses(*line, "file/x")
    assert "too long" in refuses(*line, "new/" + "x" * 300)
    if command != "fetch":  # where an empty name is $WIDEMARGIN_DATA, which is not set
        assert "empty" in refuses(*line, "")


def test_a_checkpoint_that_cannot_be_written_is_told_once(tmp_path, monkeypatch):
    told = []
    keep = checkpoints.Checkpointer(str(tmp_path / "none" / "x"), "mark", 0.0, told.append)
    for epoch in range(3):
        keep(epoch, dict, [], False)
    assert len(told) == 1
    assert "no checkpoint could be written, and training goes on" in told[0]
    (tmp_path / "none").mkdir()
    keep(3, dict, [], False)
    assert keep.load() == ({}, [])
    with pytest.warns(RuntimeWarning, match="no checkpoint could be written"):
        checkpoints.Checkpointer(str(tmp_path / "no" / "x"), "mark", 0.0)(1, dict, [], False)
    with pytest.raises(InputError, match="from other data"):
        checkpoints.Checkpointer(keep.path, "another mark", 0.0).load()


def test_a_saved_model_leaves_no_part_of_a_checkpoint(tmp_path):
    (tmp_path / "m.checkpoint").write_text("")
    (tmp_path / ".m.checkpoint.0123abcd.part").write_text("of a run that was killed")
    checkpoints.forget(str(tmp_path / "m.checkpoint"))
    checkpoints.forget(str(tmp_path / "m.checkpoint"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_with_a_message_and_a_checkpoint(tmp_path, number):
    (tmp_path / "train").write_text("a D B-X\nb N I-X\n\nc V O\n\n")
    line = [sys.executable, "-m", "widemargin", "train", "chunk", "train", "-o", "m", "--epochs", "1000000", "--checkpoint", "0"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}

    def listen():  # a shell's background jobs ignore SIGINT, and so do their children
        signal.signal(signal.SIGINT, signal.default_int_handler)

    process = subprocess.Popen(line, cwd=tmp_path, env=environment, preexec_fn=listen, **pipes)
    while not process.stderr.readline().startswith("epoch   2"):
        assert process.poll() is None
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert out == ""
    last = err.splitlines()[-1]
    assert last == "widemargin: stopped; m.checkpoint has the last checkpoint: repeat the command with --resume to go on"
    assert sorted(os.listdir(tmp_path)) == ["m.checkpoint", "train"]
