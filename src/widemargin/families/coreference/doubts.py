"""What is surely not meant, said as a warning: documents without a chain where chains are compared."""

import warnings

from widemargin.families.coreference.documents import Documents


def doubt_chains(documents: Documents, whose: str = "gold chains") -> None:
    """Warn of documents that have no chain at all: scores are zeros then, and say nothing."""
    if len(documents) and not (documents.chain >= 0).any():
        told = f"{documents.source} has no chain, so there is nothing to compare; are there {whose} in this file?"
        warnings.warn(told, RuntimeWarning, stacklevel=3)
