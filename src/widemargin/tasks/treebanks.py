"""Treebanks by name: a CoNLL-U or CoNLL-X file, or the dependency layer of a part of the embedded corpus."""

import dataclasses
import io

from widemargin.corpora import town
from widemargin.corpora.town.treebank import treebank_text
from widemargin.errors import InputError
from widemargin.readers.conllu import Treebank, read_treebank
from widemargin.tasks.opening import TOWN


def open_treebank(
    path: str, *, format: str | None = None, encoding: str = "utf-8", subtypes: bool = True, single_root: bool = False
) -> Treebank:
    """A treebank (.gz too, - for standard input) or town:PART[:SENTENCES]."""
    if not path.startswith(TOWN):
        return read_treebank(path, format=format, encoding=encoding, subtypes=subtypes, single_root=single_root)
    part, _, size = path.removeprefix(TOWN).partition(":")
    if part not in town.SIZES or (size and not size.isdigit()):
        raise InputError(
            f"{path!r} is not a part of the embedded corpus; use town:train, town:dev or town:test, with :SENTENCES behind if you like"
        )
    treebank = read_treebank(io.StringIO(treebank_text(part, sentences=int(size) if size else None)), subtypes=subtypes)
    return dataclasses.replace(treebank, columns=dataclasses.replace(treebank.columns, source=path))
