"""What may be unknown, forbidden or given: hashing, hidden labels, constraints, base scores; often against enumeration."""

import itertools

import numpy as np
import pytest
from estimator_data import as_lists, enumerated, is_bio, legal_sentences, may_follow, pairs, probabilities, sentences, spans
from modes import cases

from widemargin import SequenceTagger
from widemargin.engine.objectives import OBJECTIVES
from widemargin.errors import InputError
from widemargin.features.sequences import read_sequences

LATENT = [name for name in OBJECTIVES if name != "slack"]  # which refuses unknown labels
UNSURE = ("ramp", "jensen", "risk", "rm")  # flat or not convex where training begins
TEMPLATES = "word[-1..1]\nsuffix(word, 2)[0]\nlabel[-1] word[0]\n"


@pytest.mark.parametrize("read", [list, as_lists], ids=["words", "lists"])
def test_hashing_without_collisions_is_an_index(read):
    X, y = sentences(14)
    ask = read(sentences(8, seed=9)[0])
    stored, hashed = (SequenceTagger(epochs=3, templates=TEMPLATES, hash_bits=bits).fit(read(X), y) for bits in (0, 16))
    assert stored.predict(ask) == hashed.predict(ask)
    np.testing.assert_allclose(probabilities(stored, ask), probabilities(hashed, ask), atol=1e-5)
    assert sorted(np.round(list(stored.weights.values()), 4)) == pytest.approx(sorted(np.round(list(hashed.weights.values()), 4)), abs=2e-4)
    few = SequenceTagger(epochs=3, hash_bits=2).fit(read(X), y)
    assert len(few.model_.extractor.nodes) == 4
    few.partial_fit(read([["unseen"]]), [["Q"]])
    assert len(few.model_.extractor.nodes) == 4


@pytest.mark.parametrize(
    ("structure", "objective"), cases(["chain", "choice"], LATENT, wide=lambda s, o: o == "rm" or (s == "choice" and o in UNSURE))
)
def test_unknown_labels_are_latent(objective, structure):
    X, y = sentences(20)
    hidden = [[label if (i + t) % 3 else ("?" if i % 2 else None) for t, label in enumerate(row)] for i, row in enumerate(y)]
    model = SequenceTagger(objective=objective, structure=structure, epochs=6).fit(X, hidden)
    assert list(model.classes_) == ["A", "D", "N", "V"]
    if objective not in UNSURE:
        assert model.score(X, y) > 0.6
    assert all(np.isfinite(epoch["loss"]) for epoch in model.history_)
    known = [(a, b) for row, guess in zip(hidden, model.predict(X)) for a, b in zip(row, guess) if a not in (None, "?")]
    assert model.score(X, hidden) == pytest.approx(np.mean([a == b for a, b in known]))


def test_an_unknown_label_is_summed_over():
    X, y = sentences()
    model = SequenceTagger("lbfgs").fit(X, y)
    x = ["the", "cat", "sees"]
    table = enumerated(model, x)
    assert sum(map(np.exp, table.values())) == pytest.approx(1, abs=1e-5)
    found = model.predict_log_proba([x], [["D", None, "?"]])[0]
    assert np.exp(found) == pytest.approx(sum(np.exp(p) for labels, p in table.items() if labels[0] == "D"), rel=1e-5)
    marginals = model.predict_marginals([x], as_dicts=True)[0]
    for t, k in itertools.product(range(3), model.labels_):
        assert marginals[t][k] == pytest.approx(sum(np.exp(p) for labels, p in table.items() if labels[t] == k), abs=1e-5)
    p = np.exp(list(table.values()))
    assert model.entropy([x])[0] == pytest.approx(-(p * np.log(p)).sum(), rel=1e-4)
    best = sorted(table.items(), key=lambda pair: -pair[1])
    kbest = model.predict_kbest([x], 7)[0]
    assert len(kbest) == 7
    for (value, labels), (expected, log_p) in zip(kbest, best):
        assert value == pytest.approx(log_p, abs=1e-4)
        assert model.predict_log_proba([x], [labels])[0] == pytest.approx(value, abs=1e-4)
        assert tuple(labels) == expected
    assert sum(np.exp(value) for value, _ in kbest) <= 1 + 1e-6
    every = model.predict_kbest([x], 1000)[0]
    assert len(every) == 64
    assert sum(np.exp(value) for value, _ in every) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("objective", ["likelihood", "hinge"])
@pytest.mark.parametrize("spec", ["pairs", "rule", "BIO"])
def test_constraints_are_inside_the_partition_function(spec, objective):
    """In prediction and in training: the legal sequences are all there are."""
    X, y = spans() if spec == "BIO" else legal_sentences()
    given = {"pairs": pairs("ADNV"), "rule": may_follow, "BIO": "BIO"}[spec]
    model = SequenceTagger("ops", objective=objective, epochs=3, constraints=given).fit(X, y)
    legal = is_bio if spec == "BIO" else lambda labels: all(itertools.starmap(may_follow, itertools.pairwise([None, *labels, None])))
    for length in (1, 2, 3):
        x = (X[0] * 3)[:length]
        table = enumerated(model, x)
        assert {labels for labels, p in table.items() if p > -np.inf} == {labels for labels in table if legal(labels)}
        assert sum(map(np.exp, table.values())) == pytest.approx(1, abs=1e-5)
        assert tuple(model.predict([x])[0]) == max(table, key=table.get)
        assert all(legal(labels) for _, labels in model.predict_kbest([x], 5)[0])
        score = {labels: path_score(model, x, labels) for labels in table if legal(labels)}
        log_z = np.logaddexp.reduce(list(score.values()))
        for labels, value in score.items():
            assert table[labels] == pytest.approx(value - log_z, abs=1e-4)
    assert all(legal(labels) for labels in model.predict(sentences(20, seed=8)[0]))


def path_score(model, x, labels):
    """By weights and transitions alone."""
    tagger, codes = model.model_, [model.labels_.index(label) for label in labels]
    features = tagger.features(read_sequences([x]))
    node = sum(
        tagger.weights.labels[f, codes[t]]
        for t in range(len(x))
        for f in features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]]
    )
    return float(node + sum(tagger.weights.transitions[a, b] for a, b in itertools.pairwise(codes)))


def test_the_loss_of_constrained_training_is_that_of_the_legal_sequences():
    """The mean of -log P of the gold, all sequences but the legal ones left out, by lbfgs's own value and by asking the model."""
    X, y = legal_sentences()
    model = SequenceTagger("lbfgs", l2=0.0, epochs=5, constraints=may_follow, settings={"dtype": "float64"}).fit(X, y)
    assert -model.predict_log_proba(X, y).mean() == pytest.approx(model.history_[-1]["loss"], rel=1e-5)
    hidden = [[None if t == 1 else label for t, label in enumerate(row)] for row in y]
    latent = SequenceTagger("lbfgs", l2=0.0, epochs=3, constraints=may_follow, settings={"dtype": "float64"}).fit(X, hidden)
    assert -latent.predict_log_proba(X, hidden).mean() == pytest.approx(latent.history_[-1]["loss"], rel=1e-5)


def test_unknown_labels_that_no_legal_sequence_can_fill_are_refused():
    X = [["a", "b", "c"], ["a"], ["b"]]
    with pytest.raises(InputError, match="sequence 0, token 2: the label A makes a sequence"):
        SequenceTagger(constraints=[("A", "B"), ("B", "C"), ("C", "A")]).fit(X, [["A", None, "A"], ["B"], ["C"]])
    SequenceTagger(constraints=[("A", "B"), ("B", "C"), ("C", "A")]).fit(X, [["A", None, "C"], ["B"], ["C"]])
    # an objective that never asks for the gold's own score can do without it
    SequenceTagger(objective="jensen", constraints=[("A", "B"), ("B", "C"), ("C", "A")]).fit(X, [["A", "A", "A"], ["B"], ["C"]])


def test_bioes_inside_and_probabilities_of_spans():
    X, y = spans(20)
    model = SequenceTagger("lbfgs", labels="bioes", constraints="BIOES", metric="f1").fit(X, y)
    assert model.score(X, y) > 0.9
    assert all(is_bio(labels) for labels in model.predict(X))
    assert {label[0] for label in model.labels_} > {"S"}
    iob2 = SequenceTagger("lbfgs", labels="iob2", constraints="BIO").fit(X, y)
    x = ["p0", "p1", "l0"]
    for m, scheme in ((model, "bioes"), (iob2, "iob2")):
        paths = m.predict_kbest([x], 10_000)[0]
        assert sum(np.exp(value) for value, _ in paths) == pytest.approx(1, abs=1e-4)
        for begin, end, kind in ((0, 2, "P"), (0, 1, "P"), (2, 3, "L")):
            wanted = [f"B-{kind}"] + [f"I-{kind}"] * (end - begin - 1)
            expected = sum(
                np.exp(value) for value, labels in paths if labels[begin:end] == wanted and labels[end : end + 1] != [f"I-{kind}"]
            )
            assert m.span_proba([[], x], [(1, begin, end, kind)])[0] == pytest.approx(expected, abs=1e-4), scheme


def test_base_scores_that_know_the_answer_leave_nothing_to_learn():
    X, y = sentences()
    known = [np.array([[20.0 * (label == k) for k in "ADNV"] for label in row]) for row in y]
    model = SequenceTagger("perceptron", epochs=2).fit(X, y, base=known)
    assert not model.weights
    assert model.predict(X, base=known) == y
    assert model.score(X, y, base=known) == 1.0
    assert model.predict_kbest(X, 1, base=known)[0][0][1] == y[0]
    assert model.predict_log_proba(X, y, base=known).max() > -1e-3
    for ask in (model.predict, model.predict_marginals, model.predict_kbest, model.entropy):
        with pytest.raises(InputError, match="on top of base scores"):
            ask(X)
    with pytest.raises(InputError, match="on top of base scores"):
        model.explain(X[0])


def test_base_scores_are_weights_that_do_not_move():
    """A base made of another model's scores, and nothing learnt on top, is that model."""
    X, y = sentences(14)
    first = SequenceTagger(epochs=3, structure="choice").fit(X, y)
    scores, _ = first.model_.part_scores(read_sequences(X))
    base = np.split(scores, np.cumsum([len(row) for row in X])[:-1])
    second = SequenceTagger("sgd", rate=1e-9, epochs=1, structure="choice").fit(X, y, base=base)
    np.testing.assert_allclose(np.concatenate(second.predict_marginals(X, base=base)), probabilities(first, X), atol=1e-5)
