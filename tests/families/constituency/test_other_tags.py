"""A tagger's tags in the place of those that sentences came with."""

import pytest

from widemargin import ConstituencyParser, InputError, SequenceTagger, open_trees
from widemargin.families.base import Wanted
from widemargin.families.constituency import FAMILY
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.tags import tagged_by
from widemargin.families.constituency.tree import Tree

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def trees():
    return open_trees("town:train:20")


@pytest.fixture
def tagger(trees, tmp_path):
    """A tagger that has learnt the tags by heart."""
    X, y = ([cells(i) for i in range(trees.sentences)] for cells in (trees.words, trees.tags))
    path = str(tmp_path / "tagger")
    SequenceTagger("perceptron", epochs=8, templates="word[-1..1]\nword[0] word[-1]\nlabel[-1]\n").fit(X, y).save(path)
    return path


def test_tags_are_replaced_and_nothing_else(trees, tagger):
    wrong = trees.with_tags(trees.columns.codes[1] * 0, ["NN"])
    found = tagged_by(tagger, wrong)
    right = sum(a == b for i in range(trees.sentences) for a, b in zip(found.tags(i), trees.tags(i)))
    assert right > 0.97 * len(trees)
    for i in range(trees.sentences):
        assert found.tree(i).words == trees.tree(i).words
        assert found.tree(i).brackets == trees.tree(i).brackets


def test_answers_have_the_taggers_tags_and_scores_say_how_many_are_right(trees, tagger):
    model = ConstituencyParser(epochs=2, hash_bits=10).fit(trees).model_
    wrong = trees.with_tags(trees.columns.codes[1] * 0, ["NN"])
    answers = FAMILY.answer(model, wrong, Wanted(), tagger=tagger)
    assert answers.best.trees.tags(0) == tagged_by(tagger, wrong).tags(0)
    scores = FAMILY.evaluate(model, trees, answers).as_dict()
    assert 97 < scores["tagging"] <= 100


def test_sentences_without_words_stay(tagger):
    trees = from_trees([Tree((), ()), Tree(("The",), ("XX",)), Tree((), ())])
    assert [tagged_by(tagger, trees).tags(i) for i in range(3)][0::2] == [[], []]


def test_what_is_no_tagger_of_words_is_refused(trees, tmp_path):
    path = str(tmp_path / "other")
    ConstituencyParser(epochs=1, hash_bits=10).fit(trees).save(path)
    with pytest.raises(InputError, match="does not label the words"):
        tagged_by(path, trees)
    SequenceTagger(epochs=1).fit([[("a", "b"), ("c", "d")]], [["X", "Y"]]).save(path)
    with pytest.raises(InputError, match="here are words alone"):
        tagged_by(path, trees)
    SequenceTagger(epochs=1).fit([["The", "a"]], [["(", ")"]]).save(path)
    with pytest.raises(InputError, match="cannot stand in brackets"):
        tagged_by(path, trees)
