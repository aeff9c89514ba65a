"""Smaller models: features that weigh nothing, or too little to matter, leave the index and the weights.

A row of zeros adds exactly nothing to a score, so dropping it changes no prediction. l1 makes such rows; a threshold makes more of them.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np

from widemargin.errors import InputError
from widemargin.families.packing import SPARSE
from widemargin.families.pruning import strong_enough
from widemargin.families.tagging.model import Tagger
from widemargin.features.expansion import plain
from widemargin.features.explicit import ColumnIndex
from widemargin.features.index import HashedIndex
from widemargin.features.subset import subset, with_parents
from widemargin.scoring.score import Linear

LEFT_OUT = "left_out"  # of a model's facts: how many features its file does not have
SMALL_SHARES, AT_LEAST = (0.002, 0.001, 0.0002), 4.0  # of small()
LARGEST_HALF = 65504.0  # that float16 can hold
BLOCK_ROWS = 1 << 16


def pruned(tagger: Tagger, *, threshold: float | None = None, keep: int | None = None) -> Tagger:
    """A tagger without the features whose weights are all below the threshold in absolute value, or with the `keep` strongest only.

    Threshold 0 drops the rows that are exactly zero: predictions stay the same, bit for bit. Shared transitions always stay, and with a
    conjunction of an expanded kernel those that it was built on.
    """
    if tagger.support is not None:
        raise InputError(
            "a kernel model has tokens in place of weights of features, so it cannot be pruned; write the kernel out (expand=true)"
        )
    nodes, edges = kept_features(tagger, threshold=threshold, keep=keep)
    nodes = with_parents(tagger.extractor, nodes)
    blocks = _edge_blocks(tagger)
    edge = np.concatenate([blocks[:1], blocks[1:][edges]]).reshape(-1, blocks.shape[2])
    before, after = len(nodes) + len(edges), int(nodes.sum() + edges.sum())
    facts = {"threshold": threshold, "keep": keep, "features_before": before, "features": after}
    return dataclasses.replace(
        tagger,
        extractor=subset(tagger.extractor, nodes, edges),
        weights=Linear(np.ascontiguousarray(tagger.weights.labels[nodes]), np.ascontiguousarray(edge)),
        facts=tagger.facts | {"pruned": facts},
    )


def without_zeros(tagger: Tagger) -> Tagger:
    """A tagger that answers the same, bit for bit, without the features whose weights are all 0; facts["left_out"] says how many they were.

    Itself where there are none, or where features have no names by which to go.
    """
    if tagger.support is not None or isinstance(plain(tagger.extractor).nodes, HashedIndex | ColumnIndex):
        return tagger
    small = pruned(tagger, threshold=0)
    facts = small.facts.pop("pruned")
    left_out = tagger.facts.get(LEFT_OUT, 0) + facts["features_before"] - facts["features"]
    if facts["features_before"] == facts["features"]:
        return tagger
    return dataclasses.replace(small, facts=tagger.facts | {LEFT_OUT: left_out})


def small(tagger: Tagger) -> Iterator[Tagger]:
    """Taggers of a few bytes for every feature, the smallest first, where an objective has given a weight to nearly every pair of a feature
    and a label.

    The smallest weights, which make up one of SMALL_SHARES of the sum of squares, are dropped, and with them the features that have none of
    AT_LEAST times that size; the others are rounded to float16. Nothing where most weights are 0 anyway: there each one matters.
    """
    w, Y = tagger.weights.labels, len(tagger.labels)
    size = np.concatenate([np.abs(block[block != 0]) for block in _blocks(w)] or [np.zeros(0, np.float32)])
    if tagger.support is not None or not len(size) or len(size) < SPARSE * Y * sum(int(block.any(axis=1).sum()) for block in _blocks(w)):
        return
    limits = _limits(size)
    del size  # it is large, and who asks for a tagger tries it before the next one
    for least in limits:
        v = w.copy()
        for block in _blocks(v):
            block[np.abs(block) < least] = 0.0
            block[np.abs(block).max(axis=1) < AT_LEAST * least] = 0.0
            block[:] = _rounded(block)
        facts = {"weights": int(np.count_nonzero(v)), "least": float(least)}
        yield dataclasses.replace(tagger, weights=Linear(v, _rounded(tagger.weights.transitions)), facts=tagger.facts | {"small": facts})


def _limits(size: np.ndarray) -> list[np.floating]:
    """The sizes below which absolute weights make up SMALL_SHARES of the sum of squares; they are sorted here."""
    size.sort()
    through = np.square(size, dtype=np.float64)
    np.cumsum(through, out=through)
    return [size[min(int(np.searchsorted(through, share * through[-1])), len(size) - 1)] for share in SMALL_SHARES]


def _rounded(table: np.ndarray) -> np.ndarray:
    """float32 that float16 can hold."""
    return np.clip(table, -LARGEST_HALF, LARGEST_HALF).astype(np.float16).astype(np.float32)


def _blocks(table: np.ndarray) -> list[np.ndarray]:
    """Some rows at a time, so that nothing large is made of them."""
    return [table[at : at + BLOCK_ROWS] for at in range(0, len(table), BLOCK_ROWS)]


def kept_features(tagger: Tagger, *, threshold: float | None = None, keep: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Which node features bool [F] and edge features bool [E] stay."""
    nodes, edges = largest_weights(tagger)
    kept = strong_enough(np.concatenate([nodes, edges]), "features", threshold=threshold, keep=keep)
    return kept[: len(nodes)], kept[len(nodes) :]


def largest_weights(tagger: Tagger) -> tuple[np.ndarray, np.ndarray]:
    """The largest absolute weight of every node feature [F] and of every edge feature [E]."""
    node, edge = tagger.weights.labels, _edge_blocks(tagger)[1:]
    return np.maximum(node.max(axis=1), -node.min(axis=1)), np.maximum(edge.max(axis=(1, 2)), -edge.min(axis=(1, 2)))


def _edge_blocks(tagger: Tagger) -> np.ndarray:
    """Edge weights [1 + E, Y, L], the shared transitions first; [0, Y, L] for a structure without edges."""
    edge = tagger.weights.transitions
    return edge.reshape(-1, len(tagger.labels), edge.shape[1])
