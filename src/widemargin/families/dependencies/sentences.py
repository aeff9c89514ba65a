"""Python objects as treebanks: sentences of words, and trees."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence, shown
from widemargin.errors import InputError, several
from widemargin.families.dependencies.conllu import FORMATS, NO_VALUE, Treebank
from widemargin.families.dependencies.trees import check_trees
from widemargin.families.dependencies.words import Word
from widemargin.families.inputs import Bounded
from widemargin.readers.columns import from_sentences

MOST_WORDS = 2**31 - 1  # of a sentence; heads are int32
WORD = ("form", "lemma", "upos", "xpos", "feats")


@dataclass(frozen=True)
class ReadSentences(Bounded):
    """Sentences to be parsed: a treebank of those that have words, None where none has."""

    treebank: Treebank | None


def read_sentences(X: Treebank | Iterable, y: Iterable | None = None) -> ReadSentences:
    """A treebank, or an iterable of sentences, each a list of words: a form, a tuple (form, lemma, upos, xpos, feats) that may be cut
    short, a dict of these, or a Word of a treebank, which has its head and relation too. y: for each word its head, from 1 with 0 for the
    root, or a pair (head, relation); None: not known."""
    if isinstance(X, Treebank):
        if y is not None:
            raise InputError("a treebank brings its own trees; give no y beside it")
        return ReadSentences(X.row_ptr, X)
    if not is_sequence(X):
        raise InputError(f"X must be a treebank, or sentences, each a list of words; {type(X).__name__} was given")
    given = [list(sentence) if is_sequence(sentence) else sentence for sentence in X]  # may be iterators
    words = [_words(sentence, i) for i, sentence in enumerate(given)]
    if y is None:
        y = [[word[len(WORD) :] if isinstance(word, Word) else None for word in sentence] for sentence in given]
    arcs = _arcs(y, words)
    bounds = np.concatenate([[0], np.cumsum([len(sentence) for sentence in words])]).astype(np.int64)
    return ReadSentences(bounds, _treebank(words, arcs) if bounds[-1] else None)


def brings_trees(X: Any) -> bool:
    """Do these sentences have trees of their own: a treebank, or sentences of one?"""
    first = X[0] if isinstance(X, list | tuple) and X else None
    return isinstance(X, Treebank) or (isinstance(first, list | tuple) and any(isinstance(word, Word) for word in first))


def treebank_of(X: Treebank | Iterable, y: Iterable | None = None, relations: Iterable[str] = ()) -> Treebank:
    """The same as a treebank, in which no sentence is empty. relations: some that may come later."""
    found = read_sentences(X, y)
    empty = np.flatnonzero(~found.filled)
    if not len(found.filled):
        raise InputError("there is no sentence; give a treebank or lists of words")
    if found.treebank is None or len(empty):
        raise InputError(f"sentence {empty[0]} has no word; leave empty sentences out")
    known = found.treebank.relations
    later = tuple(name for name in dict.fromkeys(map(str, relations)) if name not in known)
    return dataclasses.replace(found.treebank, relations=known + later) if later else found.treebank


def _treebank(words: list, arcs: list) -> Treebank:
    index: dict[str, int] = {}
    rows, heads, relation = [], [], []
    for sentence, tree in zip(words, arcs):
        if not sentence:
            continue
        tail = [NO_VALUE, NO_VALUE]
        rows.append([(str(t), *cells, _shown(h), _shown(r), *tail) for t, (cells, (h, r)) in enumerate(zip(sentence, tree), 1)])
        heads += [-1 if head is None else head for head, _ in tree]
        relation += [-1 if name is None else index.setdefault(name, len(index)) for _, name in tree]
    columns = from_sentences(rows, names=FORMATS["conllu"])
    treebank = Treebank(
        columns, np.array(heads, np.int32), np.array(relation, np.int32), tuple(index), np.zeros((0, 4), np.int64), "conllu"
    )
    check_trees(columns, treebank.heads, single_root=False)
    return treebank


def _shown(cell: int | str | None) -> str:
    return NO_VALUE if cell is None else str(cell)


def _words(sentence: Any, i: int) -> list[list[str]]:
    """The five columns of each word; `_` where one is not given."""
    if not is_sequence(sentence):
        raise InputError(f"sentence {i} is a {type(sentence).__name__}; give a list of words")
    return [_cells(word, i) for word in sentence]


def _cells(word: Any, i: int) -> list[str]:
    given = word
    if isinstance(word, Word):
        word = word[: len(WORD)]
    if isinstance(word, str):
        word = (word,)
    elif isinstance(word, dict):
        if unknown := set(word) - set(WORD):
            raise InputError(f"a word of sentence {i} has {shown(min(unknown, key=shown))!r}; the keys are {', '.join(WORD)}")
        word = [word.get(name, NO_VALUE) for name in WORD]
    plain = isinstance(word, list | tuple) and all(cell is None or isinstance(cell, str) for cell in word)
    cells: list[str] = [cell or "" for cell in word] if plain else []
    if not 1 <= len(cells) <= len(WORD) or any(mark in cell for cell in cells for mark in "\t\n\r"):
        raise InputError(
            f"a word of sentence {i} is {shown(given)}; give a form, or up to five of {', '.join(WORD)}, as text without tabs and newlines"
        )
    return [cell or NO_VALUE for cell in cells] + [NO_VALUE] * (len(WORD) - len(cells))


def _arcs(y: Any, words: list) -> list[list[tuple[int | None, str | None]]]:
    """Heads and relations of every sentence."""
    if not is_sequence(y):
        raise InputError(f"y must be trees, one for each sentence of X; {type(y).__name__} was given")
    trees = list(y)
    if len(trees) != len(words):
        raise InputError(f"there are {several(len(words), 'sentence')} and {several(len(trees), 'tree')}; give one tree for each sentence")
    out = []
    for i, (sentence, tree) in enumerate(zip(words, trees)):
        if not is_sequence(tree):
            raise InputError(f"the tree of sentence {i} is a {type(tree).__name__}; give a list with a head per word")
        arcs = [_arc(arc, i) for arc in tree]
        if len(arcs) != len(sentence):
            raise InputError(
                f"sentence {i} has {several(len(sentence), 'word')} and its tree {several(len(arcs), 'head')}; give one head per word"
            )
        out.append(arcs)
    return out


def _arc(arc: Any, i: int) -> tuple[int | None, str | None]:
    """Head and relation; None: not known."""
    head, relation = arc if isinstance(arc, tuple | list) and len(arc) == 2 else (arc, None)
    named = relation is None or (isinstance(relation, str) and not any(c in relation for c in "\t\n\r"))
    whole = isinstance(head, int | np.integer) and not isinstance(head, bool) and 0 <= head <= MOST_WORDS
    if not named or not (whole or head is None):
        raise InputError(f"an arc of sentence {i} is {shown(arc)}; give a head, 0 for the root, or a pair (head, relation), or None")
    return None if head is None else int(head), None if relation == NO_VALUE else relation
