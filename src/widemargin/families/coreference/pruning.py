"""Smaller resolvers: weights that are 0 are not stored, and those that are too small to matter may go."""

import dataclasses

import numpy as np

from widemargin.families.coreference.model import LinkWeights, Resolver
from widemargin.families.pruning import pruned_tables


def pruned(model: Resolver, *, threshold: float | None = None, keep: int | None = None) -> Resolver:
    """A resolver without the weights below the threshold in absolute value, or with the `keep` strongest only."""
    tables, facts = pruned_tables(tuple(map(np.asarray, model.weights)), threshold=threshold, keep=keep)
    return dataclasses.replace(model, weights=LinkWeights(*tables), facts=model.facts | {"pruned": facts})
