"""The standard streams of the program: any of them may be closed, full, cut off by its reader, or of a locale without most letters."""

import os
import sys
import warnings
from typing import TextIO


def prepare() -> None:
    """Streams for a process of our own.

    A closed stream's number would go to the next file that is opened, so all three numbers are taken first; a closed output then fails when
    it is used. What is printed is UTF-8 in any locale, as data are, and buffered whatever PYTHONUNBUFFERED says: an unbuffered write to a
    full disk loses a part without an error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    warnings.showwarning = lambda message, *_: say(f"widemargin: {message}")  # a line, without its place in the source


def say(text: str, end: str = "\n") -> None:
    """Something about the work, on standard error; where that cannot be written, the work is more important."""
    try:
        sys.stderr.write(text + end)
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def abandon(stream: TextIO) -> None:
    """Let what is still to be written to a stream go nowhere: Python would try again, and complain, at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
