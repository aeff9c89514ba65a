"""Scores of label sequences as scikit-learn wants them: scorer(estimator, X, y), for scoring= in searches and cross-validation."""

from collections.abc import Iterable

import numpy as np

from widemargin.errors import InputError
from widemargin.families.tagging.spans import span_scores


def span_f1(estimator, X: Iterable, y: Iterable) -> float:
    """F1 of spans as conlleval counts them, between 0 and 1."""
    gold, guess = _pair(y, estimator.predict(X))
    (codes, values), (guessed, names) = _coded(gold), _coded(guess)
    return span_scores(codes, guessed, values, names, _bounds(gold)).as_dict()["f1"] / 100.0


def token_accuracy(estimator, X: Iterable, y: Iterable) -> float:
    """The share of tokens with the right label, between 0 and 1."""
    gold, guess = _pair(y, estimator.predict(X))
    right = [a == b for row, other in zip(gold, guess) for a, b in zip(row, other)]
    return float(np.mean(right))


def _pair(y: Iterable, found: Iterable) -> tuple[list[list], list[list]]:
    gold = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in y]
    guess = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in found]
    if [len(row) for row in gold] != [len(row) for row in guess]:
        raise InputError("y and the predictions differ in length; give one label per token of X")
    return gold, guess


def _coded(rows: list[list]) -> tuple[np.ndarray, list[str]]:
    """Labels as codes and values."""
    index: dict[str, int] = {}
    codes = [index.setdefault(str(label), len(index)) for row in rows for label in row]
    return np.array(codes, np.int32), list(index)


def _bounds(rows: list[list]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
