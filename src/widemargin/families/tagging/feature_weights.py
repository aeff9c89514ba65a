"""Weights by name, looked up when they are asked for."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from typing import Any

import numpy as np


class _Values(ValuesView):
    """Row by row: names are not looked at."""

    _mapping: "FeatureWeights"

    def __iter__(self) -> Iterator[float]:
        return (float(w) for row in self._mapping._table for w in row[np.flatnonzero(row)])


class _Items(ItemsView):
    _mapping: "FeatureWeights"

    def __iter__(self) -> Iterator[tuple]:
        return zip(self._mapping, _Values(self._mapping))


class FeatureWeights(Mapping):
    """The weights of a tagger that are not 0, by (feature name, label), in the order of features. Nothing is copied.

    Parameters
    ----------
    index : names of features (features/index.py).
    table : weights by feature and label, [F, Y].
    labels : the labels of the columns.

    Examples
    --------
    >>> tagger.weights["w=Ada", "B-PER"]  # doctest: +SKIP
    0.731
    >>> tagger.weights.strongest(3)  # doctest: +SKIP
    """

    def __init__(self, index: Any, table: np.ndarray, labels: Sequence[Any]):
        self._index, self._table, self._labels = index, table, list(labels)

    def __getitem__(self, key: tuple[str, Any]) -> float:
        if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and key[1] in self._labels):
            raise KeyError(key)
        feature = self._index.find(key[0])
        value = float(self._table[feature, self._labels.index(key[1])]) if feature >= 0 else 0.0
        if not value:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        return int(np.count_nonzero(self._table))

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for f in range(len(self._table)):
            if (used := np.flatnonzero(self._table[f])).size:
                name = self._index.name(f)
                yield from ((name, self._labels[k]) for k in used)

    def items(self) -> ItemsView:
        return _Items(self)

    def values(self) -> ValuesView:
        return _Values(self)

    def strongest(self, top: int = 10) -> list[tuple[tuple[str, Any], float]]:
        """The largest in absolute value, up or down, with their names; only these are named."""
        flat = np.asarray(self._table).reshape(-1)
        order = np.argsort(-np.abs(flat), kind="stable")[:top]
        found = [(*divmod(int(i), len(self._labels)), float(flat[i])) for i in order if flat[i]]
        return [((self._index.name(f), self._labels[k]), weight) for f, k, weight in found]

    def __repr__(self) -> str:
        return f"<{len(self):,} weights that are not 0, of {len(self._table):,} features and {len(self._labels)} labels>"
