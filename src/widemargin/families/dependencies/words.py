"""A word of a treebank, for people."""

from typing import NamedTuple


class Word(NamedTuple):
    """A word of a treebank, with its place in the tree."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None  # from 1 inside the sentence; 0 is the root, None unknown
    deprel: str | None  # None: unknown
