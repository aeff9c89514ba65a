"""Kernels on tokens: Gram rows against dense matrices, SMO against enumeration and a general solver, sgd against sgd on features."""

import itertools

import numpy as np
import pytest
from engine_corpora import pose, random_sample, to_dense, uneven_cost
from modes import cases, wide
from scipy.optimize import LinearConstraint, minimize

from widemargin.errors import InputError
from widemargin.learners import learner_named
from widemargin.learners.duals import RUNS
from widemargin.scoring.kernels.gram_rows import CLOCK, HITS, MISSES, gram_row
from widemargin.scoring.kernels.kernel import LINEAR, Kernel
from widemargin.scoring.kernels.problem import cache_for, curve_of, distinct, kernelised, vectors_of

pytestmark = pytest.mark.twice
OBJECTIVES = cases(["hinge", "likelihood", "softmax-margin", "risk"], wide=lambda name: name in ("softmax-margin", "risk"))
QUADRATIC = Kernel("poly", 2, 0.5, 1.0)
INDEFINITE = Kernel("tanh", 2, 1.0, -1.5)
KERNELS = {
    "linear": LINEAR,
    "quadratic": QUADRATIC,
    "cubic": Kernel("poly", 3, 0.3, 0.5),
    "tanh": INDEFINITE,
    "rbf": Kernel("rbf", 2, 0.4, 1.0),
}


def dense_gram(kernel, x):
    """K of the rows of x, by the formulas."""
    dots = x @ x.T
    square = np.diag(dots)
    if kernel.kind == "poly":
        return (kernel.gamma * dots + kernel.coef) ** kernel.degree
    if kernel.kind == "tanh":
        return np.tanh(kernel.gamma * dots + kernel.coef)
    if kernel.kind == "rbf":
        return np.exp(-kernel.gamma * (square[:, None] + square - 2 * dots))
    return dots


def problem_of(kernel, *, seed=4, rows=7, l2=0.1, choice=False, edges=0, objective="hinge", values=False):
    """A kernel problem and its sample, with row weights."""
    sample = random_sample(seed, rows=rows, longest=3, labels=3, nodes=6, edges=edges)
    random = np.random.default_rng(seed)
    sample.weight = random.uniform(0.3, 2.0, len(sample.gold) if choice else rows)
    if values:
        sample.node = sample.node * random.choice([-1.5, 0.25, 0.5, 2.0], sample.node.shape)
    plain = pose(sample, objective, l2=l2, choice=choice)
    return kernelised(plain, kernel), plain, sample


def lengths_of(problem):
    return np.diff(problem.corpus.token).tolist()


class Twin:
    """Every output of every row as a plane, dense: b'a - a'Ga/2 is the dual."""

    def __init__(self, problem, sample):
        Y, l2 = 3, problem.penalty.l2
        gram, price = dense_gram(problem.kernel, sample.node.astype(float)), uneven_cost(3).matrix
        share = problem.corpus.weight / problem.corpus.rows
        chain = problem.structure.name == "chain"
        nodes, edges, b, self.row, self.paths = [], [], [], [], []
        at = 0
        for i, n in enumerate(lengths_of(problem)):
            gold = sample.gold[at : at + n]
            for path in itertools.product(range(Y), repeat=n):
                node, edge = np.zeros((len(sample.gold), Y)), np.zeros((Y, Y))
                for labels, sign in ((path, 1.0), (gold, -1.0)):
                    for t in range(n):
                        node[at + t, labels[t]] += sign
                        if t and chain:
                            edge[labels[t - 1], labels[t]] += sign
                nodes.append(share[i] * node)
                edges.append(share[i] * edge)
                b.append(share[i] * sum(price[g, y] for g, y in zip(gold, path)))
                self.row.append(i)
                self.paths.append(path)
            at += n
        self.nodes, self.edges, self.b, self.row = np.array(nodes), np.array(edges), np.array(b), np.array(self.row)
        self.gram, self.l2, self.share = gram, l2, share
        both = np.einsum("aty,ts,bsy->ab", self.nodes, gram, self.nodes) + np.einsum("ajk,bjk->ab", self.edges, self.edges)
        self.G = both / l2

    def dual(self, a):
        return self.b @ a - 0.5 * a @ self.G @ a

    def solve(self):
        """The maximum of the dual, by a solver that knows nothing of structures."""
        one = np.array([self.row == i for i in range(len(self.share))], float)
        scale = 1.0 / max(1.0, np.abs(self.b).max())
        start = np.array([1.0 / (self.row == i).sum() for i in self.row])
        found = minimize(
            lambda a: -scale * self.dual(a),
            start,
            jac=lambda a: -scale * (self.b - self.G @ a),
            bounds=[(0.0, 1.0)] * len(start),
            constraints=LinearConstraint(one, 1.0, 1.0),
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        return self.dual(found.x)


# ---- Gram rows --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_gram_rows_are_the_dense_matrix(name, values):
    problem, _, sample = problem_of(KERNELS[name], values=values)
    found, cache = problem.distinct, cache_for(problem.vectors, 1.0)
    dense = dense_gram(KERNELS[name], sample.node.astype(float))
    for t, u in enumerate(found.which):
        row = cache.row[gram_row(int(u), problem.vectors, curve_of(KERNELS[name]), cache)]
        np.testing.assert_allclose(row[found.which], dense[t], rtol=1e-6, atol=1e-6)
    same = [tuple(row) for row in sample.node]
    assert len(found.first) == len(set(same)) < len(same)
    for t, u in enumerate(found.which):
        assert same[t] == same[found.first[u]]


def test_a_feature_that_fires_twice_counts_twice():
    vectors = vectors_of(np.array([0, 3, 4]), np.array([0, 1, 0, 0], np.int32), np.empty(0, np.float32))
    np.testing.assert_array_equal(vectors.square, [5.0, 1.0])
    cache = cache_for(vectors, 1.0)
    np.testing.assert_array_equal(cache.row[gram_row(0, vectors, curve_of(LINEAR), cache)], [5.0, 2.0])


def test_the_row_not_asked_for_the_longest_makes_room():
    problem, _, _ = problem_of(QUADRATIC)
    D, curve = len(problem.vectors.square), curve_of(QUADRATIC)
    cache = cache_for(problem.vectors, 2 * 4 * D / 1e6)
    assert cache.row.shape == (2, D)
    for u, hit in ((0, False), (1, False), (0, True), (2, False), (0, True), (1, False), (2, False)):
        before = cache.tally[HITS]
        row = cache.row[gram_row(u, problem.vectors, curve, cache)]
        assert (cache.tally[HITS] > before) == hit
        alone = np.zeros((D, 4))
        alone[u, 0] = 1.0
        np.testing.assert_array_equal(row, problem.scores(alone)[0])
    assert cache.tally.tolist() == [7, 2, 5]
    assert (CLOCK, HITS, MISSES) == (0, 1, 2)


@pytest.mark.parametrize("name", ["smo", "sgd"])
def test_the_memory_for_rows_changes_no_byte(name):
    problem, _, _ = problem_of(QUADRATIC)
    settings = {"epochs": 4} | ({"rate": 0.1} if name == "sgd" else {})
    some, none = (learner_named(name, settings | {"cache": cache}).fit(problem) for cache in (500.0, 0.0))
    assert some.w.tobytes() == none.w.tobytes()
    assert [f["support"] for f in some.history] == [f["support"] for f in none.history]


# ---- SMO --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_masses_are_feasible_and_make_alpha_the_dual_and_f(name, choice):
    problem, _, sample = problem_of(KERNELS[name], choice=choice)
    run = RUNS["smo"](learner_named("smo", {"steps": 3}), problem)
    facts = [run.epoch(e) for e in (1, 2, 3)][-1]
    Y, node = 3, run.marginals.node[:, :3]
    assert (node >= 0.0).all()
    np.testing.assert_allclose(node.sum(axis=1), 1.0, atol=1e-12)
    tokens, gold = problem.corpus.token, sample.gold
    edges = run.marginals.edge.reshape(-1, Y, problem.width)[:, :, :Y]
    transitions = np.zeros((Y, Y))
    share = np.repeat(problem.corpus.weight / problem.corpus.rows, np.diff(tokens)) / problem.penalty.l2
    for t in range(len(gold)) if not choice else ():
        if t in tokens:
            assert (edges[t] == 0.0).all()
            continue
        np.testing.assert_allclose(edges[t].sum(axis=1), node[t - 1], atol=1e-12)
        np.testing.assert_allclose(edges[t].sum(axis=0), node[t], atol=1e-12)
        transitions -= share[t] * edges[t]
        transitions[gold[t - 1], gold[t]] += share[t]
    alpha = np.zeros((run.D, Y))
    np.add.at(alpha, problem.distinct.which, share[:, None] * (np.eye(Y)[gold] - node))
    found = run.weights()
    np.testing.assert_allclose(found[: run.D, :Y], alpha, atol=1e-12)
    if not choice:
        np.testing.assert_allclose(found[run.D :, :Y], transitions, atol=1e-12)
    gram = dense_gram(KERNELS[name], sample.node[problem.distinct.first].astype(float))
    np.testing.assert_allclose(run.input.score, (gram @ alpha).T, atol=1e-5)
    square = np.einsum("uy,uv,vy->", alpha, gram, alpha) + (transitions**2).sum() * (not choice)
    offset = share * problem.penalty.l2 @ (node * uneven_cost(3).matrix[gold]).sum(axis=1)
    assert facts["dual"] == pytest.approx(offset - 0.5 * problem.penalty.l2 * square, abs=1e-5)
    twin = Twin(problem, sample)  # F by enumeration: the mean of each row's highest loss
    score = (gram @ alpha)[problem.distinct.which]
    values = [twin.b[k] + np.einsum("ty,ty->", twin.nodes[k], score) + (transitions * twin.edges[k]).sum() for k in range(len(twin.b))]
    loss = sum(max(np.array(values)[twin.row == i]) for i in range(problem.corpus.rows))
    assert facts["primal"] == pytest.approx(loss + 0.5 * problem.penalty.l2 * square, abs=1e-5)
    assert problem.value(found) == pytest.approx(facts["primal"], abs=1e-5)


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("choice", [False, True])
@pytest.mark.parametrize("name", ["linear", "quadratic", "rbf"])
def test_smo_finds_what_a_general_solver_finds(name, choice):
    problem, _, sample = problem_of(KERNELS[name], rows=5, choice=choice, l2=0.2)
    result = learner_named("smo", {"tolerance": 1e-6, "epochs": 3000, "check": 10}).fit(problem)
    best = Twin(problem, sample).solve()
    last = result.history[-1]
    assert last["dual"] == pytest.approx(best, rel=2e-5)
    assert last["primal"] == pytest.approx(best, rel=1e-3)
    assert last["dual"] <= last["primal"] + 1e-9


@pytest.mark.compiled  # many epochs
def test_at_the_end_every_output_with_mass_is_a_best_one():
    problem, _, sample = problem_of(QUADRATIC, l2=0.3)
    run = RUNS["smo"](learner_named("smo"), problem)
    for e in range(1, 2000):
        facts = run.epoch(e)
    assert facts["violation"] < 1e-3
    twin, w = Twin(problem, sample), run.weights()
    score = problem.scores(w[: run.D])[:, problem.distinct.which].T
    values = twin.b + np.einsum("kty,ty->k", twin.nodes, score) + np.einsum("kij,ij->k", twin.edges, w[run.D :, :3])
    edges, many = run.marginals.edge.reshape(-1, 3, problem.width), 0
    for i, (low, high) in enumerate(zip(problem.corpus.token, problem.corpus.token[1:])):
        best = values[twin.row == i].max()
        for k in np.flatnonzero(twin.row == i):
            path = twin.paths[k]
            masses = [run.marginals.node[low, path[0]]] + [edges[low + t, path[t - 1], path[t]] for t in range(1, high - low)]
            if min(masses) > 1e-6:
                many += 1
                assert values[k] >= best - 1e-3
    assert many > problem.corpus.rows


@pytest.mark.parametrize("choice", [False, True])
def test_an_indefinite_kernel_goes_to_the_end_of_the_box(choice):
    problem, _, sample = problem_of(INDEFINITE, choice=choice, l2=0.02)
    twin = Twin(problem, sample)
    pairs = [(a, b) for a in range(len(twin.b)) for b in range(a) if twin.row[a] == twin.row[b]]
    assert min(twin.G[a, a] + twin.G[b, b] - 2 * twin.G[a, b] for a, b in pairs) < -1e-3
    run = RUNS["smo"](learner_named("smo"), problem)
    duals = [run.epoch(e)["dual"] for e in range(1, 8)]
    assert (np.diff(duals) >= -1e-9).all()
    assert duals[-1] > 0.0
    assert ((run.marginals.node >= 0.0) & (run.marginals.node <= 1.0 + 1e-12)).all()
    np.testing.assert_allclose(run.marginals.node.sum(axis=1), 1.0, atol=1e-12)


def expanded(kernel, x):
    """The features whose linear kernel is the polynomial one of degree 2."""
    F = x.shape[1]
    squares = [kernel.gamma * x[:, i] * x[:, j] for i in range(F) for j in range(F)]
    lines = [np.sqrt(2 * kernel.coef * kernel.gamma) * x[:, i] for i in range(F)]
    return np.stack([*squares, *lines, np.full(len(x), kernel.coef)], axis=1)


@pytest.mark.compiled  # many epochs
def test_a_polynomial_kernel_is_a_linear_one_on_products_of_features():
    problem, _, sample = problem_of(QUADRATIC, l2=0.2)
    exact = {"tolerance": 1e-4, "epochs": 5000, "check": 10}
    inner = learner_named("smo", exact).fit(problem)
    sample.node = expanded(QUADRATIC, sample.node.astype(float))
    written_out = pose(sample, "hinge", l2=0.2)
    outer = learner_named("ocp", exact).fit(written_out)
    assert inner.history[-1]["primal"] == pytest.approx(outer.history[-1]["primal"], rel=3e-4)
    D = problem.corpus.node.rows
    inside = problem.scores(inner.w[:D])[:, problem.distinct.which].T
    outside = sample.node @ outer.w[: sample.node.shape[1], :3]
    centre = lambda s: s - s.mean(axis=1, keepdims=True)  # noqa: E731
    np.testing.assert_allclose(centre(inside), centre(outside), atol=0.15)


def test_the_linear_kernel_hands_over_weights_of_features():
    problem, plain, sample = problem_of(LINEAR, edges=3)
    alpha, w = (learner_named("smo", {"epochs": 3}).fit(p).w for p in (problem, plain))
    D = problem.corpus.node.rows
    x = sample.node[problem.distinct.first]
    got = to_dense(plain, w)
    np.testing.assert_allclose(got[: sample.node.shape[1] * 3].reshape(-1, 3), x.T @ alpha[:D, :3], atol=1e-12)
    np.testing.assert_allclose(w[plain.corpus.node.rows :], alpha[D:], atol=1e-12)


# ---- sgd on support tokens --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("learner", "l2"), [("sgd", 0.0), ("sgd", 0.05), ("sgd", 5.0), *wide(("perceptron", 0.0), ("mira", 0.0))])
def test_a_learner_with_the_linear_kernel_is_the_learner(learner, objective, l2, average):
    problem, plain, sample = problem_of(LINEAR, l2=l2, objective=objective, edges=2)
    settings = {"epochs": 3, "rate": 0.2, "dtype": "float64", "skip": 0.0, "average": average}
    alpha, w = (learner_named(learner, settings).fit(p) for p in (problem, plain))
    D = problem.corpus.node.rows
    x = sample.node[problem.distinct.first]
    node = to_dense(plain, w.w)[: sample.node.shape[1] * 3].reshape(-1, 3)
    np.testing.assert_allclose(x.T @ alpha.w[:D, :3], node, atol=1e-9)
    np.testing.assert_allclose(alpha.w[D:], w.w[plain.corpus.node.rows :], atol=1e-9)
    assert [f["loss"] for f in alpha.history] == pytest.approx([f["loss"] for f in w.history], abs=1e-9)
    if not average:
        assert alpha.history[-1]["primal"] == pytest.approx(plain.value(w.w * plain.copies[:, None]), abs=1e-9)


@pytest.mark.compiled  # many epochs
@pytest.mark.parametrize("name", ["quadratic", "rbf"])
def test_sgd_and_smo_reach_the_same_f(name):
    problem, _, _ = problem_of(KERNELS[name], l2=0.3)
    exact = learner_named("smo", {"tolerance": 1e-4, "epochs": 3000, "check": 10}).fit(problem).history[-1]
    found = learner_named("sgd", {"epochs": 4000, "rate": 1.0, "dtype": "float64"}).fit(problem).history[-1]
    assert exact["dual"] <= found["primal"] <= exact["primal"] * 1.005


# ---- the manners of all learners --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["smo", "sgd", "mira"])
@pytest.mark.parametrize("kernel", ["quadratic", "tanh"])
def test_interruptions_change_no_byte(name, kernel):
    problem, _, _ = problem_of(KERNELS[kernel], l2=0.0 if name == "mira" else 0.1)
    learner, saved = learner_named(name, {"epochs": 5} | ({"tolerance": 0.0} if name == "smo" else {"average": True, "rate": 0.1})), {}
    whole = learner.fit(
        problem, keep=lambda e, state, history, final: saved.setdefault(e, ({k: v.copy() for k, v in state().items()}, history[:]))
    )
    for e in (1, 3):
        rest = learner.fit(problem, state=saved[e])
        assert rest.w.tobytes() == whole.w.tobytes()
        assert rest.history == whole.history


def test_refusals():
    problem, plain, sample = problem_of(QUADRATIC)
    for name in ("ops", "adadelta", "bcfw", "ocp", "cutting-plane", "one-slack"):
        with pytest.raises(InputError, match="use smo, sgd, perceptron or mira, or write the kernel out"):
            learner_named(name).fit(problem)
    with pytest.raises(InputError, match="use smo, sgd"):
        learner_named("lbfgs").fit(problem_of(QUADRATIC, objective="likelihood")[0])
    with pytest.raises(InputError, match="leave batch and k at 1"):
        learner_named("sgd", {"batch": 2}).fit(problem)
    with pytest.raises(InputError, match="leave batch and k at 1"):
        learner_named("mira", {"k": 2}).fit(problem_of(QUADRATIC, l2=0.0)[0])
    with pytest.raises(InputError, match="cannot go on"):
        learner_named("sgd").fit(problem, problem.zeros())
    with pytest.raises(InputError, match="no weights of features for l1"):
        kernelised(pose(sample, "hinge", l1=0.1, l2=0.1), QUADRATIC)
    with pytest.raises(InputError, match="cache is -1"):
        learner_named("smo", {"cache": -1})
    assert distinct(plain.corpus.node).which.dtype == np.int32
