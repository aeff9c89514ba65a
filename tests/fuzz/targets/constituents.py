"""Constituency trees: brackets whole and in pieces, written again, binarised and scored; tokens, CoNLL-2012 and EVALB's settings."""

import io
import pathlib
from random import Random

import numpy as np

from fuzz import mutate
from fuzz.judge import Difference, agree
from fuzz.seeds import sentences
from fuzz.targets import Target
from fuzz.targets.columns import stored
from widemargin.families.constituency.binary import Binariser, restore
from widemargin.families.constituency.brackets import brackets_text, read_brackets, stream_brackets
from widemargin.families.constituency.conll2012 import read_conll2012, write_conll2012
from widemargin.families.constituency.drawing import draw
from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.evalb_settings import read_settings
from widemargin.families.constituency.grammar import read_grammar
from widemargin.families.constituency.sentences import read_sentences, stream_sentences
from widemargin.families.constituency.transforms import transformed
from widemargin.families.constituency.trees import Trees

ODD = (
    b"(",
    b")",
    b" ",
    b"\n",
    b"( ",
    b"(())",
    b"(S (NP))",
    b"-LRB-",
    b"-RRB-",
    b"(-NONE- *)",
    b"(? ",
    b"(NP-SBJ=1 ",
    b"*",
    b"(TOP(S*))",
    b"_",
    b"-",
)


def bracket_cases(random: Random) -> dict:
    return in_pieces(random, changed(random, mutate.block(random, sentences("brackets"))))


def in_pieces(random: Random, data: bytes) -> dict:
    """A file to be read whole and in pieces of so many words; Python cannot decode pieces of punycode."""
    case = stored(random, data)
    return case | {"words": random.choice((1, 5, 40)) if case["encoding"] != "punycode" else 10_000}


def changed(random: Random, data: bytes) -> bytes:
    """With faults of bytes, lines and cells, and of brackets."""
    for _ in range(random.randrange(4)):
        at = random.randrange(len(data) + 1)
        cut = random.choice((0, 0, 1, 2, 9))
        data = data[:at] + random.choice(ODD) * random.choice((1, 1, 1, 2, 300)) + data[at + cut :]
    return mutate.mutated(random, data) if mutate.chance(random, 0.5) else data


def run_brackets(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    whole: list[Trees] = []

    def read():
        whole[:] = [read_brackets("case", encoding=case["encoding"], empty=True)]
        return content(whole)

    agree(
        "whole and streaming",
        read,
        lambda: content(list(stream_brackets("case", words=case["words"], encoding=case["encoding"], empty=True))),
    )
    check(whole[0])


def content(pieces: list[Trees]) -> tuple:
    return "".join(map(brackets_text, pieces)), [piece.where(i) for piece in pieces for i in range(piece.sentences)]


def check(trees: Trees) -> None:
    """What is read is written, binarised, restored, scored and drawn."""
    text = brackets_text(trees)
    if brackets_text(read_brackets(io.StringIO(text), empty=True)) != text:
        raise Difference("trees that were written are read otherwise")
    for some in (trees, transformed(trees)):
        some = some.part((np.diff(some.row_ptr) > 0) & ~some.partial)
        binary = Binariser("left", 1, 2)(some)
        node_ptr, node = restore(binary.node_ptr, binary.node, binary.symbols)
        if brackets_text(some.with_trees(node_ptr, node, binary.symbols.labels)) != brackets_text(some):
            raise Difference("binarised trees do not come back")
        read_grammar(binary)
        if some.sentences:
            scores = BracketScores(some, some, strict=False)
            if scores.counts[:, 0].sum() * 2 != scores.counts[:, 1:].sum():
                raise Difference("trees do not agree with themselves")
            draw(some, 1)


def token_cases(random: Random) -> dict:
    lines = [" ".join(f"{row.split()[0]}_{row.split()[1]}" for row in block.strip().split("\n")) for block in sentences("columns")[:50]]
    data = changed(random, mutate.block(random, [line + "\n" for line in lines]))
    return in_pieces(random, data) | {"separator": random.choice(("_", "_", "/", None, "", "é"))}


def run_tokens(case: dict) -> None:
    pathlib.Path("case").write_bytes(case["data"])
    how = {"encoding": case["encoding"], "separator": case["separator"]}
    agree(
        "whole and streaming",
        lambda: content([read_sentences("case", **how)]),
        lambda: content(list(stream_sentences("case", words=case["words"], **how))),
    )


def conll_cases(random: Random) -> dict:
    out = io.BytesIO()
    write_conll2012(read_brackets(io.BytesIO(mutate.block(random, sentences("brackets")))), out)
    return {"data": changed(random, out.getvalue())}


def run_conll(case: dict) -> None:
    trees = read_conll2012(io.BytesIO(case["data"]))
    out = io.BytesIO()
    write_conll2012(trees, out)
    if brackets_text(read_conll2012(io.BytesIO(out.getvalue()))) != brackets_text(trees):
        raise Difference("trees that were written are read otherwise")


KEYS = "DEBUG MAX_ERROR CUTOFF_LEN LABELED DELETE_LABEL DELETE_LABEL_FOR_LENGTH QUOTE_LABEL EQ_LABEL EQ_WORD # X".split()


def settings_cases(random: Random) -> dict:
    lines = [f"{random.choice(KEYS)} {' '.join(random.choices(('0', '1', '40', 'NP', '-NONE-', '-1', 'x', ''), k=2))}" for _ in range(5)]
    return {"data": changed(random, "\n".join(lines).encode())}


def run_settings(case: dict) -> None:
    settings = read_settings(io.BytesIO(case["data"]))
    trees = read_brackets(io.StringIO("".join(sentences("brackets")[:2])))
    BracketScores(trees, trees, settings=settings, strict=False).report()


TARGETS = (
    Target("brackets", bracket_cases, run_brackets, 60),
    Target("tagged-sentences", token_cases, run_tokens, 20),
    Target("conll2012", conll_cases, run_conll, 20),
    Target("evalb-settings", settings_cases, run_settings, 10),
)
