"""What a parser adds to a treebank besides heads and relations: how sure each head is, and other trees."""

import dataclasses

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Alternative
from widemargin.families.dependencies.conllu import HEAD, NO_VALUE, Treebank

KEY = "HeadProb="


def with_probabilities(treebank: Treebank, chance: np.ndarray) -> Treebank:
    """The same treebank with HeadProb=0.9876 in the MISC column of every word."""
    _refuse_conllx(treebank)
    columns, out, at = treebank.columns, [], 0
    text = bytes(columns.text)
    begin, stop = columns.begin.copy(), columns.stop.copy()
    grown = 0
    for t, p in enumerate(chance.tolist()):
        low, high = int(columns.begin[t]), int(columns.stop[t])
        cells = text[low:high].split(b"\t")
        tail = b"\r" if cells[-1].endswith(b"\r") else b""
        old = cells[-1].removesuffix(b"\r").decode()
        kept = [part for part in old.split("|") if part != NO_VALUE and not part.startswith(KEY)]
        cells[-1] = "|".join([*kept, f"{KEY}{p:.4f}"]).encode() + tail
        line = b"\t".join(cells)
        out += [text[at:low], line]
        begin[t] = low + grown
        grown += len(line) - (high - low)
        stop[t], at = high + grown, high
    data = np.frombuffer(b"".join([*out, text[at:]]), np.uint8)
    return dataclasses.replace(treebank, columns=dataclasses.replace(columns, text=data, begin=begin, stop=stop))


def with_comments(treebank: Treebank, comments: list[str]) -> Treebank:
    """The same treebank with a line `# ...` before the first line of each sentence."""
    _refuse_conllx(treebank)
    columns, text, pieces, at = treebank.columns, bytes(treebank.columns.text), [], 0
    begin, stop, grown, lines = columns.begin.copy(), columns.stop.copy(), 0, treebank.lines_begin()
    for i, comment in enumerate(comments):
        line = f"# {comment}\n".encode()
        pieces += [text[at : lines[i]], line]
        at, grown = lines[i], grown + len(line)
        words = slice(*treebank.row_ptr[i : i + 2])
        begin[words] += grown
        stop[words] += grown
    data = np.frombuffer(b"".join([*pieces, text[at:]]), np.uint8)
    return dataclasses.replace(treebank, columns=dataclasses.replace(columns, text=data, begin=begin, stop=stop))


def _refuse_conllx(treebank: Treebank) -> None:
    if treebank.format != "conllu":
        raise InputError("CoNLL-X has no room for probabilities; ask for --json, or give a CoNLL-U file", treebank.source)


def with_alternatives(treebank: Treebank, relations: tuple[str, ...], found: list[list[Alternative]]) -> bytes:
    """Every sentence as often as it has trees in the list, best first; comments `# kbest = 1` and `# score = 12.3` stand before each."""
    columns, text = treebank.columns, bytes(treebank.columns.text)
    out: list[str] = []
    for i, trees in enumerate(found):
        low, high = (int(bound) for bound in treebank.row_ptr[i : i + 2])
        aside = treebank.lines_aside(i)
        lines = [text[int(columns.begin[t]) : int(columns.stop[t])].decode().rstrip("\r").split("\t") for t in range(low, high)]
        for rank, tree in enumerate(trees, 1):
            heads, labels = tree.output
            out += [line for before, line in aside if before == 0 and line.startswith("#")]
            if treebank.format == "conllu":
                out += [f"# kbest = {rank}", f"# score = {tree.score:.4f}"]
            for t, cells in enumerate(lines):
                out += [line for before, line in aside if before == t and not line.startswith("#")]
                new = list(cells)
                new[HEAD] = str(int(heads[t]))
                if relations:
                    new[HEAD + 1] = relations[int(labels[t])]
                out.append("\t".join(new))
            out += [line for before, line in aside if before == len(lines) and not line.startswith("#")]
            out.append("")
    return ("\n".join(out) + "\n").encode()
