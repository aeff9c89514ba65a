"""Treebanks by name: a CoNLL-U or CoNLL-X file, or the dependency layer of a part of the embedded corpus."""

import dataclasses
import io

from widemargin.families.dependencies.conllu import Treebank, read_treebank
from widemargin.families.sources import TOWN, town_part


def open_treebank(
    path: str, *, format: str | None = None, encoding: str = "utf-8", subtypes: bool = True, single_root: bool = False
) -> Treebank:
    """A treebank (.gz too, - for standard input) or town:PART[:SENTENCES]."""
    if not path.startswith(TOWN):
        return read_treebank(path, format=format, encoding=encoding, subtypes=subtypes, single_root=single_root)
    from widemargin.corpora.town.treebank import treebank_text

    part, sentences = town_part(path, encoding)
    treebank = read_treebank(io.StringIO(treebank_text(part, sentences=sentences)), subtypes=subtypes)
    return dataclasses.replace(treebank, columns=dataclasses.replace(treebank.columns, source=path))
