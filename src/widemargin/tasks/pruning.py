"""Smaller models: features that weigh nothing, or too little to matter, leave the index and the weights.

A row of zeros adds exactly nothing to a score, so dropping it changes no prediction. l1 makes such rows; a threshold makes more of them.
"""

import dataclasses
import math

import numpy as np

from widemargin.errors import InputError
from widemargin.features.subset import subset, with_parents
from widemargin.kernels.score import Linear

from .tagger import Tagger


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
        weights=Linear(np.ascontiguousarray(tagger.weights.node[nodes]), np.ascontiguousarray(edge)),
        facts=tagger.facts | {"pruned": facts},
    )


def kept_features(tagger: Tagger, *, threshold: float | None = None, keep: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Which node features bool [F] and edge features bool [E] stay."""
    if (threshold is None) == (keep is None):
        raise InputError("pruning needs a threshold or a number of features to keep, one of the two.")
    largest = largest_weights(tagger)
    if threshold is not None:
        if not (threshold >= 0 and math.isfinite(threshold)):
            raise InputError(f"the threshold is {threshold}; it must be 0 or a positive number.")
        nodes, edges = ((weights >= threshold) & (weights > 0) for weights in largest)
        return nodes, edges
    assert keep is not None
    if keep < 0:
        raise InputError(f"{keep} features cannot be kept; give 0 or more.")
    both = np.concatenate(largest)
    kept = np.zeros(len(both), bool)
    kept[np.argsort(-both, kind="stable")[:keep]] = True
    return kept[: len(largest[0])], kept[len(largest[0]) :]


def largest_weights(tagger: Tagger) -> tuple[np.ndarray, np.ndarray]:
    """The largest absolute weight of every node feature [F] and of every edge feature [E]."""
    node, edge = tagger.weights.node, _edge_blocks(tagger)[1:]
    return np.maximum(node.max(axis=1), -node.min(axis=1)), np.maximum(edge.max(axis=(1, 2)), -edge.min(axis=(1, 2)))


def _edge_blocks(tagger: Tagger) -> np.ndarray:
    """Edge weights [1 + E, Y, L], the shared transitions first; [0, Y, L] for a structure without edges."""
    edge = tagger.weights.edge
    return edge.reshape(-1, len(tagger.labels), edge.shape[1])
