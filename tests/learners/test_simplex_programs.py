"""The small quadratic program on random and on degenerate problems: its gap proves the maximum, and scipy's general solver agrees."""

import numpy as np
import pytest
from scipy import optimize

from widemargin.errors import InputError
from widemargin.learners.simplex import maximise

pytestmark = pytest.mark.twice


def gap_at(G, b, C, a):
    """How far a concave function may rise above its value at a: its linearisation there, maximised (Frank and Wolfe 1956)."""
    g = b - G @ a
    return C * max(0.0, g.max()) - g @ a


def slow(G, b, C):
    """The same maximum by SLSQP; None where it gives up, as it does on some singular problems."""
    K = len(b)
    inside = {"type": "ineq", "fun": lambda a: C - a.sum(), "jac": lambda a: -np.ones(K)}
    found = optimize.minimize(
        lambda a: 0.5 * a @ G @ a - b @ a,
        np.full(K, C / (K + 1)),
        jac=lambda a: G @ a - b,
        bounds=[(0, None)] * K,
        constraints=[inside],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return -found.fun if found.success else None


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["full", "singular", "duplicates", "flat", "nothing to gain"])
def test_smo_finds_the_maximum(seed, kind):
    random = np.random.default_rng(seed)
    K, C = int(random.integers(1, 7)), float(random.uniform(0.2, 3.0))
    X, b = random.normal(size=(K, {"singular": 1}.get(kind, 8))), random.normal(size=K) + 0.5
    if kind == "duplicates":
        X, b = np.vstack([X, X]), np.concatenate([b, b])
    if kind == "flat":
        X[:] = 0.0
    if kind == "nothing to gain":
        b = -np.abs(b)
    G = X @ X.T
    found = maximise(G, b, C=C, tolerance=1e-10)
    assert (found.a >= 0.0).all()
    assert found.a.sum() <= C * (1 + 1e-12)
    assert found.violation <= 1e-10
    assert gap_at(G, b, C, found.a) <= 1e-9 * max(1.0, C)
    assert found.value == pytest.approx(b @ found.a - 0.5 * found.a @ G @ found.a, abs=1e-12)
    best = slow(G, b, C)
    if kind == "full":
        assert best is not None
    if best is not None:
        assert found.value == pytest.approx(best, abs=1e-6 * max(1.0, abs(best)))


def test_a_warm_start_at_the_maximum_takes_no_step():
    random = np.random.default_rng(3)
    X = random.normal(size=(5, 9))
    G, b = X @ X.T, random.uniform(0.1, 2.0, 5)
    first = maximise(G, b, tolerance=1e-9)
    assert first.steps > 0
    again = maximise(G, b, start=first.a, tolerance=1e-8)
    assert again.steps == 0
    assert (again.a == first.a).all()


def test_no_planes_no_work():
    assert maximise(np.zeros((0, 0)), np.zeros(0)).value == 0.0


def test_refusals():
    with pytest.raises(InputError, match="square"):
        maximise(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(InputError, match="from 0 up"):
        maximise(np.eye(2), np.zeros(2), start=[-1.0, 0.0])
