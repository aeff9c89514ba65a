"""A pruned model is the model with the dropped weights set to zero, in a smaller file."""

import dataclasses
import io

import numpy as np
import pytest

from widemargin.corpora import town
from widemargin.errors import InputError
from widemargin.families.recipes import Recipe, train
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.pruning import LEFT_OUT, kept_features, pruned, small
from widemargin.readers.columns import read_columns
from widemargin.scoring.score import Linear


def part(name: str, sentences: int):
    text = town.columns_text(name, sentences=sentences)
    return read_columns(io.BytesIO(text.encode()), names=("word", "pos", "chunk", "entity"))


TRAIN, DEV = part("train", 150), part("dev", 40)
TEMPLATES = "word[-1..1]\npos[-1..1]\nsuffix(word,3)\nhad(word,pos,2)\nlabel[-1] pos[0]\nlabel[-1] shape(word)\n"
RECIPES = {
    "chain": Recipe(task="ner", templates=TEMPLATES, settings={"epochs": 2}),
    "choice": Recipe(task="tag", structure="choice", templates="word[-1..1]\nbias\n", label_column="pos", settings={"epochs": 2}),
    "ops with l1": Recipe(task="ner", templates=TEMPLATES, l1=3e-4, settings={"epochs": 3}),
    "lbfgs with l1": Recipe(task="ner", learner="lbfgs", templates="word[-1..1]\npos[-1..1]\n", l1=1e-3, settings={"epochs": 15}),
}


@pytest.fixture(scope="module", params=list(RECIPES))
def tagger(request) -> Tagger:
    return train(RECIPES[request.param], TRAIN)


def zeroed(tagger: Tagger, nodes: np.ndarray, edges: np.ndarray) -> Tagger:
    """The original with zeros for all that is not kept."""
    node, edge = tagger.weights.labels.copy(), tagger.weights.transitions.copy()
    node[~nodes] = 0
    for f in np.flatnonzero(~edges):
        edge[(1 + f) * len(tagger.labels) : (2 + f) * len(tagger.labels)] = 0
    return dataclasses.replace(tagger, weights=Linear(node, edge))


def assert_same_answers(one: Tagger, other: Tagger) -> None:
    for columns in (DEV, TRAIN):
        assert np.array_equal(one.predict_codes(columns), other.predict_codes(columns))
        assert np.array_equal(one.marginals(columns), other.marginals(columns))
    if one.structure_name == "chain":
        assert one.kbest(DEV, 3) == other.kbest(DEV, 3)


def test_threshold_0_changes_no_answer(tagger, tmp_path):
    small = pruned(tagger, threshold=0)
    assert 0 < len(small.extractor.nodes) < len(tagger.extractor.nodes)
    assert np.abs(small.weights.labels).max(axis=1).min() > 0
    assert_same_answers(tagger, small)
    sizes = [one.save(str(tmp_path / name)) for name, one in (("small", small), ("whole", tagger))]
    assert abs(sizes[0] - sizes[1]) < 1000 < sum(array.nbytes for array in tagger.parts()[1].values()) - sizes[1]
    for name in ("small", "whole"):  # a file never has what weighs nothing
        again = Tagger.load(str(tmp_path / name))
        assert_same_answers(tagger, again)
        assert len(again.extractor.nodes) == len(small.extractor.nodes)
    assert again.facts[LEFT_OUT] == small.facts["pruned"]["features_before"] - small.facts["pruned"]["features"]
    assert LEFT_OUT not in tagger.facts


def test_going_on_from_a_file_meets_what_it_left_out_again(tagger, tmp_path):
    tagger.save(str(tmp_path / "model"))
    recipe = next(RECIPES[name] for name in RECIPES if RECIPES[name].structure == tagger.structure_name)
    recipe = dataclasses.replace(recipe, l1=None, templates=None, settings={"epochs": 1})
    names = [{*train(recipe, TRAIN, start=start).extractor.nodes.names()} for start in (tagger, str(tmp_path / "model"))]
    assert names[0] == names[1]


@pytest.mark.parametrize("how", [{"threshold": 0.1}, {"threshold": 1e9}, {"keep": 200}, {"keep": 0}])
def test_pruning_is_zeroing(tagger, how):
    nodes, edges = kept_features(tagger, **how)
    small = pruned(tagger, **how)
    assert (len(small.extractor.nodes), len(small.extractor.edges)) == (nodes.sum(), edges.sum())
    assert_same_answers(small, zeroed(tagger, nodes, edges))


def test_what_is_kept(tagger):
    Y = len(tagger.labels)
    sizes = [max(map(abs, row)) for row in tagger.weights.labels[:, :Y].tolist()]
    sizes += [np.abs(tagger.weights.transitions[at : at + Y]).max() for at in range(Y, len(tagger.weights.transitions), Y)]
    for threshold in (0.0, 0.05, 0.2):
        nodes, edges = kept_features(tagger, threshold=threshold)
        assert [*nodes, *edges] == [size >= threshold and size > 0 for size in sizes]
    kept = np.concatenate(kept_features(tagger, keep=100))
    assert kept.sum() == 100
    assert min(np.array(sizes)[kept]) >= max(np.array(sizes)[~kept])


def test_pruning_twice_is_pruning_once(tagger):
    once, twice = pruned(tagger, threshold=0.1), pruned(pruned(tagger, threshold=0), threshold=0.1)
    assert once.extractor.nodes.names() == twice.extractor.nodes.names()
    for a, b in zip(once.extractor.to_arrays().values(), twice.extractor.to_arrays().values()):
        assert np.array_equal(a, b)


def test_a_pruned_model_can_be_trained_further():
    small = pruned(train(RECIPES["chain"], TRAIN), threshold=0.1)
    more = train(dataclasses.replace(RECIPES["chain"], settings={"epochs": 1}), TRAIN, start=small)
    assert len(more.extractor.nodes) == len(small.extractor.nodes)


@pytest.mark.parametrize("how", [{}, {"threshold": 1, "keep": 1}, {"threshold": -1}, {"threshold": float("nan")}, {"keep": -1}])
def test_refusals(tagger, how):
    with pytest.raises(InputError):
        pruned(tagger, **how)


def test_small_models_answer_nearly_the_same(tmp_path):
    exact = train(Recipe(task="ner", objective="softmax-margin", templates=TEMPLATES, settings={"epochs": 3}), TRAIN)
    less, *larger = small(exact)
    sizes = [one.save(str(tmp_path / name)) for name, one in (("exact", exact), ("small", less))]
    assert sizes[1] < 0.7 * sizes[0]
    assert Tagger.load(str(tmp_path / "small")).evaluate(DEV)["f1"] == less.evaluate(DEV)["f1"] > exact.evaluate(DEV)["f1"] - 1.0
    w, v = exact.weights.labels, less.weights.labels
    kept = v != 0
    np.testing.assert_array_equal(v[kept], w[kept].astype(np.float16))
    assert np.abs(w[~kept]).max() < 4 * less.facts["small"]["least"] <= 4 * np.abs(v[kept]).min() * 1.001
    assert np.square(w[np.abs(w) < less.facts["small"]["least"]]).sum() <= 0.002 * np.square(w).sum()
    counts = [one.facts["small"]["weights"] for one in (less, *larger)]
    assert len(counts) == 3
    assert counts == sorted(counts)
    sparse = train(Recipe(task="ner", objective="hinge", templates=TEMPLATES, settings={"epochs": 3}), TRAIN)
    assert not list(small(sparse))  # mostly zeros: each weight matters
