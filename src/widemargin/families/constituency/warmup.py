"""Compiling ahead: the kernels of parsers with the symbols of the embedded treebank."""

from collections.abc import Callable

from widemargin.families.constituency.sources import open_trees
from widemargin.families.recipes import Recipe, train

STRUCTURES = ("bigrams", "labels")


def warm(tell: Callable[[str], None]) -> int:
    """Trains a parser of each structure, telling which; returns how many there were."""
    trees = open_trees("town:train")
    for structure in STRUCTURES:
        tell(f"{structure}, mira, hinge")
        train(Recipe("constparse", structure=structure, settings={"epochs": 1}), trees, dev=trees).marginals(trees)
    return len(STRUCTURES)
