"""What a parser adds to a treebank besides heads and relations: how sure each head is, and other trees."""

import dataclasses

import numpy as np

from widemargin.readers.conllu import HEAD, NOTHING, Treebank

KEY = "HeadProb="


def with_probabilities(treebank: Treebank, chance: np.ndarray) -> Treebank:
    """The same treebank with HeadProb=0.9876 in the MISC column of every word (PDEPREL, in CoNLL-X, has no room: nothing is added)."""
    if treebank.format != "conllu":
        return treebank
    columns, out, at = treebank.columns, [], 0
    text = bytes(columns.text)
    begin, stop = columns.begin.copy(), columns.stop.copy()
    grown = 0
    for t, p in enumerate(chance.tolist()):
        low, high = int(columns.begin[t]), int(columns.stop[t])
        cells = text[low:high].split(b"\t")
        tail = b"\r" if cells[-1].endswith(b"\r") else b""
        old = cells[-1].removesuffix(b"\r").decode()
        kept = [part for part in old.split("|") if part != NOTHING and not part.startswith(KEY)]
        cells[-1] = "|".join([*kept, f"{KEY}{p:.4f}"]).encode() + tail
        line = b"\t".join(cells)
        out += [text[at:low], line]
        begin[t] = low + grown
        grown += len(line) - (high - low)
        stop[t], at = high + grown, high
    data = np.frombuffer(b"".join([*out, text[at:]]), np.uint8)
    return dataclasses.replace(treebank, columns=dataclasses.replace(columns, text=data, begin=begin, stop=stop))


def with_alternatives(treebank: Treebank, relations: tuple[str, ...], found: list[list[tuple[float, np.ndarray, np.ndarray]]]) -> bytes:
    """Every sentence as often as it has trees in the list, best first; comments `# kbest = 1` and `# score = 12.3` stand before each."""
    columns, text = treebank.columns, bytes(treebank.columns.text)
    out: list[str] = []
    for i, trees in enumerate(found):
        low, high = (int(bound) for bound in treebank.row_ptr[i : i + 2])
        aside = treebank.lines_aside(i)
        lines = [text[int(columns.begin[t]) : int(columns.stop[t])].decode().rstrip("\r").split("\t") for t in range(low, high)]
        for rank, (score, heads, labels) in enumerate(trees, 1):
            out += [line for before, line in aside if before == 0 and line.startswith("#")]
            if treebank.format == "conllu":
                out += [f"# kbest = {rank}", f"# score = {score:.4f}"]
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
