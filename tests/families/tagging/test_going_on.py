"""Going on with more data: partial_fit, warm starts, new features and labels."""

import numpy as np
import pytest
from estimator_data import WORDS, as_lists, probabilities, sentences, spans

from widemargin import SequenceTagger
from widemargin.errors import InputError
from widemargin.families.tagging.training import templates_of
from widemargin.features.extend_index import grown
from widemargin.features.sequences import read_sequences

TEMPLATES = "word[-1..1]\nsuffix(word, 2)[0]\nlabel[-1] word[0]\n"


ONLINE = [("ops", {}), ("ops", {"average": True}), ("sgd", {}), ("perceptron", {}), ("mira", {}), ("adadelta", {"average": True})]


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
    for bits in (0, 16):
        model = SequenceTagger(hash_bits=bits, **parameters)
        both.append(model.partial_fit(read(old[0]), old[1], classes=labels).partial_fit(read(new[0]), new[1]))
    X = read(old[0] + new[0])
    assert both[0].predict(X) == both[1].predict(X)
    np.testing.assert_allclose(probabilities(both[0], X), probabilities(both[1], X), atol=1e-6)


def test_old_weights_stay_where_they_are_when_labels_and_features_come():
    X, y = sentences(8, words=WORDS[:5])
    model = SequenceTagger(templates=TEMPLATES, average=True).partial_fit(X, y, epochs=2)
    weights, transitions, planes, Y = model.weights, model.transitions, model._carry["planes"], len(model.labels_)
    names, edges = model.model_.extractor.nodes.names(), model.model_.extractor.edges.names()
    model.partial_fit([["new", "words"], ["the"]], [["P", "Q"], ["R"]], sample_weight=[0, 0])
    assert model.labels_[Y:] == ["P", "Q", "R"]
    assert not any(value for pair, value in model.transitions.items() if pair not in transitions)
    # the average is over more steps now, in which nothing moved: from the last weights, not from the averaged ones
    assert model.weights.keys() >= weights.keys()
    now, source = model._carry["planes"], model.model_.extractor
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
        source = model.model_.extractor
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
    assert model.model_.scheme == "iob2"
    model.partial_fit([["m0", "m1"]] * 3, [["B-M", "I-M"]] * 3, epochs=5)
    assert model.predict([["m0", "m1"]]) == [["B-M", "I-M"]]
    with pytest.raises(InputError, match="cannot go on as as-is"):
        model.set_params(labels="as-is").partial_fit(X, y)
