"""Compiling ahead: the kernels of resolvers."""

from widemargin.families.base import Warmup
from widemargin.families.coreference.sources import open_documents
from widemargin.families.recipes import Recipe, train


def warmups(*, every: bool) -> list[Warmup]:
    """There is one kind."""
    return [Warmup("coref", warm)]


def warm() -> None:
    """Trains a resolver and asks it."""
    documents = open_documents("town:train:100")
    train(Recipe("coref", settings={"epochs": 1}), documents, dev=documents).marginals(documents)
