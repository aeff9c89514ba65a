"""Opening and writing files: plain or gzip, "-" for the standard streams, and never a half-written result."""

import contextlib
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, TextIO, cast

from widemargin.errors import InputError
from widemargin.readers.outputs import OutputFile, finish, open_temporary, target_of

GZIP_MAGIC = b"\x1f\x8b"
MOST_UNPACKED, MOST_RATIO = 100_000_000, 100  # bytes, whatever the packed size; times the packed size


def file_name(path: str | os.PathLike[str]) -> str:
    """The name that messages use: the path as given, "<stdin>" for "-"."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


@contextlib.contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when they begin like gzip's; "-" is standard input; what cannot be read is an InputError."""
    name = file_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw = standard_stream(sys.stdin, "input") if name == "<stdin>" else stack.enter_context(open(path, "rb"))
            magic = cast(io.BufferedReader, raw).peek(2)[:2]
        except InputError:  # a ValueError too
            raise
        except FileNotFoundError:
            raise InputError("there is no such file; check the path, or give - to read standard input.", name) from None
        except IsADirectoryError:
            raise InputError("this is a folder; give one file in it.", name) from None
        except OSError as error:
            raise InputError(f"the file cannot be opened ({error.strerror}); check its permissions.", name) from None
        except ValueError:  # a NUL, or half of a surrogate pair
            raise InputError(f"{name!r:.60} cannot be a file name; check the path.") from None
        packed = magic == GZIP_MAGIC
        if not packed and magic and name.endswith(".gz"):
            raise InputError("the file is named .gz but does not begin like a gzip file; rename it, or pack it with gzip.", name)
        try:
            yield cast(BinaryIO, _Unpacked(raw, name) if packed else raw)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError("the gzip data is damaged or cut short; copy or pack the file again.", name) from None


class _Counted:
    """An open file that counts what is read."""

    def __init__(self, raw: BinaryIO):
        self.raw, self.count = raw, 0

    def read(self, size: int = -1) -> bytes:
        data = self.raw.read(size)
        self.count += len(data)
        return data


class _Unpacked:
    """An open gzip file, unpacked as long as it stays below MOST_UNPACKED or MOST_RATIO: no small file fills the memory."""

    def __init__(self, raw: BinaryIO, name: str):
        self.packed, self.name, self.count = _Counted(raw), name, 0
        self.gzip = gzip.GzipFile(fileobj=cast(BinaryIO, self.packed), mode="rb")

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return b"".join(iter(lambda: self.read(1 << 20), b""))
        data = self.gzip.read(size)
        self.count += len(data)
        if self.count > max(MOST_UNPACKED, MOST_RATIO * self.packed.count):
            raise InputError(
                f"this unpacks to more than {MOST_UNPACKED:,} bytes and {MOST_RATIO} times its size; gunzip it first if that is right.",
                self.name,
            )
        return data


@contextlib.contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes to that appears under its name only when complete (temporary neighbour, fsync, rename).

    A name that ends in .gz is packed; "-" is standard output; a pipe or device is written directly.
    """
    name = os.fspath(path)
    if name == "-":
        yield standard_stream(sys.stdout, "output")
        sys.stdout.buffer.flush()
        return
    target = target_of(name)
    if target is None:
        with io.BufferedWriter(OutputFile(name, "wb", name)) as direct:
            yield cast(BinaryIO, direct)
        return
    handle, temporary = open_temporary(target, name)
    try:
        with handle:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield handle
            finish(handle, temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def standard_stream(stream: TextIO | None, name: str) -> BinaryIO:
    """The bytes of a standard stream, which whoever started this process may have closed."""
    if stream is None:
        raise InputError(f"standard {name} is closed; name a file instead.")
    return stream.buffer
