"""Dual learners on trees: what they keep adds up to their weights and their dual, and all learners of the hinge end at the same F."""

import dataclasses

import numpy as np
import pytest
from parsing_data import gold_tree, prices_of, problem, random_weights, scores_of, tree, weighted

from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.learners.ascent import RUNS

CASES = [("eisner", True), ("arborescence", False)]
DUALS = ["bcfw", "ocp", "cutting-plane", "one-slack"]


def listed(run, i):
    """The mixture of sentence i, from the lists of its words."""
    posed, lists = run.problem, run.mixture
    kinds, out = posed.labels or 1, np.zeros_like(prices_of(posed, i))
    for m, word in enumerate(range(*posed.corpus.token[i : i + 2]), start=1):
        e = lists.first[word]
        while e >= 0:
            h, r = divmod(int(lists.part[e]), kinds)
            out[(h, m, r) if posed.labels else (h, m)] += lists.mass[e]
            e = lists.next[e]
    return out


def planes(run, i):
    """(mass, indicator) of the trees that are kept for sentence i."""
    posed, paths = run.problem, run.sets.paths
    low, high = posed.corpus.token[i : i + 2]
    there = np.flatnonzero(paths.idle[i] >= 0)
    return [(paths.mass[i, p], tree(posed, *divmod(paths.part[p, low:high], posed.labels or 1))) for p in there]


def summed(run, i):
    """sum_y a_iy (mu_y - mu_gold)."""
    gold = gold_tree(run.problem, i)
    return sum((mass * (mu - gold) for mass, mu in planes(run, i)), np.zeros_like(gold))


@pytest.mark.parametrize(("structure", "labelled"), CASES)
@pytest.mark.parametrize(("name", "kept"), [("bcfw", listed), ("ocp", summed)])
def test_what_is_kept_is_the_weights_and_the_dual(name, kept, structure, labelled):
    """w is tested by its products with other weights: <u, Phi' r> is what u scores r."""
    posed = weighted(problem(structure=structure, labelled=labelled, sentences=6, l2=0.2))
    run = RUNS[name](learner_named(name, {"dtype": "float64", "check": 1, "passes": 1}), posed)
    facts = [run.epoch(e) for e in (1, 2, 3, 4)][-1]
    share, l2, w = posed.corpus.weight / posed.corpus.rows, posed.penalty.l2, run.weights()
    parts = [kept(run, i) for i in range(posed.corpus.rows)]
    assert not parts[1].any()
    for seed in range(3):
        u = random_weights(posed, seed)
        product = sum(c * (r * scores_of(posed, i, u)).sum() for i, (c, r) in enumerate(zip(share, parts)))
        assert (u * w).sum() == pytest.approx(-product / l2, abs=1e-10)
    offset = sum(c * (r * prices_of(posed, i)).sum() for i, (c, r) in enumerate(zip(share, parts)))
    assert facts["dual"] == pytest.approx(offset - 0.5 * l2 * (w**2).sum(), abs=1e-10)
    assert facts["primal"] == pytest.approx(posed.value(w), abs=1e-10)
    assert np.abs(w).max() > 0.01


@pytest.mark.parametrize(("structure", "labelled"), CASES)
def test_passes_without_decoding_know_the_values_of_planes(structure, labelled):
    posed = weighted(problem(structure=structure, labelled=labelled, sentences=6, l2=0.2))
    run = RUNS["ocp"](learner_named("ocp", {"dtype": "float64"}), posed)
    for e in (1, 2, 3):
        run.epoch(e)
    for i in range(posed.corpus.rows):
        scores, prices, gold = scores_of(posed, i, run.weights()), prices_of(posed, i), gold_tree(posed, i)
        value = [((mu - gold) * scores + mu * prices).sum() for _, mu in planes(run, i)]
        mean = sum(mass * v for (mass, _), v in zip(planes(run, i), value))
        share = posed.corpus.weight[i] / posed.corpus.rows
        assert run.sweep(np.array([i]), decode=False)[1] == pytest.approx(share * (max([0.0, *value]) - mean), abs=1e-10)


@pytest.mark.parametrize(("structure", "labelled"), CASES)
def test_every_learner_of_the_hinge_reaches_the_same_f(structure, labelled):
    posed = problem(structure=structure, labelled=labelled, sentences=8, l2=0.5)
    exact = {"tolerance": 9e-4, "epochs": 5000, "dtype": "float64"}
    stages = [{"rate": 0.1, "epochs": 500}, {"rate": 0.01, "epochs": 1000}, {"rate": 0.002, "epochs": 2000}]
    settings = {
        **{name: [exact | {"check": 50 if name == "bcfw" else 1}] for name in DUALS},
        "sgd": [{"rate": 1.0, "schedule": "inverse", "epochs": 5000, "dtype": "float64"}],
        "ops": [{"dtype": "float64", "initial": 1000.0, **stage} for stage in stages],
    }
    primal, dual = {}, {}
    for name, steps in settings.items():
        w = None
        for step in steps:
            result = learner_named(name, step).fit(posed, w)
            w = result.w
        primal[name], last = posed.value(w), result.history[-1]
        if name in DUALS:
            dual[name] = last["dual"]
            assert last["primal"] == pytest.approx(primal[name], rel=1e-9), name
            assert last["gap"] <= 9e-4 * last["primal"], (name, result.why)
            gaps = [facts["gap"] for facts in result.history if "gap" in facts]
            assert gaps[-1] < 0.1 * gaps[0], name
    assert max(dual.values()) <= min(primal.values()) * (1 + 1e-12), (primal, dual)
    assert max(primal.values()) <= min(primal.values()) * (1 + 1e-3), primal


@pytest.mark.parametrize("name", ["bcfw", "ocp", "cutting-plane"])
def test_interruptions_change_no_byte_and_duals_rise(name):
    posed, saved = problem(sentences=6, l2=0.2), {}
    learner = learner_named(name, {"epochs": 8, "dtype": "float64", "tolerance": 0.0, "prune": 1, "passes": 2})
    whole = learner.fit(
        posed, keep=lambda e, state, history, final: saved.setdefault(e, ({k: v.copy() for k, v in state().items()}, history[:]))
    )
    assert (np.diff([facts["dual"] for facts in whole.history]) >= -1e-9).all()
    rest = learner.fit(posed, state=saved[3])
    assert rest.w.tobytes() == whole.w.tobytes()
    assert rest.history == whole.history


def test_bcfw_averages_its_steps():
    posed = problem(sentences=6, l2=0.2)
    runs = [RUNS["bcfw"](learner_named("bcfw", {"average": yes, "dtype": "float64"}), posed) for yes in (True, False)]
    runs[0].epoch(1)
    total = 0.0
    for i in runs[1].order(1):  # a pass over one row at a time
        runs[1].order = lambda number, turn=0, i=i: np.array([i])
        runs[1].epoch(1)
        total = total + runs[1].weights()
    np.testing.assert_allclose(runs[0].weights(), total / posed.corpus.rows, atol=1e-12)


def test_memory_that_is_too_small_is_refused():
    with pytest.raises(InputError, match="raise it"):
        learner_named("bcfw", {"memory": 1e-4}).fit(problem(sentences=6, l2=0.2))


def test_refusals():
    posed = problem(sentences=4, l2=0.1)
    with pytest.raises(InputError, match="smo and kernels are for labels of tokens"):
        learner_named("smo").fit(posed)
    hidden = posed.corpus.gold.copy()
    hidden[2, 0] = -1
    with pytest.raises(InputError, match="needs every label"):
        learner_named("bcfw").fit(dataclasses.replace(posed, corpus=dataclasses.replace(posed.corpus, gold=hidden)))
