"""Models that label words, asked by other families: the tags of sentences, by a file of `widemargin train tag`."""

from collections.abc import Sequence
from typing import Any

from widemargin.errors import InputError
from widemargin.families.answers import Alternative, Wanted
from widemargin.families.recipes import load
from widemargin.families.registry import family_named
from widemargin.readers.columns import from_sentences


def load_tagger(path: str) -> Any:
    """A model that labels words by words alone, such as `widemargin train tag` makes of columns (word, tag) or of a treebank."""
    tagger = load(path)
    if not hasattr(tagger, "input_columns") or tagger.takes == "features":
        raise InputError("this model does not label the words of column files; give one of `widemargin train tag`", path)
    columns = list(tagger.input_columns())
    others = [name for name in columns[1:] if name in tagger.looks_at() or str(columns.index(name)) in tagger.looks_at()]
    if others:
        named = ", ".join(others)
        raise InputError(f"this tagger looks at the columns {named}, and here are words alone; give a tagger of words", path)
    return tagger


def taggings(tagger: Any, sentences: Sequence[Sequence[str]], k: int = 1, *, threads: int = 1) -> list[list[Alternative]]:
    """The k best taggings of these sentences, each of some words, best first; fewer where there are fewer. Only the best one may lack
    its score."""
    data = from_sentences([[(word,) for word in words] for words in sentences], names=tagger.input_columns()[:1])
    if k > 1:
        return family_named(tagger.family).answer(tagger, data, Wanted(kbest=k, threads=threads)).kbest or []
    codes, values = tagger.predict(data, threads=threads)  # every tagger has a best answer
    tags = [values[code] for code in codes.tolist()]
    return [[Alternative(tags[low:high], 0.0)] for low, high in zip(data.row_ptr.tolist(), data.row_ptr[1:].tolist())]
