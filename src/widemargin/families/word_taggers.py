"""Taggers that label words by the words alone, for families that take labels from a model in a file."""

from collections.abc import Sequence
from typing import Any

from widemargin.errors import InputError
from widemargin.families.recipes import load
from widemargin.readers.columns import Columns, from_sentences


def open_tagger(path: str) -> Any:
    """The model of a file, such as `widemargin train tag` makes of columns (word, tag); one that looks at more than words is refused."""
    tagger = load(path)
    if not hasattr(tagger, "input_columns") or tagger.takes == "features":
        raise InputError("this model does not label the words of column files; give one of `widemargin train tag`", path)
    if len(columns := list(tagger.input_columns())) != 1:
        raise InputError(f"this tagger looks at the columns {', '.join(columns)}, and here are words alone; give a tagger of words", path)
    return tagger


def as_columns(tagger: Any, sentences: Sequence[Sequence[str]]) -> Columns:
    """Sentences, at least one of some words, as the tagger reads them."""
    return from_sentences([[(word,) for word in sentence] for sentence in sentences], names=list(tagger.input_columns()))


def best_labels(tagger: Any, data: Columns, *, threads: int = 1) -> list[list[str]]:
    """A label for every word of every sentence: every tagger has a best answer."""
    codes, values = tagger.predict(data, threads=threads)
    labels = [values[code] for code in codes.tolist()]
    return [labels[low:high] for low, high in zip(data.row_ptr.tolist(), data.row_ptr[1:].tolist())]
