"""Compiling ahead: the kernels of parsers with the symbols of the embedded treebank."""

import functools

from widemargin.families.base import Warmup
from widemargin.families.constituency.sources import open_trees
from widemargin.families.recipes import Recipe, train

STRUCTURES = ("bigrams", "labels")


def warmups(*, every: bool) -> list[Warmup]:
    """The usual structure, or all that are often used."""
    return [Warmup(f"constparse, {name}", functools.partial(warm, name)) for name in STRUCTURES[: None if every else 1]]


def warm(structure: str) -> None:
    """Trains a parser and asks it."""
    trees = open_trees("town:train")
    train(Recipe("constparse", structure=structure, settings={"epochs": 1}), trees, dev=trees).marginals(trees)
