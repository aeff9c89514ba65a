"""Long sentences, and many symbols with a thousand rules in float32 as in training: against CKY in NumPy, span by span, in float64.

Forty words are compiled with few symbols, of types that are compiled elsewhere; many symbols run as plain Python.
"""

from typing import NamedTuple

import numpy as np
import pytest
import span_enumeration as twin

from widemargin.engine.terms import LogSum, Max, answer
from widemargin.structures.spans.gold import nothing_known, prices
from widemargin.structures.spans.trees import Bigrams, Factored, Rules

pytestmark = pytest.mark.twice
NO_COST, ALL = 0.0, False


class Size(NamedTuple):
    words: int
    symbols: int
    dtype: type

    @property
    def tags(self):
        """Symbols of single words alone."""
        return 3 * self.symbols // 8


LONG, MANY = Size(40, 4, np.float64), Size(8, 80, np.float32)


def random_scores(structure, random, size):
    """Noise; a word has a tag and a few other symbols, longer spans have no tags."""
    scores = structure.zeros(size.words)
    noise = [random.normal(size=x.shape) for x in (*scores[:4], *scores.grammar)]
    scores = type(scores)(*noise[:4], tuple(noise[4:]))
    others = size.symbols - size.tags
    for t in range(size.words):
        keep = random.choice(others, min(6, others), replace=False).tolist() + [size.symbols - 1 - random.integers(size.tags)]
        scores.span[t, t + 1, np.setdiff1d(np.arange(size.symbols), keep)] = -np.inf
    return scores


def inside(structure, scores, total):
    """[n+1, n+1, K] of every symbol on every span; total: maximum or sum of logarithms over an axis."""
    n, chart = len(scores.span) - 1, np.full(scores.span.shape, -np.inf)
    legal = np.where(structure.legal, 0.0, -np.inf)
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            j, below = i + d, np.zeros(structure.symbols)
            if d > 1:
                below = total(np.array([productions(structure, scores, chart, i, k, j, total) for k in range(i + 1, j)]))
            own = scores.span[i, j] if d == 1 or not structure.only_words else 0.0
            chart[i, j] = below + own + legal[min(d - 1, 1)] + (scores.root if d == n else 0.0)
    return chart


def productions(structure, scores, chart, i, k, j, total):
    """[K]: the sum over productions of each symbol with one split."""
    if structure.name == "factored":
        left = chart[i, k] if k - i == 1 else chart[i, k, 1:]  # a wide left child is a constituent
        return np.full(structure.symbols, total(left) + total(chart[k, j]))
    if structure.name == "bigrams":
        left, right = scores.grammar
        return total(chart[i, k][:, None] + left) + total(chart[k, j][:, None] + right) + scores.left[i, k] + scores.right[k, j]
    a, b, c = structure.rules.T
    each, found = chart[i, k, b] + chart[k, j, c] + scores.grammar[0], np.full(structure.symbols, -np.inf)
    order = np.argsort(a, kind="stable")
    parents, first = np.unique(a[order], return_index=True)
    found[parents] = [total(part) for part in np.split(each[order], first[1:])]
    return found


def largest(values):
    return values.max(axis=0)


def log_sum(values):
    peak = values.max(axis=0)
    with np.errstate(divide="ignore"):
        return np.where(peak > -np.inf, np.log(np.exp(values - np.where(peak > -np.inf, peak, 0.0)).sum(axis=0)) + peak, -np.inf)


def bigrams(random, size, legal):
    return Bigrams(size.symbols, splits=True, legal=legal)


def rules(random, size, legal):
    rules = np.unique(random.integers(size.symbols, size=(1000, 3)), axis=0)
    return Rules(size.symbols, rules[rules[:, 0] < size.symbols - size.tags], only_words=True, legal=legal)


def factored(random, size, legal):
    return Factored(size.symbols, legal=legal)


def made(make, random, size):
    """A structure and scores."""
    legal = np.ones((2, size.symbols), bool)
    legal[1, -size.tags :] = False
    structure = make(random, size, legal)
    return structure, random_scores(structure, random, size)


SIZES = [
    pytest.param(make, size, marks=marks, id=f"{make.__name__}-{size.words}-{size.symbols}")
    for size, marks in ((LONG, pytest.mark.compiled), (MANY, pytest.mark.wide))
    for make in (bigrams, rules, factored)
]


@pytest.mark.parametrize(("make", "size"), SIZES)
def test_values_are_those_of_plain_cky(make, size):
    random, n = np.random.default_rng(7), size.words
    structure, scores = made(make, random, size)
    if make is bigrams and size is MANY:
        holes = [np.where(random.random(x.shape) < 0.85, -np.inf, x) for x in scores.grammar]
        scores = scores._replace(grammar=tuple(holes))
    s = structure.workspace(n + 3, dtype=size.dtype)
    structure.load(s, scores)
    row = s, nothing_known(structure), prices(structure, dtype=size.dtype), n
    best, whole = (total(inside(structure, scores, total)[0, n]) for total in (largest, log_sum))
    assert np.isfinite(best)
    assert answer(LogSum(NO_COST, ALL), *row) == pytest.approx(whole, rel=1e-6)
    mu = structure.mu(s, n)
    assert mu.root.sum() == pytest.approx(1.0, rel=1e-5)
    words = mu.span[np.arange(n), np.arange(1, n + 1)]
    np.testing.assert_allclose(words.sum(axis=1), 1.0, rtol=1e-5)
    if not structure.only_words:
        assert mu.span.sum() == pytest.approx(2 * n - 1, rel=1e-5)
    for part in (mu.left, mu.right, *mu.grammar):
        assert part.sum() == pytest.approx(n - 1 if part.size else 0.0, rel=1e-4)
    # the best tree, by which sums are scaled
    assert total_score(structure, scores, s.spans.best[: 2 * n - 1]) == pytest.approx(best, rel=1e-5)
    assert answer(Max(NO_COST, ALL), *row) == pytest.approx(best, rel=1e-5)
    assert total_score(structure, scores, s.spans.output[0][: 2 * n - 1]) == pytest.approx(best, rel=1e-5)


def total_score(structure, scores, nodes):
    """The score of a tree, part by part."""
    parts = twin.parts(structure, nodes.tolist())
    pairs = zip((*parts[:4], *parts.grammar), (*scores[:4], *scores.grammar))
    return sum((x[x != 0] * y[x != 0]).sum() for x, y in pairs)


@pytest.mark.parametrize(("make", "size"), SIZES)
def test_marginals_are_derivatives(make, size):
    """The difference of two sums along a random direction is the marginals' product with it."""
    random = np.random.default_rng(8)
    structure, scores = made(make, random, size)
    s = structure.workspace(size.words, dtype=size.dtype)
    row = s, nothing_known(structure), prices(structure, dtype=size.dtype), size.words
    towards = [random.normal(size=x.shape) * 0.05 for x in (*scores[:4], *scores.grammar)]
    values = []
    for step in (-1.0, 1.0, 0.0):
        moved = [x + step * y for x, y in zip((*scores[:4], *scores.grammar), towards)]
        structure.load(s, type(scores)(*moved[:4], tuple(moved[4:])))
        values.append(answer(LogSum(NO_COST, ALL), *row))
    mu = structure.mu(s, size.words)
    slope = sum((x * y).sum() for x, y in zip((*mu[:4], *mu.grammar), towards))
    assert (values[1] - values[0]) / 2 == pytest.approx(slope, rel=2e-2)
