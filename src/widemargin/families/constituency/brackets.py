"""Penn brackets in and out: `( (S (NP (DT The) (NN cat)) (VP (VBD sat))))`.

A tree may go over many lines, and many trees may stand on one. An outer bracket may have no label. In words, -LRB-, -RRB-, -LCB-, -RCB-,
-LSB- and -RSB- mean ( ) { } [ ] and are read so; what was in the file is kept and written again. A folder stands for its files whose names
end in one of ENDINGS, in the order of their names.
"""

import os
import pathlib
import re
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.building import Builder, line_of
from widemargin.families.constituency.tree import bracketed
from widemargin.families.constituency.trees import Trees
from widemargin.readers.encodings import Recoder, nul_byte, read_whole
from widemargin.readers.files import atomic_writer, file_name, open_bytes

ENDINGS = tuple(f".{name}{packed}" for name in ("mrg", "parse", "ptb", "brackets") for packed in ("", ".gz"))
NO_TREE = "(())"  # what is written for a sentence without a word
BYTES_PER_WORD = 24  # in usual files, for the size of pieces

# what a text is made of: a tag with its word; an opening bracket with its label; a closing one; anything else
LEAF, OPEN, CLOSE, STRAY = 2, 3, 4, 5
_PIECES = re.compile(rb"\(\s*+([^\s()]++)\s++([^\s()]++)\s*+\)|\(\s*+([^\s()]*+)|(\))|([^\s()]++)")


def read_brackets(
    path: str | os.PathLike[str] | IO[Any], *, encoding: str = "utf-8", empty: bool = False, empty_lines: bool = False
) -> Trees:
    """A file (plain, gzip, or "-"), a folder of files, or an open file. What is no tree is refused, named by file:line.

    `(())` is a sentence of no words, as parsers write it. empty: so is any tree without a word; otherwise others are refused.
    empty_lines: a line without anything stands for one too, as in the files that EVALB compares line by line.
    """
    files = files_of(path) if isinstance(path, str | os.PathLike) else [path]
    builder = Builder(file_name(path) if isinstance(path, str | os.PathLike) else str(getattr(path, "name", "<file>")), "brackets")
    for file in files:
        data, source = read_whole(file, encoding)
        if empty_lines:
            data = b"\n".join([line if line.strip() else NO_TREE.encode() for line in data.removesuffix(b"\n").split(b"\n")])
        scan_brackets(data, source, builder, empty=empty or empty_lines)
    trees = builder.trees()
    if not trees.sentences:
        raise InputError("there is no tree in here; give trees in brackets, such as (S (NP (PRP I)) (VP (VBP see))).", builder.source)
    return trees


def stream_brackets(path: str | os.PathLike[str], *, words: int = 200_000, encoding: str = "utf-8", empty: bool = False) -> Iterator[Trees]:
    """The same in pieces of whole trees, of about so many words, so that a large file need not fit in memory."""
    none = True
    for file in files_of(path):
        source = file_name(file)
        recode, rest, line, ended = Recoder(encoding, source), b"", 1, False
        with open_bytes(file) as handle:
            while not ended:
                block = handle.read(max(64, min(BYTES_PER_WORD * words, 1 << 24), len(rest)))  # long trees are looked at few times
                ended = not block
                rest += recode(block, final=ended)
                if cut := len(rest) if ended else last_end(rest):
                    builder = Builder(source, "brackets")
                    scan_brackets(rest[:cut], source, builder, line=line, empty=empty)
                    line, rest = line + rest.count(b"\n", 0, cut), rest[cut:]
                    if builder.parsed:
                        none = False
                        yield builder.trees()
    if none:
        raise InputError("there is no tree in here; give trees in brackets, such as (S (NP (PRP I)) (VP (VBP see))).", file_name(path))


def files_of(path: str | os.PathLike[str]) -> list[str]:
    """A file itself; of a folder, its files with trees, in those below it too."""
    if os.fspath(path) == "-" or not os.path.isdir(path):
        return [os.fspath(path)]
    found = sorted(str(file) for file in pathlib.Path(path).rglob("*") if file.name.endswith(ENDINGS) and file.is_file())
    if not found:
        raise InputError(f"no file in this folder ends in {', '.join(ENDINGS[::2])} (or .gz); name the file with the trees.", str(path))
    return found


def last_end(data: bytes) -> int:
    """Where the last whole tree of a text ends; 0 where there is none. A bracket too many ends one too: the scan refuses it."""
    text = np.frombuffer(data, np.uint8)
    places = np.flatnonzero((text == ord("(")) | (text == ord(")")))
    depth = np.cumsum(np.where(text[places] == ord("("), 1, -1))
    ends = np.flatnonzero((depth <= 0) & (text[places] == ord(")")))
    return int(places[ends[-1]]) + 1 if len(ends) else 0


def scan_brackets(data: bytes, source: str, builder: Builder, *, line: int = 1, empty: bool = False) -> None:
    """All trees of UTF-8 text whose first line has this number, into the builder."""
    if (nul := data.find(0)) >= 0:
        raise nul_byte(_place(data, nul, source, line))
    words, tags, begin, stop, word, tag = builder.words, builder.tags, builder.begin, builder.stop, builder.word, builder.tag
    first, end = builder.first, builder.end
    inside: list[int] = []  # brackets that are open
    start = 0
    for piece in _PIECES.finditer(data):
        kind = piece.lastindex
        if kind == LEAF:
            tag.append(tags.setdefault(piece[1], len(tags)))
            word.append(words.setdefault(piece[2], len(words)))
            begin.append(piece.start(2))
            stop.append(piece.end(2))
            if not inside:
                builder.close_sentence(piece.start(), parsed=True)
        elif kind == OPEN:
            if not inside:
                start = piece.start()
            inside.append(builder.open_bracket(piece[3]))
        elif kind == CLOSE and inside and (first[inside[-1]] < len(word) or empty or _is_no_tree(builder)):
            end[inside.pop()] = len(word)
            if not inside:
                _drop_empty(builder, data, source, line, start)
                builder.close_sentence(start, parsed=True)
        else:
            raise _wrong(piece, inside, builder, _place(data, piece.start(), source, line))
    if inside:
        where = _place(data, start, source, line)
        raise InputError(f"the tree that begins here lacks {len(inside)} closing bracket{'s' * (len(inside) > 1)}; balance it.", where)
    builder.close_file(data, source, line)


def _is_no_tree(builder: Builder) -> bool:
    """Is the tree that is being read `((` or `(()`, without words and labels? Then it is NO_TREE, or `_drop_empty` refuses it."""
    low = builder.node_ptr[-1]
    unnamed = builder.labels.get(b"", -1)
    return len(builder.word) == builder.row_ptr[-1] and builder.label[low:] == [unnamed, unnamed]


def _drop_empty(builder: Builder, data: bytes, source: str, line: int, start: int) -> None:
    """A tree without any word loses its brackets; one with words has none without words."""
    low = builder.node_ptr[-1]
    if len(builder.word) == builder.row_ptr[-1]:
        del builder.first[low:], builder.end[low:], builder.label[low:]
    elif any(builder.first[node] == builder.end[node] for node in range(low, len(builder.end))):
        raise InputError("a bracket of this tree holds no word; take it out, or put its words in.", _place(data, start, source, line))


def _wrong(piece: re.Match[bytes], inside: list[int], builder: Builder, where: str) -> InputError:
    """What is said of a piece that cannot stand where it stands."""
    text = piece[0].decode(errors="replace")
    if piece.lastindex == STRAY:
        if not inside:
            told = f"{text!r} stands outside of all brackets; give trees such as (S (NP (PRP I)) (VP (VBP see)))"
            return InputError(f"{told}, or say what the file holds with --trees (trees=): tokens, words or columns.", where)
        return InputError(f"the word {text!r} has no tag of its own; each word stands in brackets with its tag, such as (NN cat).", where)
    if not inside:
        return InputError("this bracket closes nothing, for none is open; balance the brackets (in words, write -LRB- and -RRB-).", where)
    label = next(name for name, code in builder.labels.items() if code == builder.label[inside[-1]]).decode(errors="replace")
    return InputError(f"the bracket {label!r} holds no word; take it out, or give it a word, such as (NN cat).", where)


def _place(data: bytes, at: int, source: str, line: int) -> str:
    return f"{source}:{line_of(data, at, line)}"


def brackets_text(trees: Trees) -> str:
    """One tree a line, its words spelled as they were read; a sentence without a tree is `(? ...)`, one without words NO_TREE."""
    spelled, tags, labels = trees.spelled, trees.columns.values[1], trees.labels
    words, tag, row_ptr = trees.columns.codes[0].tolist(), trees.columns.codes[1].tolist(), trees.row_ptr.tolist()
    node, node_ptr = trees.node.tolist(), trees.node_ptr.tolist()
    out = []
    for i, parsed in enumerate(trees.parsed.tolist()):
        low, high = row_ptr[i : i + 2]
        brackets = [(first, end, labels[label]) for first, end, label in node[node_ptr[i] : node_ptr[i + 1]]]
        if not parsed and low < high:
            brackets = [(0, high - low, "?")]
        out.append(bracketed(brackets, [tags[t] for t in tag[low:high]], [spelled[w] for w in words[low:high]]) or NO_TREE)
    return "\n".join([*out, ""])


def write_brackets(trees: Trees, out: str | os.PathLike[str] | BinaryIO) -> None:
    """One tree a line, to a file (.gz is packed, "-" is standard output) or an open binary file."""
    data = brackets_text(trees).encode()
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(data)
    else:
        out.write(data)
