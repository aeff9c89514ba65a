"""Tags of taggers in the place of those that words came with, and plain text as words to be parsed."""

import dataclasses
import io

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import FORMATS, Treebank, read_treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.taggers import load_tagger, taggings
from widemargin.readers.conllu_text import Sentence, conllu_text
from widemargin.readers.encodings import read_text
from widemargin.readers.tokens import sentences

LABELS = ("upos", "xpos", "feats", "lemma")


def tagged_by(paths: str, parser: Parser, treebank: Treebank, *, threads: int = 1) -> Treebank:
    """The same words with tags of models in these files, several of them separated by commas.

    A model of a treebank's column (`train tag FILE.conllu --label xpos`) fills in that column, any other UPOS, or XPOS where the parser
    does not look at UPOS."""
    if not treebank.tokens:
        return treebank
    columns = treebank.columns
    text, words = bytes(columns.text), [treebank.words(i) for i in range(len(treebank))]
    lines = [text[low:high].decode().split("\t") for low, high in zip(columns.begin.tolist(), columns.stop.tolist())]
    looked_at = parser.features.looks_at()
    for path in paths.split(","):
        tagger = load_tagger(path)
        label = tagger.label_column if tagger.label_column in LABELS else next((name for name in LABELS if name in looked_at), "upos")
        if label not in looked_at:
            raise InputError(f"this tagger gives {label}, and the parser looks at {', '.join(sorted(looked_at))}; leave it out", path)
        found = taggings(tagger, words, threads=threads)
        tags = [tag for ranked in found for tag in ranked[0].output]
        if bad := next((tag for tag in tags if "\t" in tag or not tag), None):
            raise InputError(f"the tagger's label {bad!r} cannot stand in a treebank; use a tagger of parts of speech", path)
        for cells, tag in zip(lines, tags):
            cells[FORMATS["conllu"].index(label)] = tag
    out, at = [], 0
    for low, high, cells in zip(columns.begin.tolist(), columns.stop.tolist(), lines):
        out += [text[at:low], "\t".join(cells).encode()]
        at = high
    again = read_treebank(io.BytesIO(b"".join([*out, text[at:]])), format=treebank.format)
    return dataclasses.replace(
        again,
        columns=dataclasses.replace(again.columns, source=treebank.source, line=columns.line),
        relation=treebank.relation,
        relations=treebank.relations,
        unended=treebank.unended,
    )


def plain_treebank(path: str, *, encoding: str, tokenized: bool) -> Treebank:
    """Words of plain text without trees. tokenized: a line is a sentence with blanks between its tokens; else a line is a paragraph, cut
    into sentences and tokens (readers/tokens.py), whose places stand in MISC."""
    text, source = read_text(path, encoding)
    found = []
    for line in text.splitlines():
        if tokenized:
            found.append(Sentence(line.split()))
            continue
        for places in sentences(line):
            begin, end = places[0][0], places[-1][1]
            own = [(low - begin, high - begin) for low, high in places]
            found.append(Sentence([line[low:high] for low, high in places], line[begin:end], own))
    if not any(sentence.words for sentence in found):
        raise InputError("there is no word in this text; give plain text, a paragraph on each line", source)
    treebank = read_treebank(io.StringIO(conllu_text(found)))
    return dataclasses.replace(treebank, columns=dataclasses.replace(treebank.columns, source=source))
