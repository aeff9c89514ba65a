"""Small random corpora with dense twins: incidence matrices instead of sparse rows, so that a scorer is a matrix product."""

from dataclasses import dataclass

import engine_enumeration as brute
import numpy as np

from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.penalty import Penalty
from widemargin.families.tagging.costs import Cost, parse_cost
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.token_features import Features
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import Chain, Choice

NAMES = ("O", "A", "B", "C", "D", "E")


@dataclass
class Sample:
    """Rows of tokens with binary features; node [N, F] and edge [N, E] say which feature fires where."""

    lengths: list
    gold: np.ndarray
    node: np.ndarray
    edge: np.ndarray
    labels: int
    weight: np.ndarray | None = None

    @property
    def bounds(self):
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def features(self):
        """What an extractor would hand over."""
        edge_ptr, edge_ind = sparse(self.edge) if self.edge.shape[1] else (np.zeros(0, np.int64), np.zeros(0, np.int32))
        node_ptr, node_ind = sparse(self.node)
        val = self.node[self.node != 0].astype(np.float32) if (self.node[self.node != 0] != 1).any() else np.empty(0, np.float32)
        return Features(self.bounds, node_ptr, node_ind, edge_ptr, edge_ind, val)

    def corpus(self, *, merged=True, split=False):
        nodes, edges = self.node.shape[1], self.edge.shape[1]
        return build_corpus(self.features(), self.gold, nodes=nodes, edges=edges, merged=merged, split=split, weight=self.weight)


def sparse(incidence):
    """CSR of a matrix, its values left out."""
    ptr = np.concatenate([[0], np.cumsum((incidence != 0).sum(axis=1))]).astype(np.int64)
    return ptr, np.nonzero(incidence)[1].astype(np.int32)


def random_sample(seed, *, rows=6, longest=4, labels=3, nodes=6, edges=0, unknown=0.0, twins=True, rare=0, single=False) -> Sample:
    """twins: features 0 and 1 (and edge features 0 and 1) fire on the same tokens; rare: so many features that fire once each."""
    random = np.random.default_rng(seed)
    lengths = [1] * rows if single else list(random.integers(1, longest + 1, rows))
    if not single:
        lengths[0], lengths[-1] = longest, 1
    N = int(np.sum(lengths))
    node = (random.random((N, nodes)) < 0.4).astype(int)
    edge = (random.random((N, edges)) < 0.5).astype(int)
    edge[np.concatenate([[0], np.cumsum(lengths)[:-1]])] = 0  # nothing leads into the first token of a row
    for f in range(rare):
        node[:, nodes - 1 - f] = np.arange(N) == random.integers(N)
    if twins:
        node[:, 1] = node[:, 0]
        edge[:, 1:2] = edge[:, 0:1]
    for table in (node, edge):
        for f in range(table.shape[1]):
            if not table[:, f].any():
                table[lengths[0] - 1, f] = 1
    if twins:
        node[:, 1] = node[:, 0]
        edge[:, 1:2] = edge[:, 0:1]
    gold = random.integers(labels, size=N).astype(np.int32)
    gold[random.random(N) < unknown] = -1
    return Sample(lengths, gold, node, edge, labels)


def uneven_cost(labels, seed=0) -> Cost:
    """Prices without ties, so that the best output is never a matter of order."""
    matrix = np.random.default_rng(seed).uniform(0.5, 2.0, (labels, labels))
    np.fill_diagonal(matrix, 0.0)
    return Cost("uneven", NAMES[:labels], matrix)


def pose(sample: Sample, objective="likelihood", *, cost=None, l1=0.0, l2=0.0, merged=True, legal=None, choice=False, threads=1):
    """The problem that a sample poses."""
    structure = (Choice if choice else Chain)(sample.labels, legal)
    cost = uneven_cost(sample.labels) if cost is None else parse_cost(cost, NAMES[: sample.labels]) if isinstance(cost, str) else cost
    corpus = sample.corpus(merged=merged, split=choice)
    return TokenProblem(corpus, structure, cost, OBJECTIVES[objective], Penalty(l1, l2), threads=threads)


class Dense:
    """The twin of a problem: one weight per feature and label, node [F, Y] and edge [1 + E, Y, Y], nothing merged, nothing sparse."""

    def __init__(self, sample: Sample, objective, *, cost=None, l1=0.0, l2=0.0, legal=None, choice=False):
        self.sample, self.objective, self.l1, self.l2, self.choice = sample, objective, l1, l2, choice
        self.matrix = (uneven_cost(sample.labels) if cost is None else cost).matrix
        self.lengths = [1] * len(sample.gold) if choice else sample.lengths
        self.bounds = np.concatenate([[0], np.cumsum(self.lengths)])
        self.weight = np.ones(len(self.lengths)) if sample.weight is None else sample.weight
        always = np.ones((len(sample.gold), 1), int)
        self.edge = np.hstack([always, sample.edge])
        self.kind = brute.NONE if choice else brute.PER_POSITION
        self.legal = legal
        self.memory = {}

    @property
    def shape(self):
        """Sizes of the node and of the edge weights."""
        Y = self.sample.labels
        return (self.sample.node.shape[1], Y), (0 if self.choice else self.edge.shape[1], Y, Y)

    def zeros(self):
        return np.zeros(sum(int(np.prod(shape)) for shape in self.shape))

    def parts(self, w):
        """A flat weight vector as node and edge tables."""
        nodes = int(np.prod(self.shape[0]))
        return w[:nodes].reshape(self.shape[0]), w[nodes:].reshape(self.shape[1])

    def row(self, i, w):
        """loss of row i and its gradient over the weights."""
        s = self.scores(i, w)
        loss, mu = brute.objective_value(self.objective, self.outputs(i), s, self.prices(i), self.inside(i))
        return loss, self.gather(i, mu)

    def span(self, i):
        """The tokens of row i."""
        return slice(self.bounds[i], self.bounds[i + 1])

    def scores(self, i, w):
        """Part scores of row i."""
        node, edge = self.parts(w)
        s = (self.sample.node[self.span(i)] @ node).ravel()
        return s if self.choice else np.concatenate([s, np.einsum("te,ejk->tjk", self.edge[self.span(i)], edge).ravel()])

    def gather(self, i, mu):
        """Phi' mu: numbers per part of row i as numbers per weight."""
        Y, n = self.sample.labels, self.lengths[i]
        g_node, g_edge = self.sample.node[self.span(i)].T @ mu[: n * Y].reshape(n, Y), np.zeros(self.shape[1])
        if not self.choice:
            residual = mu[n * Y :].reshape(n, Y, Y).copy()
            residual[0] = 0.0
            g_edge = np.einsum("te,tjk->ejk", self.edge[self.span(i)], residual)
        return np.concatenate([g_node.ravel(), g_edge.ravel()])

    def less_gold(self, i, path):
        """Parts of a path of row i, less those of its gold."""
        both = (brute.parts_of(y, self.sample.labels, self.kind) for y in (path, self.sample.gold[self.span(i)]))
        return next(both) - next(both)

    def outputs(self, i):
        """Every legal output of row i."""
        n = self.lengths[i]
        if n not in self.memory:
            self.memory[n] = brute.outputs(n, self.sample.labels, self.kind, legal=self.legal)
        return self.memory[n]

    def inside(self, i):
        """Those that agree with the gold."""
        return brute.agreeing(self.outputs(i), self.sample.gold[self.span(i)])

    def prices(self, i):
        """The price of every part."""
        return brute.prices(self.matrix, self.sample.gold[self.span(i)], self.outputs(i).phi.shape[1])

    def value(self, w):
        """F(w)."""
        loss = sum(self.weight[i] * self.row(i, w)[0] for i in range(len(self.lengths))) / len(self.lengths)
        return loss + 0.5 * self.l2 * (w @ w) + self.l1 * np.abs(w).sum()

    def gradient(self, w):
        """Of all but l1."""
        return sum(self.weight[i] * self.row(i, w)[1] for i in range(len(self.lengths))) / len(self.lengths) + self.l2 * w


def to_rows(problem: TokenProblem, dense: Dense, w) -> np.ndarray:
    """Dense weights as the problem's rows: each row the sum of its copies."""
    node, edge = dense.parts(w)
    out, Y = problem.zeros(), problem.labels
    np.add.at(out[:, :Y], problem.corpus.node.into, node)
    if problem.edge_rows:
        table = out[problem.corpus.node.rows :].reshape(-1, Y, problem.width)
        table[0, :, :Y] = edge[0]
        np.add.at(table[1:, :, :Y], problem.corpus.edge.into, edge[1:])
    return out


def to_dense(problem: TokenProblem, rows) -> np.ndarray:
    """The problem's per-row numbers (weights of one copy, gradients) handed to each feature."""
    Y, nodes = problem.labels, problem.corpus.node.rows
    node = rows[:nodes, :Y][problem.corpus.node.into]
    if not problem.edge_rows:
        return node.ravel()
    table = rows[nodes:].reshape(-1, Y, problem.width)[:, :, :Y]
    return np.concatenate([node.ravel(), table[0].ravel(), table[1:][problem.corpus.edge.into].ravel()])


def equal_start(problem: TokenProblem, dense: Dense, seed=0, scale=0.5):
    """Random weights, equal for merged features, as (rows of sums for the learner, dense weights)."""
    random = np.random.default_rng(seed)
    rows = problem.zeros()
    rows[:, : problem.labels] = random.normal(size=(len(rows), problem.labels)) * scale
    return rows * problem.copies[:, None], to_dense(problem, rows)
