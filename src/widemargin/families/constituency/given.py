"""What users give to the estimator: sentences and trees of Python, as Trees."""

import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from widemargin.engine.settings import is_sequence
from widemargin.errors import InputError, several
from widemargin.families.constituency.brackets import read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.sentences import SEPARATORS, read_sentences
from widemargin.families.constituency.transforms import transformed
from widemargin.families.constituency.tree import Tree
from widemargin.families.constituency.trees import NO_TAG, Trees

Bracket = tuple[int, int, str]


def trees_of(X: Trees | Iterable, y: Iterable | None = None) -> Trees:
    """Trees as they are, or an iterable of sentences: a Tree, or a list of words, each a form or a pair (form, tag).

    y: for each sentence a Tree, one of NLTK's trees, brackets as text, or a list of brackets (first, end, label) over words[first:end],
    parents first; None: not known. Tags are those of X. Without y, sentences that are Trees with brackets bring their own."""
    if isinstance(X, Trees):
        if y is not None:
            raise InputError("these are trees, which bring their own brackets; give no y beside them")
        return X
    if not is_sequence(X):
        raise InputError(f"X must be trees, or sentences, each a list of words; {type(X).__name__} was given")
    sentences = [_sentence(item, i) for i, item in enumerate(X)]
    if not sentences:
        raise InputError("there is no sentence; give trees or lists of words")
    if y is not None:
        sentences = _with_trees(sentences, y)
    trees = from_trees([tree for tree, _ in sentences])
    known = np.array([known for _, known in sentences], bool)
    return trees.with_trees(trees.node_ptr, trees.node, trees.labels, parsed=known)


def typed_sentence(text: str, *, words: bool = False) -> Trees:
    """A sentence as a person types it: brackets, or words with tags, "The/DT cat/NN sat/VBD". words: they may stand alone."""
    if text.lstrip().startswith("("):
        return transformed(read_brackets(io.StringIO(text)))
    mark = next((mark for mark in SEPARATORS if all(mark in token for token in text.split())), None)
    if mark is None and (not words or len(text.split()) < 2):
        raise InputError('there is no such file; give one, or words with tags, such as "The/DT cat/NN sat/VBD"', text)
    return read_sentences(io.StringIO(text), separator=mark)


def _sentence(item: Any, i: int) -> tuple[Tree, bool]:
    """A sentence, and whether its tree is known."""
    if isinstance(item, Tree):
        return item, bool(item.brackets) or not item.words
    if not is_sequence(item):
        raise InputError(f"sentence {i} is a {type(item).__name__}; give a list of words, or a Tree")
    pairs = [_pair(word, i) for word in item]
    return Tree(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs)), not pairs


def _pair(word: Any, i: int) -> tuple[str, str]:
    """Form and tag of a word."""
    pair = (word, NO_TAG) if isinstance(word, str) else tuple(word) if isinstance(word, list | tuple) else ()
    if len(pair) != 2 or not all(isinstance(cell, str) for cell in pair):
        raise InputError(f"a word of sentence {i} is {word!r:.60}; give a form, or a pair (form, tag)")
    return pair


def _with_trees(sentences: list[tuple[Tree, bool]], y: Any) -> list[tuple[Tree, bool]]:
    if not is_sequence(y):
        raise InputError(f"y must be trees, one for each sentence of X; {type(y).__name__} was given")
    given = list(y)
    if len(given) != len(sentences):
        raise InputError(
            f"there are {several(len(sentences), 'sentence')} and {several(len(given), 'tree')}; give one tree for each sentence"
        )
    out = []
    for i, ((tree, _), item) in enumerate(zip(sentences, given)):
        brackets = None if item is None else tuple(_brackets(item, tree.words, i))
        if not tree.words and brackets:
            raise InputError(f"sentence {i} has no word and its tree has brackets; give it words")
        out.append((Tree(tree.words, tree.tags, brackets or ()), brackets is not None))
    return out


def _brackets(item: Any, words: tuple[str, ...], i: int) -> Iterable[Bracket]:
    """The brackets of a tree over these words."""
    if isinstance(item, str):
        item = _read(item, i)
    elif hasattr(item, "label") and not isinstance(item, Tree):
        item = Tree.from_nltk(item)
    if isinstance(item, Tree):
        if item.words != words:
            raise InputError(f"the tree of sentence {i} has the words {' '.join(item.words)!r:.60}, X has {' '.join(words)!r:.60}")
        return item.brackets
    if not is_sequence(item):
        raise InputError(f"the tree of sentence {i} is a {type(item).__name__}; give a tree, or brackets (first, end, label)")
    return [_bracket(bracket, len(words), i) for bracket in item]


def _bracket(bracket: Any, n: int, i: int) -> Bracket:
    cells = tuple(bracket) if isinstance(bracket, list | tuple) else ()
    if len(cells) == 3 and isinstance(cells[2], str) and all(_whole(cell) for cell in cells[:2]) and 0 <= cells[0] < cells[1] <= n:
        return int(cells[0]), int(cells[1]), cells[2]
    raise InputError(f"a bracket of sentence {i} is {bracket!r:.60}; give (first, end, label) with first < end, over its {n} words")


def _whole(cell: Any) -> bool:
    return isinstance(cell, int | np.integer) and not isinstance(cell, bool)


def _read(text: str, i: int) -> Tree:
    """A tree as text."""
    try:
        found = transformed(read_brackets(io.StringIO(text), empty=True))
    except InputError as error:
        raise InputError(f"the tree of sentence {i} cannot be read: {error.sentence}") from None
    if found.sentences != 1:
        raise InputError(f"the text for sentence {i} has {found.sentences} trees; give one")
    return found.tree(0)
