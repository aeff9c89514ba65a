"""Opening and writing files: plain or gzip, "-" for the standard streams, and never a half-written result."""

import contextlib
import gzip
import io
import os
import pathlib
import secrets
import stat
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from widemargin.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"


def file_name(path: str | os.PathLike[str]) -> str:
    """The name that messages use: the path as given, "<stdin>" for "-"."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


@contextlib.contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when they begin like gzip's; "-" is standard input; what cannot be read is an InputError."""
    name = file_name(path)
    with contextlib.ExitStack() as stack:
        try:
            raw = sys.stdin.buffer if name == "<stdin>" else stack.enter_context(open(path, "rb"))
            magic = cast(io.BufferedReader, raw).peek(2)[:2]
        except FileNotFoundError:
            raise InputError("there is no such file; check the path, or give - to read standard input.", name) from None
        except IsADirectoryError:
            raise InputError("this is a folder; give one file in it.", name) from None
        except OSError as error:
            raise InputError(f"the file cannot be opened ({error.strerror}); check its permissions.", name) from None
        packed = magic == GZIP_MAGIC
        if not packed and magic and name.endswith(".gz"):
            raise InputError("the file is named .gz and does not begin like a gzip file; rename it, or pack it with gzip.", name)
        try:
            yield cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=raw))) if packed else cast(BinaryIO, raw)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError("the gzip data is damaged or cut short; copy or pack the file again.", name) from None


@contextlib.contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes to that appears under its name only when complete (temporary neighbour, fsync, rename).

    A name that ends in .gz is packed; "-" is standard output; a pipe or device is written directly.
    """
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = pathlib.Path(os.path.realpath(name))
    if target.is_dir():
        raise InputError("this is a folder; name a file in it.", name)
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with open(target, "wb") as direct:
            yield direct
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        handle = open(temporary, "xb")
    except FileNotFoundError:
        raise InputError(f"there is no folder {target.parent}; make it first.", name) from None
    except OSError as error:
        raise InputError(f"nothing can be written here ({error.strerror}); choose another folder.", name) from None
    try:
        with handle:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield cast(BinaryIO, handle)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
