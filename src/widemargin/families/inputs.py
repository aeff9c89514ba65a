"""What users give to estimators, checked: sequences some of which may be empty, weights of rows, seeds, numbers."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.engine.settings import LAST_SEED, in_range, shown
from widemargin.errors import InputError
from widemargin.families.parameters import check_is_fitted


class Outputs(list):
    """A list with one thing per sequence. As an array it has one dimension, whatever they are: cross_val_predict joins such arrays."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        out = np.empty(len(self), object)
        for i, thing in enumerate(self):
            out[i] = thing
        return out


@dataclass(frozen=True)
class Bounded:
    """Sequences to be answered, some of which may be empty and are not asked for."""

    bounds: np.ndarray  # int64 [S+1], of all sequences, in tokens

    @property
    def filled(self) -> np.ndarray:
        """Which sequences have tokens, bool [S]."""
        return np.diff(self.bounds) > 0

    def split(self, tokens) -> list:
        """Something per token, by sequence."""
        return Outputs(tokens[low:high] for low, high in zip(self.bounds.tolist(), self.bounds[1:].tolist()))

    def scatter(self, values: np.ndarray) -> np.ndarray:
        """A number per sequence that has tokens; 0 for the others, whose output is certain."""
        out = np.zeros(len(self.filled))
        out[self.filled] = values
        return out

    def spread(self, found: Sequence, empty: Callable[[], Any]) -> list:
        """Something per sequence that has tokens; what empty() makes for the others."""
        each = iter(found)
        return Outputs(next(each) if has else empty() for has in self.filled)


def one_for_each(method: Callable) -> Callable:
    """A method of an estimator that answers each thing of X with one thing: an empty list gets an empty answer, and cross_val_predict can
    join answers, whatever they are."""

    @functools.wraps(method)
    def answered(self, X, *args, **keywords):
        if isinstance(X, list | tuple) and not X:
            check_is_fitted(self)
            return Outputs()
        return Outputs(method(self, X, *args, **keywords))

    return answered


def seed_of(random_state: Any) -> int:
    """A seed of a learner: an int itself, or a number drawn from a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return in_range("random_state", int(random_state), 0, LAST_SEED)
    raise InputError(f"random_state is {shown(random_state)}; give None, a whole number, a RandomState or a Generator")


def checked_weights(sample_weight: Any, rows: int, *, idle: bool = False) -> np.ndarray | None:
    """One number of at least 0 for each sequence [rows]; idle: all of them may be 0."""
    if sample_weight is None:
        return None
    weight = numbers_in(sample_weight, "sample_weight")
    if weight.shape != (rows,) or not np.isfinite(weight).all() or (weight < 0).any():
        raise InputError(f"sample_weight needs one number of at least 0 for each of the {rows} sequences; its shape is {weight.shape}")
    if not weight.any() and not idle:
        raise InputError("every sample_weight is zero; at least one sequence must count")
    return weight


def numbers_in(values: Any, what: str) -> np.ndarray:
    """Numbers, or one sentence."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{what} is {shown(values)}; give numbers")
