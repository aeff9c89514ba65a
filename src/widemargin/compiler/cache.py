"""Where compiled kernels are kept: ~/.cache/widemargin/kernels-DIGEST, or below $WIDEMARGIN_CACHE.

Numba notices an edit of the file that holds a kernel, and not of others. So the digest covers every source file of the package that may
hold compiled code, the versions of Python, Numba and llvmlite, the mode (mode.py) and those of Numba's settings that change code. Kernels
that link code from outside the package are kept in kernels-DIGEST-KEY, by outside.py's key. What goes wrong with files costs time and a
warning, never a run. Folders are private: what is read from them is executed.
"""

import contextlib
import functools
import hashlib
import os
import pathlib
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import llvmlite
import numba
from numba.core import caching

from widemargin.compiler import notice, outside
from widemargin.compiler.cache_files import CacheFile, fcntl, tell_once
from widemargin.compiler.mode import LINKING

# Folders without compiled code; tests/compiler/test_guards.py sees to it.
UNCOMPILED = ("cli", "corpora", "show", "study")
SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "CPU_NAME", "CPU_FEATURES")
# Folders of other versions are removed when a new one is made: those unused for so many days, and of the rest all but so many.
UNUSED_DAYS, KEPT = 30, 16
DAY = 24 * 3600

_occupied: dict[str, int] = {}  # open files that tell other processes which folders are in use


def cache_root() -> str:
    """The folder of all cache folders."""
    return os.environ.get("WIDEMARGIN_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "widemargin"
    )


def cache_folder(key: str = "") -> str:
    """Where kernels are kept that link nothing from outside the package, or that have this key."""
    return os.path.join(cache_root(), f"kernels-{_DIGEST}-{key}" if key else f"kernels-{_DIGEST}")


def _package_digest() -> str:
    digest = hashlib.sha256()
    settings = [(name, str(getattr(numba.config, name, None))) for name in SETTINGS]
    versions = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__
    digest.update(repr((versions, "linked" if LINKING else "plain", settings)).encode())
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    sources = (os.path.join(folder, file) for folder, _, files in os.walk(package) for file in files if file.endswith(".py"))
    for name in sorted(source.removeprefix(package) for source in sources):  # hundreds, each time the package is imported
        if name.split(os.sep)[0] not in UNCOMPILED:
            with open(package + name, "rb", buffering=0) as source:
                digest.update(f"{name}\n".encode() + source.read())
    return digest.hexdigest()[:16]


_DIGEST = _package_digest()


@functools.cache
def _in_one_place(kind: Any) -> Any:
    """This kind of cache, for the folder that it is given alone: Numba would try the folder of the source file next."""
    implementation = kind._impl_class
    only = type(implementation)(implementation.__name__, (implementation,), {"_locator_classes": implementation._locator_classes[:1]})
    return type(kind)(kind.__name__, (kind,), {"_impl_class": only})


@contextlib.contextmanager
def _settings_of_numba(**settings: str) -> Iterator[None]:
    """Other settings, for as long as a cache is made: kernels of others keep theirs. Numba's compiler lock is held here."""
    before = {name: getattr(numba.config, name) for name in settings if hasattr(numba.config, name)}
    for name in before:
        setattr(numba.config, name, settings[name])
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(numba.config, name, value)


class KernelCache:
    """Numba's cache of one function, in one folder per key; `kind` is FunctionCache or a subclass."""

    def __init__(self, function: Callable, kind: type[caching.FunctionCache]):
        self.function, self.kind = function, cast(Any, kind)
        self.by_key: dict[str, caching.FunctionCache | caching.NullCache] = {}

    @property
    def cache_path(self) -> str:
        return cache_folder()

    def load_overload(self, sig, target_context):
        """The kernel for these types, or None: to be compiled."""
        cache, found = self._for(sig), None
        try:
            found = cache.load_overload(sig, target_context)
        except Exception as error:  # unpickling may raise anything
            tell_once("a kernel could not be loaded, and is compiled again", error)
            with contextlib.suppress(OSError):
                cache.flush()
        if found is None:
            notice.compiling()
        return found

    def save_overload(self, sig, data) -> None:
        """Keep a kernel that has been compiled for these types."""
        cache = self._for(sig)
        try:
            cache.save_overload(sig, data)
        except OSError as error:
            tell_once(f"{cache_root()} cannot be written; kernels are compiled for this run alone", error)

    def flush(self) -> None:
        """Forget what is kept of this function by this process's keys."""
        for cache in self.by_key.values():
            cache.flush()

    def _for(self, sig) -> caching.FunctionCache | caching.NullCache:
        key = outside.key_of(self.function, getattr(sig, "args", sig))
        if key is None:
            return caching.NullCache()
        if key not in self.by_key:
            self.by_key[key] = self._open(cache_folder(key))
        return self.by_key[key]

    def _open(self, folder: str) -> caching.FunctionCache | caching.NullCache:
        try:
            occupy(folder)
            with _settings_of_numba(CACHE_DIR=folder, CACHE_LOCATOR_CLASSES=""):
                cache = _in_one_place(self.kind)(self.function)
            cache._cache_file.__class__ = CacheFile
            return cache
        except (OSError, RuntimeError) as error:
            tell_once(f"{cache_root()} cannot be written or trusted; kernels are compiled for this run alone", error)
            return caching.NullCache()


def occupy(folder: str) -> None:
    """Make a cache folder if need be, and mark it as used now and by this process. A new one is the time to look for old ones."""
    if folder in _occupied:
        return
    is_new = not os.path.isdir(folder)
    for place in (cache_root(), folder):
        _make_private(place)
    _occupied[folder] = os.open(os.path.join(folder, "in-use"), os.O_RDWR | os.O_CREAT, 0o644)
    with contextlib.suppress(OSError):
        _lock(_occupied[folder], exclusive=False)
        os.utime(folder)
    if is_new:
        remove_old_folders()


def _make_private(folder: str) -> None:
    """Make a folder for its owner alone; OSError for one that is there and that others can write to: its files are executed."""
    if folder.startswith("~"):
        raise OSError("there is no home folder; set WIDEMARGIN_CACHE to a folder of your own")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if hasattr(os, "geteuid"):
        facts = os.stat(folder)
        if facts.st_uid != os.geteuid():
            raise OSError(f"{folder} belongs to another user; set WIDEMARGIN_CACHE to a folder of your own")
        if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(f"others can write to {folder}; chmod go-w it if you trust what it holds, or remove it")


def remove_old_folders() -> None:
    """Remove cache folders of other versions that nobody has used for long and no process uses now."""
    dated = []
    for path in pathlib.Path(cache_root()).glob("kernels-*"):
        with contextlib.suppress(OSError):
            dated.append((path.stat().st_mtime, str(path)))
    for newer, (used, folder) in enumerate(sorted(dated, reverse=True)):
        days = (time.time() - used) / DAY
        if folder not in _occupied and (days > UNUSED_DAYS or (newer >= KEPT and days > 1)):
            with contextlib.suppress(OSError):
                _remove(folder)


def _remove(folder: str) -> None:
    """Remove a folder that no process occupies; OSError if one does."""
    mark = os.open(os.path.join(folder, "in-use"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(mark, exclusive=True)
        if fcntl is None:
            os.close(mark)
            mark = -1
        away = f"{folder}-removed-{os.getpid()}"  # at once: nobody is to see half of it
        os.rename(folder, away)
        shutil.rmtree(away, ignore_errors=True)
    finally:
        if mark >= 0:
            os.close(mark)


def _lock(file: int, *, exclusive: bool) -> None:
    if fcntl is not None:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
