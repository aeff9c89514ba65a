"""Tags of a tagger in the place of those that sentences came with."""

from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.trees import Trees
from widemargin.families.recipes import load
from widemargin.readers.columns import from_sentences


def tagged_by(path: str, trees: Trees, *, threads: int = 1) -> Trees:
    """The same sentences with the tags of a model in a file that labels words by words alone, such as `widemargin train tag` makes of
    columns (word, tag)."""
    tagger = load(path)
    columns = tagger_columns(tagger, path)
    filled = np.flatnonzero(np.diff(trees.row_ptr) > 0)
    if not len(filled):
        return trees
    data = from_sentences([[(word,) for word in trees.words(i)] for i in filled.tolist()], names=columns)
    codes, values = tagger.predict(data, threads=threads)
    for tag in {values[code] for code in np.unique(codes).tolist()}:
        if not tag or any(mark in tag for mark in "() \t"):
            raise InputError(f"the tagger's label {tag!r} cannot stand in brackets as a tag; use a tagger of parts of speech", path)
    return trees.with_tags(np.asarray(codes), values)


def tagger_columns(tagger: Any, path: str) -> list[str]:
    """The one column that a tagger reads."""
    if not hasattr(tagger, "input_columns") or tagger.takes == "features":
        raise InputError("this model does not label the words of column files; give one of `widemargin train tag`", path)
    columns = list(tagger.input_columns())
    if len(columns) != 1:
        raise InputError(f"this tagger looks at the columns {', '.join(columns)}, and here are words alone; give a tagger of words", path)
    return columns
