"""Explanations and drawings as people see them, weights as a mapping, answers to nothing: in every family."""

import html.parser
import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

import widemargin
from widemargin import SequenceTagger
from widemargin.families.explanations import Explanation
from widemargin.show.drawing import Drawing
from widemargin.show.entities import draw_labels, spans_of

pytestmark = pytest.mark.wide

NASTY = "<script>alert('&')</script>"
X = [[["w=mayor"], ["w=Ada", "capital"], ["w=spoke"]], [["w=then"], ["w=Bo", "capital"], ["w=Hill", "capital"]]] * 3
Y = [["O", "B-PER", "O"], ["O", "B-PER", "I-PER"]] * 3


class Balanced(html.parser.HTMLParser):
    """Every tag that is opened is closed, and none is a script."""

    def __init__(self, text):
        super().__init__()
        self.open, self.data = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert tag != "script"
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.data.append(data)


def test_runs_of_labels_in_any_scheme():
    assert spans_of(["B-PER", "I-PER", "O", "U-LOC", "B-ORG", "L-ORG"]) == [(0, 2, "PER"), (3, 4, "LOC"), (4, 6, "ORG")]
    assert spans_of(["I-PER", "I-LOC", "S-LOC"]) == [(0, 1, "PER"), (1, 2, "LOC"), (2, 3, "LOC")]
    assert spans_of(["DT", "NN"]) is None


@pytest.mark.parametrize("labels", [["B-" + NASTY, "O"], ["DT", NASTY]])
def test_what_is_drawn_is_escaped(labels):
    assert NASTY in "".join(Balanced(draw_labels([NASTY, "x"], labels)).data)


def test_an_explanation_prints_and_shows_itself():
    words = [[NASTY, "spoke"], ["Ada", "spoke"]]
    tagger = SequenceTagger(columns=["word"], templates="word[0]\n", epochs=3).fit(words, [["B-PER", "O"]] * 2)
    found = tagger.explain(words[0])
    assert "closest: " in str(found)
    assert NASTY in "".join(Balanced(found._repr_html_()).data)
    assert pickle.loads(pickle.dumps(found)) == found
    drawn = tagger.draw(words[1])
    assert isinstance(drawn, Drawing)
    assert '<mark class="entity"' in drawn._repr_html_()


def test_trees_and_chains_are_drawn(tmp_path):
    parser = widemargin.DependencyParser(epochs=1, hash_bits=10).fit(widemargin.open_treebank("town:train:10"))
    sentence = ["She", NASTY, "books"]
    drawn = parser.draw(sentence, [(2, "nsubj"), (0, "root"), (2, "obj")])
    assert NASTY in "".join(Balanced(drawn).data)
    drawn.save(str(tmp_path / "tree.svg"))
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == drawn
    assert "<svg" in parser.explain(sentence)._repr_html_()
    chart = widemargin.ConstituencyParser(epochs=1, hash_bits=10).fit(widemargin.open_trees("town:train:10"))
    pairs = [("She", "PRP"), (NASTY, "VBZ"), ("books", "NNS")]
    for picture in (chart.draw(pairs), chart.explain(pairs)._repr_html_()):
        assert NASTY in "".join(Balanced(picture).data)
    documents = widemargin.open_documents("town:train:10")
    resolver = widemargin.CoreferenceResolver(epochs=1, hash_bits=10).fit(documents)
    one = documents.part([0])
    plain = {"sentences": one.given[0].sentences, "mentions": one.spans(0)}
    assert resolver.draw(plain).startswith("<svg")
    for found in (resolver.explain(plain), chart.explain(pairs)):
        assert isinstance(found, Explanation)
        assert "margin" in str(found)
    for estimator in (parser, chart, resolver):
        assert list(estimator.predict([])) == list(estimator.predict_kbest([])) == list(estimator.predict_marginals([])) == []


def test_lists_and_summaries_answer_nothing_with_nothing():
    reranker = widemargin.Reranker(epochs=1).fit(widemargin.open_pool("town:train:10"))
    summarizer = widemargin.Summarizer(epochs=1).fit(widemargin.open_clusters("town:train:3"))
    for estimator in (reranker, summarizer):
        assert list(estimator.predict([])) == list(estimator.predict_kbest([])) == []


def test_weights_are_a_mapping_that_copies_nothing():
    tagger = SequenceTagger(epochs=3).fit(X, Y)
    weights, table = tagger.weights, np.asarray(tagger.model_.weights.labels)[:, : len(tagger.labels_)]
    assert len(weights) == np.count_nonzero(table) == len(dict(weights)) == len(list(weights.items()))
    assert np.shares_memory(weights._table, tagger.model_.weights.labels)
    for key, value in weights.items():
        assert weights[key] == value == weights.get(key)
    assert ("w=Ada", "B-PER") in weights
    assert ("nobody", "B-PER") not in weights
    assert "w=Ada" not in weights
    top = weights.strongest(2)
    assert [abs(w) for _, w in top] == sorted((abs(w) for w in weights.values()), reverse=True)[:2]
    assert "weights that are not 0" in repr(weights)


def test_cross_val_predict_gives_a_sequence_for_each():
    found = cross_val_predict(SequenceTagger(epochs=2), X, Y, cv=3)
    assert [len(row) for row in found] == [len(row) for row in Y]
    assert list(SequenceTagger(epochs=1).fit(X, Y).predict([])) == []


@pytest.mark.filterwarnings("ignore:.*did not occur in training")
def test_trees_can_be_cross_validated():
    treebank = widemargin.open_treebank("town:train:6")
    words, arcs = [[word.form for word in s] for s in treebank], [[(word.head, word.deprel) for word in s] for s in treebank]
    found = cross_val_predict(widemargin.DependencyParser(epochs=1, hash_bits=10), words, arcs, cv=2)
    assert [len(row) for row in found] == [len(row) for row in words]
    trees = list(widemargin.open_trees("town:train:6"))
    pairs = [list(zip(tree.words, tree.tags)) for tree in trees]
    found = cross_val_predict(widemargin.ConstituencyParser(epochs=1, hash_bits=10), pairs, trees, cv=2)
    assert [tree.words for tree in found] == [tree.words for tree in trees]
    documents = widemargin.open_documents("town:train:20")
    every = range(len(documents.given))
    given = [{"sentences": documents.given[d].sentences, "mentions": documents.spans(d)} for d in every]
    found = cross_val_predict(widemargin.CoreferenceResolver(epochs=1, hash_bits=10), given, [documents.chains(d) for d in every], cv=2)
    assert len(found) == len(given)
