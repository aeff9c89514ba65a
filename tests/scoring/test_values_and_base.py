"""Features with values, and scores from elsewhere: F, gradients and learners against dense twins."""

import dataclasses

import engine_twins as twins
import numpy as np
import pytest
from engine_corpora import Dense, Sample, equal_start, pose, random_sample, to_dense, to_rows, uneven_cost
from modes import cases, wide

from widemargin.compiler.lanes import width_of
from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.penalty import Penalty
from widemargin.learners import learner_named
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import Chain, Choice

pytestmark = pytest.mark.twice
LATENT = [name for name in OBJECTIVES if name != "slack"]  # which wants every label
KINDS = ["shared edges", "edges per position", "choice"]


def is_wide(kind, objective):
    return kind == "choice" and objective not in ("likelihood", "hinge")


def valued(seed=0, kind="shared edges", rows=8) -> Sample:
    """A sample whose features have values, some below 0, all of them exact in float32."""
    sample = random_sample(seed, rows=rows, longest=3, labels=3, nodes=6, edges=3 if kind == "edges per position" else 0, unknown=0.2)
    random = np.random.default_rng(seed)
    sample.node = sample.node * random.choice([-1.5, 0.25, 0.5, 2.0, 1.0], sample.node.shape)
    sample.weight = random.uniform(0.2, 2.0, len(sample.gold) if kind == "choice" else rows)
    return sample


def random_weights(problem, seed=1):
    rows = problem.zeros()
    rows[:, : problem.labels] = np.random.default_rng(seed).normal(size=(len(rows), problem.labels))
    return rows


@pytest.mark.parametrize(("kind", "objective"), cases(KINDS, LATENT, wide=is_wide))
def test_f_and_its_gradient_with_values(objective, kind):
    sample, choice = valued(kind=kind), kind == "choice"
    problem = pose(sample, objective, l2=0.3, l1=0.2, choice=choice)
    dense = Dense(sample, objective, l2=0.3, l1=0.2, choice=choice)
    assert len(problem.corpus.node.val)
    w = to_dense(problem, random_weights(problem))
    table, g = to_rows(problem, dense, w), problem.zeros()
    smooth = problem.value_and_gradient(table, g)
    np.testing.assert_allclose(smooth, dense.value(w) - 0.2 * np.abs(w).sum(), atol=1e-10)
    np.testing.assert_allclose(problem.value(table), dense.value(w), atol=1e-10)
    np.testing.assert_allclose(to_dense(problem, g), dense.gradient(w), atol=1e-10)


RULES = {
    "sgd": ({"rate": 0.3, "schedule": "fixed"}, "likelihood", lambda: twins.Sgd(rate=0.3)),
    "ops": ({"rate": 0.2, "initial": 0.01}, "hinge", lambda: twins.AdaGrad(eta=0.2, initial=0.01)),
    "adadelta": ({"epsilon": 1e-3}, "softmax-margin", lambda: twins.AdaDelta(eta=1.0, rho=0.95, epsilon=1e-3)),
    "perceptron": ({}, "perceptron", lambda: twins.Sgd(rate=1.0)),
    "mira": ({"rate": 0.05}, "hinge", lambda: twins.Mira(cap=0.05)),
}


def trained(name, problem, start, **more):
    settings, _, _ = RULES[name]
    return learner_named(name, {"dtype": "float64", "skip": 0.0, "epochs": 3, **settings, **more}).fit(problem, start).w


@pytest.mark.parametrize("name", cases(RULES, wide=lambda name: name not in ("ops", "mira")))
@pytest.mark.parametrize("average", [False, True])
def test_online_learners_with_values_are_eager_ones(name, average):
    sample, (_, objective, twin) = valued(3, "edges per position", rows=12), RULES[name]
    penalties = {} if name in ("perceptron", "mira") else {"l1": 0.01, "l2": 0.05}
    if name == "mira":
        sample.weight = None
    problem, dense = pose(sample, objective, **penalties), Dense(sample, objective, **penalties)
    start, w = equal_start(problem, dense)
    found = to_dense(problem, trained(name, problem, start, average=average))
    np.testing.assert_allclose(found, twins.train(dense, twin(), w, epochs=3, average=average), rtol=0, atol=1e-11)


def test_batches_with_values():
    sample = valued(3, rows=12)
    problem, dense = pose(sample, "hinge", l2=0.05), Dense(sample, "hinge", l2=0.05)
    start, w = equal_start(problem, dense)
    found = to_dense(problem, trained("ops", problem, start, batch=3))
    np.testing.assert_allclose(found, twins.train(dense, RULES["ops"][2](), w, epochs=3, batch=3), rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["ops", "mira"])
def test_values_of_one_are_no_values(name):
    """The kernels for values, given ones, do what the kernels without do."""
    sample = random_sample(5, rows=12, edges=2, twins=False)
    objective, results = RULES[name][1], []
    for value in (np.empty(0, np.float32), np.ones(int((sample.node != 0).sum()), np.float32)):
        features = dataclasses.replace(sample.features(), node_val=value)
        corpus = build_corpus(features, sample.gold, nodes=sample.node.shape[1], edges=2, merged=False)
        problem = TokenProblem(corpus, Chain(3), uneven_cost(3), OBJECTIVES[objective])
        results.append(trained(name, problem, None))
    np.testing.assert_allclose(*results, rtol=0, atol=1e-13)


def test_a_feature_given_twice_counts_twice():
    """With or without values: it is the feature with the sum of the values."""
    random = np.random.default_rng(0)
    for counts in (random.integers(0, 3, (10, 4)), random.integers(0, 3, (10, 4)) * 0.5):
        counts[0] = counts[1] = counts.max()
        sample = Sample([4, 3, 3], random.integers(3, size=10).astype(np.int32), counts, np.zeros((10, 0), int), 3)
        unit = 0.5 if counts.max() < 2 else 1.0
        repeats = np.rint(counts / unit).astype(int)
        ptr = np.concatenate([[0], np.cumsum(repeats.sum(axis=1))]).astype(np.int64)
        ind = np.concatenate([np.repeat(np.arange(4), row) for row in repeats]).astype(np.int32)
        val = np.full(len(ind) if unit != 1.0 else 0, unit, np.float32)
        features = dataclasses.replace(sample.features(), node_ptr=ptr, node_ind=ind, node_val=val)
        dense = Dense(sample, "likelihood")
        problem = TokenProblem(build_corpus(features, sample.gold, nodes=4, edges=0), Chain(3), uneven_cost(3), OBJECTIVES["likelihood"])
        w = to_dense(problem, random_weights(problem))
        table, g = to_rows(problem, dense, w), problem.zeros()
        np.testing.assert_allclose(problem.value_and_gradient(table, g), dense.value(w), atol=1e-10)
        np.testing.assert_allclose(to_dense(problem, g), dense.gradient(w), atol=1e-10)
        start, begin = equal_start(problem, dense)
        found = to_dense(problem, trained("sgd", problem, start))
        np.testing.assert_allclose(found, twins.train(dense, RULES["sgd"][2](), begin, epochs=3), rtol=0, atol=1e-11)


def test_features_that_never_fire_keep_the_weight_0():
    """Columns of arrays may be all 0 in training; merging must not hand them another's weights."""
    sample = random_sample(2, rows=6, nodes=6, twins=True)
    sample.node[:, [2, 5]] = 0
    problem = pose(sample, "likelihood", l2=0.1)
    assert (problem.corpus.node.into >= 0).all()
    found = learner_named("lbfgs", {"dtype": "float64"}).fit(problem).w
    weights = found[problem.corpus.node.into, :3]
    assert not weights[[2, 5]].any()
    assert weights[[0, 1, 3, 4]].any(axis=1).all()
    assert problem.copies[: problem.corpus.node.rows].sum() == 6


# ---- base scores ---------------------------------------------------------------------------------------------------------------------


class Based(Dense):
    """A dense twin with fixed scores: every token has a feature of its own, whose weights are its base scores and are not learnt."""

    def __init__(self, sample, objective, base, base_edge=None, **more):
        super().__init__(sample, objective, **more)
        own = dataclasses.replace(sample, node=np.hstack([sample.node, np.eye(len(sample.gold))]))
        self.wider, self.base, self.base_edge = Dense(own, objective, **more), base, base_edge

    def row(self, i, w):
        node, edge = self.parts(w)
        if self.base_edge is not None:
            edge = edge + np.concatenate([self.base_edge[None], np.zeros((len(edge) - 1, *self.base_edge.shape))])
        loss, g = self.wider.row(i, np.concatenate([node.ravel(), self.base.ravel(), edge.ravel()]))
        return loss, np.concatenate([g[: node.size], g[node.size + self.base.size :]])


def with_base(kind, objective, *, values=False, l2=0.0, merged=True):
    """A problem and its twin."""
    choice, random = kind == "choice", np.random.default_rng(7)
    sample = valued(4, kind) if values else random_sample(4, rows=8, labels=3, edges=2 if kind == "edges per position" else 0, unknown=0.2)
    base = random.normal(size=(len(sample.gold), 3))
    base_edge = None if choice else random.normal(size=(3, 3))
    structure = Choice(3) if choice else Chain(3, base=base_edge)
    lanes = np.zeros((len(base), width_of(structure.lanes)))
    lanes[:, :3] = base
    nodes, edges = sample.node.shape[1], sample.edge.shape[1]
    corpus = build_corpus(sample.features(), sample.gold, nodes=nodes, edges=edges, split=choice, merged=merged, weight=sample.weight)
    problem = TokenProblem(dataclasses.replace(corpus, base=lanes), structure, uneven_cost(3), OBJECTIVES[objective], Penalty(0.0, l2))
    return problem, Based(sample, objective, base, base_edge, l2=l2, choice=choice)


@pytest.mark.parametrize(("kind", "objective"), cases(KINDS, ["likelihood", "hinge", "softmax-margin", "risk"], wide=is_wide))
def test_base_scores_are_added_to_the_scores(objective, kind):
    problem, dense = with_base(kind, objective, l2=0.1)
    w = to_dense(problem, random_weights(problem))
    table, g = to_rows(problem, dense, w), problem.zeros()
    np.testing.assert_allclose(problem.value_and_gradient(table, g), dense.value(w), atol=1e-10)
    np.testing.assert_allclose(problem.value(table), dense.value(w), atol=1e-10)
    np.testing.assert_allclose(to_dense(problem, g), dense.gradient(w), atol=1e-10)
    direction, step = random_weights(problem, 2), 1e-5
    slope = (problem.value(table + step * direction) - problem.value(table - step * direction)) / (2 * step)
    np.testing.assert_allclose((g * direction).sum(), slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["shared edges", *wide(("edges per position",))])
def test_ops_on_top_of_base_scores(kind):
    problem, dense = with_base(kind, "hinge", l2=0.05)
    start, w = equal_start(problem, dense)
    found = to_dense(problem, trained("ops", problem, start))
    np.testing.assert_allclose(found, twins.train(dense, RULES["ops"][2](), w, epochs=3), rtol=0, atol=1e-11)


def test_lbfgs_on_top_of_base_scores_finds_the_minimum():
    problem, dense = with_base("shared edges", "likelihood", values=True, l2=0.1)
    w = to_dense(problem, learner_named("lbfgs", {"dtype": "float64", "history": "float64", "delta": 1e-12}).fit(problem).w)
    assert np.abs(dense.gradient(w)).max() < 1e-5
    assert dense.value(w) < dense.value(np.zeros_like(w))
