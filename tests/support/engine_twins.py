"""Eager learners on dense vectors: every weight moves at every step. Ten lines per rule, and nothing is clever."""

import itertools
from typing import NamedTuple

import engine_enumeration as brute
import numpy as np


def shrink(v, x, l1, l2):
    """The prox step of l1 |w| + l2/2 w^2 with step sizes x."""
    return np.sign(v) * np.maximum(np.abs(v) - x * l1, 0.0) / (1.0 + x * l2)


class Seen(NamedTuple):
    """What a rule may know of a step beside the weights and the gradient."""

    loss: float  # the weighted mean of the batch
    t: int
    l1: float
    l2: float
    rows: np.ndarray


class Sgd:
    """One step size for all weights: rate / (1 + decay t)^power."""

    def __init__(self, *, rate, decay=0.0, power=0.0):
        self.rate, self.decay, self.power = rate, decay, power

    def step(self, w, g, seen):
        x = self.rate / (1.0 + self.decay * seen.t) ** self.power
        return shrink(w - x * g, x, seen.l1, seen.l2)


class Mira:
    """The smallest step that makes the loss zero, at most C long (Crammer et al. 2006, PA-I)."""

    def __init__(self, *, cap):
        self.cap = cap

    def step(self, w, g, seen):
        return w - min(self.cap, seen.loss / (g @ g)) * g if g.any() else w


def best_program(G, b, C):
    """max b'a - a'Ga/2 over a >= 0, sum a <= C: the best of all supports, with the sum free or at C."""
    best, value, K = np.zeros(len(b)), 0.0, len(b)
    for support in itertools.product([False, True], repeat=K):
        on = np.flatnonzero(support)
        for full in (False, True) if len(on) else ():
            system, right = G[np.ix_(on, on)], b[on]
            if full:
                ones = np.ones((len(on), 1))
                system, right = np.block([[system, ones], [ones.T, np.zeros((1, 1))]]), np.append(right, C)
            a = np.zeros(K)
            a[on] = np.linalg.lstsq(system, right, rcond=None)[0][: len(on)]
            if (a >= -1e-12).all() and a.sum() <= C * (1 + 1e-12) and b @ a - a @ G @ a / 2 > value:
                best, value = a, b @ a - a @ G @ a / 2
    return best


def mira_step(dense, i, w, *, k, cap):
    """Margins over the k outputs with the highest score + cost, all outputs in a list."""
    s, found, inside = dense.scores(i, w), dense.outputs(i), dense.inside(i)
    right, gold = brute.best(inside, s)
    values = found.phi @ (s + dense.prices(i)) - right
    order = np.argsort(-values, kind="stable")[:k]
    d = np.array([dense.gather(i, found.phi[p] - gold) for p in order])
    return w - best_program(d @ d.T, values[order], cap * dense.weight[i]) @ d


class Smd:
    """Stochastic meta-descent (yu-lam2008, 3.5); Hv by differences of gradients. A weight whose loss has no gradient keeps its gain."""

    def __init__(self, dense, *, rate, mu, memory, smooth=True):
        """smooth: the losses are curved; those of maxima are not."""
        self.dense, self.mu, self.memory, self.smooth = dense, mu, memory, smooth
        self.x = self.v = None
        self.rate = rate

    def gradient(self, w, rows):
        return sum(self.dense.weight[i] * self.dense.row(i, w)[1] for i in rows) / len(rows)

    def step(self, w, g, seen):
        if self.x is None:
            self.x, self.v = np.full(len(w), self.rate), np.zeros(len(w))
        d = 1e-5 * self.v
        turned = (self.gradient(w + d, seen.rows) - self.gradient(w - d, seen.rows)) / 2e-5 if self.smooth else 0.0
        grown = self.x * np.maximum(0.5, 1.0 - self.mu * (g + seen.l2 * w) * self.v)
        x = self.x = np.where(g != 0.0, grown, self.x)
        w = (w - x * g) / (1.0 + x * seen.l2)
        self.v = (self.memory * (self.v - x * turned) - x * (g + seen.l2 * w)) / (1.0 + x * seen.l2)
        return w


class AdaGrad:
    """x = eta / sqrt(sum of squares), which begins at `initial` (Duchi et al. 2011)."""

    def __init__(self, *, eta, initial):
        self.eta, self.squares = eta, initial

    def step(self, w, g, seen):
        self.squares = self.squares + g * g
        x = self.eta / np.sqrt(self.squares)
        return shrink(w - x * g, x, seen.l1, seen.l2)


class DualAveraging:
    """w = x sign(u) max(0, |u| - t l1), u = -sum of gradients, AdaGrad's x (Xiao 2010): where there is a gradient, and after an epoch."""

    def __init__(self, *, eta, initial):
        self.eta, self.squares, self.u, self.t = eta, initial, None, 0

    def step(self, w, g, seen):
        if self.u is None:
            self.u = w / (self.eta / np.sqrt(self.squares))
        self.u, self.squares, self.t = self.u - g, self.squares + g * g, self.t + 1
        return np.where(g != 0.0, self.end_of_epoch(seen.l1), w)

    def end_of_epoch(self, l1):
        return np.sign(self.u) * np.maximum(np.abs(self.u) - self.t * l1, 0.0) * self.eta / np.sqrt(self.squares)


class AdaDelta:
    """x = eta rms(moves) / rms(gradients) (Zeiler 2012); a weight without a gradient keeps its step size and its memory."""

    def __init__(self, *, eta, rho, epsilon):
        self.eta, self.rho, self.epsilon = eta, rho, epsilon
        self.q = self.moves = 0.0
        self.x = None

    def step(self, w, g, seen):
        if self.x is None:
            self.q, self.moves, self.x = np.zeros_like(w), np.zeros_like(w), np.full_like(w, self.eta)
        at, rho = g != 0.0, self.rho
        self.q[at] = rho * self.q[at] + (1 - rho) * g[at] ** 2
        self.x[at] = self.eta * np.sqrt(self.moves[at] + self.epsilon) / np.sqrt(self.q[at] + self.epsilon)
        self.moves[at] = rho * self.moves[at] + (1 - rho) * (self.x[at] * g[at]) ** 2
        return shrink(w - self.x * g, self.x, seen.l1, seen.l2)


def train(dense, rule, w, *, epochs, batch=1, seed=1, average=False):
    """Sweeps over the rows of a dense problem in the learners' order; the last weights, or the mean over all steps."""
    n, t, sums = len(dense.lengths), 0, np.zeros_like(w)
    for epoch in range(1, epochs + 1):
        order = np.random.default_rng([seed, epoch]).permutation(n)
        for first in range(0, n, batch):
            rows = order[first : first + batch]
            found = [dense.row(i, w) for i in rows]
            g = sum(dense.weight[i] * gradient for i, (_, gradient) in zip(rows, found)) / len(rows)
            loss = sum(dense.weight[i] * loss for i, (loss, _) in zip(rows, found)) / len(rows)
            w = rule.step(w, g, Seen(loss, t, dense.l1, dense.l2, rows))
            sums, t = sums + w, t + 1
        if isinstance(rule, DualAveraging):
            w = rule.end_of_epoch(dense.l1)
    return sums / t if average else w
