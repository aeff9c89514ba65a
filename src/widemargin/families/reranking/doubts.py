"""What is surely not meant, said as a warning: lists without the features that a model weighs."""

import warnings

from widemargin.families.listing import some_of
from widemargin.families.reranking.model import RerankModel
from widemargin.families.reranking.pool import Pool

SPARSE = ":"  # in the names of features that only some hypotheses have (word:the)


def doubt_features(model: RerankModel, pool: Pool) -> None:
    """Warn of features that the model weighs and the lists do not have: they count as 0."""
    weighed = [name for name, weight in zip(model.names, model.weights.values) if weight]
    missing = [name for name in weighed if name not in set(pool.names) and not name.startswith("text:")]
    if missing and len(missing) == len(weighed):
        told = f"{pool.source} has {some_of(pool.names) or 'no features'}, and none of those that the model weighs ({some_of(missing)})"
        _warn(f"{told}: all hypotheses score alike, and the first of each list is chosen")
    elif dense := [name for name in missing if SPARSE not in name]:
        _warn(f"{pool.source} lacks features that the model weighs, and they count as 0: {some_of(dense)}")


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=4)
