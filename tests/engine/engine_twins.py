"""Eager learners on dense vectors: every weight moves at every step. Ten lines per rule, and nothing is clever."""

import numpy as np


def shrink(v, x, l1, l2):
    """The prox step of l1 |w| + l2/2 w^2 with step sizes x."""
    return np.sign(v) * np.maximum(np.abs(v) - x * l1, 0.0) / (1.0 + x * l2)


class Sgd:
    """One step size for all weights: rate / (1 + decay t)^power."""

    def __init__(self, *, rate, decay=0.0, power=0.0):
        self.rate, self.decay, self.power = rate, decay, power

    def step(self, w, g, loss, t, l1, l2):
        x = self.rate / (1.0 + self.decay * t) ** self.power
        return shrink(w - x * g, x, l1, l2)


class Mira:
    """The smallest step that makes the loss zero, at most C long (Crammer et al. 2006, PA-I)."""

    def __init__(self, *, cap):
        self.cap = cap

    def step(self, w, g, loss, t, l1, l2):
        return w - min(self.cap, loss / (g @ g)) * g if g.any() else w


class AdaGrad:
    """x = eta / sqrt(sum of squares), which begins at `initial` (Duchi et al. 2011)."""

    def __init__(self, *, eta, initial):
        self.eta, self.squares = eta, initial

    def step(self, w, g, loss, t, l1, l2):
        self.squares = self.squares + g * g
        x = self.eta / np.sqrt(self.squares)
        return shrink(w - x * g, x, l1, l2)


class AdaDelta:
    """x = eta rms(moves) / rms(gradients) (Zeiler 2012); a weight without a gradient keeps its step size and its memory."""

    def __init__(self, *, eta, rho, epsilon):
        self.eta, self.rho, self.epsilon = eta, rho, epsilon
        self.q = self.moves = 0.0
        self.x = None

    def step(self, w, g, loss, t, l1, l2):
        if self.x is None:
            self.q, self.moves, self.x = np.zeros_like(w), np.zeros_like(w), np.full_like(w, self.eta)
        at, rho = g != 0.0, self.rho
        self.q[at] = rho * self.q[at] + (1 - rho) * g[at] ** 2
        self.x[at] = self.eta * np.sqrt(self.moves[at] + self.epsilon) / np.sqrt(self.q[at] + self.epsilon)
        self.moves[at] = rho * self.moves[at] + (1 - rho) * (self.x[at] * g[at]) ** 2
        return shrink(w - self.x * g, self.x, l1, l2)


def train(dense, rule, w, *, epochs, batch=1, seed=1, average=False):
    """Sweeps over the rows of a dense problem in the learners' order; the last weights, or the mean over all steps."""
    n, t, sums = len(dense.lengths), 0, np.zeros_like(w)
    for epoch in range(1, epochs + 1):
        order = np.random.default_rng([seed, epoch]).permutation(n)
        for first in range(0, n, batch):
            rows = order[first : first + batch]
            found = [dense.row(i, w) for i in rows]
            g = sum(dense.weight[i] * gradient for i, (_, gradient) in zip(rows, found)) / len(rows)
            w = rule.step(w, g, found[0][0], t, dense.l1, dense.l2)
            sums, t = sums + w, t + 1
    return sums / t if average else w
