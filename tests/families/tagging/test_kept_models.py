"""Models on disk and in pickles, and looking inside them."""

import io
import itertools
import pickle

import joblib
import numpy as np
import pytest
from estimator_data import (
    READ,
    as_arrays,
    as_lists,
    legal_sentences,
    pairs,
    probabilities,
    sentences,
    spans,
)

from widemargin import SequenceTagger


def models():
    X, y = sentences(14)
    numbers = [["ADNV".index(label) for label in row] for row in y]
    yield "words", X, SequenceTagger(epochs=3).fit(X, y)
    yield "integer labels", X, SequenceTagger(epochs=3).fit(X, numbers)
    yield "arrays", as_arrays(X), SequenceTagger(epochs=3).fit(as_arrays(X), numbers)
    yield "lists, choice", as_lists(X), SequenceTagger(epochs=3, structure="choice").fit(as_lists(X), y)
    yield "hashed words", X, SequenceTagger(epochs=3, hash_bits=12).fit(X, y)
    yield "hashed lists", as_lists(X), SequenceTagger(epochs=3, hash_bits=12).fit(as_lists(X), y)
    X, y = legal_sentences()
    yield "pairs", X, SequenceTagger(epochs=3, constraints=pairs("ADNV")).fit(X, y)
    numbers = [["ADNV".index(label) for label in row] for row in y]
    allowed = [tuple(None if label is None else "ADNV".index(label) for label in pair) for pair in pairs("ADNV")]
    yield "pairs of integers", X, SequenceTagger(epochs=3, constraints=allowed).fit(X, numbers)
    X, y = spans()
    yield "bioes", X, SequenceTagger(epochs=3, labels="bioes", constraints="BIOES", metric="f1").fit(X, y)
    yield (
        "columns",
        [[(w, w[0]) for w in row] for row in X],
        SequenceTagger(epochs=3, columns=["form", "kind"], templates="form[0]\nkind[-1..1]\n").fit(
            [[(w, w[0]) for w in row] for row in X], y
        ),
    )


@pytest.mark.parametrize(("X", "model"), [pytest.param(X, model, id=name) for name, X, model in models()])
def test_saved_and_pickled_models_answer_the_same(X, model, tmp_path):
    path = str(tmp_path / "model.safetensors")
    assert model.save(path) > 0
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for other in (SequenceTagger.load(path), pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert other.predict(X) == model.predict(X)
        np.testing.assert_array_equal(probabilities(other, X), probabilities(model, X))
        assert other.labels_ == model.labels_
        assert list(other.classes_) == list(model.classes_)
        assert [type(k) for k in other.classes_.tolist()] == [type(k) for k in model.classes_.tolist()]
        assert other.history_ == model.history_
        assert getattr(other, "n_features_in_", None) == getattr(model, "n_features_in_", None)
        assert other.weights == model.weights
        guess = model.predict(X)
        other.partial_fit(X, guess)
        assert other.labels_ == model.labels_
        assert other.model_.constraints == model.model_.constraints
        assert other.score(X, guess) > 0.5
        assert other.fit(X, guess).predict(X)


@pytest.mark.parametrize("structure", ["chain", "choice"])
@pytest.mark.parametrize(
    "read", [*READ.values(), lambda X: [[{"len": len(w) / 3, w: -1.5} for w in row] for row in X]], ids=[*READ, "dicts"]
)
def test_explanations_add_up(read, structure):
    X, y = sentences(14)
    model = SequenceTagger(epochs=3, structure=structure).fit(read(X), y)
    for x in read(X)[:4]:
        why = model.explain(x)
        assert list(why.labels) == model.predict([x])[0]
        for decision in why.decisions:
            assert decision.margin >= -1e-6
            assert decision.margin == pytest.approx(sum(part.value for part in decision.comparison.contributions), abs=1e-5)
            both = model.predict_log_proba([x, x], [list(decision.comparison.ours), list(decision.comparison.theirs)])
            assert both[0] - both[1] == pytest.approx(decision.margin, abs=1e-4)


def test_weights_and_transitions_are_the_scores():
    X, y = sentences(14)
    X = as_lists(X)
    model = SequenceTagger(epochs=3).fit(X, y)
    weights, transitions = model.weights, model.transitions
    assert set(transitions) == set(itertools.product("ADNV", repeat=2))

    def score(x, labels):
        node = sum(weights.get((name, label), 0.0) for token, label in zip(x, labels) for name in token)
        return node + sum(transitions[pair] for pair in itertools.pairwise(labels))

    x, (one, other) = X[1], (["N"] * len(X[1]), ["D"] * len(X[1]))
    difference = np.subtract(*model.predict_log_proba([x, x], [one, other]))
    assert difference == pytest.approx(score(x, one) - score(x, other), abs=1e-4)
    assert SequenceTagger(epochs=1, structure="choice").fit(X, y).transitions == {}
