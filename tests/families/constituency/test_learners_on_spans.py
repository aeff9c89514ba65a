"""Learners on trees over spans: what bcfw and ocp keep is their weights and their dual, and those of one F reach one F."""

import numpy as np
import pytest
import span_enumeration as twin
from modes import cases
from span_parsing import posed, random_weights, recipe, scores_of, small, spans_in_order

from widemargin.engine.gradient import score_row
from widemargin.engine.meta_descent import score_direction
from widemargin.errors import InputError
from widemargin.families.constituency.kinds import KINDS
from widemargin.families.recipes import train
from widemargin.learners import learner_named
from widemargin.learners.dual_runs import RUNS
from widemargin.learners.duals import DUALS

pytestmark = pytest.mark.twice
COSTS = ("wrong=1.3,missed=0.4", "wrong=1.1,missed=0.3,production=0.7")
PRICED = [(structure, cost) for structure in KINDS for cost in COSTS if structure != "labels" or "production" not in cost]
matrix = pytest.mark.parametrize(("structure", "cost"), [pytest.param(*case, marks=pytest.mark.wide, id=" ".join(case)) for case in PRICED])


def hinge(structure, cost, l2=0.2, **more):
    """The hinge on a few trees, which do not count alike."""
    problem = posed(structure, objective="hinge", l2=l2, cost=cost, **more).problem
    problem.corpus.weight[:] = np.linspace(0.0, 1.8, problem.corpus.rows)
    return problem


def row_of(problem, i, w):
    """The gold's nodes of sentence i, and its scores under w as arrays."""
    one = problem.part(np.array([i]))
    n = one.corpus.longest
    s = problem.workspace(np.float64, n)
    score_row(one.rows(np.float64, n), s, 0, problem.reader(w))
    return one.corpus.gold.node.tolist(), scores_of(problem, s, n)


def node_score(structure, scores, node):
    """What a node with its production scores: (first, split, end, symbol, left, right)."""
    i, k, j, a, b, c = node
    value = scores.root[a] if j - i == len(scores.span) - 1 else 0.0
    if j - i == 1 or not structure.only_words:
        value += scores.span[i, j, a]
    if j - i > 1:
        value += scores.left[i, k, a] + scores.right[k, j, a] if structure.splits else 0.0
        if structure.name == "bigrams":
            value += scores.grammar[0][b, a] + scores.grammar[1][c, a]
        elif structure.name == "rules":
            value += scores.grammar[0][(structure.rules == (a, b, c)).all(axis=1)].item()
    return value


def node_price(node, gold, price):
    """What a node with its production costs, where a gold node that is there costs less than nothing: its `missed`."""
    i, _, j, a, _, _ = node
    kind = 0 if j - i == 1 else 1
    there = any((i, j, a) == (x, z, d) for x, _, z, d in gold)
    cost = -price.missed[kind, a] if there else price.wrong[kind, a]
    return cost + (price.production[1, a] if kind and node not in twin.productions(gold) else 0.0)


def kept_nodes(problem, mixture, i):
    """The nodes of the mixture of sentence i, with their masses."""
    first, end = problem.corpus.token[i : i + 2]
    for t in range(end - first):
        e = mixture.first[first + t]
        while e >= 0:
            k, j, a, b, c = mixture.part[e].tolist()
            yield (t, k, j, a, b, c), mixture.mass[e]
            e = mixture.next[e]


@matrix
def test_the_mixtures_of_bcfw_are_its_weights_and_its_dual(structure, cost):
    problem = hinge(structure, cost)
    run = RUNS["bcfw"](learner_named("bcfw", {"check": 1, "dtype": "float64"}), problem)
    facts = [run.epoch(e) for e in (1, 2, 3, 4)][-1]
    w, l2, price = run.weights(), problem.penalty.l2, problem.price(np.float64)
    for seed in range(3):
        d = random_weights(problem, seed)
        along, offset = 0.0, 0.0
        for i in range(problem.corpus.rows):
            gold, scores = row_of(problem, i, d)
            share = problem.corpus.weight[i] / problem.corpus.rows
            nodes = list(kept_nodes(problem, run.mixture, i))
            assert len({node for node, _ in nodes}) == len(nodes)
            along -= share / l2 * sum(mass * node_score(problem.structure, scores, node) for node, mass in nodes)
            offset += share * sum(mass * node_price(node, gold, price) for node, mass in nodes)
        assert along == pytest.approx((w * d).sum(), abs=1e-9)
    assert facts["dual"] == pytest.approx(offset - 0.5 * l2 * (w * w).sum(), abs=1e-9)
    assert facts["primal"] == pytest.approx(problem.value(w))
    assert np.abs(w).max() > 0.01


@matrix
def test_learners_of_the_hinge_reach_one_f(structure, cost):
    problem, primal, dual = hinge(structure, cost, l2=0.5), {}, {}  # more curvature, fewer steps
    for name in [name for name in DUALS if name != "smo"]:
        result = learner_named(name, {"tolerance": 0.02, "epochs": 400, "check": 1, "dtype": "float64", "passes": 3}).fit(problem)
        last = result.history[-1]
        primal[name], dual[name] = problem.value(result.w), last["dual"]
        assert last["primal"] == pytest.approx(primal[name])
        assert last["gap"] <= 0.02 * last["primal"], (name, result.why)
    w, epochs = None, 100 if structure == "wcfg" else 40  # rules without features cost little, and have few weights
    for rate in (0.1, 0.01):
        w = learner_named("ops", {"rate": rate, "epochs": epochs, "dtype": "float64", "initial": 100.0}).fit(problem, w).w
    assert max(dual.values()) <= min(*primal.values(), problem.value(w)) * (1 + 1e-9), (primal, dual)
    assert max(primal.values()) <= max(dual.values()) * 1.04, (primal, dual)
    assert problem.value(w) <= max(dual.values()) * 1.1  # steps of ops go to and fro


@pytest.mark.parametrize("structure", cases(KINDS, wide=lambda structure: True))
def test_learners_of_the_likelihood_reach_one_f(structure):
    problem = posed(structure, objective="likelihood", l2=0.5).problem
    reached = {}
    for name, settings in {"lbfgs": {}, "ops": {"rate": 0.1, "epochs": 40}, "smd": {"rate": 0.1, "epochs": 40}}.items():
        if name != "smd" or structure == "labels":
            reached[name] = problem.value(learner_named(name, settings | {"dtype": "float64"}).fit(problem).w)
    for name, value in reached.items():
        assert reached["lbfgs"] * (1 - 1e-9) <= value <= reached["lbfgs"] * 1.02, (name, reached)


@pytest.mark.parametrize("structure", cases(KINDS, wide=lambda structure: True))
def test_a_step_of_mira_gives_every_listed_tree_its_margin(structure):
    """One sentence and no cap: after a step, the trees that were listed score at least their cost below the gold."""
    problem = posed(structure, objective="hinge", cost=COSTS[0]).problem.part(np.array([0]))
    start = next(w for w in (random_weights(problem, seed) for seed in range(20)) if problem.value(w) > 1.0)
    settings = {"k": 200, "rate": 1e9, "epochs": 1, "tolerance": 1e-10, "dtype": "float64", "average": False}
    w = learner_named("mira", settings).fit(problem, start).w
    assert problem.value(w) == pytest.approx(0.0, abs=1e-6)
    assert np.abs(w - start).max() > 1e-3


@pytest.mark.wide
def test_the_direction_of_meta_descent_is_what_scores_are():
    """The root's too; where a symbol may not be, nobody reads it."""
    problem = posed("labels", objective="likelihood").problem
    w, v = random_weights(problem, 1), random_weights(problem, 2)
    rows = problem.rows(np.float64, problem.corpus.longest)
    for i in range(problem.corpus.rows):
        n = int(problem.corpus.token[i + 1] - problem.corpus.token[i])
        s = problem.workspace(np.float64, problem.corpus.longest)
        score_row(rows, s, i, problem.reader(w))
        score_direction(rows.input, s, i, n, problem.reader(v))
        _, scores = row_of(problem, i, v)
        for r, (first, end) in enumerate(spans_in_order(n)):
            expected = scores.span[first, end] + (scores.root if end - first == n else 0.0)
            there = np.isfinite(expected)
            np.testing.assert_allclose(s.spans.direction[r, : problem.structure.symbols][there], expected[there])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learner": "smd"}, "smd has no curvature along productions, which structure=bigrams scores"),
        ({"learner": "smo", "l2": 0.1}, "smo and kernels are for labels of tokens"),
        ({"learner": "bcfw", "l2": 0.0}, "needs l2 above 0"),
    ],
)
def test_refused(change, words):
    with pytest.raises(InputError, match=words):
        train(recipe(**change), small())


@pytest.mark.wide  # the conformance suite compiles its like
def test_bcfw_keeps_within_its_memory_and_goes_on_where_it_stopped():
    problem = hinge("bigrams", COSTS[1])
    with pytest.raises(InputError, match="raise it"):
        learner_named("bcfw", {"memory": 1e-4}).fit(problem)
    learner, kept = learner_named("bcfw", {"epochs": 5, "dtype": "float64", "tolerance": 0.0}), []

    def keep(epoch, state, history, final):
        kept.append(({name: np.array(array) for name, array in state().items()}, [*history]))

    whole = learner.fit(problem, keep=keep)
    again = learner.fit(problem, state=kept[1])
    np.testing.assert_array_equal(again.w, whole.w)
    lie = kept[1][0] | {"mixture.next": np.full_like(kept[1][0]["mixture.next"], 10**6)}
    with pytest.raises(InputError, match="lists that leave their parts"):
        learner.fit(problem, state=(lie, kept[1][1]))
