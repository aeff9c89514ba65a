"""A kernel cache that cannot be written, is damaged, or is not ours alone: kernels are compiled, and one line says so."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from children import child, compiled

from widemargin.compiler import cache, cache_files

KERNELS = """
from widemargin.compiler.jit import kernel

@kernel
def double(x):
    return 2 * x

@kernel
def triple(x):
    return 3 * x
"""
# two kernels, and how many of them were loaded; `before` is run first
RUN = """
import os, sys, warnings
warnings.showwarning = lambda message, *_: print(f"told: {{message}}")
warnings.simplefilter("always")
{before}
import calls
assert (calls.double(21), calls.triple(14)) == (42, 42)
print("loaded", sum(sum(f.stats.cache_hits.values()) for f in (calls.double, calls.triple)))
"""


@pytest.fixture
def calls(tmp_path):
    """Lines that a process prints which uses two kernels."""
    (tmp_path / "calls.py").write_text(KERNELS)

    def run(before="", **settings):
        return child(tmp_path, RUN.format(before=before), **settings).splitlines()

    return run


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
"""
READ_ONLY = """
def no(*_, **__):
    raise PermissionError(13, "Permission denied")
os.mkdir = no
"""


@compiled
def test_no_cache_costs_one_line_and_touches_nothing_else(calls, tmp_path):
    record = """
import tempfile
real = tempfile.TemporaryFile
tempfile.TemporaryFile = lambda *more, dir=None, **named: (print("wrote to", dir), real(*more, dir=dir, **named))[1]
"""
    for before, words in ((READ_ONLY, "Permission denied"), (FULL_DISK, "File too large")):
        *wrote, told, loaded = sorted(calls(record + before, anew=True), key=lambda line: "wtl".index(line[0]))
        assert all(line.startswith(f"wrote to {tmp_path / 'cache'}/") for line in wrote)
        assert told.startswith(f"told: kernel cache: {tmp_path / 'cache'} cannot be written")
        assert "kernels are compiled for this run alone" in told
        assert words in told
        assert loaded == "loaded 0"
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    (tmp_path / "cache").write_text("a file where the folder should be")
    told, loaded = calls(record)
    assert (loaded, "File exists" in told) == ("loaded 0", True)
    assert not (tmp_path / "__pycache__").exists()


@compiled
def test_without_a_home_nothing_is_made_here(calls, tmp_path):
    lines = calls(f"os.chdir({str(tmp_path)!r}); os.path.expanduser = lambda path: path", WIDEMARGIN_CACHE="", XDG_CACHE_HOME="")
    assert "there is no home folder; set WIDEMARGIN_CACHE" in lines[0]
    assert lines[1:] == ["loaded 0"]
    assert os.listdir(tmp_path) == ["calls.py"]


DAMAGE = {
    "empty": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
    "cut short": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "one bit": lambda content: content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 1]) + content[len(content) // 2 + 1 :],
    "random": lambda content: os.urandom(len(content)),
    "a pickle": lambda content: b"\x80\x04cos\n_exit\nK\x07\x85R.",  # which would end the process
}


@compiled
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_files_are_thrown_away_and_compiled_again(calls, tmp_path, suffix):
    assert calls() == ["loaded 0"]
    files = list((tmp_path / "cache").rglob(f"*.{suffix}"))
    assert len(files) == 2
    for path, damage in zip(files, ("one bit", "a pickle"), strict=True):
        path.write_bytes(DAMAGE[damage](path.read_bytes()))
    told = "told: kernel cache: a file was damaged, and what it held is compiled again (its digest does not match)"
    assert calls() == [told, "loaded 0"]
    assert calls() == ["loaded 2"]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_of_any_kind_is_seen(tmp_path, damage, monkeypatch):
    monkeypatch.setattr(cache_files, "_told", set())
    key = ("types", "machine")
    for name in "index", "data":
        file = cache_files.CacheFile(str(tmp_path), "kernel", "stamp")
        file.save(key, f"of {name}")
        assert file.load(key) == f"of {name}"
        index = file._index_of(key)
        place = pathlib.Path(index) if name == "index" else tmp_path / file._overloads(index)[key]
        place.write_bytes(DAMAGE[damage](place.read_bytes()))
        if name == "index":
            with pytest.warns(RuntimeWarning, match="a file was damaged"):
                assert file.load(key) is None
        else:
            assert file.load(key) is None  # told once
        assert not place.exists()
        file.save(key, "again")
        assert file.load(key) == "again"


def test_an_index_names_the_types_of_one_call_alone(tmp_path):
    """Reading an index imports every type in it, and most are none of the reader's business."""
    file = cache_files.CacheFile(str(tmp_path), "kernel", "stamp")
    keys = [((kind,), "machine", "code") for kind in ("array", "tree")]
    for key in keys:
        file.save(key, f"for {key[0]}")
    assert [file.load(key) for key in keys] == [f"for {key[0]}" for key in keys]
    assert [list(file._overloads(file._index_of(key))) for key in keys] == [[key] for key in keys]
    twin = (keys[0][0], "machine", "other code")
    file.save(twin, "the same types")
    assert (file.load(twin), file.load(keys[0])) == ("the same types", f"for {keys[0][0]}")
    other = cache_files.CacheFile(str(tmp_path), "kernel2", "stamp")
    other.save(keys[0], "of another kernel")
    file.flush()
    assert [file.load(key) for key in (*keys, twin)] == [None] * 3
    assert other.load(keys[0]) == "of another kernel"


def test_folders_are_private_whatever_the_umask(tmp_path, monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_CACHE", str(tmp_path / "a" / "cache"))
    monkeypatch.setattr(cache, "_occupied", {})
    before = os.umask(0)
    try:
        cache.occupy(cache.cache_folder())
    finally:
        os.umask(before)
    for folder in (cache.cache_root(), cache.cache_folder()):
        assert os.stat(folder).st_mode & 0o777 == 0o700


@compiled
def test_a_folder_that_others_can_write_to_is_not_used(calls, tmp_path):
    assert calls() == ["loaded 0"]
    for folder, mode in ((tmp_path / "cache", 0o770), (next((tmp_path / "cache").glob("kernels-*")), 0o702)):
        os.chmod(folder, mode)
        told, loaded = calls()
        assert f"others can write to {folder}; chmod go-w it if you trust what it holds" in told
        assert loaded == "loaded 0"
        os.chmod(folder, 0o755)
    assert calls() == ["loaded 2"]


@compiled
def test_a_folder_of_another_user_is_not_used(calls):
    assert calls() == ["loaded 0"]
    told, loaded = calls("me = os.geteuid(); os.geteuid = lambda: me + 1")
    assert "belongs to another user; set WIDEMARGIN_CACHE to a folder of your own" in told
    assert loaded == "loaded 0"


def test_commands_say_it_in_one_line(tmp_path):
    """Warnings of the program are lines without a place in the source."""
    script = """
import sys, warnings
from widemargin.cli import streams
streams.prepare()
from widemargin.compiler.cache_files import tell_once
for _ in range(2):
    tell_once("it is full", OSError("no room"))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "widemargin: kernel cache: it is full (no room)\n")


def test_commands_that_compile_nothing_need_no_cache(tmp_path):
    (tmp_path / "cache").write_text("")
    settings = os.environ | {"WIDEMARGIN_CACHE": str(tmp_path / "cache"), "HOME": "/nonexistent"}
    done = subprocess.run([sys.executable, "-m", "widemargin", "list", "tasks"], env=settings, capture_output=True, text=True, check=True)
    assert (done.stdout.startswith("task "), done.stderr) == (True, "")
