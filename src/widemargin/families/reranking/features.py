"""Which features score a hypothesis: those of the lists, chosen by name, and some that are read off its text.

A template is a line: a pattern of names (`lm`, `tm*`, `*` for all), or text:length, text:words, text:bigrams. What is read off the text is
ours and needs no derivation: how many words there are, and how often each word, or pair of neighbouring words, stands there.
"""

import dataclasses
import fnmatch
import os
from typing import NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.pool import Pool
from widemargin.features.named import named_set, named_sets, no_such_set
from widemargin.features.templates import read_text
from widemargin.scoring.list_corpus import pointer

SETS = "widemargin.families.reranking.sets"
TEXT = ("text:length", "text:words", "text:bigrams")
LEAST_SENTENCES = 2  # in which a word or pair must stand to be a feature: others can teach nothing about new sentences


class Found(NamedTuple):
    """Values of features of some kind."""

    names: list[str]
    owner: np.ndarray  # int64 [E]   the hypothesis
    feature: np.ndarray  # int64 [E]   an index into names
    value: np.ndarray  # float64 [E]


def load_templates(name: str | None) -> tuple[str, ...]:
    """A named set, a file, or (with a newline) the text itself; None: all features of the lists."""
    name = "given" if name is None else name
    if "\n" in name:
        text, source = name, "<templates>"
    elif name in named_sets(SETS):
        text, source = named_set(name, SETS), f"<{name}>"
    elif os.path.exists(name):
        text, source = read_text(name), name
    else:
        raise no_such_set(name, SETS)
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if (words := line.partition("#")[0].split() if line.startswith("#") else line.split()) and len(words) > 1:
            raise InputError(f"{line.strip()!r} is more than one pattern; give one a line", f"{source}:{number}")
        if words and words[0].startswith("text:") and words[0] not in TEXT:
            raise InputError(f"{words[0]!r} is not known; choose one of {', '.join(TEXT)}, or a pattern of names", f"{source}:{number}")
        found += words
    if not found:
        raise InputError("there is no template; give a pattern of names in each line, * for all features", source)
    return tuple(dict.fromkeys(found))


def featurised(pool: Pool, templates: tuple[str, ...], names: tuple[str, ...] | None = None) -> Pool:
    """The lists with the features that templates choose and make; names: a model's, all others are left out."""
    kinds = [_given(pool, [one for one in templates if one not in TEXT])]
    kinds += [_of_text(pool, one, all_of=names is not None) for one in TEXT if one in templates]
    place = {name: k for k, name in enumerate(names or ())}
    if names is None:
        for kind in kinds:
            for name in kind.names:
                place.setdefault(name, len(place))
    number = [np.array([place.get(name, -1) for name in kind.names], np.int64) for kind in kinds]
    feature = np.concatenate([codes[kind.feature] for codes, kind in zip(number, kinds)])
    owner = np.concatenate([kind.owner for kind in kinds])
    value = np.concatenate([kind.value for kind in kinds])
    order = np.lexsort((feature, owner))
    order = order[feature[order] >= 0]
    ptr = pointer(np.bincount(owner[order], minlength=len(pool)))
    made = dataclasses.replace(pool, feature_ptr=ptr, feature=feature[order].astype(np.int32), value=value[order], names=tuple(place))
    if not place:
        has = ", ".join(pool.names) or "none"
        raise InputError(f"no feature of the lists is chosen by the templates {', '.join(templates)}; the lists have {has}", pool.source)
    return made


def _given(pool: Pool, patterns: list[str]) -> Found:
    """Features of the lists whose names fit a pattern."""
    chosen = np.array([any(fnmatch.fnmatchcase(name, one) for one in patterns) for name in pool.names], bool)
    kept = chosen[pool.feature]
    owner = np.repeat(np.arange(len(pool)), np.diff(pool.feature_ptr))
    names = [name for name, one in zip(pool.names, chosen) if one]
    return Found(names, owner[kept], (np.cumsum(chosen) - 1)[pool.feature[kept]], pool.value[kept])


def _of_text(pool: Pool, kind: str, *, all_of: bool) -> Found:
    """Features of the hypotheses' words. all_of: those that stand in one sentence alone too."""
    owner = np.repeat(np.arange(len(pool)), np.diff(pool.token_ptr))
    if kind == "text:length":
        length = np.diff(pool.token_ptr)
        some = np.flatnonzero(length)
        return Found([kind], some, np.zeros(len(some), np.int64), length[some].astype(float))
    code = pool.token.astype(np.int64)
    if kind == "text:bigrams":
        inside = owner[1:] == owner[:-1]
        code, owner = (code[:-1] * len(pool.words) + code[1:])[inside], owner[1:][inside]
    distinct, code = np.unique(code, return_inverse=True)
    pairs, times = np.unique(owner * max(len(distinct), 1) + code, return_counts=True)
    owner, code = pairs // max(len(distinct), 1), pairs % max(len(distinct), 1)
    if not all_of:
        sentences = np.unique(np.column_stack([pool.row[owner], code]), axis=0)[:, 1]
        kept = np.bincount(sentences, minlength=len(distinct)) >= LEAST_SENTENCES
        owner, times, code = owner[kept[code]], times[kept[code]], (np.cumsum(kept) - 1)[code[kept[code]]]
        distinct = distinct[kept]
    words, size = pool.words, len(pool.words)
    if kind == "text:bigrams":
        return Found([f"pair:{words[n // size]}_{words[n % size]}" for n in distinct.tolist()], owner, code, times.astype(float))
    return Found([f"word:{words[n]}" for n in distinct.tolist()], owner, code, times.astype(float))


def within_lists(pool: Pool) -> np.ndarray:
    """How far each feature strays from its mean in its own list, as a standard deviation over all lists [D]; 0: it decides nothing."""
    size, row = np.diff(pool.row_ptr), pool.row
    owner = np.repeat(np.arange(len(pool)), np.diff(pool.feature_ptr))
    width = len(pool.names)
    pairs, which = np.unique(row[owner] * width + pool.feature, return_inverse=True)
    total, count = np.bincount(which, pool.value), np.bincount(which)
    mean = total / size[pairs // width]
    apart = np.bincount(which, (pool.value - mean[which]) ** 2) + (size[pairs // width] - count) * mean**2
    found = np.sqrt(np.bincount(pairs % width, apart, minlength=width) / max(len(pool), 1))
    largest = np.zeros(width)
    np.maximum.at(largest, pool.feature, np.abs(pool.value))
    return np.where(found > 1e-12 * largest, found, 0.0)
