"""CoNLL-U and CoNLL-X: whole, in pieces, and written again."""

import io
import pathlib
from collections.abc import Iterator
from random import Random

import numpy as np

from fuzz import mutate
from fuzz.judge import Difference, agree
from fuzz.seeds import sentences
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.families.dependencies.conllu import Treebank, read_treebank, stream_treebank, write_treebank


def cases(random: Random) -> dict:
    data = mutate.block(random, sentences("trees"), 3)
    if mutate.chance(random, 0.3):  # CoNLL-X
        lines = [line.split("\t") for line in data.decode().split("\n") if not line.startswith("#")]
        data = "\n".join("\t".join([*cells[:8], cells[6], "_"]) if len(cells) == 10 else "" for cells in lines).encode()
    how = {"format": random.choice((None, None, "conllu", "conllx")), "subtypes": mutate.chance(random, 0.5)}
    how["single_root"] = mutate.chance(random, 0.2)
    return {**stored(random, mutate.mutated(random, data)), "how": how, "words": random.choice((1, 2, 5, 1000))}


def run(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    how = {"encoding": case["encoding"], **case["how"]}
    whole = []

    def read():
        whole.append(read_treebank("case", **how))
        return content(whole, names=bool(how.get("format")))

    def stream():
        return content(list(stream_treebank("case", words=case["words"], **how)), names=bool(how.get("format")))

    agree("whole and streaming", read, stream)
    check_writing(whole[0])


def content(pieces: list[Treebank], *, names: bool) -> tuple:
    """What the pieces of a file hold together. names: with the names of columns, which a stream can only guess from its first piece."""
    columns = [piece.columns for piece in pieces]
    cells = [[cell for part in columns for cell in part.cells(c)] for c in range(10)]
    heads = np.concatenate([piece.heads for piece in pieces]).tolist()
    lines = np.concatenate([part.line for part in columns]).tolist()
    lengths = np.concatenate([np.diff(piece.row_ptr) for piece in pieces]).tolist()
    relations = [name for piece in pieces for s in range(len(piece.row_ptr) - 1) for name in piece.names(s)]
    aside = [(line, piece.text[low:high].tobytes()) for piece in pieces for line, low, high, _ in piece.aside.tolist()]
    return pieces[0].columns.names if names else (), cells, heads, lines, lengths, relations, aside


def check_writing(treebank: Treebank) -> None:
    """Byte for byte, and with the same trees."""
    text = treebank.text[:-1] if treebank.unended else treebank.text
    out = io.BytesIO()
    write_treebank(treebank, out)
    if out.getvalue() != text.tobytes():
        raise Difference("a treebank that was only read is written otherwise")
    out = io.BytesIO()
    write_treebank(treebank, out, heads=np.zeros(treebank.tokens, np.int64))
    again = read_treebank(io.BytesIO(out.getvalue()), format=treebank.format)
    if again.heads.any() or [again.words(s) for s in range(len(again.row_ptr) - 1)] != [
        treebank.words(s) for s in range(len(treebank.row_ptr) - 1)
    ]:
        raise Difference("heads were changed, and words are not what they were")


def warm() -> Iterator[None]:
    run({"data": sentences("trees")[0].encode(), "encoding": "utf-8", "how": {}, "words": 2})
    yield


TARGETS = (Target("treebanks", cases, run, 150, compiled=True, warm=warm),)
