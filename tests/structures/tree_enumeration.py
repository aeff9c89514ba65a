"""The obvious slow twin of structures over arcs: every tree in a list, each a 0/1 array over arcs or labelled arcs."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np


class Listed(NamedTuple):
    """Trees and their parts."""

    heads: np.ndarray  # [trees, n]
    labels: np.ndarray  # [trees, n]
    phi: np.ndarray  # [trees, n+1, n+1] or [trees, n+1, n+1, R]


def is_tree(heads) -> bool:
    """Does every word reach the root?"""
    for m in range(1, len(heads) + 1):
        x, steps = m, 0
        while x and steps <= len(heads):
            x, steps = heads[x - 1], steps + 1
        if x:
            return False
    return True


def crosses(heads) -> bool:
    """Do two arcs cross?"""
    arcs = [tuple(sorted((h, m))) for m, h in enumerate(heads, 1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


@lru_cache(maxsize=64)
def heads_of(name: str, n: int, single: bool) -> tuple:
    """All head sequences that a structure allows."""
    found = [y for y in product(range(n + 1), repeat=n) if all(h != m for m, h in enumerate(y, 1))]
    if name != "heads":
        found = [y for y in found if is_tree(y)]
    if name in ("eisner", "siblings"):
        found = [y for y in found if not crosses(y)]
    if single:
        found = [y for y in found if y.count(0) == 1]
    return tuple(found)


def every(name, n, single, labels=0, allowed=None) -> Listed:
    """All outputs of a structure, under a mask."""
    heads, picks, words = [], [], np.arange(1, n + 1)
    for y in heads_of(name, n, single):
        for r in product(range(max(labels, 1)), repeat=n):
            mask = True
            if allowed is not None:
                mask = (allowed[y, words, r] if allowed.ndim == 3 else allowed[y, words]).all()
            if mask:
                heads.append(y)
                picks.append(r)
    phi = np.zeros((len(heads), n + 1, n + 1, max(labels, 1)))
    for i, (y, r) in enumerate(zip(heads, picks)):
        phi[i, y, words, r] = 1.0
    shape = (len(heads), n)
    return Listed(np.array(heads).reshape(shape), np.array(picks).reshape(shape), phi if labels else phi[..., 0])


def siblings_of(heads) -> np.ndarray:
    """Indicator [n+1, n+1, n+1] of a tree's parts (head, next sibling inside or the head itself, modifier)."""
    phi = np.zeros((len(heads) + 1,) * 3)
    for m, h in enumerate(heads, 1):
        inside = [x for x in range(min(h, m) + 1, max(h, m)) if heads[x - 1] == h]
        phi[h, h if not inside else max(inside) if h < m else min(inside), m] = 1.0
    return phi


def scored(found: Listed, s) -> np.ndarray:
    """Score of every tree."""
    return np.tensordot(found.phi, np.nan_to_num(s, neginf=0.0), found.phi.ndim - 1)


def best(found: Listed, s):
    """max and its indicator."""
    scores = scored(found, s)
    return scores.max(), found.phi[scores.argmax()]


def log_of_sum(found: Listed, s):
    """log sum exp and the marginals."""
    scores = scored(found, s)
    p = np.exp(scores - scores.max())
    return scores.max() + np.log(p.sum()), np.tensordot(p / p.sum(), found.phi, 1)


def tilted(found: Listed, s, d):
    """E[d] and Cov(part, d)."""
    scores, slope = scored(found, s), scored(found, d)
    p = np.exp(scores - scores.max())
    p /= p.sum()
    return p @ slope, np.tensordot(p * (slope - p @ slope), found.phi, 1)


def agreeing(found: Listed, gold) -> Listed:
    """The trees that have all that is known: gold [n, 2], head and label, -1 not known."""
    head, label = np.asarray(gold).T
    keep = ((found.heads == head) | (head < 0)).all(axis=1)
    if found.phi.ndim == 4:
        keep &= ((found.labels == label) | (label < 0)).all(axis=1)
    return Listed(*(table[keep] for table in found))


def prices(gold, shape, wrong_head, wrong_label) -> np.ndarray:
    """Price of every part: a wrong head, or a right head with a wrong label, at words whose head is known."""
    c = np.zeros(shape)
    for m, (head, label) in enumerate(gold, 1):
        if head >= 0:
            c[:, m] = wrong_head
            c[head, m] = 0.0
            if len(shape) == 3 and label >= 0:
                c[head, m] = wrong_label
                c[head, m, label] = 0.0
    return c


def objective_value(name, found: Listed, s, c, inside: Listed):
    """loss and gradient over parts, by the table in objectives.py."""
    if name == "risk":
        return tilted(found, s, c)
    upper, lower = {
        "perceptron": (best(found, s), best(inside, s)),
        "hinge": (best(found, s + c), best(inside, s)),
        "ramp": (best(found, s + c), best(found, s)),
        "likelihood": (log_of_sum(found, s), log_of_sum(inside, s)),
        "softmax-margin": (log_of_sum(found, s + c), log_of_sum(inside, s)),
        "jensen": (log_of_sum(found, s + c), log_of_sum(found, s)),
    }[name]
    return upper[0] - lower[0], upper[1] - lower[1]
