"""The k best sequences of labels: Viterbi with k hypotheses per label."""

from typing import NamedTuple

import numpy as np

from widemargin.engine.structure import kbest, listed
from widemargin.structures.chain.kernel import Chain


class BestPaths(NamedTuple):
    """Memory for the k best label sequences of a row of up to T tokens."""

    value: np.ndarray  # [k]  best first
    path: np.ndarray  # int32 [k, T]
    score: np.ndarray  # [T, Y, k]  scratch: the best prefixes that end with a label
    back: np.ndarray  # int32 [T, Y, k]  their last labels but one
    rank: np.ndarray  # int32 [T, Y, k]  and which of that label's prefixes


def best_paths(longest: int, labels: int, k: int) -> BestPaths:
    """Memory for the k best paths of a row of at most `longest` tokens; kbest writes it before it reads."""
    shape = (longest, labels, k)
    return BestPaths(np.zeros(k), np.zeros((k, longest), np.int32), np.zeros(shape), np.zeros(shape, np.int32), np.zeros(shape, np.int32))


@listed.when(BestPaths)
def _(found, p, n, out):
    for t in range(n):
        out[t] = found.path[p, t]


@kbest.when(Chain)
def _(s, n, found):
    value, path, score, back, rank = found
    k = len(value)
    Y = s.labels
    for t in range(n):
        for y in range(Y):
            for h in range(k):
                score[t, y, h] = -np.inf
            if t == 0:
                score[0, y, 0] = s.work[0, y]
                continue
            for j in range(Y):
                edge = s.edge[t * s.edge_stride + j, y] + s.work[t, y]
                for h in range(k):
                    v = score[t - 1, j, h] + edge
                    if v == -np.inf or v <= score[t, y, k - 1]:
                        break
                    at = k - 1
                    while at > 0 and score[t, y, at - 1] < v:
                        score[t, y, at], back[t, y, at], rank[t, y, at] = score[t, y, at - 1], back[t, y, at - 1], rank[t, y, at - 1]
                        at -= 1
                    score[t, y, at], back[t, y, at], rank[t, y, at] = v, j, h
    for p in range(k):
        # each label's hypotheses are sorted: take the best head that is left, marking it used
        best_y, best_h = -1, -1
        for y in range(Y):
            for h in range(k):
                if score[n - 1, y, h] > -np.inf:
                    if best_y < 0 or score[n - 1, y, h] > score[n - 1, best_y, best_h]:
                        best_y, best_h = y, h
                    break
        if best_y < 0:
            return np.int64(p)
        value[p] = score[n - 1, best_y, best_h]
        score[n - 1, best_y, best_h] = -np.inf
        y, h = best_y, best_h
        for t in range(n - 1, -1, -1):
            path[p, t] = y
            if t > 0:
                y, h = back[t, y, h], rank[t, y, h]
    return np.int64(k)
