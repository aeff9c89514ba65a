"""Structures against enumeration: every operation x every kind of edge x every mask, to 1e-9."""

import engine_enumeration as brute
import numpy as np
import pytest

from widemargin.errors import InputError
from widemargin.structures import Chain, Choice, Legal, Parts

pytestmark = pytest.mark.twice
SIZES = [(1, 2), (1, 4), (2, 3), (3, 2), (3, 4), (4, 3), (5, 2)]  # T, Y
SIZES += [pytest.param(*size, marks=pytest.mark.wide) for size in ((2, 6), (3, 5))]  # eight lanes: everything compiled anew
EDGES = [brute.SHARED, brute.PER_POSITION, brute.NONE]
MASKS = ["none", "legal", "allowed", "both"]
SCALES = [1.0, 30.0, 900.0]  # 900: numbers underflow, and sums are taken in logarithms


class Case:
    """One structure, random scores, and all its outputs."""

    def __init__(self, T, Y, edges, mask, seed, scale=1.0):
        random = np.random.default_rng([seed, T, Y, EDGES.index(edges), MASKS.index(mask)])
        T = 1 if edges == brute.NONE else T
        self.legal = brute.random_legal(random, Y) if mask in ("legal", "both") else None
        self.allowed = random.random((T, Y)) < 0.6 if mask in ("allowed", "both") else None
        if self.allowed is not None:
            self.allowed[:, 0] = True
        self.structure = (Choice if edges == brute.NONE else Chain)(Y, self.legal)
        self.scores = brute.random_parts(random, T, Y, edges, scale)
        self.direction = brute.random_parts(random, T, Y, edges)
        self.outputs = brute.outputs(T, Y, edges, legal=self.legal, allowed=self.allowed)
        self.s, self.d = brute.flat(self.scores), brute.flat(self.direction)
        self.T, self.Y, self.scale = T, Y, scale


def close(found, expected, case, tolerance=1e-9):
    """Values grow with the scores, and so do their rounding errors."""
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * max(1.0, case.scale))


every = [
    pytest.mark.parametrize(("T", "Y"), SIZES),
    pytest.mark.parametrize("edges", EDGES),
    pytest.mark.parametrize("mask", MASKS),
]


def matrix(test):
    for mark in every:
        test = mark(test)
    return test


@matrix
def test_argmax_is_the_best_output(T, Y, edges, mask):
    for seed in range(4):
        case = Case(T, Y, edges, mask, seed)
        value, mu = case.structure.argmax(case.scores, case.allowed)
        expected = brute.best(case.outputs, case.s)
        close(value, expected[0], case)
        close(brute.flat(mu), expected[1], case)


@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_logsum_sums_over_all_outputs(T, Y, edges, mask, scale):
    for seed in range(3):
        case = Case(T, Y, edges, mask, seed, scale)
        value, mu = case.structure.logsum(case.scores, case.allowed)
        expected = brute.log_of_sum(case.outputs, case.s)
        close(value, expected[0], case)
        close(brute.flat(mu), expected[1], case)


@matrix
@pytest.mark.parametrize("scale", SCALES)
def test_tilt_is_the_covariance_with_a_direction(T, Y, edges, mask, scale):
    for seed in range(3):
        case = Case(T, Y, edges, mask, seed, scale)
        mean, covariance = case.structure.tilt(case.scores, case.direction, case.allowed)
        expected = brute.tilted(case.outputs, case.s, case.d)
        close(mean, expected[0], case)
        close(brute.flat(covariance), expected[1], case)


@matrix
def test_kbest_lists_every_output_once_and_best_first(T, Y, edges, mask):
    case = Case(T, Y, edges, mask, 5)
    scores = case.outputs.phi @ case.s
    for k in (1, 2, 7, len(scores), len(scores) + 3):
        found = case.structure.kbest(case.scores, k, case.allowed)
        assert len(found) == min(k, len(scores))
        close([value for value, _ in found], np.sort(scores)[::-1][:k], case)
        close([brute.flat(mu) @ case.s for _, mu in found], [value for value, _ in found], case)
        nodes = {tuple(mu.node.argmax(axis=1)) for _, mu in found}
        assert len(nodes) == len(found)
        assert nodes <= {tuple(y) for y in case.outputs.labels}


def test_kbest_with_equal_scores_still_lists_different_outputs():
    found = Chain(3).kbest(Parts(np.zeros((3, 3)), np.zeros((3, 3))), 27)
    assert len({tuple(mu.node.argmax(axis=1)) for _, mu in found}) == 27


@pytest.mark.parametrize("edges", [brute.SHARED, brute.PER_POSITION])
def test_tilt_along_nodes_alone(edges):
    """Without a direction for edges, edges have direction 0: the shape of every cost."""
    case = Case(4, 3, edges, "legal", 7)
    mean, covariance = case.structure.tilt(case.scores, Parts(case.direction.node))
    d = case.d.copy()
    d[case.T * case.Y :] = 0.0
    expected = brute.tilted(case.outputs, case.s, d)
    close(mean, expected[0], case)
    close(brute.flat(covariance), expected[1], case)


@pytest.mark.parametrize("edges", EDGES)
def test_tilt_differentiates_logsum_and_marginals(edges):
    """E[d] and Cov(part, d) are derivatives along d."""
    case, step = Case(4, 3, edges, "both", 3), 1e-5

    def moved(e):
        node = case.scores.node + e * case.direction.node
        edge = None if edges == brute.NONE else case.scores.edge + e * case.direction.edge
        value, mu = case.structure.logsum(Parts(node, edge), case.allowed)
        return value, brute.flat(mu)

    (high, mu_high), (low, mu_low) = moved(step), moved(-step)
    mean, covariance = case.structure.tilt(case.scores, case.direction, case.allowed)
    np.testing.assert_allclose((high - low) / (2 * step), mean, atol=1e-8)
    np.testing.assert_allclose((mu_high - mu_low) / (2 * step), brute.flat(covariance), atol=1e-8)


def lost_and_found(far, gain, Y=3):
    """Label 1 is `far` below label 0 at the first token, cannot be reached later, and wins by `gain` at each of three further tokens."""
    node = np.zeros((4, Y))
    node[0, 1], node[1:, 0], node[:, 2] = -far, -gain, -2 * far
    step = np.eye(Y, dtype=bool)
    return Parts(node, np.zeros((Y, Y))), Legal(np.ones(Y, bool), step, np.ones(Y, bool))


def test_what_underflows_early_may_win_late():
    scores, legal = lost_and_found(710.0, 500.0)
    value, mu = Chain(3, legal).logsum(scores)
    expected = brute.log_of_sum(brute.outputs(4, 3, brute.SHARED, legal=legal), brute.flat(scores))
    np.testing.assert_allclose(value, expected[0])
    np.testing.assert_allclose(brute.flat(mu), expected[1], atol=1e-9)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("operation", ["argmax", "logsum", "tilt"])
def test_masks_that_leave_nothing_are_refused(operation, edges):
    start = np.array([True, False])
    structure = (Choice if edges == brute.NONE else Chain)(2, Legal(start, np.ones((2, 2), bool), np.ones(2, bool)))
    scores = brute.random_parts(np.random.default_rng(0), 1, 2, edges)
    allowed = np.array([[False, True]])
    with np.errstate(invalid="ignore"), pytest.raises(InputError, match="nothing is allowed"):
        structure.tilt(scores, scores, allowed) if operation == "tilt" else getattr(structure, operation)(scores, allowed)


def test_a_mask_of_the_wrong_shape_or_without_labels_is_refused():
    scores = Parts(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(InputError, match="shape"):
        Chain(2).argmax(scores, np.ones((1, 2), bool))
    with pytest.raises(InputError, match="token 1 has no allowed label"):
        Chain(2).argmax(scores, np.array([[True, True], [False, False]]))
