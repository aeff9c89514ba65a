"""Forty words, eighty symbols and a thousand rules in float32, as in training: against CKY in NumPy, span by span, in float64."""

import numpy as np
import pytest

from widemargin.engine.terms import LogSum, Max, answer
from widemargin.structures.spans.arrays import nothing_known, prices
from widemargin.structures.spans.trees import Bigrams, Factored, Rules

WORDS, SYMBOLS = 40, 80
NO_COST, ALL = 0.0, False


def random_scores(structure, random, tags):
    """Noise; a word has a tag and a few other symbols, longer spans have no tags."""
    scores = structure.zeros(WORDS)
    noise = [random.normal(size=x.shape) for x in (*scores[:4], *scores.grammar)]
    scores = type(scores)(*noise[:4], tuple(noise[4:]))
    for t in range(WORDS):
        keep = random.choice(SYMBOLS - tags, 6, replace=False).tolist() + [SYMBOLS - 1 - random.integers(tags)]
        scores.span[t, t + 1, np.setdiff1d(np.arange(SYMBOLS), keep)] = -np.inf
    return scores


def inside(structure, scores, total):
    """[n+1, n+1, K] of every symbol on every span; total: maximum or sum of logarithms over an axis."""
    n, chart = WORDS, np.full((WORDS + 1, WORDS + 1, SYMBOLS), -np.inf)
    legal = np.where(structure.legal, 0.0, -np.inf)
    for d in range(1, n + 1):
        for i in range(n - d + 1):
            j, below = i + d, np.zeros(SYMBOLS)
            if d > 1:
                below = total(np.array([productions(structure, scores, chart, i, k, j, total) for k in range(i + 1, j)]))
            own = scores.span[i, j] if d == 1 or not structure.only_words else 0.0
            chart[i, j] = below + own + legal[min(d - 1, 1)] + (scores.root if d == n else 0.0)
    return chart


def productions(structure, scores, chart, i, k, j, total):
    """[K]: the sum over productions of each symbol with one split."""
    if structure.name == "factored":
        return np.full(SYMBOLS, total(chart[i, k]) + total(chart[k, j]))
    if structure.name == "bigrams":
        left, right = scores.grammar
        return total(chart[i, k][:, None] + left) + total(chart[k, j][:, None] + right) + scores.left[i, k] + scores.right[k, j]
    a, b, c = structure.rules.T
    each, found = chart[i, k, b] + chart[k, j, c] + scores.grammar[0], np.full(SYMBOLS, -np.inf)
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


def bigrams(random, legal):
    return Bigrams(SYMBOLS, splits=True, legal=legal)


def rules(random, legal):
    rules = np.unique(random.integers(SYMBOLS, size=(1000, 3)), axis=0)
    return Rules(SYMBOLS, rules[rules[:, 0] < SYMBOLS - 30], only_words=True, legal=legal)


def factored(random, legal):
    return Factored(SYMBOLS, legal=legal)


@pytest.mark.parametrize("make", [bigrams, rules, factored])
def test_values_of_forty_words(make):
    random, tags = np.random.default_rng(7), 30
    legal = np.ones((2, SYMBOLS), bool)
    legal[1, -tags:] = False
    structure = make(random, legal)
    scores = random_scores(structure, random, tags)
    if make is bigrams:
        holes = [np.where(random.random(x.shape) < 0.85, -np.inf, x) for x in scores.grammar]
        scores = scores._replace(grammar=tuple(holes))
    s = structure.workspace(WORDS + 3, dtype=np.float32)
    structure.load(s, scores)
    gold, price = nothing_known(structure), prices(structure, dtype=np.float32)
    best, whole = (total(inside(structure, scores, total)[0, WORDS]) for total in (largest, log_sum))
    assert answer(Max(NO_COST, ALL), s, gold, price, WORDS) == pytest.approx(best, rel=1e-5)
    nodes = s.spans.output[0][: 2 * WORDS - 1]
    indicator = structure.indicator(nodes)
    parts = zip((*indicator[:4], *indicator.grammar), (*scores[:4], *scores.grammar))
    assert sum((x[x != 0] * y[x != 0]).sum() for x, y in parts) == pytest.approx(best, rel=1e-5)
    assert answer(LogSum(NO_COST, ALL), s, gold, price, WORDS) == pytest.approx(whole, rel=1e-6)
    mu = structure.mu(s, WORDS)
    assert mu.root.sum() == pytest.approx(1.0, rel=1e-5)
    words = mu.span[np.arange(WORDS), np.arange(1, WORDS + 1)]
    np.testing.assert_allclose(words.sum(axis=1), 1.0, rtol=1e-5)
    if not structure.only_words:
        assert mu.span.sum() == pytest.approx(2 * WORDS - 1, rel=1e-5)
    for part in (mu.left, mu.right, *mu.grammar):
        assert part.sum() == pytest.approx(WORDS - 1 if part.size else 0.0, rel=1e-4)


@pytest.mark.parametrize("make", [bigrams, rules])
def test_marginals_are_derivatives(make):
    """Forty words: the difference of two sums along a random direction is the marginals' product with it."""
    random, tags = np.random.default_rng(8), 30
    legal = np.ones((2, SYMBOLS), bool)
    legal[1, -tags:] = False
    structure = make(random, legal)
    scores = random_scores(structure, random, tags)
    s = structure.workspace(WORDS, dtype=np.float32)
    gold, price = nothing_known(structure), prices(structure, dtype=np.float32)
    towards = [random.normal(size=x.shape) * 0.05 for x in (*scores[:4], *scores.grammar)]
    values = []
    for step in (-1.0, 1.0, 0.0):
        moved = [x + step * y for x, y in zip((*scores[:4], *scores.grammar), towards)]
        structure.load(s, type(scores)(*moved[:4], tuple(moved[4:])))
        values.append(answer(LogSum(NO_COST, ALL), s, gold, price, WORDS))
    mu = structure.mu(s, WORDS)
    slope = sum((x * y).sum() for x, y in zip((*mu[:4], *mu.grammar), towards))
    assert (values[1] - values[0]) / 2 == pytest.approx(slope, rel=2e-2)
