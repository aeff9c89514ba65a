"""A problem of one row whose weights are its part scores, so that F and its gradient are those of the row."""

import engine_enumeration as brute
import numpy as np

from widemargin.engine.objectives import OBJECTIVES
from widemargin.scoring.corpus import build_corpus
from widemargin.scoring.token_features import Features
from widemargin.scoring.token_problem import TokenProblem
from widemargin.structures import Chain, Choice


def row_of_parts(scores, gold, edges, objective, cost, legal=None):
    """A problem of one row whose weights are its part scores: one feature per token, one edge feature per later token."""
    T, Y = scores.node.shape
    one_each = np.arange(T + 1), np.arange(T, dtype=np.int32)
    none, later = (np.zeros(0, np.int64), np.zeros(0, np.int32)), (np.concatenate([[0], np.arange(T)]), np.arange(T - 1, dtype=np.int32))
    edge_ptr, edge_ind = later if edges == brute.PER_POSITION else none
    features = Features(np.array([0, T]), *one_each, edge_ptr, edge_ind)
    corpus = build_corpus(features, gold, nodes=T, edges=len(edge_ind), merged=False)
    structure = Choice(Y, legal) if edges == brute.NONE else Chain(Y, legal)
    problem = TokenProblem(corpus, structure, cost, OBJECTIVES[objective])
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
        np.testing.assert_allclose(edge[0], edge[1:].sum(axis=0), rtol=0, atol=1e-12 if g.dtype == np.float64 else 1e-6)
        edge = np.concatenate([np.zeros((1, Y, Y)), edge[1:]])
    return np.concatenate([node.ravel(), edge.ravel()])
