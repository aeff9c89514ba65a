"""What is learnt, how it goes on, what may be unknown or forbidden, what a model answers; against enumeration where there is a number."""

import io
import itertools
import pickle
import pickletools

import joblib
import numpy as np
import pytest
from estimator_data import WORDS, as_arrays, as_lists, enumerated, sentences, spans

from widemargin import SequenceTagger
from widemargin.errors import InputError
from widemargin.features.growing import grown
from widemargin.features.sequences import read_sequences
from widemargin.objectives import OBJECTIVES
from widemargin.tasks.training import templates_of

READ = {"words": list, "lists": as_lists, "arrays": as_arrays}
TEMPLATES = "word[-1..1]\nsuffix(word, 2)[0]\nlabel[-1] word[0]\n"


def probabilities(model, X):
    return np.concatenate(model.predict_marginals(X))


def same_weights(one, other, tolerance=0.0):
    """Weights by name and label; what one of them lacks is 0."""
    keys = one.weights.keys() | other.weights.keys()
    assert keys
    np.testing.assert_allclose(
        [one.weights.get(key, 0.0) for key in keys], [other.weights.get(key, 0.0) for key in keys], rtol=0, atol=tolerance
    )
    assert one.transitions.keys() == other.transitions.keys()
    for pair, value in one.transitions.items():
        assert other.transitions[pair] == pytest.approx(value, abs=tolerance)


# ---- fit -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", READ.values(), ids=READ)
@pytest.mark.parametrize("learner", ["ops", "lbfgs", "perceptron", "mira", "sgd", "adadelta"])
def test_fit_learns_and_keeps_a_history(read, learner):
    X, y = sentences(30)
    model = SequenceTagger(learner, epochs=6).fit(read(X), y)
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]
    assert model.n_iter_ == len(model.history_)
    assert learner == "adadelta" or model.score(read(X), y) > 0.8  # which begins with very small steps
    assert list(model.classes_) == sorted({label for row in y for label in row}) == model.labels_


def test_the_best_epoch_on_dev_data_and_patience():
    X, y = sentences(30)
    dev = sentences(10, seed=3)
    model = SequenceTagger(epochs=30, patience=3).fit(X, y, dev=dev)
    scores = [epoch["dev"]["accuracy"] for epoch in model.history_]
    best = int(np.argmax(scores))
    assert len(scores) == min(30, best + 4)
    assert 100 * model.score(*dev) == pytest.approx(scores[best], abs=1e-3)
    same = SequenceTagger(epochs=best + 1).fit(X, y)
    assert same.weights == model.weights


def test_a_second_fit_forgets_the_first():
    X, y = sentences()
    model = SequenceTagger(epochs=3).fit([["x", "y"]], [["P", "Q"]]).partial_fit([["x"]], [["R"]]).fit(X, y)
    assert model.weights == SequenceTagger(epochs=3).fit(X, y).weights
    assert list(model.classes_) == ["A", "D", "N", "V"]
    model.partial_fit([["x"]], [["R"]])
    assert model.labels_ == ["A", "D", "N", "V", "R"]


def test_labels_stay_the_objects_that_they_were():
    X, y = sentences()
    for objects in (
        {"A": 0, "D": 1, "N": 2, "V": 3},
        {"A": -1.5, "D": 1.0, "N": 2.0, "V": 3.5},
        {"A": np.int64(7), "D": 1, "N": 2, "V": 3},
    ):
        numbers = [[objects[label] for label in row] for row in y]
        model = SequenceTagger(epochs=3).fit(X, numbers, dev=(X[:1], numbers[:1]))
        words = SequenceTagger(epochs=3).fit(X, y)
        found = {label for row in model.predict(X) for label in row}
        assert found <= set(objects.values())
        assert {type(label) for label in found} <= {int, float}
        assert sorted(model.classes_) == sorted(objects.values())
        assert model.score(X, numbers) == pytest.approx(np.mean([a == b for p, q in zip(model.predict(X), numbers) for a, b in zip(p, q)]))
        assert len(model.transitions) == len(words.transitions)


def test_random_state_is_the_order_of_sequences():
    X, y = sentences(20)
    one, same, other = (SequenceTagger(epochs=1, random_state=seed).fit(X, y) for seed in (3, 3, 4))
    assert one.weights == same.weights != other.weights
    assert SequenceTagger(epochs=1, random_state=np.random.RandomState(0)).fit(X, y).predict(X)


# ---- going on ------------------------------------------------------------------------------------------------------------------------

ONLINE = [("ops", {}), ("ops", {"average": True}), ("sgd", {}), ("perceptron", {}), ("mira", {}), ("adadelta", {"average": True})]


@pytest.mark.parametrize(("learner", "more"), ONLINE)
@pytest.mark.parametrize("l2", [0.0, 0.05])
def test_partial_fit_twice_is_two_epochs(learner, more, l2):
    """The same order of sequences, step sizes and averages go on: exactly the unmerged training, and the merged one up to rounding."""
    if l2 and learner in ("perceptron", "mira"):
        pytest.skip("takes no penalty")
    X, y = sentences(14)
    parameters = {"learner": learner, "l2": l2, "templates": TEMPLATES, "settings": {"dtype": "float64"}, **more}
    twice = SequenceTagger(**parameters).partial_fit(X, y).partial_fit(X, y)
    once = SequenceTagger(**parameters).partial_fit(X, y, epochs=2)
    same_weights(twice, once)
    assert [epoch["epoch"] for epoch in twice.history_] == [1, 2]
    same_weights(twice, SequenceTagger(epochs=2, **parameters).fit(X, y), 1e-5)
    same_weights(SequenceTagger(epochs=1, **parameters).fit(X, y).partial_fit(X, y), twice, 1e-5)


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_warm_start_goes_on_too(read):
    X, y = sentences(14)
    model = SequenceTagger(epochs=2, warm_start=True).fit(read(X), y)
    model.set_params(epochs=3).fit(read(X), y, dev=(read(X), y))
    assert len(model.history_) == 5
    assert "dev" in model.history_[-1]
    plain = SequenceTagger(epochs=5).fit(read(X), y)
    assert model.history_[-1]["loss"] == pytest.approx(plain.history_[-1]["loss"], rel=1e-3)


def test_lbfgs_starts_where_it_stopped():
    X, y = sentences(14)
    model = SequenceTagger("lbfgs", epochs=40, warm_start=True).fit(X, y)
    lowest = model.history_[-1]["loss"]
    model.set_params(epochs=2).fit(X, y)
    assert model.history_[-1]["loss"] <= lowest * (1 + 1e-5)


@pytest.mark.parametrize("read", [list, as_lists], ids=["words", "lists"])
@pytest.mark.parametrize(("learner", "more"), ONLINE)
def test_new_features_begin_as_if_they_had_always_been_there(read, learner, more):
    """Hashed features need no index and are all there from the start; stored ones are added when they come."""
    old, new = sentences(8, words=WORDS[:5]), sentences(8, seed=2)
    labels = ["A", "D", "N", "V"]
    parameters = {"learner": learner, "templates": "word[-1..1]\nsuffix(word, 2)[0]\n", "settings": {"dtype": "float64"}, **more}
    both = []
    for bits in (0, 20):
        model = SequenceTagger(hash_bits=bits, **parameters)
        both.append(model.partial_fit(read(old[0]), old[1], classes=labels).partial_fit(read(new[0]), new[1]))
    X = read(old[0] + new[0])
    assert both[0].predict(X) == both[1].predict(X)
    np.testing.assert_allclose(probabilities(both[0], X), probabilities(both[1], X), atol=1e-6)


def test_old_weights_stay_where_they_are_when_labels_and_features_come():
    X, y = sentences(8, words=WORDS[:5])
    model = SequenceTagger(templates=TEMPLATES, average=True).partial_fit(X, y, epochs=2)
    weights, transitions, planes, Y = model.weights, model.transitions, model._carry["planes"], len(model.labels_)
    names, edges = model.tagger_.extractor.nodes.names(), model.tagger_.extractor.edges.names()
    model.partial_fit([["new", "words"], ["the"]], [["P", "Q"], ["R"]], sample_weight=[0, 0])
    assert model.labels_[Y:] == ["P", "Q", "R"]
    assert not any(value for pair, value in model.transitions.items() if pair not in transitions)
    # the average is over more steps now, in which nothing moved: from the last weights, not from the averaged ones
    assert model.weights.keys() >= weights.keys()
    now, source = model._carry["planes"], model.tagger_.extractor
    assert source.nodes.names()[: len(names)] == names
    assert source.edges.names()[: len(edges)] == edges
    for plane, before in zip(now[:2], planes):
        np.testing.assert_array_equal(plane[: len(names), :Y], before[: len(names), :Y])
        blocks = plane[len(source.nodes) :].reshape(-1, Y + 3, plane.shape[1])[: 1 + len(edges), :Y, :Y]
        np.testing.assert_array_equal(blocks, before[len(names) :].reshape(-1, Y, before.shape[1])[:, :, :Y])
    assert (now[1][len(names) : len(source.nodes)] == now[1].max()).all()
    assert not now[0][len(names) : len(source.nodes)].any()


@pytest.mark.parametrize("learner", ["ops", "sgd", "mira"])
def test_predictions_do_not_move_when_nothing_is_learnt(learner):
    X, y = sentences(14)
    model = SequenceTagger(learner, average=False).partial_fit(X, y, epochs=3)
    before = probabilities(model, X)
    model.partial_fit(X, y, sample_weight=np.zeros(len(X)))
    np.testing.assert_array_equal(probabilities(model, X), before)
    model.partial_fit([["brand", "new"]], [["A", "N"]], sample_weight=[0.0])
    np.testing.assert_array_equal(probabilities(model, X), before)


def test_classes_that_come_later_can_be_named():
    X, y = sentences()
    model = SequenceTagger().partial_fit(X, y, classes=["A", "D", "N", "V", "Q"])
    assert model.labels_ == ["A", "D", "N", "Q", "V"]
    model.partial_fit([["q", "q"]] * 5, [["Q", "Q"]] * 5, epochs=5)
    assert model.predict([["q"]]) == [["Q"]]


def test_new_labels_and_features_are_learnt():
    X, y = sentences(20)
    for read in (list, as_lists):
        model = SequenceTagger().partial_fit(read(X), y)
        model.partial_fit(read([["zzz", "the"]] * 4), [["Z", "D"]] * 4, epochs=4)
        assert model.predict(read([["zzz", "the"]])) == [["Z", "D"]]
        assert model.predict(read([["the"]])) == [["D"]]


def test_grown_features_are_those_of_all_the_data():
    """Old numbers stay; what is new has its name; the table finds all of them again."""
    old, new = sentences(10, words=WORDS[:4])[0], sentences(10, seed=1)[0]
    for read in (list, as_lists):
        model = SequenceTagger(epochs=1, templates=TEMPLATES).fit(
            read(old), [["A" if i % 2 else "B" for i in range(len(row))] for row in old]
        )
        source = model.tagger_.extractor
        more, features = grown(source, read_sequences(read(new)))
        again = more.transform(read_sequences(read(new)))
        for part in ("node_ptr", "node_ind", "edge_ptr", "edge_ind"):
            np.testing.assert_array_equal(getattr(features, part), getattr(again, part))
        assert more.nodes.names()[: len(source.nodes)] == source.nodes.names()
        assert more.edges.names()[: len(source.edges)] == source.edges.names()
        both = type(source)(templates_of(TEMPLATES, ["word"])) if read is list else type(source)()
        both.fit(read_sequences(read(old + new)))
        assert set(more.nodes.names()) == set(both.nodes.names())
        assert set(more.edges.names()) == set(both.edges.names())
        assert len(more.nodes) == len(both.nodes)
        for name in both.nodes.names():
            assert more.nodes.name(more.nodes.find(name)) == name


def test_partial_fit_in_another_scheme_keeps_the_scheme_of_the_first_data():
    X, y = spans(10)
    model = SequenceTagger(labels="bioes", constraints="BIOES").partial_fit(X, y)
    model.partial_fit([["o0", "o1"]], [["O", "O"]])
    assert model.tagger_.scheme == "iob2"
    model.partial_fit([["m0", "m1"]] * 3, [["B-M", "I-M"]] * 3, epochs=5)
    assert model.predict([["m0", "m1"]]) == [["B-M", "I-M"]]
    with pytest.raises(InputError, match="cannot go on as as-is"):
        model.set_params(labels="as-is").partial_fit(X, y)


# ---- hashing, unknown labels, constraints --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [list, as_lists], ids=["words", "lists"])
def test_hashing_without_collisions_is_an_index(read):
    X, y = sentences(14)
    ask = read(sentences(8, seed=9)[0])
    stored, hashed = (SequenceTagger(epochs=3, templates=TEMPLATES, hash_bits=bits).fit(read(X), y) for bits in (0, 20))
    assert stored.predict(ask) == hashed.predict(ask)
    np.testing.assert_allclose(probabilities(stored, ask), probabilities(hashed, ask), atol=1e-5)
    assert sorted(np.round(list(stored.weights.values()), 4)) == pytest.approx(sorted(np.round(list(hashed.weights.values()), 4)), abs=2e-4)
    few = SequenceTagger(epochs=3, hash_bits=2).fit(read(X), y)
    assert len(few.tagger_.extractor.nodes) == 4
    few.partial_fit(read([["unseen"]]), [["Q"]])
    assert len(few.tagger_.extractor.nodes) == 4


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("structure", ["chain", "choice"])
def test_unknown_labels_are_latent(objective, structure):
    if structure == "choice" and objective in ("ramp", "jensen", "risk"):
        pytest.skip("one more compilation")
    X, y = sentences(20)
    hidden = [[label if (i + t) % 3 else ("?" if i % 2 else None) for t, label in enumerate(row)] for i, row in enumerate(y)]
    model = SequenceTagger(objective=objective, structure=structure, epochs=6).fit(X, hidden)
    assert list(model.classes_) == ["A", "D", "N", "V"]
    if objective not in ("ramp", "jensen", "risk"):  # which are flat or not convex where training begins
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


def may_follow(a, b):
    return (a, b) not in {("D", "D"), ("V", None), (None, "V"), ("N", "A")}


def pairs(labels):
    ends = [None, *labels]
    return [(a, b) for a in ends for b in ends if (a, b) != (None, None) and may_follow(a, b)]


def is_bio(labels):
    return all(b[0] != "I" or (a != "O" and a[2:] == b[2:]) for a, b in zip(["O", *labels], labels))


def legal_sentences(count=14):
    X, y = sentences(count)
    for row in y:
        for t, label in enumerate(row):
            if not may_follow(row[t - 1] if t else None, label) or (t == len(row) - 1 and not may_follow(label, None)):
                row[t] = "N"
    return X, y


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
    tagger, codes = model.tagger_, [model.labels_.index(label) for label in labels]
    features = tagger.features(read_sequences([x]))
    node = sum(
        tagger.weights.node[f, codes[t]] for t in range(len(x)) for f in features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]]
    )
    return float(node + sum(tagger.weights.edge[a, b] for a, b in itertools.pairwise(codes)))


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


# ---- base scores ---------------------------------------------------------------------------------------------------------------------


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
    scores, _ = first.tagger_.part_scores(read_sequences(X))
    base = np.split(scores, np.cumsum([len(row) for row in X])[:-1])
    second = SequenceTagger("sgd", rate=1e-9, epochs=1, structure="choice").fit(X, y, base=base)
    np.testing.assert_allclose(np.concatenate(second.predict_marginals(X, base=base)), probabilities(first, X), atol=1e-5)


# ---- on disk -------------------------------------------------------------------------------------------------------------------------


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
        assert other.tagger_.constraints == model.tagger_.constraints
        assert other.score(X, guess) > 0.5
        assert other.fit(X, guess).predict(X)


PLAIN = ("__builtin__ bytes", "__builtin__ object", "_codecs encode", "copy_reg _reconstructor", "widemargin.estimator SequenceTagger")


def test_a_pickle_holds_plain_data_only():
    """The class of the estimator, NumPy's arrays, and nothing else is looked up."""
    for _, _, model in models():
        found = [arg for op, arg, _ in pickletools.genops(pickle.dumps(model, protocol=2)) if op.name == "GLOBAL"]
        assert found
        for name in found:
            assert name in PLAIN or name.startswith("numpy"), name


# ---- looking inside ------------------------------------------------------------------------------------------------------------------


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
