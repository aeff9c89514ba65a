"""The files of one kernel's cache: a file of code for each of its overloads, and small indexes that say which is whose.

They are Numba's, with a digest in front. Reading one runs what stands in it, so that a file with another digest (cut short by a full disk,
overwritten, of another program) is thrown away unread, and what it held is compiled again. Files that somebody has forged are kept out by
the folder, which nobody else may write to (cache.py).
"""

import contextlib
import glob
import hashlib
import os
import pickle
import uuid
import warnings

from numba.core import caching

try:
    import fcntl
except ImportError:  # Windows, where folders with open files cannot be renamed: occupied ones are safe without locks
    fcntl = None  # type: ignore[assignment]

DIGEST = hashlib.sha256().digest_size
INDEX = ".nbi"  # how Numba ends the name of an index

_told: set[tuple[str, type]] = set()


def tell_once(sentence: str, error: Exception) -> None:
    """Warn of trouble with the cache, once for each kind of it."""
    if (sentence, type(error)) not in _told:
        _told.add((sentence, type(error)))
        warnings.warn(f"kernel cache: {sentence} ({error})", RuntimeWarning, stacklevel=2)


class CacheFile(caching.IndexDataCacheFile):
    """Numba's index of a function's overloads and their files, for processes that save at the same time, and with digests.

    Numba numbers the files by what its index lists, so two processes may give two overloads one file, and each would load the other's
    code. Here a file has a name that nobody else takes, is complete before the index names it, and the index is written by one at a time.

    Numba has one index for all overloads. Reading it imports every type in it: a tagger would import what parsers are made of, for a kernel
    that both use. Here overloads whose types have the same names share an index, which the digest of those names finds.
    """

    def save(self, key, data):
        name = self._data_name(uuid.uuid4().int >> 64)
        self._save_data(name, data)
        with open(self._index_path + ".lock", "wb") as lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            place = self._index_of(key)
            self._write(place, (self._source_stamp, self._overloads(place) | {key: name}))

    def load(self, key):
        name = self._overloads(self._index_of(key)).get(key)
        return None if name is None else self._load_data(name)

    def flush(self):
        """Forget all overloads."""
        for place in glob.glob(f"{glob.escape(self._index_path.removesuffix(INDEX))}.*{INDEX}"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place)

    def _index_of(self, key) -> str:
        """The file of the index of overloads whose types have the same names as this one's."""
        names = hashlib.sha256(repr(key[0]).encode()).hexdigest()[:16]
        return f"{self._index_path.removesuffix(INDEX)}.{names}{INDEX}"

    def _overloads(self, place: str) -> dict:
        """What an index lists: the names of files by keys."""
        found = self._read(place)
        return found[1] if found is not None and found[0] == self._source_stamp else {}

    def _load_data(self, name):
        return self._read(self._data_path(name))

    def _save_data(self, name, data):
        self._write(self._data_path(name), data)

    def _write(self, path: str, content) -> None:
        packed = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(packed).digest() + packed)

    def _read(self, path: str):
        """What was written; None where there is nothing, or nothing that could be used, which is then removed."""
        try:
            with open(path, "rb") as file:
                digest, packed = file.read(DIGEST), file.read()
            if hashlib.sha256(packed).digest() != digest:
                raise ValueError("its digest does not match")
            return pickle.loads(packed)
        except FileNotFoundError:
            return None
        except Exception as error:  # unpickling may raise anything
            tell_once("a file was damaged, and what it held is compiled again", error)
            with contextlib.suppress(OSError):
                os.unlink(path)
            return None
