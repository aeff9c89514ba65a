"""Treebanks: CoNLL-U (universaldependencies.org/format) and CoNLL-X (Buchholz and Marsi 2006), in and out without loss.

Words become integer codes by the same scan as other column files; comments, multi-word tokens (1-2) and empty nodes (1.1) are set aside
with their places. What is written is the file's own text with other heads and relations in it: comments, line ends (CRLF too), blank
lines, a missing last newline and all other columns (DEPS among them) come back byte for byte. Only a byte order mark is dropped, and
other encodings become UTF-8.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, Any, BinaryIO

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.dependencies import conllu_scan as kernels
from widemargin.families.dependencies.trees import check_asides, check_ids, check_trees, numbers_of
from widemargin.families.dependencies.words import Word
from widemargin.readers.columns import Columns, OverColumns, parse_columns
from widemargin.readers.encodings import Recoder, read_whole, undecodable
from widemargin.readers.files import atomic_writer, file_name, open_bytes
from widemargin.readers.scan import find_cut

FORMATS = {
    "conllu": ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"),
    "conllx": ("id", "form", "lemma", "cpostag", "postag", "feats", "head", "deprel", "phead", "pdeprel"),
}
ID, FORM, UPOS, HEAD, DEPREL, DEPS = 0, 1, 3, 6, 7, 8
WIDTH = 10
NO_VALUE, HIDDEN = "_", "?"  # of a relation: none, or one that is not known
NEW_DOCUMENT = np.frombuffer(b"# newdoc", np.uint8)


@dataclass(frozen=True, eq=False)
class Treebank(OverColumns):
    """A treebank in memory: a sequence of sentences, each a list of words (Word).

    Inside: its ten columns, its trees, and the lines that are no words.
    """

    columns: Columns  # ten integer-coded columns; their text is the whole file
    heads: np.ndarray  # int32 [N], from 1 inside the sentence; 0 is the root, -1 unknown (`_` or `?`)
    relation: np.ndarray  # int32 [N], index into relations, -1 unknown (_relations says when)
    relations: tuple[str, ...]
    aside: np.ndarray  # int64 [A, 4], line from 1, begin and end in the text, and how many words stand before
    format: str  # a key of FORMATS
    unended: bool = False  # the last line has no newline

    def sentence(self, number: int) -> list[Word]:
        """A Word for each word."""
        low, high = self.row_ptr[number : number + 2].tolist()
        cells = zip(*([self.columns.values[c][code] for code in self.columns.codes[c, low:high].tolist()] for c in range(FORM, HEAD)))
        arcs = zip(self.heads[low:high].tolist(), self.relation[low:high].tolist())
        return [
            Word(*word, None if head < 0 else head, None if name < 0 else self.relations[name])  # type: ignore[call-arg]
            for word, (head, name) in zip(cells, arcs)
        ]

    def words(self, sentence: int) -> list[str]:
        """The forms of a sentence."""
        low, high = self.row_ptr[sentence : sentence + 2]
        return [self.columns.values[FORM][code] for code in self.columns.codes[FORM, low:high]]

    def names(self, sentence: int) -> list[str]:
        """The relations of a sentence, `_` where unknown."""
        low, high = self.row_ptr[sentence : sentence + 2]
        return [self.relations[r] if r >= 0 else NO_VALUE for r in self.relation[low:high]]

    def lines_aside(self, sentence: int) -> list[tuple[int, str]]:
        """Comments, multi-word tokens and empty nodes of a sentence, each with the number of the sentence's words before it."""
        low, high = self.row_ptr[sentence : sentence + 2]
        out = []
        for _, begin, stop, before in self.aside[self._sentence_aside == sentence]:
            line = bytes(self.columns.text[begin:stop]).decode().removesuffix("\r")
            out.append((int(min(max(before - low, 0), high - low)), line))
        return out

    def lines_begin(self) -> list[int]:
        """Where the first line of each sentence begins in the text, be it a word or a line aside."""
        begin = self.columns.begin[self.row_ptr[:-1]].copy()
        np.minimum.at(begin, self._sentence_aside, self.aside[:, kernels.BEGIN])
        return begin.tolist()

    @cached_property
    def _sentence_aside(self) -> np.ndarray:
        """The sentence to which each line aside belongs [A]: the one it stands in, for comments in front the next."""
        ends = self.columns.stop[self.row_ptr[1:] - 1]  # a line behind a sentence's last word is its own only if no blank line is between
        sentence = np.searchsorted(ends, self.aside[:, kernels.BEGIN])
        for a in np.flatnonzero((sentence > 0) & (self.aside[:, kernels.BEFORE] == self.row_ptr[sentence])):
            gap = bytes(self.columns.text[ends[sentence[a] - 1] : self.aside[a, kernels.BEGIN]]).translate(None, b"\r\t ")
            sentence[a] -= b"\n\n" not in gap
        return np.minimum(sentence, len(ends) - 1)

    def crossed(self) -> np.ndarray:
        """The number of non-projective arcs of each sentence, int64 [S]."""
        arcs = np.zeros(len(self.row_ptr) - 1, np.int64)
        kernels.count_crossed(self.heads, self.row_ptr, arcs)
        return arcs


def read_treebank(
    path: str | os.PathLike[str] | IO[Any],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    subtypes: bool = True,
    single_root: bool = False,
) -> Treebank:
    """A whole treebank (plain, gzip, or "-") or an open file; broken trees and numbers are refused, named by file:line.

    format: "conllu", "conllx", or None to guess; subtypes=False cuts nsubj:pass to nsubj; single_root: a second root is an error.
    """
    data, source = read_whole(path, encoding)
    treebank = _parse(data, source, Choices(format, subtypes, single_root))
    if not treebank.tokens:
        raise no_word(source)
    return treebank


def stream_treebank(
    path: str | os.PathLike[str],
    *,
    words: int = 200_000,
    format: str | None = None,
    encoding: str = "utf-8",
    subtypes: bool = True,
    single_root: bool = False,
) -> Iterator[Treebank]:
    """The same in pieces of whole sentences, at most `words` lines of text each; a last piece of comments alone has no sentence."""
    source, choices = file_name(path), Choices(format, subtypes, single_root)
    recode, rest, line, ended, empty = Recoder(encoding, source), b"", 1, False, True
    with open_bytes(path) as handle:
        while not ended:
            block = handle.read(max(1 << 16, min(32 * words, 1 << 22), len(rest)))
            ended = not block
            rest += recode(block, final=ended)
            while cut := _cut(rest, words):
                piece = _parse(rest[:cut], source, choices, line=line)
                yield piece
                choices, empty = replace(choices, guess=piece.format), empty and not piece.tokens
                line, rest = line + rest.count(b"\n", 0, cut), rest[cut:]
    piece = _parse(rest, source, choices, line=line)
    if empty and not piece.tokens:
        raise no_word(source)
    yield piece


def no_word(source: str) -> InputError:
    """The error for a file without a word."""
    return InputError("there is no word in this file; give a CoNLL-U file, with ten columns and a tab between them.", source)


def write_treebank(
    treebank: Treebank,
    out: str | os.PathLike[str] | BinaryIO,
    *,
    heads: np.ndarray | None = None,
    relations: tuple[np.ndarray, Sequence[str]] | None = None,
) -> None:
    """The file as it was, with other heads [N] and relations (codes [N] and their values) if given. -1 is written `_`; of a relation
    `?` where the file has that, and where `_` would be read as a relation."""
    text = treebank.columns.text
    if heads is not None or relations is not None:
        text = _woven(treebank, treebank.heads if heads is None else heads, relations)
    data = text[:-1].data if treebank.unended else text.data
    if isinstance(out, str | os.PathLike):
        with atomic_writer(out) as handle:
            handle.write(data)
    else:
        out.write(data)


def _woven(treebank: Treebank, heads: np.ndarray, relations: tuple[np.ndarray, Sequence[str]] | None) -> np.ndarray:
    columns, n = treebank.columns, treebank.tokens
    codes, values = (columns.codes[DEPREL], columns.values[DEPREL]) if relations is None else relations
    if len(heads) != n or len(codes) != n or (n and not -1 <= np.min(codes) <= np.max(codes) < len(values)) or (n and np.min(heads) < -1):
        raise InputError(
            f"there are {len(heads)} heads and {len(codes)} relations with {len(values)} names for {n} words; give one of each per word.",
            columns.source,
        )
    names = [value.encode() for value in (*values, NO_VALUE, HIDDEN)]
    pool_ptr = np.cumsum([0] + [len(name) for name in names], dtype=np.int64)
    asked = (np.array(columns.values[DEPREL], object) == HIDDEN)[columns.codes[DEPREL]] | (NO_VALUE in values) & (np.asarray(heads) >= 0)
    relation = np.where(np.asarray(codes) < 0, len(values) + asked, codes).astype(np.int64)
    out = np.empty(len(columns.text) + 20 * n + int(np.diff(pool_ptr)[relation].sum()), np.uint8)
    arcs = np.ascontiguousarray(heads, np.int64), relation, np.frombuffer(b"".join(names), np.uint8), pool_ptr
    return out[: kernels.weave_arcs(columns.text, columns.begin, *arcs, np.int64(HEAD), out)]


def _cut(data: bytes, words: int) -> int:
    """Where to cut; more text is needed where 0."""
    whole = data.rfind(b"\n") + 1
    return int(find_cut(np.frombuffer(data, np.uint8)[:whole], 9, words)) if whole else 0


@dataclass(frozen=True)
class Choices:
    """How a treebank is read; guess: the format of what came before in the file, where none is chosen."""

    format: str | None
    subtypes: bool
    single_root: bool
    guess: str | None = None

    def __post_init__(self):
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"format {self.format!r} is not known; choose one of {', '.join(FORMATS)}, or none to let it be guessed.")


def _parse(data: bytes, source: str, choices: Choices, *, line: int = 1) -> Treebank:
    """The treebank of UTF-8 text whose first line has number `line`; of several faults, that of the first sentence is named."""
    try:
        return _parse_sentences(data, source, choices, line)
    except InputError:
        words, cut = data.count(b"\n"), 0
        while words and not cut:
            words //= 2
            cut = _cut(data + b"\n", words)
        if cut:
            _parse(data[:cut], source, choices, line=line)
            _parse(data[cut:], source, choices, line=line + data.count(b"\n", 0, cut))
        raise


def _parse_sentences(data: bytes, source: str, choices: Choices, line: int) -> Treebank:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise undecodable(error, line, source) from None
    unended = bool(data) and not data.endswith(b"\n")
    text = np.frombuffer(data + b"\n" if unended else data, np.uint8)
    lines = 2 * int(np.count_nonzero((text[1:] == 10) & (text[:-1] != 10))) + 2  # that are not empty, and as many between them
    kept, kept_line, kept_begin = np.empty(len(text), np.uint8), np.empty(lines, np.int64), np.empty(lines, np.int64)
    aside, block = np.empty((lines, 4), np.int64), np.empty((lines, 2), np.int64)
    size, _, asides, bad, cells = kernels.set_aside(text, np.int64(WIDTH), kept, kept_line, kept_begin, aside, block)
    if bad >= 0:
        document = "-DOCSTART- is not a word; documents begin with a comment, # newdoc"
        has = document if cells == WIDTH else f"this line has {several(cells, 'column')}"
        raise InputError(f"{has}; a treebank has {WIDTH} columns, with tabs between them.", f"{source}:{line + bad}")
    aside = aside[:asides].copy()
    aside[:, kernels.LINE] += line
    columns = parse_columns(kept[:size].tobytes(), FORMATS["conllu"], "\t", source, line=0, width=WIDTH)
    of = columns.line  # in the kept text, from 0
    columns = replace(
        columns,
        line=(kept_line[of] + line).astype(np.int32),
        text=text,
        begin=kept_begin[of],
        stop=kept_begin[of] + columns.stop - columns.begin,
        doc_ptr=_documents(text, aside, columns.row_ptr),
        marked=True,
    )
    ids, heads = numbers_of(columns, ID), numbers_of(columns, HEAD)
    check_ids(columns, ids)
    check_asides(columns, aside, block[:asides])
    check_trees(columns, heads, single_root=choices.single_root)
    format = choices.format or _format(columns, aside, choices.guess)
    if format == "conllx" and asides:
        raise InputError(
            "CoNLL-X has neither comments nor lines such as 1-2 and 1.1; name the format conllu, or let it be guessed.",
            f"{source}:{aside[0, kernels.LINE]}",
        )
    relation, relations = _relations(columns, heads, choices.subtypes)
    columns = replace(columns, names=FORMATS[format])
    return Treebank(columns, heads, relation, relations, aside, format, unended)


def _documents(text: np.ndarray, aside: np.ndarray, row_ptr: np.ndarray) -> np.ndarray:
    """Bounds of documents in sentences [D+1], by `# newdoc` comments; one document without them."""
    long = aside[aside[:, kernels.STOP] - aside[:, kernels.BEGIN] >= len(NEW_DOCUMENT)]
    marks = (text[long[:, [kernels.BEGIN]] + np.arange(len(NEW_DOCUMENT))] == NEW_DOCUMENT).all(axis=1)
    sentences = np.searchsorted(row_ptr, long[marks, kernels.BEFORE])
    return np.unique(np.concatenate([[0], sentences, [len(row_ptr) - 1]])).astype(np.int64)


def _format(columns: Columns, aside: np.ndarray, before: str | None) -> str:
    """CoNLL-X where its PHEAD column, which is DEPS in CoNLL-U, holds bare numbers (or did before), and nothing speaks against it."""
    projective = columns.values[DEPS]
    numbers = [value for value in projective if value.isdecimal()]
    return (
        "conllx"
        if (numbers or before == "conllx") and not len(aside) and len(numbers) + (NO_VALUE in projective) == len(projective)
        else "conllu"
    )


def _relations(columns: Columns, heads: np.ndarray, subtypes: bool) -> tuple[np.ndarray, tuple[str, ...]]:
    """Relations as codes [N] with -1 where unknown, and their names. `?` is always unknown. `_` is too, but beside a known head in a file
    that has other relations there: some treebanks leave most arcs without a name, and `_` is then a relation like any other."""
    index: dict[str, int] = {}
    names = [value if subtypes else value.partition(":")[0] for value in columns.values[DEPREL]]
    code = np.array([-1 if name in (NO_VALUE, HIDDEN) else index.setdefault(name, len(index)) for name in names], np.int32)
    relation = code[columns.codes[DEPREL]]
    if NO_VALUE in names:
        bare = (columns.codes[DEPREL] == names.index(NO_VALUE)) & (heads >= 0)
        if bare.any() and (relation[heads >= 0] >= 0).any():
            relation[bare] = index.setdefault(NO_VALUE, len(index))
    return relation, tuple(index)
