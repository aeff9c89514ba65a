"""ConstituencyParser: what it takes for trees and what it refuses, probabilities against lists of all trees, going on with new symbols."""

import numpy as np
import pytest
from span_parsing import TEMPLATES, small

from widemargin import ConstituencyParser, InputError, Tree
from widemargin.families.constituency.explanations import ComparedTrees
from widemargin.families.constituency.given import trees_of, typed_sentence
from widemargin.families.constituency.gold import find_gold
from widemargin.families.constituency.training import pose_trees
from widemargin.families.constituency.warm_start import grown

pytestmark = pytest.mark.wide
X = [[("a", "D"), ("b", "N"), ("c", "V")], [("b", "N"), ("c", "V")]]
TEXTS = ["(S (NP (D a) (N b)) (V c))", "(S (NP (N b)) (VP (V c)))"]
BRACKETS = [[(0, 3, "S"), (0, 2, "NP")], [(0, 2, "S"), (0, 1, "NP"), (1, 2, "VP")]]
STRUCTURES = ("bigrams", "rules", "wcfg", "labels")


class Nltk(list):
    """What NLTK's trees look like."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


def nltk(tree):
    return tree.to_nltk(Nltk)


def parser(structure="bigrams", **more):
    own = {} if structure == "wcfg" else {"templates": TEMPLATES, "hash_bits": 10}
    return ConstituencyParser("ops", structure=structure, **{"epochs": 2} | own | more)


def score_of(model, trees):
    """The score of the tree of one sentence."""
    gold = find_gold(trees, model.binariser, model.inventory.kind, model.inventory).gold
    return ComparedTrees(model, model.corpus(trees), "").score(gold.node)


def tables(model):
    return [table.tobytes() for table in model.model_.weights]


def test_trees_of_all_kinds_are_the_same():
    trees = [Tree(tuple(w for w, _ in x), tuple(t for _, t in x), tuple(brackets)) for x, brackets in zip(X, BRACKETS)]
    whole = parser(epochs=9).fit(trees_of(trees))
    for y in (TEXTS, BRACKETS, trees, list(map(nltk, trees)), [[list(b) for b in tree] for tree in BRACKETS]):
        assert tables(parser(epochs=9).fit(X, y)) == tables(whole)
    assert tables(parser(epochs=9).fit(trees)) == tables(whole)
    assert whole.predict(X)[0] == trees[0]
    assert whole.predict(trees) == whole.predict(X)
    assert 0.5 < whole.score(X, TEXTS) == whole.score(X, BRACKETS) <= 1.0


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (X, TEXTS[:1], "2 sentences and 1 tree"),
        (X, [TEXTS[0], TEXTS[0]], "has the words 'a b c'"),
        (X, [TEXTS[0], "(S"], "cannot be read"),
        (X, [TEXTS[0], [(0, 3, "S")]], "over its 2 words"),
        (X, [TEXTS[0], [(0, 2, 7)]], "a bracket of sentence 1"),
        (X, [TEXTS[0], 3], "is a int"),
        ([["a", 3]], [TEXTS[0]], "a word of sentence 0"),
        ([7], [TEXTS[0]], "give a list of words"),
        ([["a", ""]], [[(0, 2, "S")]], "is empty"),
        (X, [None, None], "no sentence has a tree"),
        ([[]], ["(S (N b))"], "has no word|words"),
    ],
)
def test_what_is_no_tree_is_refused(X, y, words):
    with pytest.raises(InputError, match=words):
        parser().fit(X, y)


def test_parameters_are_checked():
    for bad, words in (({"metric": "las"}, "it is f1"), ({"on_failure": "guess"}, "choose flat, none or raise")):
        with pytest.raises(InputError, match=words):
            parser(**bad).fit(X, BRACKETS)
    with pytest.raises(InputError, match="labels come from the trees"):
        parser().partial_fit(X, BRACKETS, classes=["S"])


@pytest.mark.parametrize("structure", [name for name in STRUCTURES if name != "labels"])
def test_probabilities_are_those_of_all_trees(structure):
    model = parser(structure).fit(small())
    model.model_.temperature = 1.7
    for i in range(small().sentences):
        x = small().tree(i).leaves
        ranked = model.predict_kbest([x], 10_000)[0]
        p = np.exp([log_p for log_p, _ in ranked])
        expected = np.zeros((len(x) + 1, len(x) + 1, len(model.labels_)))
        for share, (_, tree) in zip(p, ranked):
            for first, end, label in set(tree.brackets):
                expected[first, end, model.labels_.index(label)] += share
        np.testing.assert_allclose(model.predict_marginals([x])[0], expected, atol=1e-5)
        assert model.entropy([x])[0] == pytest.approx(-(p * np.log(p)).sum(), abs=1e-5)
        known = [(0, len(x), "?"), (0, 1, "NP")]
        agreeing = sum(share for share, (_, tree) in zip(p, ranked) if (0, 1, "NP") in tree.brackets)
        found = np.exp(model.predict_log_proba([x], [known])[0])
        assert found == pytest.approx(agreeing, abs=1e-5)
    assert model.predict_log_proba([X[1]], [[(0, 2, "NOSUCH")]])[0] == -np.inf


@pytest.mark.parametrize("structure", STRUCTURES)
def test_going_on_keeps_what_was_learnt(structure):
    """New symbols come between the old ones: every old part of a tree keeps its score."""
    model = parser(structure).fit(X, BRACKETS)
    more = trees_of([[("b", "N"), ("a", "D"), ("z", "Z")]], ["(A (NP (N b)) (QP (D a) (Z z)))"])
    recipe = model._recipe(more)
    start, carry = grown(model.model_, model._carry, recipe, more)
    assert set(start.inventory.symbols.labels) == {"A", "NP", "QP", "S", "VP"}
    assert carry["planes"].shape[1:] == (len(start.weights.spans) + len(start.weights.grammar), start.weights.spans.shape[1])
    kept = pose_trees(recipe, more, start=start).begin(start)
    assert kept.shape == (len(start.weights.spans) + len(start.weights.grammar), start.weights.spans.shape[1])
    for i in range(2):
        old, new = (score_of(m, trees_of(X[i : i + 1], BRACKETS[i : i + 1])) for m in (model.model_, start))
        assert new == pytest.approx(old, abs=1e-5)
    again = model.partial_fit(more)
    assert again.labels_ == ["A", "NP", "QP", "S", "VP"]
    assert again.n_iter_ == 3
    assert len(again.predict(X)[0]) == 3


def test_going_on_from_the_same_symbols_changes_nothing():
    model = parser().fit(X, BRACKETS)
    start, _ = grown(model.model_, model._carry, model._recipe(trees_of(X, BRACKETS)), trees_of(X, BRACKETS))
    for one, other in zip(model.model_.weights, start.weights):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(InputError, match="cannot go on as one of rules"):
        grown(model.model_, None, parser("rules")._recipe(trees_of(X, BRACKETS)), trees_of(X, BRACKETS))


def test_sentences_as_people_type_them():
    assert typed_sentence("The/DT cat/NN").tree(0).leaves == (("The", "DT"), ("cat", "NN"))
    assert typed_sentence("1/2_CD pints_NNS").tree(0).leaves == (("1/2", "CD"), ("pints", "NNS"))
    assert typed_sentence("( (S-1 (NP (N b))))").tree(0).brackets == ((0, 1, "S"), (0, 1, "NP"))
    with pytest.raises(InputError, match="words with tags"):
        typed_sentence("The cat")


def test_trees_without_brackets():
    parser = ConstituencyParser(epochs=1, hash_bits=10).fit([[("a", "D")], [("b", "N")]], ["(D a)", "(N b)"])
    assert parser.labels_ == []
    assert [table.shape for table in parser.predict_marginals([[("a", "D")]])] == [(2, 2, 0)]
