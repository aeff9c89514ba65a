"""Token accuracy, and the table of which label was taken for which."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often gold label g was tagged as label p: counts[g, p]."""

    labels: tuple[str, ...]
    counts: np.ndarray  # int64 [Y, Y]

    @property
    def accuracy(self) -> float:
        """The share of tokens tagged right, in per cent."""
        total = int(self.counts.sum())
        return 100 * int(np.trace(self.counts)) / total if total else 0.0

    def by_label(self) -> dict[str, tuple[int, int, int]]:
        """Tokens tagged right, tagged so, and with this gold label, for each label that there is."""
        right, guessed, gold = np.diag(self.counts), self.counts.sum(axis=0), self.counts.sum(axis=1)
        every = zip(self.labels, right.tolist(), guessed.tolist(), gold.tolist())
        return {label: (a, b, c) for label, a, b, c in every if b or c}

    def worst(self, most: int = 10) -> list[tuple[str, str, int]]:
        """The most frequent mistakes as (gold, guess, count), the most frequent first."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = zip(*np.unravel_index(order, wrong.shape))
        return [(self.labels[g], self.labels[p], int(wrong[g, p])) for g, p in pairs if wrong[g, p]]


def confusion(
    gold_codes: np.ndarray, guess_codes: np.ndarray, *, gold_values: Sequence[str], guess_values: Sequence[str] | None = None
) -> Confusion:
    """Count pairs of gold and guessed labels: codes int [N] into their values; guess_values are the gold ones unless given."""
    if len(gold_codes) != len(guess_codes):
        raise InputError(f"there are {len(gold_codes)} gold labels and {len(guess_codes)} guessed ones; give one of each per token.")
    index: dict[str, int] = {}
    gold, guess = (
        np.array([index.setdefault(value, len(index)) for value in values], np.int64)
        for values in (gold_values, gold_values if guess_values is None else guess_values)
    )
    size = len(index)
    pairs = gold[gold_codes] * size + guess[guess_codes] if len(gold_codes) else np.zeros(0, np.int64)
    return Confusion(tuple(index), np.bincount(pairs, minlength=size * size).reshape(size, size))


def token_accuracy(
    gold_codes: np.ndarray, guess_codes: np.ndarray, *, gold_values: Sequence[str], guess_values: Sequence[str] | None = None
) -> float:
    """The share of tokens whose labels are equal, in per cent."""
    return confusion(gold_codes, guess_codes, gold_values=gold_values, guess_values=guess_values).accuracy
