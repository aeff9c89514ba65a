"""Kernel models from data to file and back: predict, probabilities, explanations, commands, the estimator, and what they refuse."""

import dataclasses
import hashlib
import json

import numpy as np
import pytest

from widemargin import SequenceTagger, models
from widemargin.cli import main
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.explanations import SHARED, explain
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.pruning import pruned
from widemargin.readers.columns import from_sentences
from widemargin.scoring.kernels.kernel import Kernel
from widemargin.study.experiment import Bench

KERNELS = {"poly": Kernel("poly", 2, 0.5, 1.0), "tanh": Kernel("tanh", 2, 0.1, 0.0), "rbf": Kernel("rbf", 2, 0.1, 1.0)}
TEMPLATES = "word[-1..1]\nsuffix(word,1)\nbias\n"


def sentences(count: int, seed: int):
    """The label of a word is whether it and the word before share a letter: two features together, never one alone."""
    random, out = np.random.default_rng(seed), []
    for _ in range(count):
        words = [str(random.choice(["ab", "ac", "db", "dc"])) for _ in range(int(random.integers(2, 6)))]
        before = ["ab", *words]
        out.append([(word, "Y" if set(word) & set(last) else "N") for last, word in zip(before, words)])
    return out


TRAIN, TEST = (from_sentences(sentences(count, seed), names=("word", "label")) for count, seed in ((30, 1), (12, 2)))


def recipe(kernel="poly", learner="smo", **more):
    usual = {"epochs": 6} | ({"rate": 0.2} if learner == "sgd" else {})
    return Recipe(
        task="tag", learner=learner, objective="hinge", templates=TEMPLATES, l2=0.03, kernel=KERNELS[kernel], settings=usual | more
    )


def dense_scores(model, data):
    """The sum over support tokens, feature sets and formulas and all."""
    features, support, F = model.features(data), model.support, len(model.extractor.nodes)

    def incidence(ptr, ind):
        x = np.zeros((len(ptr) - 1, F))
        for t in range(len(x)):
            np.add.at(x[t], ind[ptr[t] : ptr[t + 1]], 1.0)
        return x

    a, b, kernel = incidence(features.node_ptr, features.node_ind), incidence(support.ptr, support.ind), support.kernel
    dots = a @ b.T
    gram = {
        "poly": (kernel.gamma * dots + kernel.coef) ** kernel.degree,
        "tanh": np.tanh(kernel.gamma * dots + kernel.coef),
        "rbf": np.exp(-kernel.gamma * ((a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * dots)),
    }[kernel.kind]
    return gram @ support.alpha[:, : len(model.labels)].astype(float)


@pytest.mark.parametrize("learner", ["smo", "sgd", "perceptron"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_model_saves_loads_and_answers(kernel, learner, tmp_path):
    plan = recipe(kernel, learner) if learner != "perceptron" else dataclasses.replace(recipe(kernel, learner), objective=None, l2=None)
    model = train(plan, TRAIN, dev=TEST)
    path = str(tmp_path / "model.safetensors")
    model.save(path)
    again = Tagger.load(path)
    assert models.load(path)[0]["format"] == 5
    assert again.support.kernel == KERNELS[kernel]
    np.testing.assert_array_equal(again.predict_codes(TEST), model.predict_codes(TEST))
    np.testing.assert_array_equal(again.marginals(TEST), model.marginals(TEST))
    np.testing.assert_allclose(again.support.scores(again.features(TEST))[:, :2], dense_scores(again, TEST), atol=1e-5)
    node, _ = again.part_scores(TEST)
    np.testing.assert_allclose(node, dense_scores(again, TEST), atol=1e-4)
    kept = next(h for h in model.facts["history"] if h["epoch"] == model.facts["epoch"])
    assert again.evaluate(TEST)["accuracy"] == pytest.approx(kept["dev"]["accuracy"], abs=1e-3)
    best = [found[0][1] for found in again.kbest(TEST, 2)]
    codes, values = again.predict(TEST)
    assert [label for labels in best for label in labels] == [values[c] for c in codes]
    np.testing.assert_array_equal(again.predict_codes(TEST, threads=3), model.predict_codes(TEST))


def test_two_features_together_need_a_kernel():
    kernel = train(recipe("poly", "smo", epochs=60), TRAIN).evaluate(TEST)["accuracy"]
    linear = train(dataclasses.replace(recipe("poly", "smo", epochs=60), kernel=Kernel()), TRAIN).evaluate(TEST)["accuracy"]
    assert linear < 95.0 <= kernel


def test_support_tokens_stood_where_they_say():
    model = train(recipe(), TRAIN)
    features = model.features(TRAIN)
    for u, (sentence, token) in enumerate(model.support.place):
        t = TRAIN.row_ptr[sentence] + token
        own = model.support.ind[model.support.ptr[u] : model.support.ptr[u + 1]]
        np.testing.assert_array_equal(own, features.node_ind[features.node_ptr[t] : features.node_ptr[t + 1]])
    assert 0 < len(model.support) <= len(features)


def test_explanations_add_up():
    model = train(recipe(), TRAIN)
    found = explain(model, TEST, 1)
    assert found.labels == tuple(model.labels[c] for c in model.predict_codes(TEST)[TEST.row_ptr[1] : TEST.row_ptr[2]])
    for decision in found.decisions:
        assert sum(c.value for c in decision.comparison.contributions) == pytest.approx(decision.margin, abs=1e-5)
        names = [c.feature for c in decision.comparison.contributions]
        assert all(name == SHARED or name.startswith("training sentence ") for name in names)
        assert any("shares " in name for name in names)


def test_an_interrupted_training_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    for learner in ("smo", "sgd"):
        plan, path = recipe("poly", learner, **({"tolerance": 0.0} if learner == "smo" else {})), tmp_path / learner

        def digest(model, path=path):
            model.save(str(path))
            return hashlib.sha256(path.read_bytes()).hexdigest()

        whole = digest(train(plan, TRAIN))

        def stop(facts):
            if facts["epoch"] == 3:
                raise KeyboardInterrupt

        checkpoint = str(path) + ".checkpoint"
        with pytest.raises(KeyboardInterrupt):
            train(plan, TRAIN, listen=stop, checkpoint=checkpoint, every=0)
        assert digest(train(plan, TRAIN, checkpoint=checkpoint, every=0, resume=True)) == whole


def test_refusals(tmp_path):
    model, plain = train(recipe(), TRAIN), dataclasses.replace(recipe(), kernel=Kernel(), learner="ops")
    with pytest.raises(InputError, match="use smo, sgd, perceptron or mira, or write the kernel out"):
        train(dataclasses.replace(recipe(), learner="ops"), TRAIN)
    with pytest.raises(InputError, match="cannot be pruned"):
        pruned(model, threshold=0.0)
    with pytest.raises(InputError, match="nor another from it"):
        train(plain, TRAIN, start=model)
    with pytest.raises(InputError, match="compared on features"):
        Bench(recipe(), TRAIN)


def write(path, columns):
    rows = [" ".join(cells) for cells in zip(columns.cells(0), columns.cells(1))]
    ends = set(columns.row_ptr[1:].tolist())
    path.write_text("".join(row + ("\n\n" if t in ends else "\n") for t, row in enumerate(rows, 1)))
    return str(path)


def test_commands(tmp_path, capsys):
    data, held, model = write(tmp_path / "train.txt", TRAIN), write(tmp_path / "test.txt", TEST), str(tmp_path / "m.safetensors")
    (tmp_path / "t.txt").write_text(TEMPLATES.replace("word", "0"))
    base = ["train", "tag", data, "--columns", "word,label", "--templates", str(tmp_path / "t.txt"), "--l2", "0.03", "-o", model]
    (tmp_path / "t.txt").write_text(TEMPLATES)
    assert main([*base, "--learner", "smo", "--set", "kernel=poly,degree=2", "--epochs", "20", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["history"][-1]["dual"] <= facts["history"][-1]["primal"]
    assert main(["evaluate", model, held, "--columns", "word,label", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"] > 90.0
    assert main(["inspect", model]) == 0
    shown = capsys.readouterr().out
    assert "kernel=poly degree=2" in shown
    assert "training sentence" in shown
    assert main(["explain", model, held, "--columns", "word,label"]) == 0
    assert "shares word[0]=" in capsys.readouterr().out
    assert main(["inspect", model, "--search", "word"]) == 2
    assert main([*base, "--learner", "sgd", "--objective", "softmax-margin", "--set", "kernel=rbf,gamma=0.1,rate=0.3"]) == 0
    assert main([*base, "--learner", "bcfw", "--set", "kernel=tanh"]) == 2
    assert "use smo, sgd, perceptron or mira" in capsys.readouterr().err


def test_the_estimator(tmp_path):
    X = [[(word,) for word, _ in sentence] for sentence in sentences(30, 1)]
    y = [[label for _, label in sentence] for sentence in sentences(30, 1)]
    own = {"learner": "smo", "l2": 0.03, "templates": TEMPLATES, "columns": ["word"], "epochs": 20}
    tagger = SequenceTagger(**own, settings={"kernel": "poly", "degree": 2, "gamma": 0.5}).fit(X, y)
    assert tagger.score(X, y) > 0.95
    path = str(tmp_path / "model.safetensors")
    tagger.save(path)
    again = SequenceTagger.load(path)
    assert again.settings["kernel"] == "poly"
    assert again.predict(X) == tagger.predict(X)
    assert again.fit(X, y).predict(X) == tagger.predict(X)
    assert again.explain(X[0]).decisions
    with pytest.raises(InputError, match="no weights of features"):
        tagger.weights  # noqa: B018
    with pytest.raises(InputError, match="sweeps over all data"):
        tagger.partial_fit(X, y)
    choice = SequenceTagger(**own, structure="choice", settings={"kernel": "poly", "gamma": 0.5}).fit(X, y)
    assert np.mean([a == b for p, q in zip(choice.predict(X), y) for a, b in zip(p, q)]) > 0.8
