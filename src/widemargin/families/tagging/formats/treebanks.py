"""CoNLL-U treebanks as columns: word, lemma, upos, xpos and feats of every word; ranges of tokens and empty nodes are no words."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.readers.columns import Columns, document_sizes, from_sentences
from widemargin.readers.conllu_text import Sentence, conllu_text

NAMES = ("word", "lemma", "upos", "xpos", "feats")
WORD = re.compile(r"[0-9]+")
NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")


@dataclass(frozen=True)
class TreebankText:
    """The lines of a treebank, and which of them are words."""

    lines: list[str]
    word: list[int]  # line numbers from 0, of every word
    answered: str = "upos"  # the column that answers stand for

    def write(self, answers: Mapping[str, Sequence[str]], out) -> None:
        """The treebank with the labels in place of its own, other columns in MISC."""
        lines, labels = list(self.lines), answers["labels"]
        for token, at in enumerate(self.word):
            cells = lines[at].split("\t")
            cells[1 + NAMES.index(self.answered)] = labels[token]
            more = [f"{name}={column[token]}" for name, column in answers.items() if name != "labels"]
            cells[9] = "|".join([*([] if cells[9] == "_" else [cells[9]]), *more]) or "_"
            lines[at] = "\t".join(cells)
        out.write("".join(line + "\n" for line in lines).encode())


def read(text: str, source: str, separator: str | None = None) -> Columns:
    """The columns of a treebank."""
    lines = text.split("\n")[: -1 if text.endswith("\n") else None]
    lines = [line.removesuffix("\r") for line in lines]
    sentences: list[list[tuple[str, ...]]] = [[]]
    words: list[int] = []
    begins: list[int] = []
    for at, line in enumerate(lines):
        if not line.strip():
            sentences.append([])
            continue
        cells = line.split("\t")
        if line.startswith("# newdoc"):
            begins.append(sum(map(bool, sentences)))
        if line.startswith("#") or (len(cells) == 10 and NO_WORD.fullmatch(cells[0])):
            continue
        if len(cells) != 10 or not WORD.fullmatch(cells[0]):
            raise InputError("this line is not CoNLL-U: a word has a number and ten cells, with tabs between them", f"{source}:{at + 1}")
        if not all(cells[1:6]):
            raise InputError("a cell of this line is empty; CoNLL-U writes _ for nothing", f"{source}:{at + 1}")
        sentences[-1].append(tuple(cells[1:6]))
        words.append(at)
    if not words:
        raise InputError("there is no word in this treebank; give a file in CoNLL-U with ten cells a line", source)
    sentences = [sentence for sentence in sentences if sentence]
    columns = from_sentences(sentences, names=NAMES, documents=document_sizes(begins, len(sentences)))
    number = np.array(words, np.int32) + 1
    return dataclasses.replace(columns, source=source, line=number, origin=TreebankText(lines, words))


def conllu_of(columns: Columns, answers: Mapping[str, Sequence[str]], *, spans: bool) -> str:
    """Columns that were no treebank as one: labels of spans in MISC (Label=B-PER), others in UPOS; what else is answered in MISC."""
    misc = {name.capitalize().replace("Labels", "Label"): column for name, column in answers.items() if spans or name != "labels"}
    words, objects = columns.cells(0), getattr(columns.origin, "offsets", None)
    texts = iter([(given.get("text"), places) for given, places in zip(columns.origin.objects, objects) if places]) if objects else None
    out = []
    for low, high in zip(columns.row_ptr.tolist(), columns.row_ptr[1:].tolist()):
        cells = {} if spans else {"upos": answers["labels"][low:high]}
        if misc:
            cells["misc"] = ["|".join(f"{name}={column[t]}" for name, column in misc.items()) for t in range(low, high)]
        text, offsets = next(texts, (None, None)) if texts is not None else (None, None)
        out.append(Sentence(words[low:high], text, offsets, cells))
    return conllu_text(out)
