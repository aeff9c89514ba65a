"""The obvious slow twin of every structure and objective: all outputs in a list, each a vector over parts.

With Phi [outputs, parts] the 0/1 matrix of which part is in which output, everything is one line of linear algebra: scores are Phi s,
marginals Phi^T p, covariances Phi^T (p * (d - E[d])). Parts are the nodes (t, k) and then the edges: (j, k) shared, (t, j, k) per position,
or none.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from widemargin.structures import Legal, Parts

SHARED, PER_POSITION, NONE = "shared edges", "edges per position", "no edges"


class Outputs(NamedTuple):
    """The legal outputs of a row and their parts."""

    labels: np.ndarray  # [outputs, T]
    phi: np.ndarray  # [outputs, parts]


def outputs(T, Y, edges, *, legal=None, allowed=None) -> Outputs:
    """Every label sequence that the masks let through."""
    every = np.array(list(product(range(Y), repeat=T)))
    keep = np.ones(len(every), bool)
    if legal is not None:
        keep &= legal.start[every[:, 0]] & legal.stop[every[:, -1]]
        if edges != NONE:
            keep &= legal.step[every[:, :-1], every[:, 1:]].all(axis=1)
    if allowed is not None:
        keep &= allowed[np.arange(T), every].all(axis=1)
    every = every[keep]
    return Outputs(every, np.array([parts_of(y, Y, edges) for y in every]).reshape(len(every), -1))


def parts_of(y, Y, edges) -> np.ndarray:
    """Which parts an output has; a shared edge counts as often as it is used."""
    T = len(y)
    node = np.zeros((T, Y))
    node[np.arange(T), y] = 1.0
    if edges == NONE:
        return node.ravel()
    edge = np.zeros((T, Y, Y))
    edge[np.arange(1, T), y[:-1], y[1:]] = 1.0
    return flat(Parts(node, edge.sum(axis=0) if edges == SHARED else edge))


def flat(parts: Parts) -> np.ndarray:
    """Parts as one vector."""
    return np.asarray(parts.node).ravel() if parts.edge is None else np.concatenate([np.ravel(parts.node), np.ravel(parts.edge)])


def random_parts(random, T, Y, edges, scale=1.0) -> Parts:
    """Normal scores or directions."""
    node = random.normal(size=(T, Y)) * scale
    if edges == NONE:
        return Parts(node)
    return Parts(node, random.normal(size=(Y, Y) if edges == SHARED else (T, Y, Y)) * scale)


def random_legal(random, Y) -> Legal:
    """Some labels may not begin, follow or end; label 0 always may, so that an output remains."""
    start, step, stop = random.random(Y) < 0.6, random.random((Y, Y)) < 0.6, random.random(Y) < 0.6
    start[0] = stop[0] = step[0, 0] = True
    return Legal(start, step, stop)


# ---- operations ---------------------------------------------------------------------------------------------------------------------


def best(found: Outputs, s):
    """max and its indicator over parts."""
    scores = found.phi @ s
    return scores.max(), found.phi[scores.argmax()]


def log_of_sum(found: Outputs, s):
    """log sum exp and the marginals."""
    p, value = probabilities(found, s)
    return value, p @ found.phi


def tilted(found: Outputs, s, d):
    """E[d] and Cov(part, d)."""
    p, _ = probabilities(found, s)
    slope = found.phi @ d
    mean = p @ slope
    return mean, (p * (slope - mean)) @ found.phi


def probabilities(found: Outputs, s):
    scores = found.phi @ s
    peak = scores.max()
    p = np.exp(scores - peak)
    return p / p.sum(), peak + np.log(p.sum())


# ---- objectives: the table in objectives.py ------------------------------------------------------------------------------------------


def objective_value(name, found: Outputs, s, c, inside: Outputs):
    """loss and gradient over parts. c: price of every part against the gold; inside: the outputs that agree with it."""
    if name == "risk":
        return tilted(found, s, c)
    if name == "slack":  # inside is one output
        r, cost = found.phi - inside.phi[0], found.phi @ c
        losses = cost * (1.0 + r @ s)
        return losses.max(), cost[losses.argmax()] * r[losses.argmax()]
    if name == "rm":
        return relative_margin(found, s, c)
    upper, lower = {
        "perceptron": (best(found, s), best(inside, s)),
        "hinge": (best(found, s + c), best(inside, s)),
        "ramp": (best(found, s + c), best(found, s)),
        "likelihood": (log_of_sum(found, s), log_of_sum(inside, s)),
        "softmax-margin": (log_of_sum(found, s + c), log_of_sum(inside, s)),
        "jensen": (log_of_sum(found, s + c), log_of_sum(found, s)),
    }[name]
    return upper[0] - lower[0], upper[1] - lower[1]


def relative_margin(found: Outputs, s, c, ratio=1.0, bound=1.0):
    """terms.Relative: fear - hope, and what lies outside hope +- bound."""
    scores, hope, fear = found.phi @ s, found.phi[(found.phi @ (s - c)).argmax()], found.phi[(found.phi @ (s + c)).argmax()]
    value, mu = fear @ (s + c) - hope @ (s - c), fear - hope
    sides = [(hope @ s - scores.min(), hope - found.phi[scores.argmin()]), (scores.max() - hope @ s, found.phi[scores.argmax()] - hope)]
    spread, way = max(sides, key=lambda side: side[0])
    return (value + ratio * (spread - bound), mu + ratio * way) if spread > bound else (value, mu)


def agreeing(found: Outputs, gold) -> Outputs:
    """The outputs that have every known gold label; -1 is not known."""
    gold = np.asarray(gold)
    keep = ((found.labels == gold) | (gold < 0)).all(axis=1)
    return Outputs(found.labels[keep], found.phi[keep])


def prices(matrix, gold, parts) -> np.ndarray:
    """matrix[gold, guess] on the nodes of known gold, 0 elsewhere."""
    c = np.zeros(parts)
    Y = len(matrix)
    for t, y in enumerate(gold):
        if y >= 0:
            c[t * Y : (t + 1) * Y] = matrix[y]
    return c
