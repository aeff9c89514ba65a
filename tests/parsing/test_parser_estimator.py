"""DependencyParser: sentences in plain Python, treebanks, files, pickles, and refusals."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from widemargin import DependencyParser, InputError, open_treebank

SIZE = {"bits": 12, "label_bits": 8, "epochs": 3}


def lists(treebank):
    """A treebank as lists of words and trees."""
    columns, X, y = treebank.columns, [], []
    cells = [[columns.values[c][code] for code in columns.codes[c]] for c in range(1, 6)]
    for i, (low, high) in enumerate(zip(treebank.row_ptr, treebank.row_ptr[1:])):
        X.append(list(zip(*(cell[low:high] for cell in cells))))
        y.append(list(zip(treebank.heads[low:high].tolist(), treebank.names(i))))
    return X, y


@pytest.fixture(scope="module")
def data():
    return open_treebank("town:train:120")


@pytest.fixture(scope="module")
def fitted(data):
    return DependencyParser(**SIZE).fit(data)


def test_lists_and_treebanks_are_the_same(data, fitted):
    X, y = lists(data)
    plain = DependencyParser(**SIZE).fit(X, y)
    assert plain.predict(X[:5]) == fitted.predict(data)[:5]
    assert plain.score(X, y) == fitted.score(data) > 0.7
    dicts = [[dict(zip(("form", "lemma", "upos", "xpos", "feats"), word)) for word in sentence] for sentence in X[:3]]
    assert plain.predict(dicts) == plain.predict(X[:3])


def test_answers(data, fitted, tmp_path):
    X, _ = lists(data)
    chances, lists_of = fitted.predict_proba(X[:4]), fitted.predict_kbest(X[:4], 3)
    for words, tree, chance, found in zip(X, fitted.predict(X[:4]), chances, lists_of):
        assert chance.shape == (len(words) + 1,) * 2
        np.testing.assert_allclose(chance[:, 1:].sum(axis=0), 1.0, atol=1e-5)
        assert found[0][1] == tree
    path = str(tmp_path / "p.wm")
    fitted.save(path)
    for other in (DependencyParser.load(path), pickle.loads(pickle.dumps(fitted))):
        assert other.predict(X[:6]) == fitted.predict(X[:6])
    again = DependencyParser.load(path)
    assert again.get_params()["epochs"] == 3
    assert again.fit(data).predict(X[:6]) == fitted.predict(X[:6])


def test_calibrating_leaves_out_heads_that_are_not_known(data, fitted):
    X, y = lists(open_treebank("town:dev:40"))
    hidden = [[None if t % 3 == 0 else arc for t, arc in enumerate(tree)] for tree in y]
    calibrated = pickle.loads(pickle.dumps(fitted)).calibrate(X, hidden)
    assert calibrated.parser_.temperature != 1.0
    assert calibrated.predict(X) == fitted.predict(X)

    def surprise(parser):
        tables = zip(hidden, parser.predict_proba(X))
        return -sum(np.log(table[arc[0], m]) for tree, table in tables for m, arc in enumerate(tree, 1) if arc)

    assert surprise(calibrated) < surprise(fitted)


def test_searches_and_clones(data):
    X, y = lists(data)
    search = GridSearchCV(DependencyParser(**SIZE, labelled=False), {"rate": [0.01, 0.1]}, cv=KFold(2)).fit(X[:60], y[:60])
    assert search.best_score_ > 0.5
    assert all(isinstance(head, int) for head in search.predict(X[:1])[0])
    assert clone(DependencyParser(rate=0.3)).get_params()["rate"] == 0.3


def test_unknown_heads_weights_and_dev(data):
    X, y = lists(data)
    hidden = [[None if t % 4 == 0 else arc for t, arc in enumerate(tree)] for tree in y]
    model = DependencyParser(**SIZE, patience=1).fit(X, hidden, sample_weight=np.arange(1, len(X) + 1), dev=(X[:10], y[:10]))
    assert model.score(X, y) > 0.6
    assert "dev" in model.history_[0]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], "no sentence"),
        ([["a", "b"]], [[2]], "2 words and its tree 1"),
        ([["a"]], [[0], [0]], "1 sentences and 2 trees"),
        ([["a", "b"]], [[2, 1]], "circle"),
        ([["a", "b"]], [[0, 7]], "not in its sentence"),
        ([[("a", "b", "c", "d", "e", "f")]], [[0]], "up to five"),
        ([[{"word": "a"}]], [[0]], "the keys are"),
        ([["a\tb"]], [[0]], "without tabs"),
    ],
)
def test_bad_input_gets_a_sentence(X, y, words):
    with pytest.raises(InputError, match=words):
        DependencyParser(**SIZE).fit(X, y)
