"""Everything that X and y may be: equal content gives equal answers, and what cannot be read is refused in one sentence."""

import numpy as np
import pytest
from estimator_data import WORDS, as_arrays, as_lists, sentences
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_array, csr_matrix

from widemargin import SequenceTagger
from widemargin.errors import InputError
from widemargin.features.sequences import read_sequences
from widemargin.readers.columns import Columns

NAMES = st.text("abc:é ", min_size=1, max_size=4)
VALUES = st.floats(-4, 4, width=32)


def token_dicts(items):
    """The features of every token as a dict, zeros left out, by sequence."""
    names = items.names if items.names is not None else [f"x{j}" for j in range(items.width)]
    value = items.val if len(items.val) else np.ones(len(items.ind))
    tokens = []
    for low, high in zip(items.ptr, items.ptr[1:]):
        found: dict[str, float] = {}
        for p in range(low, high):
            found[names[items.ind[p]]] = found.get(names[items.ind[p]], 0.0) + float(value[p])
        tokens.append({name: v for name, v in found.items() if v})
    return [tokens[low:high] for low, high in zip(items.row_ptr, items.row_ptr[1:])]


# ---- reading -------------------------------------------------------------------------------------------------------------------------


KEYS = st.text("abcé ", min_size=1, max_size=4)  # without colons no name can be made in two ways
LEAF = st.one_of(VALUES, st.booleans(), st.integers(-3, 3), st.text("xyz", max_size=3))
STRINGS = st.lists(st.text("xyz", max_size=2), max_size=3, unique=True)
NESTED = st.dictionaries(KEYS, st.one_of(LEAF, STRINGS), max_size=3)
TOKEN = st.one_of(st.dictionaries(KEYS, st.one_of(LEAF, NESTED, STRINGS), max_size=4), st.lists(NAMES, max_size=4, unique=True))


@given(st.lists(TOKEN, min_size=1, max_size=4))
@settings(max_examples=150)
def test_tokens_are_read_as_python_crfsuite_reads_them(tokens):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    (found,) = token_dicts(read_sequences([tokens]))
    assert found == [{name: value for name, value in token.items() if value} for token in pycrfsuite.ItemSequence(tokens).items()]


@given(st.lists(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=3), min_size=1, max_size=4), st.data())
@settings(max_examples=60)
def test_arrays_sparse_arrays_dicts_and_mixtures_are_the_same(rows, data):
    dense = [np.array(row) for row in rows]
    dicts = [[{f"x{j}": v for j, v in enumerate(token)} for token in row] for row in rows]
    kinds = [lambda i: dense[i], lambda i: dicts[i], lambda i: csr_matrix(dense[i]), lambda i: csr_array(dense[i])]
    kinds += [lambda i: coo_matrix(dense[i]), lambda i: dense[i].astype(np.float32), lambda i: np.asfortranarray(dense[i])]
    expected = token_dicts(read_sequences(dicts))
    for kind in kinds:
        assert token_dicts(read_sequences([kind(i) for i in range(len(rows))])) == expected
    mixed = [data.draw(st.sampled_from(kinds))(i) for i in range(len(rows))]
    assert token_dicts(read_sequences(mixed)) == expected
    assert token_dicts(read_sequences(iter(mixed))) == expected


@given(st.lists(st.lists(st.lists(NAMES, max_size=3, unique=True), min_size=1, max_size=3), min_size=1, max_size=3))
@settings(max_examples=60)
def test_lists_sets_and_dicts_of_ones_are_the_same(X):
    expected = token_dicts(read_sequences(X))
    ones = [lambda token, one=one: dict.fromkeys(token, one) for one in (1, 1.0, True, np.float32(1), np.int64(1), np.bool_(True))]
    for kind in (set, frozenset, *ones):
        assert token_dicts(read_sequences([[kind(token) for token in row] for row in X])) == expected
    nested = [[{"f": dict.fromkeys(token, 1)} for token in row] for row in X]
    assert token_dicts(read_sequences(nested)) == [[{f"f:{name}": 1.0 for name in token} for token in row] for row in expected]


def test_words_are_columns():
    X = [["a", "b"], ["c"]]
    tuples, arrays = [[("a",), ("b",)], [("c",)]], [np.array(["a", "b"]), np.array(["c"])]
    for given_ in (X, tuples, arrays, iter(X), (iter(row) for row in X), [tuple(row) for row in tuples], np.array([*X, None], object)[:2]):
        columns = read_sequences(given_)
        assert isinstance(columns, Columns)
        assert columns.cells(0) == ["a", "b", "c"]
        assert columns.row_ptr.tolist() == [0, 2, 3]
    table = read_sequences([np.array([["a", "X"], ["b", "Y"]]), np.array([["c", "Z"]])])
    assert (table.cells(0), table.cells(1)) == (["a", "b", "c"], ["X", "Y", "Z"])
    assert tuple(table.names) == ("word", "pos")
    assert tuple(read_sequences([[("a", "X")]], ["form", "tag"]).names) == ("form", "tag")


# ---- answers -------------------------------------------------------------------------------------------------------------------------


def answers(X, y, ask, **parameters):
    model = SequenceTagger(epochs=4, **parameters).fit(X, y)
    return model.predict(ask), np.concatenate(model.predict_marginals(ask))


def test_equal_content_gives_equal_answers():
    words, y = sentences(14)
    ask = sentences(10, seed=5)[0]
    names = sorted({name for row in as_lists(words) for token in row for name in token})

    def ones(X):
        return [[dict.fromkeys(token, 1.0) for token in row] for row in as_lists(X)]

    def table(X):
        return [csr_matrix([[float(name in token) for name in names] for token in row]) for row in as_lists(X)]

    expected = answers(as_lists(words), y, as_lists(ask))
    for kind in (ones, lambda X: [[set(token) for token in row] for row in as_lists(X)], table, lambda X: [t.toarray() for t in table(X)]):
        labels, chance = answers(kind(words), y, kind(ask))
        assert labels == expected[0]
        np.testing.assert_allclose(chance, expected[1], atol=2e-6)


def test_generators_are_read_once():
    X, y = sentences()
    expected = SequenceTagger(epochs=3).fit(X, y)
    model = SequenceTagger(epochs=3).fit(((word for word in row) for row in X), ((label for label in row) for row in y))
    assert model.weights == expected.weights
    assert model.predict(iter(X)) == expected.predict(X)
    assert model.score(iter(X), iter(y)) == expected.score(X, y)
    np.testing.assert_array_equal(model.predict_log_proba(iter(X), iter(y)), expected.predict_log_proba(X, y))
    stream = ((as_lists([row])[0], labels) for row, labels in zip(X, y))
    pairs = list(stream)
    one = SequenceTagger(epochs=2).fit((x for x, _ in pairs), (labels for _, labels in pairs))
    assert one.predict(iter(as_lists(X))) == SequenceTagger(epochs=2).fit(as_lists(X), y).predict(as_lists(X))


def test_a_block_of_three_dimensions_is_a_list_of_tables():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(6, 3, 2)), [["A", "B", "A"]] * 6
    assert SequenceTagger(epochs=2).fit(X, y).predict(X) == SequenceTagger(epochs=2).fit(list(X), y).predict(list(X))


def test_a_csr_matrix_is_not_changed():
    table = csr_matrix((np.array([1, 2, 3], np.float32), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    before = table.indices.tolist(), table.data.tolist()
    SequenceTagger(epochs=1).fit([table], [["A", "B"]])
    assert (table.indices.tolist(), table.data.tolist()) == before


@pytest.mark.parametrize("read", [list, as_lists, as_arrays], ids=["words", "lists", "arrays"])
@pytest.mark.parametrize("structure", ["chain", "choice"])
def test_empty_sequences_have_no_labels(read, structure):
    X, y = sentences()
    model = SequenceTagger(epochs=3, structure=structure).fit(read(X), y)
    empty = np.zeros((0, len(WORDS) + 1)) if read is as_arrays else []
    full = read(X[:2])
    mixed, labels = [empty, full[0], empty, empty, full[1], empty], [[], y[0], [], [], y[1], []]
    guess = model.predict(full)
    assert model.predict(mixed) == [[], guess[0], [], [], guess[1], []]
    assert [len(row) for row in model.predict_marginals(mixed)] == [0, len(X[0]), 0, 0, len(X[1]), 0]
    np.testing.assert_array_equal(model.predict_marginals(mixed)[4], model.predict_marginals(full)[1])
    p, q = model.predict_log_proba(full, y[:2])
    np.testing.assert_array_equal(model.predict_log_proba(mixed, labels), [0, p, 0, 0, q, 0])
    p, q = model.entropy(full)
    np.testing.assert_array_equal(model.entropy(mixed), [0, p, 0, 0, q, 0])
    assert model.score(mixed, labels) == model.score(full, y[:2])
    if structure == "chain":
        first, second = model.predict_kbest(full, 2)
        assert model.predict_kbest(mixed, 2) == [[(0.0, [])], first, [(0.0, [])], [(0.0, [])], second, [(0.0, [])]]
    assert model.predict([empty]) == [[]]
    assert model.predict([empty, empty]) == [[], []]
    assert model.entropy([empty]).tolist() == [0.0]
    with pytest.raises(InputError, match="sequence 2 has no token"):
        SequenceTagger(structure=structure).fit([*full, empty], [*y[:2], []])


# ---- refusals ------------------------------------------------------------------------------------------------------------------------

X3, Y3 = [["a", "b"], ["c"], ["a"]], [["A", "B"], ["B"], ["A"]]
WRONG = {
    "X a string": (("the cat", [["A"]]), {}, "X must be sequences"),
    "X a number": ((3, [["A"]]), {}, "X must be sequences"),
    "no sequence": (([], []), {}, "no sequence"),
    "sequences of strings": ((["the cat"], [["A"]]), {}, "give a list of tokens"),
    "sequences of None": (([None], [["A"]]), {}, "give a list of tokens"),
    "a sequence is a dict": (([{"a": 1}], [["A"]]), {}, "give a list of tokens"),
    "only an empty sequence": (([[]], [[]]), {}, "sequence 0 has no token"),
    "one array": ((np.ones(3), [["A"]]), {}, "Reshape your data"),
    "an array of one dimension": (([np.ones(3)], [["A"]]), {}, "1 dimensions"),
    "arrays of two widths": (([np.ones((1, 3)), np.ones((1, 2))], [["A"], ["B"]]), {}, "sequence 1 has 2 columns and sequence 0 has 3"),
    "words and features": (([["a"], [["f"]]], [["A"], ["B"]]), {}, "sequence 1 has features where the others have words"),
    "words in a sequence of features": (([[["f"], "a"]], [["A", "B"]]), {}, "sequence 0 has words where the others have features"),
    "numbers as tokens": (([[1, 2]], [["A", "B"]]), {}, "a token of sequence 0 is a int"),
    "bytes as tokens": (([[b"a"]], [["A"]]), {}, "a token of sequence 0 is a bytes"),
    "numbers in a list": (([[["f", 1]]], [["A"]]), {}, "must be strings"),
    "lists in a list": (([[["f", ["g"]]]], [["A"]]), {}, "must be strings"),
    "numbers in a tuple": (([[("a", 1)]], [["A"]]), {}, "must be strings"),
    "tuples of two widths": (([[("a",), ("b", "c")]], [["A", "B"]]), {}, "same number of strings"),
    "a feature's value is None": (([[{"f": None}]], [["A"]]), {}, "the feature 'f' has the value None"),
    "a feature's value is NaN": (([[{"f": float("nan")}]], [["A"]]), {}, "NaN or infinity"),
    "a value too large": (([[{"f": 1e300}]], [["A"]]), {}, "NaN or infinity"),
    "an array with infinity": (([np.array([[np.inf]])], [["A"]]), {}, "NaN or infinity"),
    "a table with text": ((np.array([["a", "b"], ["c", "d"]]), ["A", "B"]), {}, "table with text"),
    "names for other columns": ((X3, Y3), {"columns": ["word", "pos"]}, "1 column cannot have 2 names"),
    "fewer labels": ((X3, Y3[:2]), {}, "X has 3 sequences and y 2"),
    "ragged labels": ((X3, [["A", "B"], ["B", "A"], ["A"]]), {}, "sequence 1 has 1 token and 2 labels"),
    "labels a number": ((X3, 3), {}, "y must be sequences of labels"),
    "labels flat": ((X3, [1, 2, 3]), {}, "the labels of sequence 0 are a int"),
    "labels of a sequence a string": ((X3, ["AB", "B", "A"]), {}, "the labels of sequence 0 are a str"),
    "labels are lists": ((X3, [[["A"], "B"], ["B"], ["A"]]), {}, "must be strings or numbers"),
    "labels are NaN": ((X3, [[1.0, float("nan")], [1.0], [2.0]]), {}, "NaN or infinity"),
    "labels equal as text": ((X3, [[1, "1"], [1], [1]]), {}, "not distinct as text"),
    "no label is known": ((X3, [[None, None], ["?"], ["?"]]), {}, "some must be known"),
    "one label": ((X3, [["A", "A"], ["A"], ["A"]]), {}, "one label only"),
    "an unknown metric": ((X3, Y3), {"metric": "bleu"}, "metric 'bleu' is not known"),
    "an unknown learner": ((X3, Y3), {"learner": "genius"}, "learner 'genius' is not known"),
    "an unknown objective": ((X3, Y3), {"objective": "joy"}, "objective 'joy' is not known"),
    "an unknown structure": ((X3, Y3), {"structure": "tree"}, "structure 'tree' is not known"),
    "an unknown setting": ((X3, Y3), {"settings": {"speed": 3}}, "no setting 'speed'"),
    "a setting of another learner": ((X3, Y3), {"learner": "lbfgs", "average": True}, "no setting 'average'"),
    "unknown templates": ((X3, Y3), {"templates": "nowhere"}, "the sets are"),
    "no epochs": ((X3, Y3), {"epochs": 0}, "epochs is 0"),
    "a negative l2": ((X3, Y3), {"l2": -1.0}, "l2 is -1"),
    "too many bits": ((X3, Y3), {"hash_bits": 40}, "1 to 28 bits"),
    "bits and a cutoff": ((X3, Y3), {"hash_bits": 10, "cutoff": 2}, "without a cutoff"),
    "hinge by lbfgs": ((X3, Y3), {"learner": "lbfgs", "objective": "hinge"}, "smooth objective"),
    "a scheme for labels that are no spans": ((X3, Y3), {"labels": "bioes"}, "not a span tag"),
    "an unknown scheme": ((X3, Y3), {"constraints": "BMES"}, "no tag scheme 'BMES'"),
    "a pair of unknown labels": ((X3, Y3), {"constraints": [("A", "C")]}, "not a pair of known labels"),
    "constraints that leave nothing": ((X3, Y3), {"constraints": []}, "allow more pairs"),
    "gold that the constraints forbid": ((X3, Y3), {"constraints": [("A", "A"), ("B", "A")]}, "sequence 0, token 1: the label B"),
    "gold that may not begin": ((X3, Y3), {"constraints": lambda a, b: (a, b) != (None, "B")}, "sequence 1, token 0: the label B"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_refused_in_one_sentence(name):
    (X, y), parameters, sentence = WRONG[name]
    with pytest.raises(InputError) as refusal:
        SequenceTagger(**parameters).fit(X, y)
    text = str(refusal.value)
    assert sentence in text
    assert "\n" not in text


def test_weights_base_and_dev_are_checked():
    model = SequenceTagger(epochs=1)
    for weight in ([1, 1], [1, 1, -1], [1, 1, np.nan], ["a", "b", "c"], [[1], [1], [1]], [0, 0, 0]):
        with pytest.raises(InputError, match="sample_weight"):
            model.fit(X3, Y3, sample_weight=weight)
    base = [np.zeros((len(row), 2)) for row in X3]
    for wrong in (base[:2], [row.T if len(row) > 1 else row for row in base][::-1], [np.zeros((len(row), 3)) for row in X3], [["a"]] * 3):
        with pytest.raises(InputError, match="base"):
            model.fit(X3, Y3, base=wrong)
    with pytest.raises(InputError, match="finite"):
        model.fit(X3, Y3, base=[row + np.inf for row in base])
    with pytest.raises(InputError, match="dev is"):
        model.fit(X3, Y3, dev=X3)
    with pytest.raises(InputError, match="dev is"):
        model.fit(X3, Y3, base=base, dev=(X3, Y3))
    assert model.fit(X3, Y3, base=base, dev=(X3, Y3, base)).predict(X3, base=base)


def test_prediction_refuses_what_the_model_does_not_take():
    words, lists = SequenceTagger(epochs=1).fit(X3, Y3), SequenceTagger(epochs=1).fit(as_lists(X3), Y3)
    with pytest.raises(InputError, match="trained on sequences of words"):
        words.predict(as_lists(X3))
    with pytest.raises(InputError, match="trained on sequences of features"):
        lists.predict(X3)
    with pytest.raises(InputError, match="needs y"):
        words.predict_log_proba(X3)
    with pytest.raises(InputError, match="sequence 0 has 2 tokens and 1 label"):
        words.predict_log_proba(X3, [["A"], ["A"], ["B"]])
    with pytest.raises(InputError, match="does not know the label 'Z'"):
        words.predict_log_proba(X3, [["A", "Z"], ["A"], ["B"]])
    with pytest.raises(InputError, match="at least 1"):
        words.predict_kbest(X3, 0)
    with pytest.raises(InputError, match="labels"):
        words.span_proba(X3, [(0, 0, 1, "X")])
    with pytest.raises(InputError, match="trained on sequences of"):
        words.partial_fit(as_lists(X3), Y3)
    with pytest.raises(InputError, match="cannot go on as a choice"):
        words.set_params(structure="choice").partial_fit(X3, Y3)
    with pytest.raises(InputError, match="lbfgs"):
        SequenceTagger("lbfgs").partial_fit(X3, Y3)
    with pytest.raises(InputError, match="takes no sample_weight"):
        SequenceTagger(metric="f1", epochs=1).fit([["a", "b"]], [["B-X", "O"]]).score([["a"]], [["O"]], sample_weight=[1])
