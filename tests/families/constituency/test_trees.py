"""Trees as arrays and for people: parts, other brackets, what is not known, and NLTK's trees."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees as random_trees

from widemargin.errors import InputError
from widemargin.families.constituency.brackets import brackets_text, read_brackets
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.tree import Tree

TEXT = "(S (NP (NP (DT The) (NN cat))) (VP (VBD sat)) (. .))"


class Nltk(list):
    """What is asked of NLTK's trees."""

    def __init__(self, name, children):
        super().__init__(children)
        self.name = name

    def label(self):
        return self.name

    def __repr__(self):
        return f"({self.name} {' '.join(map(str, self))})"


def read(text):
    return read_brackets(io.StringIO(text))


def test_a_tree_for_people():
    tree = read(TEXT).tree(0)
    assert str(tree) == TEXT
    assert tree.label == "S"
    assert tree.spans("NP") == [(0, 2, "NP"), (0, 2, "NP")]
    assert tree.spans()[0] == (0, 4, "S")
    assert tree.chains() == [(0, 4, ("S",)), (0, 2, ("NP", "NP")), (2, 3, ("VP",))]
    assert tree.leaves[1] == ("cat", "NN")
    assert [child.label for child in tree.children] == ["NP", "VP", "."]
    assert str(tree.children[0]) == "(NP (NP (DT The) (NN cat)))"
    assert tree.children[2].children == ()
    assert len(tree) == 4


@given(random_trees())
def test_children_and_nltks_trees_are_the_same_trees(tree):
    def nested(tree):
        return Nltk(tree.label, [nested(child) for child in tree.children] if tree.brackets else [tree.words[0]])

    other = tree.to_nltk(Nltk)
    assert repr(other) == repr(nested(tree))
    assert Tree.from_nltk(other) == tree
    assert from_trees([other, tree]).tree(0) == tree


def test_nltks_trees_that_are_none():
    for item, words in (
        (Nltk("NP", ["the", "cat"]), "'the' has no tag"),
        (Nltk("NP", [Nltk("NN", ["a"]), "cat"]), "'cat' has no tag"),
        (Nltk("NP", []), "no word under it"),
        (Nltk(3, ["a"]), "not text"),
        (Nltk("NP", [3]), "a int, not a tree"),
        (7, "a int; give a tree"),
        ([("a", "NN"), ("b",)], "give a tree, or a list of"),
        ([("a", "NN"), (3, "NN")], "word 3 is empty, not text"),
    ):
        with pytest.raises(InputError, match=words):
            from_trees([Nltk("UH", ["yes"]), item])
    with pytest.raises(InputError, match="2 trees side by side"):
        Tree(("a", "b"), ("X", "Y")).to_nltk(Nltk)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (Tree(("a b",), ("NN",)), "word 'a b' is empty, not text, or holds a blank"),
        (Tree(("",), ("NN",)), "word '' is empty"),
        (Tree(("a",), ("N(N",)), "tag 'N\\(N' holds a parenthesis"),
        (Tree(("a",), ("NN", "NN")), "1 word and 2 tags"),
        (Tree(("\ud800",), ("NN",)), "surrogate"),
        (Tree(("a", "b"), ("X", "Y"), ((0, 3, "NP"),)), "does not lie over words"),
        (Tree(("a", "b"), ("X", "Y"), ((1, 1, "NP"),)), "does not lie over words"),
        (Tree(("a", "b", "c"), ("X", "Y", "Z"), ((0, 2, "NP"), (1, 3, "NP"))), "crosses another"),
        (Tree(("a", "b"), ("X", "Y"), ((1, 2, "NP"), (0, 2, "NP"))), "crosses another, or stands before"),
        (Tree(("a", "b"), ("X", "Y"), ((0, 1, "NP"), (0, 2, "NP"))), "crosses another, or stands before"),
    ],
)
def test_trees_that_are_none(tree, words):
    with pytest.raises(InputError, match=words):
        from_trees([tree])


def test_parts():
    trees = read("(A (X a) (Y b))\n(B (C (X c)))\n(D (Z d))")
    for rows, numbers in (([2, 0, 0], [2, 0, 0]), (np.array([1]), [1]), ([], []), (np.array([True, False, True]), [0, 2])):
        part = trees.part(rows)
        assert [part.tree(i) for i in range(part.sentences)] == [trees.tree(i) for i in numbers]
        assert [part.where(i) for i in range(part.sentences)] == [trees.where(i) for i in numbers]
    for rows in ([3], [-1], np.array([True])):
        with pytest.raises(InputError, match="3 sentences"):
            trees.part(rows)


def test_other_brackets_and_tags():
    trees = read("(A (X a) (Y b))\n(B (C (X c)))")
    other = trees.with_trees([0, 2, 2], [[0, 2, 1], [1, 2, 0]], ["P", "Q"], parsed=[True, False])
    assert brackets_text(other) == "(Q (X a) (P (Y b)))\n(? (X c))\n"
    assert other.digest != trees.digest
    assert brackets_text(trees.with_tags([1, 0, 1], ["U", "V"])).splitlines()[0] == "(A (V a) (U b))"
    for bad in (([0, 1], [[0, 2, 0]]), ([0, 1, 2], [[0, 2, 0], [0, 2, 0]]), ([0, 1, 1], [[0, 2, 2]]), ([0, 2, 1], [[0, 1, 0]])):
        with pytest.raises(InputError):
            trees.with_trees(*bad, ["P", "Q"])
    for bad in ([0, 0], [0, 0, 2], [0, 0, -1]):
        with pytest.raises(InputError, match="give one in range per word"):
            trees.with_tags(bad, ["U", "V"])


def test_sentences_of_python():
    trees = from_trees([[("a", "DT"), ["b", "NN"]], ["c", "(d)"], []])
    assert brackets_text(trees) == "(? (DT a) (NN b))\n(? (_ c) (_ -LRB-d-RRB-))\n(())\n"
    assert not trees.parsed.any()


def test_trees_side_by_side_are_written_in_one_bracket():
    tree = Tree(("a", "b", "c"), ("X", "Y", "Z"), ((0, 2, "NP"),))
    assert brackets_text(from_trees([tree])) == f"{tree}\n" == "( (NP (X a) (Y b)) (Z c))\n"
    assert str(Tree(("a",), ("X",))) == "(X a)"


def test_what_is_not_known():
    trees = from_trees([read("(? (NP (DT a) (NN b)) (VB c))").tree(0), [("a", "DT"), ("b", "NN")], read("(S (? (DT a)) (NN b))").tree(0)])
    assert trees.partial.tolist() == [True, False, False]
    assert trees.parsed.tolist() == [True, False, True]
    assert np.diff(trees.node_ptr).tolist() == [2, 0, 2]
    assert brackets_text(trees).splitlines()[1] == "(? (DT a) (NN b))"


@given(st.lists(random_trees(), min_size=2, max_size=4, unique=True))
def test_a_digest_is_of_what_is_learned_from(found):
    assert len({from_trees([tree]).digest for tree in found}) == len(found)
