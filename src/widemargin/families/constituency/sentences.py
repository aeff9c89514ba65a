"""Sentences to be parsed, without trees.

    tokens    one sentence a line, words separated by blanks: The_DT cat_NN, or The/DT cat/NN; the last separator of a token counts. With
              the separator None, words alone, whose tags are NO_TAG
    columns   one word a line with its tag, empty lines between sentences (readers/columns.py)

With one sentence a line, a line without a word is a sentence of no words, so that line i of the answer is that of the input; in columns it
is none. -LRB- and its like mean the same as in brackets.
"""

import os
from collections.abc import Iterator, Sequence
from typing import IO, Any

from widemargin.errors import InputError
from widemargin.families.constituency.building import Builder
from widemargin.families.constituency.trees import NO_TAG, Trees
from widemargin.readers.columns import Columns, read_columns, stream_columns
from widemargin.readers.encodings import Recoder, nul_byte, read_whole
from widemargin.readers.files import file_name, open_bytes

SEPARATORS = ("_", "/", "|")
BYTES_PER_WORD = 9  # in usual files, for the size of pieces


def read_sentences(path: str | os.PathLike[str] | IO[Any], *, separator: str | None = "_", encoding: str = "utf-8") -> Trees:
    """A file of sentences (plain, gzip, or "-"), or an open file."""
    data, source = read_whole(path, encoding)
    trees = parse_sentences(data, source, separator)
    if not trees.tokens:
        raise _no_word(source)
    return trees


def stream_sentences(
    path: str | os.PathLike[str], *, words: int = 200_000, separator: str | None = "_", encoding: str = "utf-8"
) -> Iterator[Trees]:
    """The same in pieces of whole lines, of about so many words."""
    source, rest, line, ended, none = file_name(path), b"", 1, False, True
    recode = Recoder(encoding, source)
    with open_bytes(path) as handle:
        while not ended:
            block = handle.read(max(64, min(BYTES_PER_WORD * words, 1 << 24), len(rest)))
            ended = not block
            rest += recode(block, final=ended)
            if cut := len(rest) if ended else rest.rfind(b"\n") + 1:
                trees = parse_sentences(rest[:cut], source, separator, line=line)
                line, rest = line + rest.count(b"\n", 0, cut), rest[cut:]
                none = none and not trees.tokens
                if trees.sentences:
                    yield trees
    if none:
        raise _no_word(source)


def parse_sentences(data: bytes, source: str, separator: str | None, *, line: int = 1) -> Trees:
    """Sentences of UTF-8 text whose first line has this number."""
    if separator is not None and (len(separator) != 1 or not separator.isascii() or separator.isspace()):
        raise InputError(f"the separator {separator!r} is not one character; give one that stands between words and tags, such as _ or /.")
    builder, at, mark = Builder(source, "tokens"), 0, (separator or "").encode()
    for number, text in enumerate(data.removesuffix(b"\n").split(b"\n") if data else (), line):
        where = f"{source}:{number}"
        if b"\0" in text:
            raise nul_byte(where)
        for token in text.split():
            word, tag = _parts(token, mark, where)
            builder.add_word(word, tag, at, at + len(text))
        builder.close_sentence(at, parsed=False)
        at += len(text) + 1
    builder.close_file(data, source, line)
    return builder.trees()


def _parts(token: bytes, mark: bytes, where: str) -> tuple[bytes, bytes]:
    """A token's word and tag."""
    if not mark:
        return token, NO_TAG.encode()
    word, _, tag = token.rpartition(mark)
    if not word or not tag:
        told, sign = token.decode(errors="replace"), mark.decode()
        raise InputError(f"the token {told!r} has no tag; write word{sign}TAG, or name what stands between them (or none).", where)
    if b"(" in tag or b")" in tag:
        raise InputError(
            f"the tag {tag.decode(errors='replace')!r} holds a parenthesis, which brackets cannot hold; write -LRB- for it.", where
        )
    return word, tag


def read_tagged_columns(
    path: str | os.PathLike[str] | IO[Any],
    *,
    word: str | int = 0,
    tag: str | int = 1,
    names: Sequence[str] | None = None,
    encoding: str = "utf-8",
) -> Trees:
    """A column file (plain, gzip, or "-"), or an open file: which columns hold the word and its tag, by number or name."""
    return of_columns(read_columns(path, names=names, encoding=encoding), word, tag)


def stream_tagged_columns(
    path: str | os.PathLike[str], *, words: int = 200_000, word: str | int = 0, tag: str | int = 1, encoding: str = "utf-8"
) -> Iterator[Trees]:
    """The same in pieces of whole sentences, of at most so many words where a sentence is no longer."""
    for columns in stream_columns(path, tokens=words, encoding=encoding):
        if columns.tokens:
            yield of_columns(columns, word, tag)


def of_columns(columns: Columns, word: str | int = 0, tag: str | int = 1) -> Trees:
    """Sentences of a column file that was read."""
    builder = Builder(columns.source, "columns")
    line, row_ptr = columns.line.tolist(), columns.row_ptr.tolist()
    begin, stop = columns.begin.tolist(), columns.stop.tolist()
    cells = zip(columns.cells(word), columns.cells(tag), begin, stop)
    for low, high in zip(row_ptr, row_ptr[1:]):
        for t in range(low, high):
            form, name, first, last = next(cells)
            if "(" in name or ")" in name or not name or not form:
                raise InputError(f"the tag {name!r} of the word {form!r} cannot stand in brackets; write -LRB- for (.", columns.where(t))
            builder.add_word(form.encode(), name.encode(), first, last)
        builder.close_sentence(begin[low], parsed=False)
    first_line = line[0] - bytes(columns.text[: begin[0]]).count(b"\n") if line else 1
    builder.close_file(bytes(columns.text), columns.source, first_line)
    return builder.trees()


def _no_word(source: str) -> InputError:
    return InputError("there is no word in this file; give one sentence a line, such as The_DT cat_NN sat_VBD.", source)
