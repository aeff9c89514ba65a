"""Dual learners: what they keep adds up to their weights and their dual, and all of them end where the primal learners end."""

import dataclasses
import gzip
import io
import itertools

import numpy as np
import pytest
from engine_corpora import Dense, pose, random_sample, to_dense
from modes import cases
from public_data import public

from widemargin.learners import learner_named
from widemargin.learners.cuts import Cuts
from widemargin.learners.dual_runs import RUNS
from widemargin.learners.duals import DUALS
from widemargin.structures.base import Legal

pytestmark = pytest.mark.twice
KINDS = ["shared edges", "edges per position", "choice", "masked", "values", "base"]


def posed(kind, *, merged=True, l2=0.1, rows=9, threads=1):
    """A problem of each kind with row weights, and its dense twin."""
    sample = random_sample(4, rows=rows, longest=3, labels=3, nodes=6, edges=3 if kind == "edges per position" else 0)
    random = np.random.default_rng(0)
    choice, legal = kind == "choice", None
    sample.weight = random.uniform(0.0, 2.0, len(sample.gold) if choice else rows)
    if kind == "values":
        sample.node = sample.node * random.choice([-1.5, 0.25, 0.5, 2.0], sample.node.shape)
    if kind == "masked":  # label 2 may not begin a row nor follow 0; the gold obeys
        legal = Legal(np.array([True, True, False]), np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], bool), np.ones(3, bool))
        sample.gold = np.where(sample.gold == 2, 1, sample.gold).astype(np.int32)
    problem = pose(sample, "hinge", l2=l2, merged=merged, legal=legal, choice=choice, threads=threads)
    if kind == "base":
        base = np.zeros((len(sample.gold), problem.width))
        base[:, :3] = random.normal(size=(len(sample.gold), 3))
        problem = dataclasses.replace(problem, corpus=dataclasses.replace(problem.corpus, base=base))
    return problem, Dense(sample, "hinge", l2=l2, legal=legal, choice=choice)


def price_of(problem, dense, i, node):
    """b of part vectors: their prices, and what base scores give them."""
    at, n = dense.bounds[i], dense.lengths[i]
    base = 0.0 if problem.corpus.base is None else problem.corpus.base[at : at + n, :3]
    return float((node * (dense.matrix[dense.sample.gold[at : at + n]] + base)).sum())


# ---- what is kept -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in ("shared edges", "choice")))
def test_the_mixtures_of_bcfw_are_its_weights_and_its_dual(kind, merged):
    problem, dense = posed(kind, merged=merged)
    run = RUNS["bcfw"](learner_named("bcfw", {"check": 1, "dtype": "float64"}), problem)
    facts = [run.epoch(e) for e in (1, 2, 3)][-1]
    w, offset, Y = dense.zeros(), 0.0, 3
    per_position = problem.corpus.per_position
    for i, (n, at) in enumerate(zip(dense.lengths, dense.bounds)):
        share = dense.weight[i] / len(dense.lengths)
        node, edge = run.mixture.node[at : at + n, :Y], np.zeros((n, Y, Y))
        if per_position:
            edge[:] = run.mixture.edge.reshape(-1, Y, problem.width)[at : at + n, :, :Y]
        elif not dense.choice and n > 1:  # shared edges are kept summed over positions
            edge[1] = run.mixture.edge.reshape(-1, Y, problem.width)[i, :, :Y]
        assert (edge[0] == 0.0).all()
        w -= share / problem.penalty.l2 * dense.gather(i, np.concatenate([node.ravel(), edge.ravel()]))
        offset += share * price_of(problem, dense, i, node)
    np.testing.assert_allclose(to_dense(problem, run.weights()), w, atol=1e-12)
    assert facts["dual"] == pytest.approx(offset - 0.5 * problem.penalty.l2 * w @ w, abs=1e-12)
    if kind != "base":
        assert facts["primal"] == pytest.approx(dense.value(w), abs=1e-12)
    assert np.abs(w).max() > 0.01


@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in ("shared edges", "choice")))
def test_the_paths_of_ocp_are_its_weights_and_its_dual(kind):
    problem, dense = posed(kind)
    run = RUNS["ocp"](learner_named("ocp", {"passes": 1, "dtype": "float64"}), problem)
    facts = [run.epoch(e) for e in (1, 2, 3)][-1]
    paths, w, offset = run.sets.tables, dense.zeros(), 0.0
    np.testing.assert_allclose(paths.mass.sum(axis=1) + paths.rest, 1.0, atol=1e-12)
    assert (paths.mass >= 0.0).all()
    assert (paths.rest >= 0.0).all()
    for i, p in itertools.product(range(problem.corpus.rows), range(run.sets.room)):
        if paths.idle[i, p] >= 0:
            at, n = dense.bounds[i], dense.lengths[i]
            parts = dense.less_gold(i, paths.part[p, at : at + n])
            assert paths.offset[i, p] == pytest.approx(price_of(problem, dense, i, parts[: n * 3].reshape(n, 3)), abs=1e-12)
            share = dense.weight[i] / len(dense.lengths) * paths.mass[i, p]
            w -= share / problem.penalty.l2 * dense.gather(i, parts)
            offset += share * paths.offset[i, p]
    np.testing.assert_allclose(to_dense(problem, run.weights()), w, atol=1e-12)
    assert facts["dual"] == pytest.approx(offset - 0.5 * problem.penalty.l2 * w @ w, abs=1e-12)
    assert facts["planes"] == (paths.idle >= 0).sum() > 0


def test_cuts_touch_the_mean_loss_and_stay_below_it():
    problem, _ = posed("shared edges")
    run = RUNS["one-slack"](learner_named("one-slack"), problem)
    for e in (1, 2, 3):
        run.epoch(e)
    random, cuts = np.random.default_rng(0), run.cuts
    dense_planes = np.zeros((cuts.planes, *problem.shape))
    for k in range(cuts.planes):
        dense_planes[k].reshape(-1)[cuts.at[k]] = cuts.value[k]
    np.testing.assert_allclose(cuts.gram, np.einsum("arl,brl,r->ab", dense_planes, dense_planes, problem.copies), atol=1e-12)
    for _ in range(20):
        w = problem.zeros()
        w[:, :3] = random.normal(size=(len(w), 3))
        loss = problem.value(w) - problem.penalty_of(w)
        assert (cuts.offset + np.einsum("krl,rl->k", dense_planes, w) <= loss + 1e-9).all()


def test_a_cut_that_is_there_is_not_added_and_idle_ones_go():
    cuts, g = Cuts(np.array([1.0, 2.0]), (2, 4)), np.array([[1.0, 0, 0, 0], [0, 2.0, 0, 0]])
    assert cuts.add(g, 0.5)
    assert not cuts.add(g.copy(), 0.5)
    assert cuts.add(-g, 0.25)
    np.testing.assert_array_equal(cuts.gram, [[9.0, -9.0], [-9.0, 9.0]])
    cuts.mass[:] = [0.0, 0.5]
    for left in (2, 2, 1):
        cuts.age(2)
        assert cuts.planes == left
    np.testing.assert_array_equal(cuts.weights(0.5), [[1.0, 0, 0, 0], [0, 4.0, 0, 0]])


# ---- one function is minimised by everyone ----------------------------------------------------------------------------------------


def text_problem(task, columns):
    """The hinge on some sentences, with the task's usual features."""
    from widemargin.engine.penalty import Penalty
    from widemargin.families.recipes import Recipe
    from widemargin.study.experiment import Bench

    hinge = pose(random_sample(1), "hinge").objective
    return dataclasses.replace(Bench(Recipe(task=task), columns).problem, objective=hinge, penalty=Penalty(0.0, 4.0))


def town_problem():
    """A slice of the embedded corpus."""
    from widemargin.families.tagging.sources import open_columns

    return text_problem("ner", open_columns("town:train:12", "ner"))


def chunking_problem():
    """A slice of CoNLL-2000: its first short sentences."""
    from widemargin.readers.columns import read_columns

    with gzip.open(public("conll2000/train*")[0], "rt") as lines:
        short = [sentence for sentence in lines.read().split("\n\n") if sentence.count("\n") < 8]
    return text_problem("chunk", read_columns(io.StringIO("\n\n".join(short[:15]) + "\n"), names=("word", "pos", "chunk")))


PROBLEMS = {
    "chain": lambda: pose(random_sample(7, rows=30, longest=4, nodes=8), "hinge", l2=0.1, cost="hamming"),
    "edge features": lambda: posed("edges per position", rows=17, l2=0.05)[0],
    "town": town_problem,
    "conll2000": chunking_problem,
}
# on text, thousands of features fire once: AdaGrad goes on with smaller steps until the rest of its noise is below 0.1 %
SMALLER = [(0.02, 500), (0.002, 2000), (0.0005, 3000), (0.0002, 3000)]


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("name", cases(PROBLEMS, wide=lambda name: name == "town"))
def test_every_learner_of_the_hinge_reaches_the_same_f(name):
    problem = PROBLEMS[name]()
    primal, dual = {}, {}
    exact = {"tolerance": 9e-4, "epochs": 20_000, "check": 1, "dtype": "float64"}
    text = name in ("town", "conll2000")
    plain = {"dtype": "float64", "epochs": 4000 if text else 20_000}
    going_on = [{"dtype": "float64", "rate": rate, "epochs": epochs, "initial": 1000.0} for rate, epochs in SMALLER]
    settings = {
        **{key: [exact] for key in DUALS},
        "ops": going_on if text else [plain | {"rate": 0.02}],
        "sgd": [plain | {"rate": 1.0, "schedule": "inverse"}],
    }
    for learner, stages in settings.items():
        result = learner_named(learner, stages[0]).fit(problem)
        for stage in stages[1:]:
            result = learner_named(learner, stage).fit(problem, result.w * problem.copies[:, None])
        primal[learner] = problem.value(result.w * problem.copies[:, None])
        last = result.history[-1]
        if learner in DUALS:
            dual[learner] = last["dual"]
            assert last["primal"] == pytest.approx(primal[learner], rel=1e-9), learner
            assert last["gap"] <= 9e-4 * last["primal"], (learner, result.why)
            gaps = [facts["gap"] for facts in result.history if "gap" in facts]
            assert gaps[-1] < 0.1 * gaps[0], learner
    assert max(dual.values()) <= min(primal.values()) * (1 + 1e-12), (primal, dual)
    assert max(primal.values()) <= min(primal.values()) * (1 + 1e-3), primal


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("name", DUALS)
def test_duals_rise_and_merging_and_pruning_change_nothing(name):
    reached = {}
    finest = 5e-4 if name == "bcfw" else 5e-5
    for key, merged, prune in (("plain", True, 10), ("unmerged", False, 10), ("pruned at once", True, 1), ("never pruned", True, 0)):
        problem, _ = posed("edges per position", merged=merged, rows=17, l2=0.5)
        result = learner_named(name, {"tolerance": finest, "epochs": 2000, "prune": prune, "dtype": "float64", "check": 1}).fit(problem)
        assert result.why.endswith(": converged")
        duals = [facts["dual"] for facts in result.history]
        assert (np.diff(duals) >= -1e-9).all() or (name == "one-slack" and prune == 1), (name, key)
        reached[key] = problem.value(result.w * problem.copies[:, None])
    np.testing.assert_allclose(list(reached.values()), reached["plain"], rtol=2 * finest)


# ---- the manners of all learners --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bcfw", "ocp", "cutting-plane"])
def test_the_seed_orders_the_rows(name):
    problem, _ = posed("shared edges")
    first, again, other = (
        learner_named(name, {"epochs": 3, "dtype": "float64", "seed": s, "passes": 2}).fit(problem).w.tobytes() for s in (3, 3, 4)
    )
    assert first == again != other


def test_bcfw_averages_its_steps():
    problem, _ = posed("shared edges")
    runs = [RUNS["bcfw"](learner_named("bcfw", {"average": yes, "dtype": "float64"}), problem) for yes in (True, False)]
    for run in runs:
        run.epoch(1)
    mean, slow = runs[0].weights(), RUNS["bcfw"](learner_named("bcfw", {"dtype": "float64"}), problem)
    order, total = slow.order(1), 0.0
    for i in order:  # a pass over one row at a time
        slow.order = lambda number, turn=0, i=i: np.array([i])
        slow.epoch(1)
        total = total + slow.weights()
    np.testing.assert_allclose(mean, total / len(order), atol=1e-12)
    np.testing.assert_allclose(runs[1].weights(), slow.weights(), atol=1e-12)


def test_a_development_score_chooses_the_epoch():
    problem, scores = posed("shared edges")[0], [1.0, 5.0, 4.0, 4.5]
    learner = learner_named("ocp", {"patience": 2, "dtype": "float64", "tolerance": 0.0})
    result = learner.fit(problem, watch=lambda epoch, facts, weigh: scores[epoch - 1])
    assert (result.epoch, len(result.history)) == (2, 4)
    assert result.why == "no better development score for 2 epochs"


def test_single_precision_stays_near():
    problem, _ = posed("shared edges")
    for name in ("bcfw", "ocp"):
        last = [learner_named(name, {"epochs": 30, "dtype": d, "tolerance": 0.0}).fit(problem).history[-1] for d in ("float32", "float64")]
        assert last[0]["dual"] == pytest.approx(last[1]["dual"], rel=1e-3)
        assert last[0]["gap"] > -1e-5


def test_no_plane_is_kept_twice():
    problem, dense = posed("shared edges")
    run = RUNS["ocp"](learner_named("ocp", {"dtype": "float32", "prune": 0}), problem)
    for e in range(1, 30):
        run.epoch(e)
    paths = run.sets.tables
    for i, (n, at) in enumerate(zip(dense.lengths, dense.bounds)):
        kept = [tuple(paths.part[p, at : at + n]) for p in range(run.sets.room) if paths.idle[i, p] >= 0]
        assert len(set(kept)) == len(kept)
