"""Gold trees of which parts are known: sentences in which no tree of the structure has all known heads are left out, and it is said."""

import dataclasses
import itertools

import numpy as np
import pytest
from modes import cases
from tree_enumeration import heads_of

from widemargin import InputError, Recipe
from widemargin.families.dependencies.features import ArcFeatures
from widemargin.families.dependencies.gold import has_tree
from widemargin.families.dependencies.sentences import treebank_of
from widemargin.families.dependencies.templates import load_arc_templates
from widemargin.families.dependencies.training import corpus_of, pose_trees
from widemargin.structures.arcs.trees import TREES

SIZE = {"hash_bits": 10, "label_bits": 6}


@pytest.mark.parametrize(
    ("single", "name"), cases([True, False], ["eisner", "siblings", "arborescence", "heads"], wide=lambda _, name: name != "eisner")
)
def test_a_tree_is_possible_where_one_of_all_has_the_known_heads(name, single):
    if name == "heads" and single:
        with pytest.raises(InputError, match="word by word"):
            TREES[name](single_root=True)
        return
    trees = [heads for heads in heads_of("heads", 3, False) if not single or heads.count(0) <= 1]
    hidden = {tuple(None if hide else h for h, hide in zip(y, mask)) for y in trees for mask in itertools.product((0, 1), repeat=3)}
    some = [y for y in hidden if None in y and any(h is not None for h in y)]
    found, words = [], corpus_of(treebank_of([["a", "b", "c"]]), ArcFeatures(load_arc_templates("arcs")), ())
    for y in some:
        corpus = dataclasses.replace(words, gold=np.array([[-1 if h is None else h, -1] for h in y], np.int32))
        every = heads_of(name, 3, single)
        expected = any(all(k is None or h == k for h, k in zip(tree, y)) for tree in every)
        assert has_tree(corpus, TREES[name](0, **({} if name == "heads" else {"single_root": single})))[0] == expected
        found.append(expected)
    assert True in found


def test_what_is_left_out_is_said():
    # b -> a -> c: the head of b, which is not known, can only be the root, and that arc crosses a -> c
    X, y = [["a", "b", "c"], ["a", "b"]], [[2, None, 1], [0, None]]
    posed = pose_trees(Recipe("depparse", **SIZE), treebank_of(X, y))
    assert posed.problem.corpus.rows == 1
    hidden = "the heads of 2 words are not known: they are learnt as hidden ones"
    assert posed.remarks == (
        hidden,
        "1 sentence left out: no tree of eisner has all heads that are known there",
    )
    posed = pose_trees(Recipe("depparse", structure="arborescence", **SIZE), treebank_of(X, y))
    assert (posed.problem.corpus.rows, posed.remarks) == (2, (hidden,))
    with pytest.raises(InputError, match="no sentence has a tree"):
        pose_trees(Recipe("depparse", **SIZE), treebank_of(X[:1], y[:1]))
    loss = pose_trees(Recipe("depparse", **SIZE), treebank_of(X, y)).problem
    assert np.isfinite(loss.value(loss.zeros()))
