"""Training on a slice of the embedded corpus: what a model can do, and that nothing but the recipe decides its bytes."""

import dataclasses
import hashlib
import io

import numpy as np
import pytest

from widemargin.corpora import town
from widemargin.errors import InputError
from widemargin.readers import schemes
from widemargin.readers.columns import Columns, from_sentences, read_columns
from widemargin.tasks.tagger import Tagger
from widemargin.tasks.training import Recipe, train


def part(name: str, sentences: int) -> Columns:
    text = town.columns_text(name, sentences=sentences)
    return read_columns(io.BytesIO(text.encode()), names=("word", "pos", "chunk", "entity"))


TRAIN, DEV = part("train", 300), part("dev", 60)
NER = Recipe(task="ner", templates="word[-1..1]\npos[-1..1]\nshape(word)[-1..1]\nsuffix(word,3)\n", settings={"epochs": 4})


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return train(NER, TRAIN, dev=DEV)


def digest(model: Tagger, path) -> str:
    model.save(str(path))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_few_epochs_learn_something(tagger):
    metrics = tagger.evaluate(DEV)
    assert metrics["f1"] > 60
    assert tagger.facts["history"][-1]["loss"] < 0.5 * tagger.facts["history"][0]["loss"]
    best = max(h["dev"]["f1"] for h in tagger.facts["history"])
    assert metrics["f1"] == pytest.approx(best, abs=1e-3)


def test_predictions_come_in_the_scheme_of_the_file_and_are_legal(tagger):
    codes, values = tagger.predict(DEV)
    assert tagger.inside == "bioes"
    assert tagger.scheme == "iob2"
    schemes.check(codes, values, DEV.row_ptr, "iob2")
    own = tagger.predict_codes(DEV)
    start, step, stop = schemes.legal(list(tagger.labels), "bioes")
    for low, high in zip(DEV.row_ptr, DEV.row_ptr[1:]):
        row = own[low:high]
        assert start[row[0]]
        assert stop[row[-1]]
        assert step[row[:-1], row[1:]].all()


def test_a_saved_model_answers_the_same(tagger, tmp_path):
    path = tmp_path / "model.safetensors"
    tagger.save(str(path))
    again = Tagger.load(str(path))
    assert np.array_equal(again.predict_codes(DEV), tagger.predict_codes(DEV))
    assert again.facts == tagger.facts
    assert digest(again, tmp_path / "again.safetensors") == digest(tagger, path)


def test_threads_do_not_change_predictions(tagger):
    one = tagger.predict_codes(DEV)
    for threads in (2, 4):
        assert np.array_equal(tagger.predict_codes(DEV, threads=threads), one)
        assert np.array_equal(tagger.marginals(DEV, threads=threads), tagger.marginals(DEV))


def test_marginals_are_probabilities(tagger):
    chance = tagger.marginals(DEV)
    assert chance.shape == (len(DEV), len(tagger.labels))
    assert chance.min() >= 0
    assert np.allclose(chance.sum(axis=1), 1, atol=1e-4)


def test_the_best_of_k_is_the_prediction_and_scores_fall(tagger):
    codes, values = tagger.predict(DEV)
    for found, low, high in zip(tagger.kbest(DEV, 4), DEV.row_ptr, DEV.row_ptr[1:]):
        assert found[0][1] == [values[c] for c in codes[low:high]]
        scores = [score for score, _ in found]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(labels) for _, labels in found}) == len(found)


@pytest.mark.parametrize("learner", ["ops", "lbfgs"])
def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads(learner, tmp_path):
    recipe = dataclasses.replace(NER, learner=learner, settings={"epochs": 3})
    digests = {digest(train(recipe, TRAIN, dev=DEV, threads=threads), tmp_path / f"{threads}.safetensors") for threads in (1, 2, 4)}
    assert len(digests) == 1


def test_another_seed_gives_another_model(tagger):
    other = train(dataclasses.replace(NER, settings={"epochs": 4, "seed": 2}), TRAIN, dev=DEV)
    assert not np.array_equal(other.weights.node, tagger.weights.node)


def test_patience_stops_early_and_keeps_the_best():
    model = train(dataclasses.replace(NER, settings={"epochs": 30, "patience": 2}), TRAIN, dev=DEV)
    history = model.facts["history"]
    assert len(history) < 30
    assert model.facts["epoch"] == len(history) - 2
    assert "no better development score" in model.facts["stopped"]


def test_a_model_to_start_from_is_continued(tagger):
    more = train(dataclasses.replace(NER, settings={"epochs": 1}), TRAIN, start=tagger)
    assert more.labels == tagger.labels
    assert len(more.extractor.nodes) == len(tagger.extractor.nodes)
    # it begins where the other ended, far below a first epoch's loss
    assert more.facts["history"][0]["loss"] < 0.5 * tagger.facts["history"][0]["loss"]


def test_resuming_from_any_checkpoint_gives_the_same_bytes(tmp_path):
    path = tmp_path / "state.checkpoint"

    class Stop(Exception):
        pass

    def stop_after(epoch):
        def listen(facts):
            if facts["epoch"] == epoch:
                raise Stop

        return listen

    whole = digest(train(NER, TRAIN, dev=DEV), tmp_path / "whole.safetensors")
    for epoch in (2, 4):
        with pytest.raises(Stop):
            train(NER, TRAIN, dev=DEV, listen=stop_after(epoch), checkpoint=str(path), every=0)
        assert path.exists()
        model = train(NER, TRAIN, dev=DEV, checkpoint=str(path), every=0, resume=True)
        assert digest(model, tmp_path / "resumed.safetensors") == whole
        path.unlink()


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    path = str(tmp_path / "state.checkpoint")

    class Stop(Exception):
        pass

    def listen(facts):
        if facts["epoch"] == 2:
            raise Stop

    with pytest.raises(Stop):
        train(NER, TRAIN, listen=listen, checkpoint=path, every=0)
    with pytest.raises(InputError, match="other data or other settings"):
        train(dataclasses.replace(NER, cost="hamming*2"), TRAIN, checkpoint=path, every=0, resume=True)


def hidden(columns: Columns, share: float) -> Columns:
    """The same columns with a share of the labels replaced by `?`."""
    rng = np.random.default_rng(0)
    cells = [columns.cells(i) for i in range(4)]
    cells[3] = [label if rng.random() > share else "?" for label in cells[3]]
    rows = [list(zip(*(column[low:high] for column in cells))) for low, high in zip(columns.row_ptr, columns.row_ptr[1:])]
    return from_sentences(rows, names=columns.names)


@pytest.mark.parametrize("objective", ["hinge", "softmax-margin"])
def test_unknown_labels_are_latent(objective):
    recipe = dataclasses.replace(NER, objective=objective, constraints="none")
    model = train(recipe, hidden(TRAIN, 0.3))
    assert "?" not in model.labels
    assert model.evaluate(DEV)["f1"] > 50


def test_observation_dependent_transitions_help_or_at_least_work(tmp_path):
    recipe = dataclasses.replace(NER, templates="word[0]\nlabel[-1] shape(word)\nlabel[-1] pos[0]\n", cutoff=2)
    model = train(recipe, TRAIN, dev=DEV)
    assert len(model.extractor.edges) > 0
    assert model.evaluate(DEV)["f1"] > 50
    model.save(str(tmp_path / "edges.safetensors"))
    assert np.array_equal(Tagger.load(str(tmp_path / "edges.safetensors")).predict_codes(DEV), model.predict_codes(DEV))


def test_a_choice_decides_every_token_by_itself():
    recipe = Recipe(task="tag", structure="choice", templates="word[-1..1]\nsuffix(word,2)\n", label_column="pos", settings={"epochs": 3})
    model = train(recipe, TRAIN, dev=DEV)
    assert model.evaluate(DEV)["accuracy"] > 80
    with pytest.raises(InputError, match="need a chain"):
        model.kbest(DEV, 2)


def test_more_recall_please():
    counts = []
    for cost in ("miss=0.2", "miss=5"):
        model = train(dataclasses.replace(NER, cost=cost, settings={"epochs": 3, "rate": 0.03}), TRAIN)
        metrics = model.evaluate(DEV)
        counts.append(metrics["recall"] - metrics["precision"])
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"objective": "hingle"}, "objective 'hingle' is not known; choose one of perceptron, hinge"),
        ({"learner": "adam"}, "learner 'adam' is not known; choose one of perceptron, mira"),
        ({"structure": "tree"}, "structure 'tree' is not known; choose one of chain, choice"),
        ({"learner": "lbfgs", "objective": "hinge"}, "lbfgs needs a smooth objective"),
        ({"learner": "mira", "l2": 0.1}, "mira takes no penalty"),
        ({"settings": {"speed": 3}}, "ops has no setting 'speed'; its settings are epochs, rate"),
        ({"settings": {"epochs": "many"}}, "epochs=many is not a int"),
        ({"templates": "worm[0]\n"}, "there is no column 'worm'"),
        ({"label_column": "lemma"}, "lemma"),
        ({"task": "parse"}, "task 'parse' is not known; choose one of chunk, ner, tag"),
    ],
)
def test_refusals_say_what_would_work(change, sentence):
    with pytest.raises(InputError, match=sentence):
        train(dataclasses.replace(NER, **change), TRAIN)


def test_one_label_is_nothing_to_decide():
    columns = from_sentences([[("a", "X"), ("b", "X")]], names=("word", "label"))
    with pytest.raises(InputError, match="one label only"):
        train(Recipe(task="tag", templates="word[0]\n"), columns)
