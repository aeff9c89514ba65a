"""The constituency layer of the town corpus: the trees themselves, with the tags of the other layers."""

import hashlib
import io

import numpy as np

from widemargin.corpora import town
from widemargin.corpora.town.brackets import bracketed, brackets_text
from widemargin.corpora.town.tree import Leaf, Node
from widemargin.families.constituency.brackets import read_brackets


def read(*args, **options):
    return read_brackets(io.StringIO(brackets_text(*args, **options)))


def test_the_same_seed_gives_the_same_bytes_everywhere():
    text = brackets_text("train", sentences=100)
    # A change here changes everybody's numbers: make it on purpose, and say so in the changelog.
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "25b43e3453c27404"
    assert brackets_text("train", sentences=200).startswith(text)
    assert brackets_text("dev", sentences=20) != brackets_text("dev", sentences=20, seed=2)


def test_words_and_tags_are_those_of_the_other_layers():
    trees = read("dev")
    others = [sentence for document in town.documents("dev") for sentence in document.sentences]
    assert trees.sentences == len(others)
    for i, sentence in enumerate(others):
        assert tuple(trees.words(i)) == sentence.words
        assert tuple(trees.tags(i)) == sentence.pos


def test_noise_is_in_tags_alone():
    noisy, clean = read("dev"), read("dev", noise=False)
    assert np.array_equal(noisy.node, clean.node)
    assert noisy.labels == clean.labels
    differ = np.mean(np.array(noisy.columns.cells("tag")) != np.array(clean.columns.cells("tag")))
    assert 0.02 < differ < 0.06
    trees = [sentence.tree for document in town.documents("dev", noise=False) for sentence in document.sentences]
    assert [str(clean.tree(i)) for i in range(50)] == [tree.bracketed() for tree in trees[:50]]


def test_parentheses_in_words_are_escaped():
    assert bracketed(Node("NP", [Leaf("a(b)", "NN", "a")]), ["X"]) == "(NP (X a-LRB-b-RRB-))"
