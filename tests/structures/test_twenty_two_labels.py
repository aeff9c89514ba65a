"""Chains and choices as real runs compile them: 22 labels in 24 lanes, float32 and float64, 30 tokens, against NumPy in float64."""

import chain_oracle as oracle
import engine_enumeration as brute
import numpy as np
import pytest
from one_row import part_gradient, row_of_parts

from widemargin.compiler import lanes
from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.terms import UNKNOWN, LogSum, Max, answer, augment_row, tilt_row
from widemargin.families.tagging.costs import Cost
from widemargin.structures import Chain, Choice, Parts

Y, NAMES = 22, tuple(f"L{k}" for k in range(22))
EDGES = [brute.SHARED, brute.PER_POSITION, brute.NONE]
NUMBERS = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.fixture(params=["lanes", pytest.param("loops", marks=pytest.mark.wide)], autouse=True)
def rows(request, monkeypatch):
    """Rows of labels unrolled, and as hundreds of labels have them."""
    if request.param == "loops":
        monkeypatch.setattr(lanes, "MOST_LANES", 0)


class Case:
    """Scores that float32 holds exactly, a mask of legal transitions, and the same as node and edge tables with -inf where illegal."""

    def __init__(self, edges, seed, *, masked):
        random = np.random.default_rng([seed, EDGES.index(edges)])
        self.n = 1 if edges == brute.NONE else 30
        self.legal = brute.random_legal(random, Y) if masked else None
        self.structure, self.edges, self.random = (Choice if edges == brute.NONE else Chain)(Y, self.legal), edges, random
        exact = (
            table if table is None else table.astype(np.float32).astype(float)
            for table in brute.random_parts(random, self.n, Y, edges, 2.0)
        )
        self.scores = Parts(*exact)
        self.node, self.edge = self.scores.node.copy(), np.zeros((self.n, Y, Y))
        if edges != brute.NONE:
            self.edge[:] = self.scores.edge
        if masked:
            self.node[0] += np.where(self.legal.start, 0.0, -np.inf)
            self.node[-1] += np.where(self.legal.stop, 0.0, -np.inf)
            self.edge += np.where(self.legal.step, 0.0, -np.inf)

    def loaded(self, dtype):
        """A workspace with the scores, a gold of which nothing is known, and no prices."""
        s = self.structure.workspace(self.n, per_position=self.edges == brute.PER_POSITION, dtype=dtype)
        s.node[:, :Y] = self.scores.node
        if self.edges != brute.NONE:
            s.edge[:, :Y] = np.reshape(self.scores.edge, (-1, Y))
            s.edge[:] += np.tile(s.transitions, (len(s.edge) // Y, 1))
        return s, np.full(self.n, UNKNOWN, np.int32), np.zeros((Y, s.node.shape[1]), dtype)

    def parts(self, node, edge):
        """What an oracle found, as one vector of the structure's parts."""
        if self.edges == brute.NONE:
            return node.ravel()
        return brute.flat(Parts(node, edge.sum(axis=0) if self.edges == brute.SHARED else edge))

    def agrees(self, found, expected, dtype):
        tolerance = {"rtol": 3e-5, "atol": 3e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-10}
        np.testing.assert_allclose(found[0], expected[0], **tolerance)
        np.testing.assert_allclose(found[1], self.parts(*expected[1:]), **tolerance)

    def mu(self, s):
        return s.mu_node[:, :Y].ravel() if self.edges == brute.NONE else brute.flat(Parts(s.mu_node[:, :Y], s.mu_edge[:, :Y]))


@NUMBERS
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("masked", [False, True])
def test_operations(edges, masked, dtype):
    for seed in range(3):
        case = Case(edges, seed, masked=masked)
        s, unknown, price = case.loaded(dtype)
        case.agrees((answer(Max(0.0, False), s, unknown, price, case.n), case.mu(s)), oracle.best(case.node, case.edge), dtype)
        case.agrees(
            (answer(LogSum(0.0, False), s, unknown, price, case.n), case.mu(s)), oracle.forward_backward(case.node, case.edge), dtype
        )
        direction = case.random.normal(size=(case.n, Y))
        s.direction[:, :Y] = direction
        case.agrees((tilt_row(s, unknown, price, case.n), case.mu(s)), oracle.tilted(case.node, case.edge, direction), dtype)


@NUMBERS
def test_the_k_best(dtype):
    case = Case(brute.SHARED, 1, masked=True)
    s, unknown, price = case.loaded(dtype)
    augment_row(s, unknown, price, case.n)
    paths, values = case.structure.kbest_paths(s, case.n, 7)
    expected = oracle.kbest(case.node, case.edge, 7)
    np.testing.assert_allclose(values, [value for value, _ in expected], rtol=1e-6)
    assert [tuple(path) for path in paths.tolist()] == [path for _, path in expected]


@NUMBERS
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize(
    ("objective", "known"), [(name, 1.0) for name in OBJECTIVES] + [(name, 0.6) for name in OBJECTIVES if name != "slack"]
)
def test_objectives(objective, edges, known, dtype):
    """F of one row and its gradient, from features to weights."""
    case = Case(edges, 5, masked=True)
    _, legal_path = oracle.kbest(case.node + case.random.normal(size=case.node.shape), case.edge, 1)[0]
    gold = np.where(case.random.random(case.n) < known, legal_path, UNKNOWN).astype(np.int32)
    prices = case.random.integers(1, 3, (Y, Y)) * (1 - np.eye(Y))
    if objective != "slack":
        prices *= case.random.uniform(0.5, 1.5, (Y, Y)).astype(np.float32)  # no ties
    problem, w = row_of_parts(case.scores, gold, edges, objective, Cost("random", NAMES, prices), case.legal)
    w = w.astype(dtype)
    g = problem.zeros(dtype)
    loss = problem.value_and_gradient(w, g)
    price = np.where(gold[:, None] == UNKNOWN, 0.0, prices[gold])
    inside = np.where((gold[:, None] == UNKNOWN) | (gold[:, None] == np.arange(Y)), case.node, -np.inf)
    case.agrees((loss, part_gradient(g, case.n, Y, edges)), oracle.objective_value(objective, case.node, case.edge, price, inside), dtype)
    assert not g[:, Y:].any(), "padding lanes have no gradient"
