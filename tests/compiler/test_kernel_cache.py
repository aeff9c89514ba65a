"""Kernels on disk: a later process loads instead of compiling; folders of other versions go; trouble with files fails no run."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest
from children import child, compiled

from widemargin.compiler import cache

TWICE = """
import numpy as np
from widemargin.engine.hash import fill_table
table = np.zeros(64, np.uint64)
fill_table(np.arange(1, 20, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15), table)
hits = sum(fill_table.stats.cache_hits.values())
print(hits, table.tolist())
"""


@compiled
@pytest.mark.parametrize("mode", ["linked", "plain"])
def test_a_second_process_loads_what_the_first_compiled(tmp_path, mode):
    (first_hits, first), (second_hits, second) = (child(tmp_path, TWICE, WIDEMARGIN_JIT=mode).split(" ", 1) for _ in range(2))
    assert (first_hits, second_hits) == ("0", "1")
    assert first == second


@compiled
def test_modes_and_settings_of_numba_do_not_share_kernels(tmp_path):
    for environment in {}, {"WIDEMARGIN_JIT": "plain"}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}:
        assert child(tmp_path, TWICE, **environment).startswith("0 ")
    assert len(list((tmp_path / "cache").glob("kernels-*"))) == 4


CALLS = """
from widemargin.compiler.jit import inner, kernel, phase, tiny

@kernel(shared=True)
def double(x):
    return 2.0 * x

@inner
def four(x):
    return double(double(x))

@phase
def eight(x):
    return double(four(x))

@tiny
def more(x):
    return eight(x) + 1.0

@kernel
def whole(x):
    return more(x)
"""


@compiled
@pytest.mark.parametrize("mode", ["linked", "plain"])
def test_a_kernel_from_the_cache_is_linked_into_functions_that_are_compiled(tmp_path, mode):
    (tmp_path / "calls.py").write_text(CALLS)
    for call, value in ("double(1.0)", 2.0), ("whole(1.0)", 9.0), ("whole(1.0)", 9.0):
        assert float(child(tmp_path, f"import calls; print(calls.{call})", WIDEMARGIN_JIT=mode)) == value


@compiled
def test_files_that_cannot_be_read_are_replaced(tmp_path):
    right = child(tmp_path, TWICE)
    for suffix in "nbi", "nbc":
        for file in (tmp_path / "cache").rglob(f"*.{suffix}"):
            file.write_bytes(b"not what it was")
        quiet = "import warnings; warnings.simplefilter('always')\n"
        run = child(tmp_path, quiet + TWICE)
        assert run == right
        assert child(tmp_path, TWICE) == "1" + right[1:]


@compiled
def test_a_cache_that_cannot_be_written_costs_a_warning_and_no_run(tmp_path):
    right = child(tmp_path, TWICE)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert "cannot be written" in child(tmp_path, TWICE, fails=True).stderr  # where warnings are errors
    told = "import warnings; warnings.simplefilter('ignore')\n"
    assert child(tmp_path, told + TWICE) == right


@compiled
def test_a_folder_that_is_removed_meanwhile_is_made_again(tmp_path):
    script = f"""
import shutil
from widemargin.engine.hash import numbers
numbers(np.zeros(64, np.uint64), np.arange(3, dtype=np.uint64), np.zeros(3, np.int64))
shutil.rmtree({str(tmp_path / "cache")!r})
"""
    first = child(tmp_path, "import numpy as np" + script + TWICE)
    assert first == child(tmp_path, TWICE).replace("1", "0", 1)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Twenty cache folders, the i-th last used i * 2 days ago."""
    monkeypatch.setenv("WIDEMARGIN_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_occupied", {})
    made = []
    for i in range(20):
        folder = tmp_path / f"kernels-{i:016x}"
        folder.mkdir()
        (folder / "kernel.nbi").write_text("")
        then = time.time() - (2 * i + 0.5) * cache.DAY
        os.utime(folder, (then, then))
        made.append(folder)
    (tmp_path / "other").mkdir()
    return made


def left(folders) -> list[int]:
    return [i for i, folder in enumerate(folders) if folder.exists()]


def test_folders_unused_for_a_month_are_removed(folders):
    cache.remove_old_folders()
    assert left(folders) == list(range(15))
    assert sorted(path.name for path in folders[0].parent.iterdir()) == [folder.name for folder in folders[:15]] + ["other"]


def test_of_many_recent_folders_the_newest_are_kept(folders, monkeypatch):
    monkeypatch.setattr(cache, "KEPT", 3)
    cache.remove_old_folders()
    assert left(folders) == [0, 1, 2]
    monkeypatch.setattr(cache, "KEPT", 0)
    cache.remove_old_folders()
    assert left(folders) == [0]  # used today


def test_a_new_folder_is_the_time_to_remove_old_ones(folders):
    cache.occupy(cache.cache_folder())
    assert left(folders) == list(range(15))
    then = time.time() - 40 * cache.DAY
    os.utime(folders[1], (then, then))
    cache._occupied.clear()
    cache.occupy(cache.cache_folder())
    assert folders[1].exists()


@pytest.mark.skipif(cache.fcntl is None, reason="open files are locks of their own here")
def test_a_folder_that_a_process_uses_is_not_removed(folders):
    mark = os.open(folders[19] / "in-use", os.O_RDWR | os.O_CREAT)
    cache._lock(mark, exclusive=False)  # as a process that has used it for 38 days
    cache.remove_old_folders()
    assert left(folders) == [*range(15), 19]
    os.close(mark)
    then = time.time() - 40 * cache.DAY
    os.utime(folders[19], (then, then))
    cache.remove_old_folders()
    assert left(folders) == list(range(15))


def test_what_cannot_be_removed_stays_without_a_word(folders, monkeypatch):
    def refuse(*_):
        raise PermissionError("not yours")

    monkeypatch.setattr(os, "rename", refuse)
    cache.remove_old_folders()
    assert left(folders) == list(range(20))


def test_cache_folders_are_below_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_CACHE", str(tmp_path))
    assert pathlib.Path(cache.cache_folder()).parent == tmp_path
    assert cache.cache_folder("key") == cache.cache_folder() + "-key"


SAVES = """
import sys
from widemargin.compiler.cache import CacheFile
file = CacheFile(sys.argv[1], "kernel", "stamp")
for j in range(20):
    file.save((sys.argv[2], j), f"{sys.argv[2]} {j}")
"""


def test_processes_that_save_at_once_keep_their_own(tmp_path):
    children = [subprocess.Popen([sys.executable, "-c", SAVES, str(tmp_path), str(i)]) for i in range(4)]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    file = cache.CacheFile(str(tmp_path), "kernel", "stamp")
    for i in range(4):
        assert [file.load((str(i), j)) for j in range(20)] == [f"{i} {j}" for j in range(20)]
