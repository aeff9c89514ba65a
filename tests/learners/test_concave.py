"""The concave-convex procedure: tangents lie above F and touch it, rounds lower F, and what they end in is stationary."""

import dataclasses
import itertools

import numpy as np
import pytest
from engine_corpora import Dense, pose, random_sample, to_dense
from modes import cases, wide
from parsing_data import problem as trees

from widemargin.engine.terms import Max
from widemargin.errors import InputError
from widemargin.learners import learner_named, usual_l2, usual_objective
from widemargin.learners.concave import Tangent, upper_part

pytestmark = pytest.mark.twice
DUALS = ["bcfw", "ocp", "cutting-plane", "one-slack"]
KINDS = ["shared edges", "edges per position", "choice", "values", "base"]
SMOOTH = ["likelihood", "softmax-margin", "jensen"]
EXACT = {"dtype": "float64", "check": 5, "passes": 3}
BATCH = {"dtype": "float64", "history": "float64", "epochs": 300, "delta": 1e-12}


def posed(objective, kind="shared edges", *, l2=0.1, unknown=0.3, seed=4, rows=9):
    """A problem of which some labels are unknown, with row weights."""
    edges = 3 if kind == "edges per position" else 0
    sample = random_sample(seed, rows=rows, longest=3, labels=3, nodes=6, edges=edges, unknown=unknown)
    random, choice = np.random.default_rng(0), kind == "choice"
    sample.weight = random.uniform(0.0, 2.0, len(sample.gold) if choice else rows)
    if kind == "values":
        sample.node = sample.node * random.choice([-1.5, 0.25, 0.5, 2.0], sample.node.shape)
    problem = pose(sample, objective, l2=l2, choice=choice)
    if kind == "base":
        base = np.zeros((len(sample.gold), problem.width))
        base[:, :3] = random.normal(size=(len(sample.gold), 3))
        problem = dataclasses.replace(problem, corpus=dataclasses.replace(problem.corpus, base=base))
    return problem


def some_weights(problem, seed=0, scale=0.5):
    """Random weights where there are any: lanes beyond the labels are 0."""
    w = problem.zeros()
    used = np.zeros_like(w, bool)
    for table, spec in zip(problem.split(used), problem.specs):
        table[:, : problem.labels if spec.width == problem.width else None] = True
    w[used] = np.random.default_rng(seed).normal(size=int(used.sum())) * scale
    return w


def tangent_at(problem, w):
    return Tangent(problem, upper_part(problem), problem.objective.lower, w)


def hidden_trees(objective, structure="eisner", labelled=True, **more):
    """Trees of which some heads and relations are unknown."""
    whole = trees(structure=structure, objective=objective, labelled=labelled, sentences=6, l2=0.2, **more)
    gold, random = whole.corpus.gold.copy(), np.random.default_rng(1)
    gold[random.random(len(gold)) < 0.3] = -1
    gold[random.random(len(gold)) < 0.2, 1] = -1
    return dataclasses.replace(whole, corpus=dataclasses.replace(whole.corpus, gold=gold))


# ---- tangents -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", [*SMOOTH, "hinge", "ramp"])
def test_a_tangent_lies_above_f_and_touches_it(objective, kind):
    problem = posed(objective, kind)
    w0 = some_weights(problem)
    tangent = tangent_at(problem, w0)
    assert tangent.value(w0) == pytest.approx(problem.value(w0), rel=1e-12)
    for seed in range(1, 6):
        w = some_weights(problem, seed)
        assert tangent.value(w) >= problem.value(w) - 1e-12
        middle = tangent.value(0.5 * (w + w0))
        assert middle <= 0.5 * (tangent.value(w) + tangent.value(w0)) + 1e-12
    g, d = problem.zeros(), some_weights(problem, 7)
    assert tangent.value_and_gradient(w0, g) == pytest.approx(problem.value(w0), rel=1e-12)
    slope = (tangent.value(w0 + 1e-6 * d) - tangent.value(w0 - 1e-6 * d)) / 2e-6
    assert (g * d).sum() == pytest.approx(slope, rel=1e-5, abs=1e-6)


def near(name):
    """How near to the minimum a dual learner comes in a few hundred epochs: bcfw is sublinear."""
    return {"tolerance": 5e-2, "epochs": 300} if name == "bcfw" else {"tolerance": 1e-6, "epochs": 600}


def minima(tangent, names):
    """The bounds that each dual learner gives for the minimum of a tangent."""
    found = {}
    for name in names:
        last = learner_named(name, EXACT | near(name)).fit(tangent).history[-1]
        assert -1e-12 <= last["gap"] <= near(name)["tolerance"] * last["primal"], (name, last)
        found[name] = last["dual"], last["primal"]
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("kind", cases(KINDS, wide=lambda kind: kind not in ("shared edges", "choice")))
@pytest.mark.parametrize("objective", ["hinge", "ramp"])
def test_dual_learners_agree_on_the_minimum_of_a_tangent(objective, kind):
    problem = posed(objective, kind)
    tangent = tangent_at(problem, some_weights(problem))
    found = minima(tangent, DUALS)
    highest, lowest = max(dual for dual, _ in found.values()), min(primal for _, primal in found.values())
    assert highest <= lowest * (1 + 1e-12), found
    assert lowest < problem.value(problem.zeros())


@pytest.mark.wide
@pytest.mark.compiled
@pytest.mark.parametrize("objective", ["hinge", "ramp"])
def test_dual_learners_agree_on_trees(objective):
    problem = hidden_trees(objective)
    w0 = np.random.default_rng(0).normal(size=problem.shape) * 0.1
    tangent = tangent_at(problem, w0)
    assert tangent.value(w0) == pytest.approx(problem.value(w0), rel=1e-12)
    found = {}
    for name, tolerance in (("bcfw", 0.1), ("ocp", 1e-3), ("cutting-plane", 1e-3)):
        last = learner_named(name, EXACT | {"tolerance": tolerance, "epochs": 300}).fit(tangent).history[-1]
        found[name] = last["dual"], last["primal"]
        assert -1e-12 <= last["gap"] <= tolerance * last["primal"], (name, last)
    assert max(dual for dual, _ in found.values()) <= min(primal for _, primal in found.values()) * (1 + 1e-12), found


# ---- rounds ---------------------------------------------------------------------------------------------------------------------------


def falls(history, slack=0.0):
    values = [facts["loss"] for facts in history]
    assert (np.diff(values) <= slack).all(), values
    for before, facts in itertools.pairwise(history):
        if facts is not history[-1]:
            assert facts["decrease"] == pytest.approx(before["loss"] - facts["loss"], abs=1e-15)
    return values


@pytest.mark.parametrize("kind", ["shared edges", "choice"])
@pytest.mark.parametrize("objective", SMOOTH)
def test_rounds_of_lbfgs_lower_f_to_a_stationary_point(objective, kind):
    problem = posed(objective, kind, rows=5)
    result = learner_named("cccp", BATCH | {"epochs": 30, "tolerance": 1e-10, "rounds": 200}).fit(problem)
    values = falls(result.history)
    w, g = problem.zeros(), problem.zeros()
    w[:] = result.w * problem.copies[:, None]
    assert problem.value_and_gradient(w, g) == pytest.approx(values[-1], rel=1e-12)
    assert np.abs(g).max() < 1e-4
    assert "lowered F by no more than 1e-10" in result.why or "nothing lower" in result.why
    direct = learner_named("lbfgs", BATCH).fit(problem)
    assert values[-1] == pytest.approx(problem.value(direct.w * problem.copies[:, None]), rel=0.05)


@pytest.mark.compiled
@pytest.mark.parametrize("inner", DUALS)
@pytest.mark.parametrize("kind", ["shared edges", "choice"])
@pytest.mark.parametrize("objective", ["hinge", "ramp"])
def test_rounds_of_duals_lower_f(objective, kind, inner):
    problem = posed(objective, kind)
    start = some_weights(problem)
    result = learner_named("cccp", EXACT | near(inner) | {"inner": inner}).fit(problem, start)
    values = falls(result.history)
    assert values[0] <= problem.value(start)
    w = problem.zeros()
    w[:] = result.w * problem.copies[:, None]
    assert problem.value(w) == pytest.approx(values[-1], rel=1e-12)
    again = tangent_at(problem, w)  # stationary: w minimises the tangent there
    dual, _ = minima(again, ["ocp"])["ocp"]
    assert values[-1] - dual <= 4 * near(inner)["tolerance"] * values[-1] + 1e-6


@pytest.mark.compiled
def test_a_latent_hinge_from_many_starts_is_as_low_as_from_subgradients():
    sample = random_sample(2, rows=6, longest=3, labels=3, nodes=5, unknown=0.4)
    problem = pose(sample, "hinge", l2=0.2)
    dense = Dense(sample, "hinge", l2=0.2)
    ends, slow = [], []
    for seed in range(5):
        start = some_weights(problem, seed, 1.0)
        result = learner_named("cccp", EXACT | near("ocp") | {"inner": "ocp"}).fit(problem, start)
        ends.append(result.history[-1]["loss"])
        assert dense.value(to_dense(problem, result.w)) == pytest.approx(ends[-1], rel=1e-9)
        w = to_dense(problem, start / problem.copies[:, None])
        lowest = np.inf
        for t in range(1, 300):
            lowest = min(lowest, dense.value(w))
            w = w - dense.gradient(w) / (0.2 * (t + 5))
        slow.append(lowest)
        assert ends[-1] <= lowest * 1.1, (ends, slow)  # each start has an end of its own, for each way down
    assert min(ends) <= min(slow) * (1 + 1e-6), (ends, slow)
    assert min(ends) >= min(slow) * (1 - 5e-2), (ends, slow)


@pytest.mark.compiled
def test_the_ramp_gives_outliers_up():
    sample = random_sample(8, rows=40, longest=3, labels=3, nodes=8, twins=False)
    right = Dense(sample, "hinge")
    hidden = np.random.default_rng(3).normal(size=right.zeros().shape)
    for i in range(len(sample.lengths)):  # labels that weights can explain, but for every fifth row
        outputs = right.outputs(i)
        scores = outputs.phi @ right.scores(i, hidden)
        sample.gold[right.span(i)] = outputs.labels[np.argmin(scores) if i % 5 == 0 else np.argmax(scores)]
    ramp, hinge = (pose(sample, name, l2=0.02, cost="hamming") for name in ("ramp", "hinge"))
    by_hinge = learner_named("bcfw", EXACT | near("bcfw")).fit(hinge)
    result = learner_named("cccp", EXACT | near("bcfw") | {"inner": "bcfw"}).fit(ramp)
    falls(result.history)
    assert ramp.loss(result.w * ramp.copies[:, None]) < 0.95 * ramp.loss(by_hinge.w * ramp.copies[:, None])
    first = ramp.value(by_hinge.w * ramp.copies[:, None])  # the first round is the hinge's
    assert result.history[0]["loss"] == pytest.approx(first, rel=1e-2)


@pytest.mark.parametrize(("objective", "inner"), [("hinge", "bcfw"), *wide(("ramp", "ocp"), ("likelihood", "lbfgs"))])
def test_rounds_on_trees(objective, inner):
    problem = hidden_trees(objective)
    settings = {"inner": inner, "dtype": "float64", "epochs": 8, "rounds": 3, "tolerance": 1e-2}
    result = learner_named("cccp", settings).fit(problem)
    values = falls(result.history)
    assert values[-1] < problem.value(problem.zeros())
    assert problem.value(result.w) == pytest.approx(values[-1], rel=1e-12)


# ---- manners --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("objective", "inner"), [("hinge", "bcfw"), ("hinge", "one-slack"), ("slack", "ocp"), ("likelihood", "lbfgs")])
def test_a_convex_problem_is_the_inner_learner_alone(objective, inner):
    problem = pose(random_sample(4, rows=5, longest=3), objective, l2=0.1, cost="hamming")
    result = learner_named("cccp", {"inner": inner, "epochs": 10, "dtype": "float64"}).fit(problem)
    alone = learner_named(inner, {"epochs": 10, "dtype": "float64"}).fit(problem)
    np.testing.assert_allclose(result.w, alone.w, rtol=1e-15)
    assert len(result.history) == 1
    assert result.why == f"F is convex, and one round is enough; {alone.why}"


@pytest.mark.parametrize(("objective", "inner"), [("jensen", "lbfgs"), ("ramp", "ocp"), ("hinge", "bcfw")])
def test_interruptions_change_no_byte(objective, inner):
    problem, saved, scores = posed(objective), {}, [1.0, 3.0, 2.0, 2.5, 2.0, 2.0]
    settings = {"inner": inner, "epochs": 4, "dtype": "float64", "tolerance": 0.0, "rounds": 6}

    def keep(number, state, history, final):
        saved[number] = {k: v.copy() for k, v in state().items()}, history[:]

    def watch(number, facts, weigh):
        return scores[number - 1]

    whole = learner_named("cccp", settings).fit(problem, some_weights(problem), watch, keep=keep)
    rest = learner_named("cccp", settings).fit(problem, some_weights(problem), watch, state=saved[1])
    assert rest.w.tobytes() == whole.w.tobytes()
    assert (rest.history, rest.why, rest.epoch) == (whole.history, whole.why, whole.epoch)
    assert len(whole.history) > 1
    assert whole.epoch == 2


def test_patience_is_counted_in_rounds():
    problem = posed("likelihood")
    learner = learner_named("cccp", {"epochs": 3, "tolerance": 0.0, "patience": 2})
    result = learner.fit(problem, watch=lambda number, facts, weigh: -number)
    assert (result.epoch, len(result.history)) == (1, 3)
    assert result.why == "no better development score for 2 rounds"


def test_settings_that_are_not_its_own_are_the_inner_learners():
    learner = learner_named("cccp", {"inner": "ocp", "rounds": "7", "tolerance": "1e-4", "passes": "2", "seed": "5"})
    assert (learner.rounds, learner.tolerance) == (7, 1e-4)
    assert (learner.inner.name, learner.inner.passes, learner.inner.seed, learner.inner.tolerance) == ("ocp", 2, 5, 1e-4)
    told = dataclasses.asdict(learner)  # what a model keeps
    assert learner_named(told.pop("name"), told) == learner
    assert usual_objective("cccp") == "likelihood"
    assert usual_l2("cccp", 50) == 0.04


def test_refusals():
    with pytest.raises(InputError, match="inner=sgd is not known; choose one of lbfgs, bcfw, ocp, cutting-plane, one-slack"):
        learner_named("cccp", {"inner": "sgd"})
    with pytest.raises(
        InputError, match="cccp has no setting 'rate'; its settings are inner, rounds, tolerance, patience, and those of ocp: epochs,"
    ):
        learner_named("cccp", {"inner": "ocp", "rate": 1.0})
    with pytest.raises(InputError, match="rounds is 0"):
        learner_named("cccp", {"rounds": 0})
    with pytest.raises(InputError, match="risk is not a difference of two convex functions of scores; use lbfgs, ops or sgd"):
        learner_named("cccp").fit(posed("risk"))
    with pytest.raises(InputError, match="cannot minimise ramp by lbfgs; use inner=bcfw, ocp"):
        learner_named("cccp").fit(posed("ramp"))
    with pytest.raises(InputError, match="cannot minimise jensen by bcfw; use inner=lbfgs"):
        learner_named("cccp", {"inner": "bcfw"}).fit(posed("jensen"))
    with pytest.raises(InputError, match="bcfw minimises the hinge, not perceptron"):
        learner_named("cccp", {"inner": "bcfw"}).fit(posed("perceptron"))
    with pytest.raises(InputError, match=r"with unknown labels .* use cccp with inner=ocp"):
        learner_named("ocp").fit(posed("hinge"))
    with pytest.raises(InputError, match="use --objective hinge, or cccp, ops or sgd"):
        learner_named("bcfw").fit(posed("ramp", unknown=0.0))
    with pytest.raises(InputError, match="the checkpoint was written for other data"):
        learner_named("cccp").fit(posed("jensen"), state=({"w": np.zeros((1, 1))}, []))


def test_the_tangent_of_a_maximum_is_taken_at_one_output():
    problem = posed("hinge")
    tangent = tangent_at(problem, some_weights(problem))
    gold = problem.corpus.gold
    assert isinstance(problem.objective.lower, Max)
    assert (tangent.frozen.part[gold >= 0] == gold[gold >= 0]).all()
    assert (tangent.frozen.part >= 0).all()
