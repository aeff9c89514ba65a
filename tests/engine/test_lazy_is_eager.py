"""Lazy updates are exact: what the sweep does to a few weights at a time is what an eager twin does to all of them at every step.

All rules, structures and objectives: families/test_conformance.py. Here: merging, weights that die, long clocks, closed forms.
"""

import engine_twins as twins
import numpy as np
import pytest
from engine_corpora import Dense, equal_start, pose, random_sample, to_dense

from widemargin.compiler.lanes import lanes_of
from widemargin.engine import lazy  # noqa: F401  (gives catch_up its meanings)
from widemargin.engine.lazy import series
from widemargin.engine.rules import Adaptive, Sgd, record_step
from widemargin.engine.table_steps import settle
from widemargin.engine.tables import Weights
from widemargin.learners import learner_named
from widemargin.scoring.indexed import TokenTables

pytestmark = pytest.mark.twice
ROWS = 14
PENALTIES = [(0.0, 0.0), (0.02, 0.0), (0.0, 0.05), (0.02, 0.05)]

# name -> (learner, settings, twin)
RULES = {
    "sgd fixed": ("sgd", {"rate": 0.3, "schedule": "fixed"}, lambda l2, n: twins.Sgd(rate=0.3)),
    "sgd inverse": ("sgd", {"rate": 0.3, "schedule": "inverse"}, lambda l2, n: twins.Sgd(rate=0.3, decay=l2 * 0.3 or 1 / n, power=1.0)),
    "sgd root": ("sgd", {"rate": 0.3, "schedule": "root"}, lambda l2, n: twins.Sgd(rate=0.3, decay=1 / n, power=0.5)),
    "sgd decay": ("sgd", {"rate": 0.3, "schedule": "inverse", "decay": 0.2}, lambda l2, n: twins.Sgd(rate=0.3, decay=0.2, power=1.0)),
    "ops": ("ops", {"rate": 0.2, "initial": 0.01}, lambda l2, n: twins.AdaGrad(eta=0.2, initial=0.01)),
    "adadelta": ("adadelta", {"rate": 1.0, "epsilon": 1e-3}, lambda l2, n: twins.AdaDelta(eta=1.0, rho=0.95, epsilon=1e-3)),
}


def sample_for(kind, seed=0):
    """Rows with rare features, twins, single tokens, and some labels unknown."""
    edges = 3 if kind == "edges per position" else 0
    return random_sample(seed, rows=ROWS, longest=3, labels=3, nodes=9, rare=4, edges=edges, unknown=0.15, single=kind == "choice")


def fitted(problem, name, settings, start, **more):
    learner = learner_named(name, {"dtype": "float64", "skip": 0.0, **settings, **more})
    return learner.fit(problem, start).w


def compare(rule, kind, objective, l1, l2, *, average, batch, merged=True, epochs=3, tolerance=1e-12, seed=0):
    """Fit and twin from the same start; returns the dense weights."""
    name, settings, twin = RULES[rule]
    sample, choice = sample_for(kind, seed), kind == "choice"
    problem = pose(sample, objective, l1=l1, l2=l2, merged=merged, choice=choice)
    dense = Dense(sample, objective, l1=l1, l2=l2, choice=choice)
    start, w = equal_start(pose(sample, objective, choice=choice), dense)
    if not merged:
        start = equal_rows(problem, w)
    found = to_dense(problem, fitted(problem, name, settings, start, average=average, batch=batch, epochs=epochs))
    steps = -(-len(dense.lengths) // batch)
    assert steps > 4
    expected = twins.train(dense, twin(l2, len(dense.lengths)), w, epochs=epochs, batch=batch, average=average)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    return found


def equal_rows(problem, w):
    """Dense weights as rows of a problem without merging."""
    rows, Y = problem.zeros(), problem.labels
    rows[:, :Y] = w.reshape(-1, Y)
    return rows


def test_l1_makes_zeros_that_come_back():
    """Weights cross zero and die on the way; those of features that fired once stay exactly 0."""
    sparse = compare("ops", "edges per position", "likelihood", 0.1, 0.0, average=False, batch=1)
    assert 0 < (sparse == 0.0).sum() < len(sparse)
    sparse = compare("sgd fixed", "shared edges", "likelihood", 0.1, 0.0, average=False, batch=1)
    assert 0 < (sparse == 0.0).sum() < len(sparse)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@pytest.mark.parametrize("average", [False, True])
def test_merging_changes_nothing(rule, l1, l2, average):
    for batch, objective in ((1, "hinge"), (3, "likelihood")):
        both = [
            compare(rule, "edges per position", objective, l1, l2, average=average, batch=batch, merged=merged, tolerance=1e-10)
            for merged in (True, False)
        ]
        np.testing.assert_allclose(*both, rtol=0, atol=1e-10)


@pytest.mark.parametrize("rows", [60, 600])
@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_a_strong_penalty_does_not_run_the_clock_down(l1, rows):
    """x l2 = 4 at each of many steps: P = 5^-60 is too small beside the running sums, and 5^-600 is no number."""
    sample = random_sample(0, rows=rows, longest=2, labels=3, nodes=9, rare=4)
    problem, dense = pose(sample, "likelihood", l1=l1, l2=4.0), Dense(sample, "likelihood", l1=l1, l2=4.0)
    start, w = equal_start(problem, dense)
    found = to_dense(problem, fitted(problem, "sgd", {"rate": 1.0, "schedule": "fixed"}, start, average=True, epochs=1))
    np.testing.assert_allclose(found, twins.train(dense, twins.Sgd(rate=1.0), w, epochs=1, average=True), rtol=0, atol=1e-12)


# ---- closed forms alone, over wide ranges -------------------------------------------------------------------------------------------


def stepped(w, x, m, l1, l2, t):
    """t steps without a gradient, one by one, in more digits; the last value and the sum of all."""
    w, x, total = w.astype(np.longdouble), np.longdouble(x), 0.0
    for _ in range(t):
        w = np.sign(w) * np.maximum(np.abs(w) - m * x * np.longdouble(l1), 0) / (1 + x * np.longdouble(l2))
        total = total + w
    return w.astype(float), np.asarray(total, float)


def table_of(w, x, m, *, average):
    """One weight row per number, with its step size in lane 0..3."""
    n = len(w)
    slots = 1 if x is None else 2
    row = np.zeros((n * slots, 4))
    row.reshape(n, slots, 4)[:, 0] = w[:, None]
    if x is not None:
        row.reshape(n, slots, 4)[:, 1] = x[:, None]
    return Weights(
        lanes_of(4), 1, row, slots, slots, 1, np.zeros((n * average, 4)), int(average), np.zeros(n, np.int32), np.full(n, float(m))
    )


RATIOS = [
    (0.0, 1e-8),
    (0.0, 1e-5),
    (0.0, 1e-4),
    (0.0, 1e-3),
    (0.0, 0.5),
    (1e-4, 0.0),
    (1e-2, 0.0),
    (1e-4, 1e-4),
    (1e-2, 1e-1),
    (1e-2, 1e-8),
]


def caught_up(l1, l2, m, t, *, average, bounded=True):
    """Weights and sums after t skipped steps, by the closed form and one by one; bounded: step sizes have a bound that is known."""
    random = np.random.default_rng(0)
    w, x = random.normal(size=40), 10 ** random.uniform(-4, 0.5, 40)
    x[:6] = 1e-3 / max(l2, 1e-3) * np.array([0.999, 0.5, 0.2, 0.1, 1.001, 2.0])  # about where short series end
    w[6] = 0.0
    table = table_of(w, x, m, average=average)
    reach = l2 * x.max() if bounded else np.inf
    settle(TokenTables(table, table), Adaptive(0.1, l1, l2, reach, 0.0, 1e-6, average, series(l2, reach, t, np.float64)), t)
    assert (table.last == t).all()
    return (table.row[::2, 0], table.rest[:, 0] if average else None), stepped(w, x, m, l1, l2, t)


@pytest.mark.parametrize(("l1", "l2"), RATIOS)
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("bounded", [True, False])
def test_adaptive_catch_up_is_t_steps(l1, l2, m, bounded):
    for t in (1, 2, 17, 300):
        (found, _), (expected, _) = caught_up(l1, l2, m, t, average=False, bounded=bounded)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("l1", "l2"), RATIOS)
@pytest.mark.parametrize("m", [1, 3])
def test_adaptive_catch_up_sums_t_steps(l1, l2, m):
    """For averaging."""
    for t in (1, 2, 17, 300):
        found, expected = caught_up(l1, l2, m, t, average=True)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13 * t)


def logged(rates, l1, l2, average):
    """A rule whose log has run through these step sizes."""
    log = np.zeros((len(rates) + 1, 4))
    log[0, 0] = 1.0
    rule = Sgd(log, l1, l2, average)
    for now, rate in enumerate(rates, 1):
        record_step(rule, rate, now)
    return rule


@pytest.mark.parametrize(("l1", "l2"), RATIOS)
@pytest.mark.parametrize("m", [1, 3])
def test_sgd_catch_up_is_t_steps(l1, l2, m):
    """Also from the middle of a log. Steps of x l2 up to 0.05 each, as training has them."""
    random = np.random.default_rng(1)
    w, rates = random.normal(size=30), random.uniform(0.01, 0.1, 60)
    w[3] = 0.0
    rule = logged(rates, l1, l2, True)
    for since, now in ((0, 60), (20, 21), (20, 60)):
        table = table_of(w, None, m, average=True)
        table.last[:] = since
        settle(TokenTables(table, table), rule, now)
        expected, total = w.astype(np.longdouble), 0.0
        for rate in rates[since:now]:
            expected, _ = stepped(expected, rate, m, l1, l2, 1)
            total = total + expected
        np.testing.assert_allclose(table.row[:, 0], expected, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(table.rest[:, 0], total, rtol=1e-11, atol=1e-11)
