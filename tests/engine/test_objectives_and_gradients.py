"""Objectives against their definitions, F against its dense twin, gradients against differences."""

import dataclasses

import engine_enumeration as brute
import numpy as np
import pytest
from engine_corpora import NAMES, Dense, pose, random_sample, to_dense, to_rows, uneven_cost
from one_row import part_gradient, row_of_parts

import widemargin.scoring.token_problem
from widemargin.engine.objectives import OBJECTIVES
from widemargin.families.tagging.costs import parse_cost

pytestmark = pytest.mark.twice
EDGES = [brute.SHARED, brute.PER_POSITION, brute.NONE]
PLAIN = [name for name in OBJECTIVES if name != "slack"]  # test_slack_rescaling.py has slack, which wants countable costs and every label
GOLDS = ["known", "some unknown", "all unknown"]


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


@pytest.mark.parametrize("edges", EDGES)
def test_softmax_margin_is_likelihood_with_a_base_distribution_of_costs(edges):
    """Gimpel and Smith (2010), appendix B, equations 16 and 17: q(y) proportional to exp cost(y) times exp s(y), and no q at the gold."""
    sample, choice, cost = sample_for(edges, unknown=0.0), edges == brute.NONE, uneven_cost(3)
    soft = pose(sample, "softmax-margin", cost=cost, l2=0.3, choice=choice)
    plain = pose(sample, "likelihood", cost=cost, l2=0.3, choice=choice)
    base = np.zeros((len(sample.gold), plain.width))
    base[:, :3] = cost.parts(sample.gold)
    based = dataclasses.replace(plain, corpus=dataclasses.replace(plain.corpus, base=base))
    w = soft.zeros()
    w[:, :3] = np.random.default_rng(2).normal(size=(len(w), 3))
    own, others = soft.zeros(), soft.zeros()
    np.testing.assert_allclose(soft.value_and_gradient(w, own), based.value_and_gradient(w, others), atol=1e-10)
    np.testing.assert_allclose(own, others, atol=1e-10)
    assert abs(soft.value(w) - plain.value(w)) > 1e-3


@pytest.mark.parametrize("block", [1 << 15, 12])
def test_an_edge_feature_of_a_first_token_says_nothing(block, monkeypatch):
    """Nothing leads into the first token, whatever fires there, in the first block of rows and in the next."""
    monkeypatch.setattr(widemargin.scoring.token_problem, "BLOCK_TOKENS", block)
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
