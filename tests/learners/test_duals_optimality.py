"""Dual learners at their end: feasible masses, the conditions of Karush, Kuhn and Tucker, and the maximum that a general solver finds.

All outputs of all rows are listed here, so that the whole dual is one small quadratic program.
"""

import numpy as np
import pytest
from engine_corpora import Dense, pose, random_sample, to_dense
from scipy import optimize

from widemargin.errors import InputError
from widemargin.families.tagging.costs import parse_cost
from widemargin.learners import learner_named
from widemargin.learners.cuts import Cuts
from widemargin.learners.dual_runs import RUNS
from widemargin.learners.duals import DUALS

L2, NAMES = 0.2, ("O", "A", "B")
COST = parse_cost("miss=2,false=1,type=1", NAMES)


def tiny(objective, *, rows=4, seed=2):
    sample = random_sample(seed, rows=rows, longest=2, labels=3, nodes=4, edges=1, twins=False)
    sample.weight = np.random.default_rng(0).uniform(0.5, 2.0, rows)
    return pose(sample, objective, cost=COST, l2=L2), Dense(sample, objective, cost=COST, l2=L2)


def planes(dense, objective):
    """Of every row and output: (row, path, b, Phi' r)."""
    out = []
    for i, (n, at) in enumerate(zip(dense.lengths, dense.bounds)):
        for path in np.ndindex(*(3,) * int(n)):
            cost = float(COST.matrix[dense.sample.gold[at : at + n], list(path)].sum())
            out.append((i, path, cost, (cost if objective == "slack" else 1.0) * dense.gather(i, dense.less_gold(i, np.array(path)))))
    return out


def highest(dense, objective):
    """The maximum of the dual by scipy's SLSQP: one simplex per row."""
    found, share = planes(dense, objective), dense.weight / len(dense.lengths)
    row, b = np.array([p[0] for p in found]), np.array([p[2] for p in found])
    V = np.array([share[p[0]] / L2 * p[3] for p in found])
    member = (row[None, :] == np.arange(len(share))[:, None]).astype(float)
    start = (member / member.sum(axis=1, keepdims=True)).sum(axis=0)
    done = optimize.minimize(
        lambda a: 0.5 * L2 * np.sum((a @ V) ** 2) - (share[row] * b) @ a,
        start,
        jac=lambda a: L2 * V @ (a @ V) - share[row] * b,
        bounds=[(0.0, 1.0)] * len(b),
        constraints=[{"type": "eq", "fun": lambda a: member @ a - 1.0, "jac": lambda a: member}],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-13},
    )
    return -done.fun


@pytest.mark.parametrize("objective", ["hinge", "slack"])
def test_every_learner_ends_at_the_maximum_of_a_general_solver(objective):
    problem, dense = tiny(objective)
    best = highest(dense, objective)
    assert best > 0.1
    for name in (name for name in DUALS if (name, objective) != ("smo", "slack")):  # smo knows the hinge alone
        fine = 1e-3 if name == "bcfw" else 1e-5
        settings = {"tolerance": fine, "epochs": 3000, "check": 20 if name == "bcfw" else 1, "dtype": "float64"}
        last = learner_named(name, settings).fit(problem).history[-1]
        assert last["gap"] <= fine * last["primal"], name
        assert last["dual"] <= best * (1 + 1e-7), name
        assert last["primal"] >= best * (1 - 1e-7), name


@pytest.mark.parametrize("objective", ["hinge", "slack"])
@pytest.mark.parametrize("name", ["cutting-plane", "ocp"])
def test_masses_are_feasible_and_only_where_the_loss_is_highest(name, objective):
    problem, dense = tiny(objective, rows=6, seed=5)
    run = RUNS[name](learner_named(name, {"tolerance": 0.0, "epochs": 5000, "check": 5000, "dtype": "float64", "passes": 5}), problem)
    for epoch in range(1, 60):
        run.epoch(epoch)
    paths, w = run.sets.tables, to_dense(problem, run.weights())
    assert (paths.mass >= 0.0).all()
    assert (paths.rest >= 0.0).all()
    np.testing.assert_allclose(paths.mass.sum(axis=1) + paths.rest, 1.0, atol=1e-12)
    value = {(i, path): b + w @ g for i, path, b, g in planes(dense, objective)}
    carried = 0
    for i, (n, at) in enumerate(zip(dense.lengths, dense.bounds)):
        top = max(v for (j, _), v in value.items() if j == i)
        for p in np.flatnonzero(paths.mass[i] > 1e-9):
            assert value[i, tuple(paths.part[p, at : at + n])] == pytest.approx(top, abs=1e-4)
            carried += 1
        if paths.rest[i] > 1e-9:  # the gold is a plane at 0
            assert top == pytest.approx(0.0, abs=1e-4)
    assert carried > len(dense.lengths) // 2


# ---- memory -----------------------------------------------------------------------------------------------------------------------


def test_cuts_shrink_to_their_bytes_and_keep_w_and_the_dual():
    random, copies = np.random.default_rng(0), np.array([1.0, 2.0, 1.0])
    cuts = Cuts(copies, (3, 4))
    for _ in range(6):
        assert cuts.add(random.normal(size=(3, 4)), random.normal())
    cuts.mass[:] = [0.1, 0.0, 0.3, 0.05, 0.0, 0.2]
    cuts.age(0)
    before, dual = cuts.weights(0.5), cuts.mass @ cuts.offset - cuts.mass @ cuts.gram @ cuts.mass
    one = cuts.bytes // 6
    cuts.shrink(4 * one)
    assert cuts.planes == 4  # those without mass have gone
    np.testing.assert_allclose(cuts.weights(0.5), before, atol=1e-12)
    cuts.shrink(0)
    assert cuts.planes == 2  # the lightest have been merged
    np.testing.assert_allclose(cuts.weights(0.5), before, atol=1e-12)
    assert cuts.mass.sum() == pytest.approx(0.65)
    assert cuts.mass @ cuts.offset - cuts.mass @ cuts.gram @ cuts.mass == pytest.approx(dual)


@pytest.mark.parametrize("name", DUALS)
def test_memory_is_reported_and_bounded(name):
    problem, _ = tiny("hinge", rows=6, seed=5)
    for megabytes in (1000.0, 0.0)[: 1 if name == "bcfw" else 2]:
        settings = {"epochs": 40, "dtype": "float64", "tolerance": 0.0, "check": 1, "memory": megabytes, "prune": 0}
        history = learner_named(name, settings).fit(problem).history
        assert all(facts["megabytes"] >= 0.0 and facts["gap"] >= -1e-6 for facts in history)
        if megabytes == 0.0 and name in ("ocp", "cutting-plane"):
            assert max(facts["planes"] for facts in history) <= 4 * 6
        if megabytes == 0.0 and name == "one-slack":
            assert max(facts["planes"] for facts in history) <= 3


def test_bcfw_says_what_it_would_need():
    problem, _ = tiny("hinge")
    with pytest.raises(InputError, match=r"keeps 0 MB of mixtures, and memory is 0; raise it \(--set memory=...\), or use ocp"):
        learner_named("bcfw", {"memory": 0.0}).fit(problem)
