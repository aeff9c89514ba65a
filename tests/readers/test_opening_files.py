"""Opening plain, packed and standard files, and writing that leaves nothing half done."""

import gzip
import io
import os
import sys

import pytest

from widemargin.errors import InputError
from widemargin.readers.columns import read_columns
from widemargin.readers.files import atomic_writer, file_name, open_bytes


def read(path):
    with open_bytes(path) as handle:
        return handle.read()


def test_plain_and_packed(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"plain")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"packed"))
    (tmp_path / "c.txt").write_bytes(gzip.compress(b"packed, by its first bytes"))
    assert [read(tmp_path / name) for name in ("a.txt", "b.gz", "c.txt")] == [b"plain", b"packed", b"packed, by its first bytes"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(monkeypatch, pack):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(pack(b"a b\n\nc d\n")))))
    columns = read_columns("-")
    assert columns.cells(0) == ["a", "c"]
    assert columns.where(1) == "<stdin>:3"
    assert file_name("-") == "<stdin>"
    assert not sys.stdin.buffer.closed


def test_what_is_said_about_files_that_cannot_be_read(tmp_path):
    whole = gzip.compress(os.urandom(1000))
    (tmp_path / "short.gz").write_bytes(whole[:500])
    (tmp_path / "broken.gz").write_bytes(whole[:300] + b"\0" * 40 + whole[340:])
    (tmp_path / "plain.gz").write_bytes(b"a b\n")
    cases = {
        "none.txt": "no such file",
        ".": "this is a folder",
        "short.gz": "damaged or cut short",
        "broken.gz": "damaged or cut short",
        "plain.gz": "named .gz",
    }
    for name, message in cases.items():
        with pytest.raises(InputError, match=message) as caught:
            read(tmp_path / name)
        assert caught.value.where == str(tmp_path / name)


def test_a_result_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.txt"
    path.write_bytes(b"before")
    with pytest.raises(TypeError), atomic_writer(path) as handle:
        handle.writelines([b"half", None])
    assert path.read_bytes() == b"before"
    with atomic_writer(path) as handle:
        handle.write(b"whole")
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"whole"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]


def test_writing_keeps_links_packs_gz_and_spares_devices(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_writer(tmp_path / "link") as handle:
        handle.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"
    for name in ("a.gz", "b.gz"):
        with atomic_writer(tmp_path / name) as handle:
            handle.write(b"x" * 100)
    assert read(tmp_path / "a.gz") == b"x" * 100
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    with atomic_writer(os.devnull) as handle:
        handle.write(b"x")
    assert not os.path.isfile(os.devnull)


def test_standard_output_and_places_that_cannot_be_written(tmp_path, capfdbinary):
    with atomic_writer("-") as handle:
        handle.write(b"out")
    assert capfdbinary.readouterr().out == b"out"
    for path, message in ((tmp_path, "this is a folder"), (tmp_path / "no" / "file", "there is no folder")):
        with pytest.raises(InputError, match=message), atomic_writer(path):
            pass
