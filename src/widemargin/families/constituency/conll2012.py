"""Trees in the parse column of CoNLL-2012 files (Pradhan et al. 2012), in and out.

A line is a word: document, part, number, word, tag, parse bit, and more columns, as many as there are. The bits of a sentence, with each *
replaced by (tag word), are its tree: (TOP(S(NP*  *)  (VP*)  *)). Lines that begin with # stand between documents; empty lines between
sentences. What is written is the file as it was with other bits in it; parts of it and trees from elsewhere get lines of their own.
"""

import os
import re
from typing import IO, Any, BinaryIO

from widemargin.errors import InputError, several
from widemargin.families.constituency.building import Builder
from widemargin.families.constituency.trees import TAG, WORD, Trees
from widemargin.readers.encodings import nul_byte, read_whole
from widemargin.readers.files import atomic_writer

WORD_COLUMN, TAG_COLUMN, PARSE_COLUMN = 3, 4, 5
NO_BITS = b"-"  # of a sentence without a tree
_BIT = re.compile(rb"((?:\([^\s()*]*)*)\*(\)*)")
_CELL = re.compile(rb"\S+")


def read_conll2012(path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8") -> Trees:
    """A whole file (plain, gzip, or "-"), or an open file. A sentence whose bits are all - has no tree."""
    data, source = read_whole(path, encoding)
    builder, at, inside, bits = Builder(source, "conll2012"), 0, list[int](), list[bool]()
    for number, line in enumerate([*data.split(b"\n"), b""], 1):
        where = f"{source}:{number}"
        if b"\0" in line:
            raise nul_byte(where)
        if line.startswith(b"#") or not line.strip():
            _close(builder, inside, bits, f"{source}:{number - 1}")
        else:
            bits.append(_add_line(builder, line, at, inside, where))
            if bits[-1] != bits[0]:
                raise InputError("only some words of this sentence have parse bits; give one to all of them or to none.", where)
        at += len(line) + 1
    builder.close_file(data, source)
    trees = builder.trees()
    if not trees.sentences:
        raise InputError("there is no word in this file; give CoNLL-2012 lines of at least six columns.", source)
    return trees


def _add_line(builder: Builder, line: bytes, at: int, inside: list[int], where: str) -> bool:
    """A word with its bit, which may open and close brackets; is there one?"""
    cells = list(_CELL.finditer(line))
    if len(cells) <= PARSE_COLUMN:
        raise InputError(f"this line has {several(len(cells), 'column')}; a line of CoNLL-2012 has at least {PARSE_COLUMN + 1}.", where)
    word, tag, bit = (cells[c] for c in (WORD_COLUMN, TAG_COLUMN, PARSE_COLUMN))
    if b"(" in tag[0] or b")" in tag[0]:
        raise InputError(f"the tag {tag[0].decode(errors='replace')!r} holds a parenthesis; write -LRB- for it.", where)
    found = _BIT.fullmatch(bit[0])
    if bit[0] != NO_BITS and not found:
        raise InputError(f"{bit[0].decode(errors='replace')!r} is not a parse bit; give one such as (NP* or *).", where)
    if found:
        inside += [builder.open_bracket(label) for label in found[1].split(b"(")[1:]]
    builder.add_word(word[0], tag[0], at + bit.start(), at + bit.end())
    if found:
        if len(found[2]) > len(inside):
            raise InputError("this bit closes more brackets than are open; balance the sentence's brackets.", where)
        for _ in found[2]:
            builder.end[inside.pop()] = len(builder.word)
    return found is not None


def _close(builder: Builder, inside: list[int], bits: list[bool], where: str) -> None:
    """The end of a sentence, if there is one."""
    if inside:
        raise InputError(f"the sentence that ends here lacks {len(inside)} closing brackets; balance them.", where)
    if bits:
        builder.close_sentence(builder.begin[builder.row_ptr[-1]], parsed=bits[0])
        bits.clear()


def parse_bits(trees: Trees) -> list[str]:
    """The bit of each word [N]; - in sentences without a tree."""
    opens, closes = [""] * trees.tokens, [""] * trees.tokens
    known = [False] * trees.tokens
    for i, parsed in enumerate(trees.parsed.tolist()):
        low, high = trees.row_ptr[i : i + 2].tolist()
        known[low:high] = [parsed] * (high - low)
        for first, end, label in trees.nodes(i).tolist():
            opens[low + first] += f"({trees.labels[label]}"
            closes[low + end - 1] += ")"
    return [f"{o}*{c}" if there else NO_BITS.decode() for o, c, there in zip(opens, closes, known)]


def write_conll2012(trees: Trees, out: str | os.PathLike[str] | BinaryIO) -> None:
    """The file as it was with these trees' bits; trees from elsewhere as one document with columns that say nothing."""
    for label in trees.labels:
        if "*" in label:
            raise InputError(f"the label {label!r} holds a *, which parse bits cannot hold; replace it.", trees.source)
    bits = parse_bits(trees)
    data = _woven(trees, bits) if trees.format == "conll2012" else _made(trees, bits)
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(data)
    else:
        out.write(data)


def _woven(trees: Trees, bits: list[str]) -> bytes:
    """The text with other bits."""
    text, pieces, at = bytes(trees.text), list[bytes](), 0
    for begin, stop, bit in zip(trees.columns.begin.tolist(), trees.columns.stop.tolist(), bits):
        pieces += [text[at:begin], bit.encode()]
        at = stop
    return b"".join([*pieces, text[at:]])


def _made(trees: Trees, bits: list[str]) -> bytes:
    """Lines of twelve columns."""
    lines = ["#begin document (-); part 000"]
    words, tags = (trees.columns.cells(column) for column in (WORD, TAG))
    for low, high in zip(trees.row_ptr.tolist(), trees.row_ptr[1:].tolist()):
        lines += ["\t".join(["-", "0", str(t - low), words[t], tags[t], bits[t], "-", "-", "-", "-", "*", "-"]) for t in range(low, high)]
        lines.append("")
    return "\n".join([*lines, "#end document", ""]).encode()
