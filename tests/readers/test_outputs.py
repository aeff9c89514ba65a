"""Places for results: what cannot be written is refused beforehand; modes and links are kept; what the dead have left is removed."""

import os
import resource
import signal
import subprocess
import sys

import pytest

from widemargin import models
from widemargin.errors import InputError
from widemargin.readers import outputs
from widemargin.readers.files import atomic_writer
from widemargin.readers.outputs import check_folder, check_output

HEADER = {"format": 1, "kind": "model"}


def refused(check, path, words):
    with pytest.raises(InputError, match=words) as caught:
        check(path)
    assert len(str(caught.value)) < 200 + len(os.path.abspath("."))


def bad_places(folder):
    """Names and words of their refusal, for any output."""
    (folder / "file").write_text("")
    os.symlink("circle", folder / "circle")
    return {
        "": "empty",
        str(folder): "this is a folder",
        str(folder / "new") + "/": "this is a folder",
        str(folder / "none" / "x"): "there is no folder",
        str(folder / "file" / "x"): "Not a directory",
        str(folder / ("x" * 300)): "too long",
        str(folder / "a\0b"): "cannot name a file",
        "\ud800": "cannot name a file",
        str(folder / "circle"): "leads back to itself",
    }


def test_a_file_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path):
    for place, words in bad_places(tmp_path).items():
        refused(check_output, place, words)
        refused(models.check_place, place, words)
    for place in ("-", "x.gz"):
        refused(models.check_place, place, "cannot be packed or piped")
    assert sorted(os.listdir(tmp_path)) == ["circle", "file"]


def test_a_place_that_can_be_written_is_left_as_it_was(tmp_path):
    path = tmp_path / "x"
    path.write_text("before")
    os.symlink("x", tmp_path / "link")
    os.symlink("nothing yet", tmp_path / "dangling")
    for place in ("-", os.devnull, tmp_path / "new", path, tmp_path / "link", tmp_path / "dangling"):
        check_output(place)
    assert path.read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["dangling", "link", "x"]


def test_no_permission_is_said(tmp_path, monkeypatch):
    def no(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(outputs, "OutputFile", no)
    refused(check_output, tmp_path / "x", "Permission denied")
    refused(check_folder, tmp_path / "x", "Permission denied")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(check_output, os.devnull, "no permission")


def test_a_folder_for_results(tmp_path):
    (tmp_path / "file").write_text("")
    os.symlink("nowhere", tmp_path / "dangling")
    for place, words in {
        "": "empty",
        tmp_path / "file": "this is a file",
        tmp_path / "file" / "a" / "b": "Not a directory",
        tmp_path / "new" / ("x" * 300): "too long",
        "a\0b": "cannot name a file",
        tmp_path / "dangling": "leads nowhere",
    }.items():
        refused(check_folder, place, words)
    for place in (tmp_path, tmp_path / "new", tmp_path / "a" / "b" / "c"):
        check_folder(place)
    assert sorted(os.listdir(tmp_path)) == ["dangling", "file"]


def test_overwriting_keeps_the_mode_and_a_new_file_has_the_usual_one(tmp_path):
    before = os.umask(0o027)
    try:
        for mode in (0o600, 0o664):
            (tmp_path / "x").write_text("")
            os.chmod(tmp_path / "x", mode)
            models.save(tmp_path / "x", HEADER, {})
            assert (tmp_path / "x").stat().st_mode & 0o7777 == mode
        models.save(tmp_path / "y", HEADER, {})
        assert (tmp_path / "y").stat().st_mode & 0o7777 == 0o640
    finally:
        os.umask(before)


DIES = """
import os, signal, sys
from widemargin.readers.files import atomic_writer
with atomic_writer(sys.argv[1]) as out:
    out.write(b"half")
    out.flush()
    print("writing", flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_temporary_files_of_the_dead_are_removed_and_of_the_living_are_not(tmp_path):
    path = tmp_path / "model"
    writers = [subprocess.Popen([sys.executable, "-c", DIES, path], stdin=-1, stdout=-1) for _ in range(2)]
    for writer in writers:
        assert writer.stdout.readline() == b"writing\n"
    (tmp_path / ".model.txt").write_text("somebody's own")
    (tmp_path / ".other.0123abcd.part").write_text("of another output")
    assert len(os.listdir(tmp_path)) == 4
    writers[0].communicate()
    assert writers[0].returncode == -signal.SIGKILL
    with atomic_writer(path) as out:
        out.write(b"whole")
    found = os.listdir(tmp_path)
    assert len(found) == 4  # the living one's, and the model
    assert path.read_bytes() == b"whole"
    writers[1].communicate()
    with atomic_writer(path) as out:
        out.write(b"whole")
    assert sorted(os.listdir(tmp_path)) == [".model.txt", ".other.0123abcd.part", "model"]


def test_two_writers_of_one_output_are_both_right(tmp_path):
    path = tmp_path / "model"
    with atomic_writer(path) as one:
        one.write(b"one")
        with atomic_writer(path) as two:
            two.write(b"two")
        assert path.read_bytes() == b"two"
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["model"]


def test_a_temporary_file_that_was_taken_for_a_dead_ones_is_made_again(tmp_path, monkeypatch):
    real, taken = outputs.OutputFile, []

    def made(path, *more):
        handle = real(path, *more)
        if not taken:
            taken.append(path)
            os.unlink(path)  # another process has finished before the lock was there
        return handle

    monkeypatch.setattr(outputs, "OutputFile", made)
    with atomic_writer(tmp_path / "x") as out:
        out.write(b"whole")
    assert (tmp_path / "x").read_bytes() == b"whole"


def test_a_full_disk_is_a_sentence_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.gz"
    path.write_text("before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        for name in (path, tmp_path / "x"):
            with pytest.raises(InputError, match="cannot be written"), atomic_writer(name) as out:
                out.write(os.urandom(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with pytest.raises(InputError, match="/dev/full: the file cannot be written"), atomic_writer("/dev/full") as out:
        out.write(b"x")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.gz"]
