"""Taggers with the polynomial kernel written out: they minimise F in the kernel's space, and everything that taggers can do, they can."""

import dataclasses
import io
import pickle

import numpy as np
import pytest
from modes import only_in_test_all

from widemargin import SequenceTagger
from widemargin.corpora import town
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.explanations import explain
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.posed import Material, pose
from widemargin.families.tagging.pruning import kept_features, pruned
from widemargin.families.tagging.training import read_gold
from widemargin.features.expansion import Expansion
from widemargin.features.extractor import Extractor
from widemargin.features.templates import parse_templates
from widemargin.learners import learner_named
from widemargin.readers.columns import read_columns
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.kernels import Kernel
from widemargin.scoring.kernels.kernel import kernel_settings
from widemargin.scoring.score import Linear


def part(name: str, sentences: int):
    text = town.columns_text(name, sentences=sentences)
    return read_columns(io.BytesIO(text.encode()), names=("word", "pos", "chunk", "entity"))


TRAIN, DEV = part("train", 40), part("dev", 30)
TEMPLATES = "word[-1..1]\npos[0]\npos[-1] pos[0]\nlabel[-1] pos[0]\n"
KERNEL = Kernel("poly", 2, 0.5, 0.7)
RECIPE = Recipe("ner", "ops", templates=TEMPLATES, kernel=KERNEL, expand=True, settings={"epochs": 3})


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return train(RECIPE, TRAIN)


class Rounded(Expansion):
    """With values that float32 holds, as its twin has them: max objectives decide ties by the last bit."""

    @property
    def copies(self):
        return np.sqrt(super().copies).astype(np.float32).astype(np.float64) ** 2


def posed(recipe: Recipe, *, valued: bool):
    """The problem of a recipe; valued: without merging, and with the square roots of A_k as values of features, as the formula says."""
    source = Rounded(Extractor(parse_templates(TEMPLATES, columns=TRAIN.names)), KERNEL)
    features = source.fit(TRAIN)
    gold = read_gold(recipe, TRAIN)
    problem = pose(recipe, Material(gold, source, features)).problem
    if valued:
        values = np.sqrt(source.copies)[features.node_ind].astype(np.float32)
        plain = dataclasses.replace(features, node_val=values)
        problem.corpus = build_corpus(plain, gold.codes, nodes=len(source.nodes), edges=len(source.edges), merged=False)
    return problem, source


def per_feature(w: np.ndarray, problem, source: Expansion, *, valued: bool) -> np.ndarray:
    """What each conjunction adds to scores [K, L], from a learner's weights."""
    node, corpus = problem.linear(w).labels, problem.corpus
    return node * np.sqrt(source.copies)[:, None] if valued else node[corpus.node.into] * corpus.node.share[:, None]


@pytest.mark.parametrize(
    ("learner", "objective", "settings"),
    [
        ("sgd", "hinge", {"epochs": 3, "dtype": "float64", "rate": 0.05, "average": True}),
        ("lbfgs", "likelihood", {"epochs": 300, "delta": 1e-12}),
        *only_in_test_all(
            ("sgd", "softmax-margin", {"epochs": 3, "dtype": "float64", "skip": 0.0, "rate": 0.05}),
            ("bcfw", "hinge", {"epochs": 3}),
        ),
    ],
)
def test_learners_step_in_the_kernel_s_space(learner, objective, settings):
    recipe = dataclasses.replace(RECIPE, learner=learner, objective=objective, l2=1e-2, settings=settings)
    answers, values = [], []
    for valued in (False, True):
        problem, source = posed(recipe, valued=valued)
        result = learner_named(learner, settings).fit(problem)
        answers.append(per_feature(result.w, problem, source, valued=valued))
        values.append(problem.value(result.w * problem.copies[:, None]))
    assert values[0] == pytest.approx(values[1], rel=1e-5)
    assert np.allclose(*answers, atol=2e-2 if learner == "lbfgs" else 1e-4 * np.abs(answers[0]).max())


def test_the_penalty_is_the_length_in_the_kernel_s_space():
    """|w|^2 of w = sum_i alpha_i phi(x_i) is alpha' K alpha, with K from the kernel's formula alone."""
    recipe = dataclasses.replace(RECIPE, l2=2.0)
    problem, source = posed(recipe, valued=False)
    active = source.base.transform(TRAIN)
    sets = [set(active.node_ind[a:b].tolist()) for a, b in zip(active.node_ptr[:30], active.node_ptr[1:31])]
    K = np.array([[(KERNEL.gamma * len(a & b) + KERNEL.coef) ** KERNEL.degree for b in sets] for a in sets])
    alpha = np.random.default_rng(0).normal(size=30)
    w, found = problem.zeros(), problem.corpus.node
    for i in range(30):  # a merged row holds the sum of v u over its features, and u = alpha v
        for r in found.ind[found.ptr[i] : found.ptr[i + 1]]:
            w[r, 0] += alpha[i] * found.copies[r]
    assert problem.penalty_of(w) == pytest.approx(alpha @ K @ alpha, rel=1e-6)


def test_answers_survive_the_file(tagger, tmp_path):
    tagger.save(str(tmp_path / "m.safetensors"))
    loaded = Tagger.load(str(tmp_path / "m.safetensors"))
    assert np.array_equal(loaded.predict_codes(DEV, threads=2), tagger.predict_codes(DEV))
    assert np.array_equal(loaded.marginals(DEV), tagger.marginals(DEV))
    assert isinstance(loaded.extractor, Expansion)
    assert loaded.extractor.kernel == KERNEL
    assert loaded.tag([("The", "DT", "O"), ("cat", "NN", "O")]) == tagger.tag([("The", "DT", "O"), ("cat", "NN", "O")])


def test_development_scores_are_those_of_the_model():
    model = train(RECIPE, TRAIN, dev=DEV)
    history = {h["epoch"]: h["dev"]["f1"] for h in model.facts["history"]}
    assert model.evaluate(DEV)["f1"] == pytest.approx(history[model.facts["epoch"]], abs=1e-3)


def test_degree_one_is_the_linear_model_with_a_constant():
    settings = {"epochs": 300, "delta": 1e-12}
    kernel = Kernel("poly", 1, 1.0, 1.0)
    one = train(dataclasses.replace(RECIPE, learner="lbfgs", kernel=kernel, l2=0.1, settings=settings), TRAIN)
    plain = Recipe(task="ner", learner="lbfgs", templates=TEMPLATES + "bias\n", l2=0.1, settings=settings)
    assert np.allclose(one.marginals(DEV), train(plain, TRAIN).marginals(DEV), atol=2e-3)


def test_pruned_models_answer_as_with_zeros_for_what_was_dropped(tagger):
    small = pruned(tagger, threshold=0.01)
    nodes, _ = kept_features(tagger, threshold=0.01)
    assert nodes.sum() <= len(small.extractor.nodes) < len(tagger.extractor.nodes)
    names = set(small.extractor.nodes.names())
    stays = np.array([name in names for name in tagger.extractor.nodes.names()])
    assert stays[nodes].all()
    node = np.where(stays[:, None], tagger.weights.labels, 0)
    zeroed = dataclasses.replace(tagger, weights=Linear(node, tagger.weights.transitions))
    assert np.allclose(small.marginals(DEV), zeroed.marginals(DEV), atol=1e-5)
    exact = pruned(tagger, threshold=0.0)
    assert np.array_equal(exact.predict_codes(DEV), tagger.predict_codes(DEV))


def test_explanations_name_conjunctions_and_sum_to_the_difference(tagger):
    found = explain(tagger, DEV, 0)
    comparison = found.second_best
    assert comparison is not None
    assert sum(c.value for c in comparison.contributions) == pytest.approx(comparison.difference, abs=1e-4)
    assert any(" & " in c.feature for c in comparison.contributions)


def test_going_on_from_a_model(tagger):
    again = train(dataclasses.replace(RECIPE, settings={"epochs": 1}), TRAIN, start=tagger)
    assert again.evaluate(TRAIN)["f1"] >= tagger.evaluate(TRAIN)["f1"] - 1.0
    with pytest.raises(InputError, match="trained with another kernel"):
        train(dataclasses.replace(RECIPE, kernel=Kernel("poly", 3)), TRAIN, start=tagger)


def parity(sequences: int, seed: int):
    """Labels that no linear model of single features gets right: is exactly one of a and b there?"""
    random = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(sequences):
        bits = random.integers(0, 2, (5, 2))
        X.append([[f"{name}={value}" for name, value in zip("ab", row)] for row in bits.tolist()])
        y.append(["odd" if row.sum() == 1 else "even" for row in bits])
    return X, y


POLY = {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef": 0.5, "expand": True}


def test_an_estimator_learns_what_needs_pairs(tmp_path):
    X, y = parity(60, 1)
    linear, model = SequenceTagger(random_state=1).fit(X, y), SequenceTagger(random_state=1, settings=POLY).fit(X, y)
    assert linear.score(*parity(60, 2)) < 0.8
    assert model.score(*parity(60, 2)) == 1.0
    model.save(str(tmp_path / "m.safetensors"))
    loaded = SequenceTagger.load(str(tmp_path / "m.safetensors"))
    assert all(loaded.settings[name] == value for name, value in POLY.items())
    for other in (loaded, pickle.loads(pickle.dumps(model)), SequenceTagger(**loaded.get_params()).fit(X, y)):
        assert [list(row) for row in other.predict(X)] == y
    table = np.array([[0, 1, 1], [1, 0, 0]] * 5)
    assert SequenceTagger(settings=POLY).fit(table, [0, 1] * 5).predict(table).tolist() == [0, 1] * 5


@pytest.mark.parametrize("learner", ["ops", "sgd"])
def test_partial_fit_is_fit_cut_in_two(learner):
    """Epochs after the first go on from weights per feature, not per merged row; AdaGrad's and SGD's steps are the same."""
    X, y = parity(30, 3)
    settings = POLY | {"shuffle": False, "dtype": "float64"}
    whole = SequenceTagger(learner, objective="hinge", epochs=3, average=True, settings=settings).fit(X, y)
    parts = SequenceTagger(learner, objective="hinge", epochs=1, average=True, settings=settings).fit(X, y)
    for _ in range(2):
        parts.partial_fit(X, y)
    a, b = whole.model_, parts.model_
    order = [b.extractor.nodes.find(name) for name in a.extractor.nodes.names()]
    assert np.allclose(a.weights.labels, b.weights.labels[order], atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kernel": "cubic"}, "kernel 'cubic' is not known; choose one of linear, poly, tanh, rbf"),
        ({"kernel": "poly", "degree": "two"}, "degree=two is not a whole number"),
        ({"kernel": "poly", "degree": 2.5}, "degree=2.5 is not a whole number"),
        ({"kernel": "poly", "degree": 0}, "degree is 0; it must be a whole number from 1 to 16"),
        ({"kernel": "poly", "gamma": "-1"}, "gamma is -1.0; it must be a number above 0"),
        ({"kernel": "poly", "coef": -1}, "coef is -1.0; it must be a number from 0 up"),
        ({"kernel": "tanh", "coef": "inf"}, "coef is inf; it must be a finite number"),
        ({"kernel": "rbf", "degree": 3}, "degree is a constant of kernel=poly, not of kernel=rbf"),
        ({"gamma": 3}, "gamma is a constant of kernel=poly or tanh or rbf, not of kernel=linear"),
        ({"kernel": "tanh", "expand": "true"}, "kernel=tanh cannot be written out as conjunctions, only kernel=poly can"),
        ({"expand": True}, "kernel=linear cannot be written out"),
        ({"kernel": "poly", "expand": "maybe"}, "expand=maybe is neither yes nor no"),
        ({"kernel": "poly", "conjunction_cutoff": 2}, "conjunction_cutoff is 2; it must be at least 1, and more than 1 only with"),
    ],
)
def test_settings_that_make_no_kernel_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        kernel_settings(settings)


def test_kernel_settings_are_taken_from_the_others():
    fields, rest = kernel_settings({"rate": "0.1", "kernel": "tanh", "gamma": "0.2"})
    assert rest == {"rate": "0.1"}
    assert fields["kernel"] == Kernel("tanh", gamma=0.2, coef=0.0)
    assert Kernel("poly", 3).settings() == {"kernel": "poly", "degree": 3, "gamma": 1.0, "coef": 1.0}
    assert kernel_settings({})[0]["kernel"].settings() == {}
