"""Compiling ahead: the kernels of parsers, with the relations of the embedded treebank: 38, and so all numbers from 37 to 40."""

from collections.abc import Callable

from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.recipes import Recipe, train

STRUCTURES = ("eisner", "arborescence")


def warm(tell: Callable[[str], None]) -> int:
    """Trains a parser of each structure, telling which; returns how many there were."""
    treebank = open_treebank("town:train")
    for structure in STRUCTURES:
        tell(f"{structure}, mira, hinge")
        train(Recipe("depparse", structure=structure, settings={"epochs": 1}), treebank, dev=treebank).marginals(treebank)
    return len(STRUCTURES)
