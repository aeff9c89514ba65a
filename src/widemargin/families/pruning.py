"""Which weights of a model stay when it is made smaller: all from a threshold on, or so many of the strongest."""

import numpy as np

from widemargin.engine.settings import as_number, shown
from widemargin.errors import InputError


def strong_enough(size: np.ndarray, what: str, *, threshold: float | None = None, keep: int | None = None) -> np.ndarray:
    """Which of these absolute values [F] stay, bool [F]: those that are not 0 and at least the threshold, or the `keep` largest, the first
    among equals. what: the word for them."""
    if (threshold is None) == (keep is None):
        raise InputError(f"pruning needs a threshold or a number of {what} to keep, one of the two.")
    if threshold is not None:
        if (least := as_number("threshold", threshold, float)) < 0:
            raise InputError(f"the threshold is {shown(threshold)}; it must be 0 or a positive number.")
        return (size >= least) & (size > 0)
    if (most := as_number("keep", keep, int)) < 0:
        raise InputError(f"{shown(keep)} {what} cannot be kept; give 0 or more.")
    kept = np.zeros(len(size), bool)
    kept[np.argsort(-size, kind="stable")[: min(most, len(size))]] = True
    return kept


def pruned_tables(
    tables: tuple[np.ndarray, ...], *, threshold: float | None = None, keep: int | None = None
) -> tuple[list[np.ndarray], dict]:
    """Tables of weights with zeros for those that do not stay, all judged together, and what was done, for a model's facts."""
    flat = np.concatenate([table.reshape(-1) for table in tables])
    before = int(np.count_nonzero(flat))
    flat[~strong_enough(np.abs(flat), "weights", threshold=threshold, keep=keep)] = 0.0
    facts = {"threshold": threshold, "keep": keep, "features_before": before, "features": int(np.count_nonzero(flat))}
    cuts = np.cumsum([table.size for table in tables])[:-1]
    return [part.reshape(table.shape) for part, table in zip(np.split(flat, cuts), tables)], facts
