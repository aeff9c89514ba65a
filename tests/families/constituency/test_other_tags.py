"""A tagger's tags in the place of those that sentences came with."""

import json

import numpy as np
import pytest

from widemargin import ConstituencyParser, InputError, SequenceTagger, open_trees
from widemargin.cli import main
from widemargin.families.base import Wanted
from widemargin.families.constituency import FAMILY
from widemargin.families.constituency.building import from_trees
from widemargin.families.constituency.tags import tagged_by, usable_taggings
from widemargin.families.constituency.tree import Tree

pytestmark = pytest.mark.wide
WORDS = "first.word length\nbefore.class first.class\nfirst.class last.class\n"  # templates without tags


@pytest.fixture(scope="module")
def trees():
    trees = open_trees("town:train:20")
    return trees.part(np.sort(np.argsort(np.diff(trees.row_ptr), kind="stable")[:10]))


@pytest.fixture(scope="module")
def parser(trees):
    return ConstituencyParser(epochs=2, hash_bits=10).fit(trees).model_


@pytest.fixture(scope="module")
def tagger(trees, tmp_path_factory):
    """A tagger that has learnt the tags by heart."""
    X, y = ([cells(i) for i in range(trees.sentences)] for cells in (trees.words, trees.tags))
    path = str(tmp_path_factory.mktemp("tagger") / "tagger")
    SequenceTagger("perceptron", epochs=8, templates="word[-1..1]\nword[0] word[-1]\nlabel[-1]\n").fit(X, y).save(path)
    return path


def test_tags_are_replaced_and_nothing_else(trees, tagger, parser):
    wrong = trees.with_tags(trees.columns.codes[1] * 0, ["NN"])
    found = tagged_by(tagger, parser, wrong)
    right = sum(a == b for i in range(trees.sentences) for a, b in zip(found.tags(i), trees.tags(i)))
    assert right > 0.97 * trees.tokens
    for i in range(trees.sentences):
        assert found.tree(i).words == trees.tree(i).words
        assert found.tree(i).brackets == trees.tree(i).brackets


def test_answers_have_the_taggers_tags_and_scores_say_how_many_are_right(trees, tagger, parser):
    wrong = trees.with_tags(trees.columns.codes[1] * 0, ["NN"])
    answers = FAMILY.answer(parser, wrong, Wanted(), tagger=tagger)
    assert answers.best.trees.tags(0) == tagged_by(tagger, parser, wrong).tags(0)
    scores = FAMILY.evaluate(parser, trees, answers).as_dict()
    assert 97 < scores["tagging"] <= 100


def test_of_the_k_best_taggings_the_one_with_the_best_tree(trees, parser, tmp_path):
    """Every tagging is parsed by itself, its tree's probability read off the list of all of them. The tagger knows little: its first
    tagging is not always the best."""
    few = trees.part(range(6))
    X, y = ([cells(i) for i in range(few.sentences)] for cells in (few.words, few.tags))
    unsure = str(tmp_path / "tagger")
    SequenceTagger("sgd", objective="likelihood", epochs=1, rate=0.05, templates="word[0]\nlabel[-1]\n").fit(X, y).save(unsure)
    listed = usable_taggings(unsure, few, np.arange(6), 4)
    found = tagged_by(unsure, parser, few, kbest=4)
    assert any(found.tags(i) != ranked[0].output for i, ranked in enumerate(listed))
    for i, ranked in enumerate(listed):
        tagged = [from_trees([Tree(few.tree(i).words, tuple(tagging.output))]) for tagging in ranked]
        joint = [tagging.log_probability + parser.kbest(one, 1)[0][0].log_probability for tagging, one in zip(ranked, tagged)]
        assert found.tags(i) == ranked[int(np.argmax(joint))].output


def test_sentences_without_words_stay(tagger, parser):
    trees = from_trees([Tree((), ()), Tree(("The",), ("XX",)), Tree((), ())])
    for kbest in (1, 3):
        assert [tagged_by(tagger, parser, trees, kbest=kbest).tags(i) for i in range(3)][0::2] == [[], []]


@pytest.mark.parametrize("verb", ["calibrate", "explain"])
def test_other_verbs_see_the_taggers_tags(trees, tagger, parser, verb, tmp_path, capsys):
    parser.save(model := str(tmp_path / "parser"))
    (tmp_path / "gold.mrg").write_text(
        "\n".join(str(trees.tree(i)).replace("(NN ", "(DT ") for i in range(2 if verb == "calibrate" else 8))
    )
    for more in (["--tagger", tagger], ["--tagger", tagger, "--tagger-kbest", "2"]):
        assert main([verb, model, str(tmp_path / "gold.mrg"), "--json", *more]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert verb != "explain" or [tag for _, tag in facts["tokens"]] == trees.tags(0)
    assert main([verb, model, str(tmp_path / "gold.mrg"), "--tagger-kbest", "2"]) == 2
    assert "give --tagger MODEL too" in capsys.readouterr().err


def test_what_is_no_tagger_of_words_is_refused(trees, parser, tmp_path):
    path = str(tmp_path / "other")
    ConstituencyParser(epochs=1, hash_bits=10).fit(trees).save(path)
    with pytest.raises(InputError, match="does not label the words"):
        tagged_by(path, parser, trees)
    SequenceTagger(epochs=1).fit([[("a", "b"), ("c", "d")]], [["X", "Y"]]).save(path)
    with pytest.raises(InputError, match="here are words alone"):
        tagged_by(path, parser, trees)
    SequenceTagger(epochs=1).fit([["The", "a"]], [["(", ")"]]).save(path)
    with pytest.raises(InputError, match="cannot stand in brackets"):
        tagged_by(path, parser, trees)


@pytest.mark.parametrize("structure", ["bigrams", "rules", "labels", "wcfg"])
def test_tags_are_predicted_from_words_alone(trees, structure, tmp_path, capsys):
    trees = trees.part(np.argsort(np.diff(trees.row_ptr))[:6])
    features = {} if structure == "wcfg" else {"hash_bits": 12, "templates": WORDS}
    parser = ConstituencyParser(epochs=6, structure=structure, tags="words", **features).fit(trees)
    parser.save(model := str(tmp_path / "parser"))
    (tmp_path / "some.words").write_text("".join(" ".join(trees.words(i)) + "\n" for i in range(trees.sentences)))
    assert main(["predict", model, str(tmp_path / "some.words"), "-o", str(tmp_path / "out.mrg")]) == 0
    found = open_trees(str(tmp_path / "out.mrg"))
    assert sum(a == b for i in range(trees.sentences) for a, b in zip(found.tags(i), trees.tags(i))) > 0.65 * trees.tokens
    assert main(["evaluate", model, str(tmp_path / "out.mrg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n")[2])["metrics"]["tagging"] == 100
    nobody = trees.with_tags(trees.columns.codes[1] * 0, ["?!"])
    assert [str(tree) for tree in parser.predict(nobody)] == [str(found.tree(i)) for i in range(trees.sentences)]
    first = parser.predict_kbest(nobody.part([0]), 3)[0]
    assert first[0][1] == found.tree(0)
    assert len({tree for _, tree in first}) == 3
    with pytest.raises(InputError, match="predicts tags itself"):
        tagged_by("nowhere", parser.model_, trees)


def test_a_typed_sentence_needs_no_tags_where_they_are_predicted(trees, tmp_path, capsys):
    ConstituencyParser(epochs=1, structure="wcfg", tags="words").fit(trees).save(model := str(tmp_path / "parser"))
    assert main(["explain", model, " ".join(trees.words(0))]) == 0
    assert trees.words(0)[0] in capsys.readouterr().out
    assert main(["explain", model, "word"]) == 2
    assert "there is no such file" in capsys.readouterr().err
