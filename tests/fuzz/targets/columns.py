"""Column files: whole, in pieces, and written again; encodings and gzip."""

import gzip
import io
import pathlib
from collections.abc import Iterator
from random import Random

import numpy as np

from fuzz import mutate
from fuzz.judge import Difference, agree
from fuzz.seeds import sentences
from fuzz.targets import Target
from widemargin.features.lexicons import read_lexicon
from widemargin.readers.columns import Columns, read_columns, stream_columns, write_columns

ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7", "shift_jis", "idna", "punycode")
NOT_TEXT = ("rot13", "hex", "zip", "undefined", "unicode_escape", "raw_unicode_escape", "no-such", "", "\0", "é", "utf-8\n", "x" * 500)


def stored(random: Random, data: bytes) -> dict:
    """Bytes of a file, perhaps in another encoding or packed, and the encoding by which it is read."""
    encoding = random.choice(ENCODINGS) if mutate.chance(random, 0.15) else "utf-8"
    if encoding != "utf-8" and mutate.chance(random, 0.7):
        data = mutate.mutated(
            random, data.decode("utf-8", "replace").encode("utf-16" if encoding == "idna" else encoding, "replace"), most=1
        )
    if mutate.chance(random, 0.02):
        encoding = random.choice(NOT_TEXT)
    if mutate.chance(random, 0.03):
        data = mutate.mutated(random, gzip.compress(data, mtime=0), most=1)
    return {"data": data, "encoding": encoding}


def cases(random: Random) -> dict:
    data = mutate.mutated(random, mutate.block(random, sentences("columns")))
    separator = None
    if mutate.chance(random, 0.3):
        separator = random.choice(("\t", " ", ",", "|"))
        data = data.replace(b" ", separator.encode())
    names = None if mutate.chance(random, 0.8) else [mutate.text(random, 3) for _ in range(4)]
    return {**stored(random, data), "separator": separator, "tokens": random.choice((1, 2, 5, 1000)), "names": names}


def run(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    how = {name: case[name] for name in ("encoding", "separator", "names")}
    whole = []

    def read():
        whole.append(read_columns("case", **how))
        return content([whole[0]])

    agree("whole and streaming", read, lambda: content(list(stream_columns("case", tokens=case["tokens"], **how))))
    check_writing(whole[0], how["separator"])


def content(pieces: list[Columns]) -> tuple:
    """What the pieces of a file hold together."""
    cells = [[cell for piece in pieces for cell in piece.cells(c)] for c in range(len(pieces[0].names))]
    lines = np.concatenate([piece.line for piece in pieces]).tolist()
    lengths = np.concatenate([np.diff(piece.row_ptr) for piece in pieces]).tolist()
    return pieces[0].names, cells, lines, lengths


def check_writing(columns: Columns, separator: str | None) -> None:
    """As it was, and with a column more."""
    out = io.BytesIO()
    write_columns(columns, [], out)
    if out.getvalue() != columns.text.tobytes():
        raise Difference("a file with no column added is another file")
    out = io.BytesIO()
    write_columns(columns, [(np.zeros(columns.tokens, np.int64), ["X"])], out)
    again = read_columns(io.BytesIO(out.getvalue()), separator=separator)
    _, cells, *rest = content([columns])
    if ([*cells, ["X"] * columns.tokens], *rest) != content([again])[1:]:
        raise Difference("a column was added, and the others are not what they were")


def warm() -> Iterator[None]:
    run({"data": sentences("columns")[0].encode(), "encoding": "utf-8", "separator": None, "tokens": 2, "names": None})
    yield


def lexicon_cases(random: Random) -> dict:
    return {"data": mutate.mutated(random, mutate.block(random, sentences("columns")).replace(b" ", b"\n"))}


def run_lexicon(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    read_lexicon("case", "case")


TARGETS = (Target("columns", cases, run, 220, compiled=True, warm=warm), Target("lexicons", lexicon_cases, run_lexicon, 20))
