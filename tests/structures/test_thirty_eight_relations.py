"""Labelled trees as real runs compile them: 38 relations in 40 lanes, float32 and float64, against all trees of 5 words.

Labels are chosen arc by arc, so an arc's score is the maximum or the log-sum over its labels, and a label's share of it is the rest.
"""

import engine_enumeration as brute
import numpy as np
import pytest
import tree_enumeration as listed
from modes import cases
from tree_cases import row_loss

from widemargin.engine.objectives import OBJECTIVES
from widemargin.structures.arcs.trees import TREES

n, R = 5, 38


def answered(soft, trees, scores):
    """Value and parts of the maximum or of the log-sum over labelled trees."""
    peak = scores.max(axis=2, keepdims=True)
    weight = np.exp(scores - peak) if soft else (scores == peak).astype(float)
    arcs = (peak + np.log(weight.sum(axis=2, keepdims=True)))[..., 0]
    value, mu = (brute.log_of_sum if soft else brute.best)(trees, arcs.reshape(-1))
    return value, mu.reshape(*arcs.shape, 1) * weight / weight.sum(axis=2, keepdims=True)


DTYPES = [np.float32, np.float64]
LOSSES = ["perceptron", "hinge", "ramp", "likelihood", "softmax-margin", "jensen"]


@pytest.mark.parametrize(
    ("name", "dtype"), cases(["heads", "arborescence", "eisner"], DTYPES, wide=lambda name, dtype: name != "heads" and dtype is np.float64)
)
@pytest.mark.parametrize("objective", LOSSES)
def test_objectives(name, dtype, objective):
    structure, random, row = TREES[name](R, single_root=name != "heads"), np.random.default_rng(3), OBJECTIVES[objective]
    trees = listed.every(name, n, name != "heads")
    scores = random.normal(size=(n + 1, n + 1, R)).astype(np.float32).astype(float)
    gold = np.stack([trees.heads[random.integers(len(trees.heads))], random.integers(R, size=n)], axis=1).astype(np.int32)
    s = structure.workspace(n, dtype=dtype)
    s.arcs.score[:] = np.where(np.eye(n + 1, dtype=bool), -np.inf, 0.0)
    s.arcs.labels.score[:] = s.arcs.labels.legal
    s.arcs.labels.score[:, :R] = scores.reshape(-1, R)
    loss = row_loss(row.upper, row.lower, s, gold, structure.prices(0.75, 0.5, dtype=dtype), n)

    soft, price = objective in ("likelihood", "softmax-margin", "jensen"), listed.prices(gold, scores.shape, 0.75, 0.5)
    costly = objective in ("hinge", "ramp", "softmax-margin", "jensen")
    value, mu = answered(soft, trees, scores + price * costly)
    right = np.zeros_like(scores)
    right[gold[:, 0], np.arange(1, n + 1), gold[:, 1]] = 1.0
    below = answered(soft, trees, scores) if objective in ("ramp", "jensen") else ((right * scores).sum(), right)
    tolerance = 1e-5 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(loss, value - below[0], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(structure._mu(s), mu - below[1], rtol=0, atol=tolerance)
