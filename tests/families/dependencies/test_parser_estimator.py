"""DependencyParser: sentences in plain Python, treebanks, files, pickles, and refusals."""

import pickle

import numpy as np
import pytest

from widemargin import DependencyParser, InputError, open_treebank

SIZE = {"hash_bits": 12, "label_bits": 8, "epochs": 3}


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


def test_calibrating_leaves_out_heads_that_are_not_known(data, fitted):
    X, y = lists(open_treebank("town:dev:40"))
    hidden = [[None if t % 3 == 0 else arc for t, arc in enumerate(tree)] for tree in y]
    calibrated = pickle.loads(pickle.dumps(fitted)).calibrate(X, hidden)
    assert calibrated.model_.temperature != 1.0
    assert calibrated.predict(X) == fitted.predict(X)

    def surprise(parser):
        tables = zip(hidden, parser.predict_marginals(X))
        return -sum(np.log(table[arc[0], m]) for tree, table in tables for m, arc in enumerate(tree, 1) if arc)

    assert surprise(calibrated) < surprise(fitted)


def test_relations_that_come_later(data):
    """New columns of the table begin as if they had always been there."""
    X, y = lists(data)
    known = sorted({relation for tree in y for _, relation in tree})
    first = [i for i, tree in enumerate(y) if all(relation != "obj" for _, relation in tree)][:30]
    second = [i for i, tree in enumerate(y) if any(relation == "obj" for _, relation in tree)][:30]
    some = [([X[i] for i in rows], [y[i] for i in rows]) for rows in (first, second)]
    parameters = SIZE | {"learner": "ops", "average": True}
    grown = DependencyParser(**parameters).partial_fit(*some[0])
    assert "obj" not in grown.labels_
    narrow = len(grown.labels_)
    grown.partial_fit(*some[1], epochs=2)
    named = DependencyParser(**parameters).partial_fit(*some[0], classes=known).partial_fit(*some[1], epochs=2)
    assert set(grown.labels_) <= set(named.labels_) == set(known)
    assert len(grown.labels_) > narrow
    order = [named.labels_.index(name) for name in grown.labels_]
    np.testing.assert_array_equal(grown.weights["arcs"].shape, named.weights["arcs"].shape)
    absent = [r for r in range(len(known)) if r not in order]
    assert not named.weights["relations"][:, absent].any() or learnt_apart(named, absent)
    assert grown.score(*some[1]) > 0.7
    assert "obj" in {relation for tree in grown.predict(some[1][0]) for _, relation in tree}


def learnt_apart(model, absent):
    """A relation that never was gold only ever loses weight."""
    return (model.weights["relations"][:, absent] <= 0).all()


def test_going_on_as_something_else_is_refused(data, fitted):
    model = pickle.loads(pickle.dumps(fitted))
    with pytest.raises(InputError, match="cannot go on as one of heads"):
        model.set_params(structure="heads").partial_fit(data)
    with pytest.raises(InputError, match="asks for others"):
        model.set_params(structure="eisner", hash_bits=13).partial_fit(data)


def test_pruning_and_looking_inside(data, fitted, tmp_path):
    X, y = lists(data)
    weights = fitted.weights
    assert weights["relations"].shape[1] == len(fitted.labels_) == len(fitted.classes_)
    small = pickle.loads(pickle.dumps(fitted)).prune()
    assert small.predict(X[:9]) == fitted.predict(X[:9])
    before, after = fitted.save(str(tmp_path / "whole")), small.save(str(tmp_path / "small"))
    assert abs(after - before) < 1000  # weights of 0 are in no file
    again = DependencyParser.load(str(tmp_path / "small"))
    assert again.predict(X[:9]) == fitted.predict(X[:9])
    assert len(again.partial_fit(X, y).history_) == 4


def test_scores_weights_and_metrics(data, fitted):
    X, y = lists(open_treebank("town:train:120", subtypes=False))
    guess = [[(head, relation.partition(":")[0]) for head, relation in tree] for tree in fitted.predict(X)]
    right = [np.mean([a == b for a, b in zip(one, other)]) for one, other in zip(y, guess)]
    lengths = np.array([len(tree) for tree in y])
    weight = np.arange(len(X)) % 3
    assert fitted.score(X, y, sample_weight=weight) == pytest.approx(np.average(right, weights=lengths * weight))
    heads = pickle.loads(pickle.dumps(fitted)).set_params(metric="uas").score(X, y)
    assert heads == pytest.approx(np.mean([a[0] == b[0] for one, other in zip(y, guess) for a, b in zip(one, other)]))
    with pytest.raises(InputError, match="choose las or uas"):
        DependencyParser(metric="f1").fit(data)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], "no sentence"),
        ([["a", "b"]], [[2]], "2 words and its tree 1"),
        ([["a"]], [[0], [0]], "1 sentence and 2 trees"),
        ([["a"]], None, "target y is None"),
        ("a b", [[0]], "str was given"),
        (["ab"], [[0]], "give a list of words"),
        ([["a"]], ["0"], "give a list with a head per word"),
        ([["a"]], [["x"]], "give a head, 0 for the root"),
        ([["a"]], [[None]], "no head is known"),
        ([[3.5]], [[0]], "up to five"),
        ([["a", "b"]], [[2, 1]], "circle"),
        ([["a", "b"]], [[0, 7]], "not in its sentence"),
        ([[("a", "b", "c", "d", "e", "f")]], [[0]], "up to five"),
        ([[{"word": "a"}]], [[0]], "the keys are"),
        ([["a\tb"]], [[0]], "without tabs"),
        ([["a"], []], [[0], []], "has no word"),
    ],
)
def test_bad_input_gets_a_sentence(X, y, words):
    with pytest.raises(ValueError, match=words):
        DependencyParser(**SIZE).fit(X, y)
