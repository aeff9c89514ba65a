"""CSV and TSV with a header, a row per token. A sentence ends at an empty row, or where the sentence column has another value.

The column of words may be called word, token, form or text, that of sentences sentence, sentence_id, sent_id or "Sentence #" (where an
empty cell means: the same sentence still), that of documents document, doc_id or document_id (likewise), that of labels label, labels, tag
or ner; without one of these names, the label is the last.
"""

import csv
import dataclasses
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.readers.columns import Columns, document_sizes, from_sentences

WORDS = ("word", "token", "form", "text", "words", "tokens")
SENTENCES = ("sentence", "sentence_id", "sent_id", "sentence #", "sentence_idx", "sent")
DOCUMENTS = ("document", "doc_id", "document_id", "doc")
COLUMNS = {"pos_tag": "pos", "pos_tags": "pos", "part_of_speech": "pos", "chunk_tag": "chunk", "chunk_tags": "chunk"}
LABELS = ("label", "labels", "tag", "tags", "ner", "ner_tag", "ner_tags", "entity")


@dataclass(frozen=True)
class Table:
    """A table and which of its rows are tokens."""

    header: list[str]
    rows: list[list[str]]
    token: list[int]  # rows, from 0
    separator: str

    def write(self, answers: Mapping[str, Sequence[str]], out) -> None:
        """The table with these columns behind it."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self.separator, lineterminator="\n")
        writer.writerow([*self.header, *(f"predicted_{name}" for name in answers)])
        at = {row: token for token, row in enumerate(self.token)}
        for row, cells in enumerate(self.rows):
            writer.writerow([*cells, *(column[at[row]] for column in answers.values())] if row in at else cells)
        out.write(text.getvalue().encode())


def is_header(cells: Sequence[str]) -> bool:
    """Do these cells name a column of words and one of labels?"""
    names = {cell.strip().strip('"').lower() for cell in cells}
    return len(cells) > 1 and not names.isdisjoint(WORDS) and not names.isdisjoint(LABELS)


def read_tabs(text: str, source: str, separator: str | None = None) -> Columns:
    """A table with tabs."""
    return read(text, source, "\t")


def read(text: str, source: str, separator: str | None = None) -> Columns:
    """A table as columns; its sentence column, or a first column without a name that counts rows, is none of them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator or ",")
    rows, lines = [], []
    try:
        for cells in reader:
            rows.append(cells)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"this is not a CSV table ({error}); close quotes, or name --separator", f"{source}:{reader.line_num}") from None
    if not rows or len(rows[0]) < 2:
        raise InputError("the first line of a table names two columns or more; name --separator if it is not a comma", f"{source}:1")
    header, rows, lines = rows[0], rows[1:], lines[1:]
    names = [name.strip().lstrip("\ufeff") for name in header]
    found = _places(names, source)
    sentences: list[list[tuple[str, ...]]] = [[]]
    token, last, begins, book = [], None, [], None
    for at, cells in enumerate(rows):
        if not any(cell.strip() for cell in cells):
            sentences.append([])
            continue
        if len(cells) != len(names):
            told = f"this row has {len(cells)} cell{'s' * (len(cells) != 1)} and the header {len(names)}"
            raise InputError(f"{told}; give every row as many cells, or name --separator", f"{source}:{lines[at]}")
        if found.sentence is not None and (now := cells[found.sentence]) and now != last:
            sentences.append([])
            last = now
        if found.document is not None and (now := cells[found.document]) and now != book:
            sentences.append([])
            begins.append(sum(map(bool, sentences)))
            book = now
        if not all(cells[c] for c in found.columns):
            empty = names[next(c for c in found.columns if not cells[c])]
            raise InputError(f"the cell of column {empty} is empty; give every token a word and a label", f"{source}:{lines[at]}")
        sentences[-1].append(tuple(cells[c] for c in found.columns))
        token.append(at)
    if not token:
        raise InputError("there is no token in this table; give a row for each, below the header", source)
    sentences = [sentence for sentence in sentences if sentence]
    columns = from_sentences(sentences, names=found.names, documents=document_sizes(begins, len(sentences)))
    line = np.array([lines[at] for at in token], np.int32)
    return dataclasses.replace(columns, source=source, line=line, origin=Table(header, rows, token, separator or ","))


@dataclass(frozen=True)
class _Places:
    columns: list[int]  # the word first, the label last
    names: tuple[str, ...]
    sentence: int | None
    document: int | None


def _places(names: list[str], source: str) -> _Places:
    """What the header says."""
    small = [name.lower() for name in names]
    sentence = next((c for c, name in enumerate(small) if name in SENTENCES), None)
    document = next((c for c, name in enumerate(small) if name in DOCUMENTS), None)
    rest = [c for c in range(len(names)) if c not in (sentence, document) and small[c]]  # a data frame's own numbers have no name
    if len(set(small)) < len(small):
        raise InputError("two columns of this table have the same name; give each its own", f"{source}:1")
    if len(rest) < 2:
        raise InputError("a table has at least a column of words and one of labels; its header names only one", f"{source}:1")
    word = next((c for name in WORDS for c in rest if small[c] == name), rest[0])
    label = next((c for name in LABELS for c in rest if small[c] == name and c != word), rest[-1])
    between = [c for c in rest if c not in (word, label)]
    return _Places([word, *between, label], ("word", *(COLUMNS.get(small[c], small[c]) for c in between), "label"), sentence, document)
