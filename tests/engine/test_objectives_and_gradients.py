"""Objectives against their definitions, F against its dense twin, gradients against differences."""

import engine_enumeration as brute
import numpy as np
import pytest
from engine_corpora import NAMES, Dense, pose, random_sample, to_dense, to_rows, uneven_cost

import widemargin.problem
from widemargin.corpus import build_corpus
from widemargin.costs import parse_cost
from widemargin.features.extractor import Features
from widemargin.objectives import OBJECTIVES
from widemargin.problem import Problem
from widemargin.structures import Chain, Choice, Legal

EDGES = [brute.SHARED, brute.PER_POSITION, brute.NONE]
PLAIN = [name for name in OBJECTIVES if name != "slack"]  # test_slack_rescaling.py has slack, which wants countable costs and every label
GOLDS = ["known", "some unknown", "all unknown"]


def row_of_parts(scores, gold, edges, objective, cost, legal=None):
    """A problem of one row whose weights are its part scores: one feature per token, one edge feature per later token."""
    T, Y = scores.node.shape
    one_each = np.arange(T + 1), np.arange(T, dtype=np.int32)
    none, later = (np.zeros(0, np.int64), np.zeros(0, np.int32)), (np.concatenate([[0], np.arange(T)]), np.arange(T - 1, dtype=np.int32))
    edge_ptr, edge_ind = later if edges == brute.PER_POSITION else none
    features = Features(np.array([0, T]), *one_each, edge_ptr, edge_ind)
    corpus = build_corpus(features, gold, nodes=T, edges=len(edge_ind), merged=False)
    structure = Choice(Y, legal) if edges == brute.NONE else Chain(Y, legal)
    problem = Problem(corpus, structure, cost, OBJECTIVES[objective])
    w = problem.zeros()
    w[:T, :Y] = scores.node
    if edges == brute.SHARED:
        w[T : T + Y, :Y] = scores.edge
    elif edges == brute.PER_POSITION:
        w[T + Y :, :Y] = scores.edge[1:].reshape(-1, Y)
    return problem, w


def part_gradient(g, T, Y, edges):
    """The problem's gradient read back as parts."""
    node = g[:T, :Y]
    if edges == brute.NONE:
        return node.ravel()
    edge = g[T:, :Y].reshape(-1, Y, Y)
    if edges == brute.PER_POSITION:
        # the shared transitions see every position
        np.testing.assert_allclose(edge[0], edge[1:].sum(axis=0), atol=1e-12)
        edge = np.concatenate([np.zeros((1, Y, Y)), edge[1:]])
    return np.concatenate([node.ravel(), edge.ravel()])


@pytest.mark.parametrize("objective", PLAIN)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("known", GOLDS)
@pytest.mark.parametrize("masked", [False, True])
def test_loss_and_part_gradient_are_those_of_the_table(objective, edges, known, masked):
    for seed in range(6):
        random = np.random.default_rng([seed, EDGES.index(edges), GOLDS.index(known)])
        T, Y = (1 if edges == brute.NONE else int(random.integers(1, 5))), int(random.integers(2, 5))
        legal = brute.random_legal(random, Y) if masked else None
        found = brute.outputs(T, Y, edges, legal=legal)
        gold = found.labels[random.integers(len(found.labels))].astype(np.int32)
        gold[(random.random(T) < 0.5) if known == "some unknown" else (known == "all unknown")] = -1
        scores, cost = brute.random_parts(random, T, Y, edges, 2.0), uneven_cost(Y, seed)
        if T == 1 and edges == brute.PER_POSITION:
            continue
        problem, w = row_of_parts(scores, gold, edges, objective, cost, legal)
        s = brute.flat(scores)
        value, mu = brute.objective_value(objective, found, s, brute.prices(cost.matrix, gold, len(s)), brute.agreeing(found, gold))
        g = problem.zeros()
        np.testing.assert_allclose(problem.value_and_gradient(w, g), value, atol=1e-9)
        np.testing.assert_allclose(problem.value(w), value, atol=1e-9)
        np.testing.assert_allclose(part_gradient(g, T, Y, edges), mu, atol=1e-9)
        assert not g[:, Y:].any(), "padding lanes have no gradient"


COSTS = ["hamming", "hamming*5", "miss=3,false=0.5,type=1.25", "weights:A=2,B=1.5", "matrix", "weights:A=2*0.5"]


@pytest.fixture
def cost_matrix(tmp_path):
    path = tmp_path / "prices"
    path.write_text("# gold guess price\nO A 0.25\nA B 4\n\nB O 0\n")
    return f"matrix:{path}"


@pytest.mark.parametrize("text", COSTS)
def test_costs_mean_what_they_say(text, cost_matrix):
    expected = {
        "hamming": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        "hamming*5": [[0, 5, 5], [5, 0, 5], [5, 5, 0]],
        "miss=3,false=0.5,type=1.25": [[0, 0.5, 0.5], [3, 0, 1.25], [3, 1.25, 0]],
        "weights:A=2,B=1.5": [[0, 1, 1], [2, 0, 2], [1.5, 1.5, 0]],
        "matrix": [[0, 0.25, 1], [1, 0, 4], [0, 1, 0]],
        "weights:A=2*0.5": [[0, 0.5, 0.5], [1, 0, 1], [0.5, 0.5, 0]],
    }[text]
    cost = parse_cost(cost_matrix if text == "matrix" else text, NAMES[:3])
    np.testing.assert_array_equal(cost.matrix, expected)
    assert cost.between(np.array([0, 1, -1]), np.array([1, 1, 2])) == cost.matrix[0, 1]
    np.testing.assert_array_equal(cost.parts(np.array([2, -1])), [expected[2], [0, 0, 0]])


def sample_for(edges, *, seed=0, unknown=0.3, weighted=True):
    sample = random_sample(seed, rows=5, longest=4, labels=3, nodes=5, edges=3 if edges == brute.PER_POSITION else 0, unknown=unknown)
    rows = len(sample.gold) if edges == brute.NONE else len(sample.lengths)
    sample.weight = np.random.default_rng(seed).uniform(0.2, 2.0, rows) if weighted else None
    return sample


@pytest.mark.parametrize("objective", PLAIN)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("text", COSTS)
def test_f_and_its_gradient_agree_with_the_dense_twin_merged_or_not(objective, edges, text, cost_matrix):
    """The gradient of a merged row is the gradient of one of its copies; F does not notice merging."""
    sample, choice = sample_for(edges), edges == brute.NONE
    cost = parse_cost(cost_matrix if text == "matrix" else text, NAMES[:3])
    # a random part keeps equal prices from making ties
    cost = type(cost)(text, cost.labels, cost.matrix + 1e-3 * uneven_cost(3).matrix)
    dense = Dense(sample, objective, cost=cost, l2=0.3, l1=0.2, choice=choice)
    merged = pose(sample, objective, cost=cost, l2=0.3, l1=0.2, choice=choice)
    plain = pose(sample, objective, cost=cost, l2=0.3, l1=0.2, choice=choice, merged=False)
    assert merged.corpus.node.rows < plain.corpus.node.rows
    random = np.random.default_rng(5)
    rows = merged.zeros()
    rows[:, :3] = random.normal(size=(len(rows), 3))
    w = to_dense(merged, rows)  # equal weights for merged features
    for problem in (merged, plain):
        table, g = to_rows(problem, dense, w), problem.zeros()
        smooth = problem.value_and_gradient(table, g)
        np.testing.assert_allclose(smooth, dense.value(w) - 0.2 * np.abs(w).sum(), atol=1e-10)
        np.testing.assert_allclose(problem.value(table), dense.value(w), atol=1e-10)
        np.testing.assert_allclose(to_dense(problem, g), dense.gradient(w), atol=1e-10)


@pytest.mark.parametrize("objective", PLAIN)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("merged", [False, True])
def test_gradient_is_the_slope_of_f(objective, edges, merged):
    """Central differences in random directions; the max objectives are linear near points without ties."""
    problem = pose(sample_for(edges, seed=3), objective, l2=0.1, choice=edges == brute.NONE, merged=merged)
    random, step = np.random.default_rng(2), 1e-5
    for _ in range(4):
        w, direction, g = problem.zeros(), problem.zeros(), problem.zeros()
        w[:, :3], direction[:, :3] = random.normal(size=(2, len(w), 3))
        problem.value_and_gradient(w, g)
        slope = (problem.value(w + step * direction) - problem.value(w - step * direction)) / (2 * step)
        np.testing.assert_allclose((g * direction).sum(), slope, rtol=1e-6, atol=1e-7)


def test_row_weights_count_rows_as_often():
    """A row of weight 2 is a row given twice (F divides by the number of rows given)."""
    sample = random_sample(4, rows=3, twins=False)
    once, twice = pose(sample, "likelihood", merged=False), random_sample(4, rows=3, twins=False)
    n, at = sample.lengths[0], slice(0, sample.lengths[0])
    twice.lengths = [n, *sample.lengths]
    for name in ("gold", "node", "edge"):
        setattr(twice, name, np.concatenate([getattr(sample, name)[at], getattr(sample, name)]))
    sample.weight = np.array([2.0, 1.0, 1.0])
    weighted, repeated = pose(sample, "likelihood", merged=False), pose(twice, "likelihood", merged=False)
    w = np.random.default_rng(0).normal(size=once.shape) * (np.arange(once.width) < 3)
    np.testing.assert_allclose(weighted.value(w) * 3, repeated.value(w) * 4, rtol=1e-12)


def test_illegal_outputs_are_outside_the_partition_function_too():
    legal = Legal(np.array([True, True, False]), np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1]], bool), np.array([True, True, True]))
    sample = random_sample(8, rows=4, edges=2, twins=True)
    for i, low in enumerate(sample.bounds[:-1]):
        sample.gold[low : low + sample.lengths[i]] = [0, 1, 2, 2][: sample.lengths[i]]
    for objective in PLAIN:
        problem, dense = pose(sample, objective, legal=legal), Dense(sample, objective, legal=legal)
        rows = np.random.default_rng(1).normal(size=problem.shape) * (np.arange(problem.width) < 3)
        w = to_dense(problem, rows)
        g, table = problem.zeros(), to_rows(problem, dense, w)
        np.testing.assert_allclose(problem.value_and_gradient(table, g), dense.value(w), atol=1e-10)
        np.testing.assert_allclose(to_dense(problem, g), dense.gradient(w), atol=1e-10)


ORDER = [
    ("risk", "jensen"),
    ("jensen", "softmax-margin"),
    ("hinge", "softmax-margin"),
    ("likelihood", "softmax-margin"),
    ("perceptron", "hinge"),
    ("ramp", "hinge"),
]


@pytest.mark.parametrize("edges", EDGES)
def test_the_bounds_of_gimpel_and_smith(edges):
    """Each objective is below the next, and none is below 0."""
    random = np.random.default_rng(0)
    for seed in range(25):
        T, Y = (1 if edges == brute.NONE else int(random.integers(2, 5))), int(random.integers(2, 5))
        scores, gold = brute.random_parts(random, T, Y, edges, random.choice([0.1, 1.0, 5.0])), random.integers(Y, size=T).astype(np.int32)
        loss = {}
        for name in PLAIN:
            problem, w = row_of_parts(scores, gold, edges, name, uneven_cost(Y, seed))
            loss[name] = problem.value(w)
        for below, above in ORDER:
            assert loss[below] <= loss[above] + 1e-10, (below, above)
        assert min(loss.values()) >= -1e-10


@pytest.mark.parametrize("block", [1 << 15, 12])
def test_an_edge_feature_of_a_first_token_says_nothing(block, monkeypatch):
    """Nothing leads into the first token, whatever fires there, in the first block of rows and in the next."""
    monkeypatch.setattr(widemargin.problem, "BLOCK", block)
    sample, w = random_sample(0, rows=6, edges=2, twins=False), None
    with_first = random_sample(0, rows=6, edges=2, twins=False)
    with_first.edge[with_first.bounds[:-1]] = 1
    gradients = []
    for given in (sample, with_first):
        problem = pose(given, "likelihood", merged=False)
        w = np.random.default_rng(0).normal(size=problem.shape) * (np.arange(problem.width) < 3) if w is None else w
        g = problem.zeros()
        for _ in range(2):
            problem.value_and_gradient(w, g)
        gradients.append(g)
    np.testing.assert_allclose(gradients[0], gradients[1], atol=1e-12)
