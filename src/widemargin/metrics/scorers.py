"""Scores of label sequences as scikit-learn wants them: scorer(estimator, X, y), for scoring= in searches and cross-validation."""

from collections.abc import Iterable

import numpy as np

from widemargin.errors import InputError
from widemargin.metrics.spans import span_scores


def span_f1(estimator, X: Iterable, y: Iterable) -> float:
    """F1 of spans as conlleval counts them, between 0 and 1."""
    gold, guess = _pair(y, estimator.predict(X))
    return span_scores(*_coded(gold, guess), _bounds(gold)).as_dict()["f1"] / 100.0


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


def _coded(gold: list[list], guess: list[list]):
    """Codes and values of both, as span_scores takes them."""
    out: list = []
    for rows in (gold, guess):
        index: dict[str, int] = {}
        out.append((np.array([index.setdefault(str(label), len(index)) for row in rows for label in row], np.int32), index))
    return out[0][0], out[1][0], list(out[0][1]), list(out[1][1])


def _bounds(rows: list[list]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
