"""Random rows of sentences with items, and all sets of their sentences in a list: the slow twin of structures/subset."""

import itertools

import numpy as np

from widemargin.structures.subset.arrays import Coverage
from widemargin.structures.subset.other_solvers import parts_of


def random_row(random, sentences=6, items=8, budget=12, *, marked=False) -> Coverage:
    """marked: some sentences must be there, some may not; the budget still has room."""
    entries = [random.choice(items, int(random.integers(0, items // 2 + 1)), replace=False).tolist() for _ in range(sentences)]
    length = random.integers(1, 7, sentences)
    must, never = [], []
    if marked:
        order = random.permutation(sentences)
        must, never = order[:1].tolist(), order[1:3].tolist()
        budget += int(length[must].sum())
    return Coverage(items, entries, length, budget, must, never)


def random_scores(random, row, *, scale=1.0) -> np.ndarray:
    """Of both signs, those of sentences smaller."""
    B, S = row.items, len(row.entries)
    return np.concatenate([random.normal(0.3, 1.0, B), random.normal(-0.3, 0.5, S)]) * scale


def every_set(row) -> np.ndarray:
    """All legal outputs [outputs, B + S]."""
    found, S = [], len(row.entries)
    fits = [j for j in range(S) if row.length[j] <= row.budget - sum(row.length[k] for k in row.must if k != j) and j not in row.never]
    for size in range(S + 1):
        for chosen in itertools.combinations(range(S), size):
            inside = set(row.must) <= set(chosen) and not set(row.never) & set(chosen) and row.length[list(chosen)].sum() <= row.budget
            if inside and (chosen or not fits):
                found.append(parts_of(chosen, row))
    return np.array(found)
