"""Random lists of candidates, and the obvious slow twin of every operation and objective on them: plain NumPy over all candidates."""

from typing import NamedTuple

import numpy as np
from engine_enumeration import Outputs, relative_margin

from widemargin.engine.objectives import OBJECTIVES
from widemargin.engine.penalty import Penalty
from widemargin.scoring.list_corpus import SparseFeatures, list_corpus
from widemargin.scoring.list_problem import ListProblem
from widemargin.structures.lists.arrays import Lists


class Sample(NamedTuple):
    """Rows of candidates as plain arrays."""

    sizes: np.ndarray
    x: np.ndarray  # [N, D]
    correct: np.ndarray
    price: np.ndarray
    legal: np.ndarray
    weight: np.ndarray


def random_lists(seed, *, sizes=None, rows=12, features=5, latent=False, illegal=False, fill=1.0) -> Sample:
    """latent: some rows have several correct candidates, some none. fill: how many features are not 0."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 8, rows) if sizes is None else np.asarray(sizes)
    N = sizes.sum()
    x = np.round(random.normal(size=(N, features)), 2) * (random.random((N, features)) < fill)
    first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    correct = np.zeros(N, bool)
    for i, (a, n) in enumerate(zip(first, sizes)):
        count = [1, 2, 0][i % 3] if latent else 1
        correct[a + random.permutation(n)[:count]] = True
    price = np.where(correct, 0.0, np.round(random.random(N) + 0.1, 2))
    legal = correct | (random.random(N) < 0.6) if illegal else np.ones(N, bool)
    legal[first] = True
    return Sample(sizes, x, correct, price, legal, np.round(random.random(len(sizes)) + 0.5, 2))


def as_sparse(x) -> SparseFeatures:
    """The numbers that are not 0."""
    at, ind = np.nonzero(x)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(x)))]).astype(np.int64)
    return SparseFeatures(ptr, ind.astype(np.int32), x[at, ind], x.shape[1])


def corpus_of(sample: Sample, sparse=False):
    features = as_sparse(sample.x) if sparse else sample.x
    return list_corpus(sample.sizes, features, correct=sample.correct, price=sample.price, legal=sample.legal, weight=sample.weight)


def pose_lists(sample: Sample, objective="hinge", *, l1=0.0, l2=0.0, sparse=False, structure=None, threads=1) -> ListProblem:
    return ListProblem(corpus_of(sample, sparse), structure or Lists(), None, OBJECTIVES[objective], Penalty(l1, l2), threads)


# ---- the twin -------------------------------------------------------------------------------------------------------------------------


def best_of(s, may):
    """max over the candidates that may be chosen, and its indicator; the first, if several have it."""
    u = np.where(may, s, -np.inf)
    return u.max(), (np.arange(len(s)) == u.argmax()).astype(float)


def log_sum_of(s, may):
    """log sum exp and the probabilities."""
    u = np.where(may, s, -np.inf)
    p = np.exp(u - u.max())
    return u.max() + np.log(p.sum()), p / p.sum()


def tilt_of(s, d, may):
    """E[d] and Cov(candidate, d)."""
    _, p = log_sum_of(s, may)
    return p @ d, p * (d - p @ d)


def row_loss(name, s, c, correct, legal):
    """Loss and gradient over candidates."""
    inside = correct if correct.any() else legal
    if name == "risk":
        return tilt_of(s, c, legal)
    if name == "slack":
        gold = correct.argmax()
        losses = np.where(legal, c * (1.0 + s - s[gold]), 0.0)
        y = losses.argmax()
        step = np.zeros(len(s))
        step[y] += c[y]
        step[gold] -= c[y]
        return (losses[y], step) if losses[y] > 0.0 else (0.0, np.zeros(len(s)))
    if name == "rm":
        parts = np.eye(len(s))[legal]
        return relative_margin(Outputs(np.flatnonzero(legal)[:, None], parts), s, c)
    upper, lower = {
        "perceptron": (best_of(s, legal), best_of(s, inside)),
        "hinge": (best_of(s + c, legal), best_of(s, inside)),
        "ramp": (best_of(s + c, legal), best_of(s, legal)),
        "likelihood": (log_sum_of(s, legal), log_sum_of(s, inside)),
        "softmax-margin": (log_sum_of(s + c, legal), log_sum_of(s, inside)),
        "jensen": (log_sum_of(s + c, legal), log_sum_of(s, legal)),
    }[name]
    return upper[0] - lower[0], upper[1] - lower[1]


def value_and_gradient(name, sample: Sample, w, l2=0.0):
    """F and its gradient over the D features."""
    value, g, first = 0.5 * l2 * w @ w, l2 * w, 0
    for n, weight in zip(sample.sizes, sample.weight):
        here = slice(first, first + n)
        x = sample.x[here]
        loss, mu = row_loss(name, x @ w, sample.price[here], sample.correct[here], sample.legal[here])
        value += weight / len(sample.sizes) * loss
        g = g + weight / len(sample.sizes) * mu @ x
        first += n
    return value, g
