"""A small exact quadratic program: max b'a - a'Ga/2 over a >= 0, sum a <= C, by SMO (Platt 1998) with the slack as one more variable."""

from typing import NamedTuple

import numpy as np

from widemargin.engine.simplex import climb
from widemargin.errors import InputError


class Solution(NamedTuple):
    """The maximiser, its value, by how much its best pair still violates the optimality conditions, and the steps taken."""

    a: np.ndarray  # [K]
    value: float
    violation: float
    steps: int


def maximise(G: np.ndarray, b: np.ndarray, *, C: float = 1.0, start=None, tolerance: float = 1e-9, limit: int = 1_000_000) -> Solution:
    """G [K, K] symmetric and positive semidefinite, b [K]; `start` is an a to go on from. G may be singular, planes may be equal."""
    G, b = np.ascontiguousarray(G, np.float64), np.ascontiguousarray(b, np.float64)
    if G.shape != (len(b), len(b)) or not C > 0.0:
        raise InputError(f"G is {G.shape} for {len(b)} variables and C is {C}; give a square G of that many rows and a C above 0")
    a = np.zeros(len(b)) if start is None else np.array(start, np.float64)
    if a.shape != b.shape or (a < 0.0).any() or a.sum() > C * (1 + 1e-9):
        raise InputError(f"the start must be {len(b)} numbers from 0 up with a sum of at most {C}")
    g = np.zeros(len(b))
    _, violation, steps = climb(G, b, a, max(0.0, C - float(a.sum())), g, float(tolerance), limit)
    return Solution(a, float(b @ a - 0.5 * a @ G @ a), float(violation), int(steps))
