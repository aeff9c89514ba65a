"""Compiling ahead: the kernels of resolvers."""

from collections.abc import Callable

from widemargin.families.coreference.sources import open_documents
from widemargin.families.recipes import Recipe, train


def warm(tell: Callable[[str], None]) -> int:
    """Trains a resolver, telling so; returns how many there were."""
    documents = open_documents("town:train:100")
    tell("lists, rda, hinge")
    train(Recipe("coref", settings={"epochs": 1}), documents, dev=documents).marginals(documents)
    return 1
