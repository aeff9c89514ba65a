"""Prediction: the best output of every row, or one row's answer to any term."""

import numpy as np

from .jit import kernel
from .score import score_row
from .structure import argmax, augment, clear
from .terms import measure


@kernel
def decode(low, high, tokens, s, w, unknown, price, out):
    """Labels of rows low..high into out int32 [N]; unknown: int32 [T] of -1."""
    for i in range(low, high):
        at = tokens.token[i]
        n = tokens.token[i + 1] - at
        score_row(s, tokens, at, n, w)
        augment(s, unknown, price, n, 0.0, False)
        argmax(s, n)
        for t in range(n):
            out[at + t] = s.path[t]


@kernel
def answer(term, s, gold, price, n):
    """Value of a term at the scores that the structure holds; its mu afterwards."""
    clear(s, n)
    return measure(term, s, gold, price, n, 1.0)


@kernel(shared=True)
def kbest(s, n, k, score, back, rank, out, value):
    """The k best paths by score (Viterbi with k hypotheses per label), best first, from s.work and s.edge.

    score, back, rank: [T, Y, k]; out int32 [k, T]; value [k]. Returns how many paths there are.
    """
    Y = s.labels
    for t in range(n):
        for y in range(Y):
            for h in range(k):
                score[t, y, h] = -np.inf
            if t == 0:
                score[0, y, 0] = s.work[0, y]
                continue
            for j in range(Y):
                edge = s.edge[t * s.pitch + j, y] + s.work[t, y]
                for h in range(k):
                    v = score[t - 1, j, h] + edge
                    if v == -np.inf or v <= score[t, y, k - 1]:
                        break
                    at = k - 1
                    while at > 0 and score[t, y, at - 1] < v:
                        score[t, y, at], back[t, y, at], rank[t, y, at] = score[t, y, at - 1], back[t, y, at - 1], rank[t, y, at - 1]
                        at -= 1
                    score[t, y, at], back[t, y, at], rank[t, y, at] = v, j, h
    used = np.int64(0)
    for found in range(k):
        # each label's hypotheses are sorted: take the best head that is left, marking it used
        best_y, best_h = -1, -1
        for y in range(Y):
            for h in range(k):
                if score[n - 1, y, h] > -np.inf:
                    if best_y < 0 or score[n - 1, y, h] > score[n - 1, best_y, best_h]:
                        best_y, best_h = y, h
                    break
        if best_y < 0:
            break
        value[found] = score[n - 1, best_y, best_h]
        score[n - 1, best_y, best_h] = -np.inf
        y, h = best_y, best_h
        for t in range(n - 1, -1, -1):
            out[found, t] = y
            if t > 0:
                y, h = back[t, y, h], rank[t, y, h]
        used += 1
    return used
