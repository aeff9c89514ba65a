"""The obvious slow twin of structures over arcs: every tree in a list, each a 0/1 row over arcs or labelled arcs."""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np


class Listed(NamedTuple):
    """Trees and their parts."""

    heads: np.ndarray  # [trees, n]
    labels: np.ndarray  # [trees, n]
    phi: np.ndarray  # [trees, parts]: [n+1, n+1] or [n+1, n+1, R] arcs in a row


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
    return Listed(np.array(heads).reshape(shape), np.array(picks).reshape(shape), phi.reshape(len(heads), -1))


def siblings_of(heads) -> np.ndarray:
    """Indicator [n+1, n+1, n+1] of a tree's parts (head, next sibling inside or the head itself, modifier)."""
    phi = np.zeros((len(heads) + 1,) * 3)
    for m, h in enumerate(heads, 1):
        inside = [x for x in range(min(h, m) + 1, max(h, m)) if heads[x - 1] == h]
        phi[h, h if not inside else max(inside) if h < m else min(inside), m] = 1.0
    return phi


def agreeing(found: Listed, gold) -> Listed:
    """The trees that have all that is known: gold [n, 2], head and label, -1 not known."""
    head, label = np.asarray(gold).T
    keep = (((found.heads == head) | (head < 0)) & ((found.labels == label) | (label < 0))).all(axis=1)
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
