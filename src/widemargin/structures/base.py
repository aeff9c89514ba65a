"""What a structure promises: which operations it offers, on part scores, under masks.

Parts are given and returned as `Parts(node, edge)`: node [T, Y]; edge [Y, Y] shared by all positions, or [T, Y, Y] with edge[t] leading
into position t (edge[0] is not used), or None for a structure without edges. mu is the argmax indicator for max, the marginals for logsum.
"""

from typing import NamedTuple, Protocol

import numpy as np

from widemargin.errors import InputError


class Parts(NamedTuple):
    """Scores, indicators, marginals or directions, one number per part."""

    node: np.ndarray
    edge: np.ndarray | None = None


class Legal(NamedTuple):
    """Which labels may begin a row, follow each other, and end a row."""

    start: np.ndarray  # bool [Y]
    step: np.ndarray  # bool [Y, Y]
    stop: np.ndarray  # bool [Y]


class Structure(Protocol):
    """A set of legal outputs and the operations on it: all that the objectives need."""

    name: str
    splits_rows: bool  # is every token a row of its own?
    offers: frozenset[str]
    labels: int
    lanes: tuple

    def argmax(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]: ...

    def logsum(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]: ...

    def kbest(self, scores: Parts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, Parts]]: ...

    def tilt(self, scores: Parts, direction: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]: ...

    def workspace(self, longest: int, *, per_position: bool, dtype: type) -> tuple: ...


def refuse_if_empty(value: float) -> float:
    """A value that is not finite says that nothing was left to choose from."""
    if not np.isfinite(value):
        raise InputError("nothing is allowed under this mask and these legal transitions; allow more labels")
    return value


def barrier(mask: np.ndarray | None, shape: tuple[int, int], lanes: int, dtype) -> np.ndarray:
    """0 where the mask allows, -inf where not and on padding; [rows, L]."""
    out = np.full((shape[0], lanes), -np.inf, dtype)
    out[:, : shape[1]] = 0.0 if mask is None else np.where(np.asarray(mask).reshape(shape), 0.0, -np.inf)
    return out


def masked(node: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """Node scores with -inf where a label is not allowed; every token must keep one."""
    if allowed is None:
        return node
    allowed = np.asarray(allowed, bool)
    if allowed.shape != node.shape:
        raise InputError(f"the mask of allowed labels has shape {allowed.shape}, the scores {node.shape}; they must be the same")
    if not allowed.any(axis=1).all():
        raise InputError(f"token {int(np.argmin(allowed.any(axis=1)))} has no allowed label; allow at least one at every token")
    return np.where(allowed, node, -np.inf)
