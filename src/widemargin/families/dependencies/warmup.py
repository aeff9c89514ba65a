"""Compiling ahead: the kernels of parsers, with the relations of the embedded treebank: 38, and so all numbers from 33 to 40."""

import functools

from widemargin.families.base import Warmup
from widemargin.families.dependencies.sources import open_treebank
from widemargin.families.recipes import Recipe, train

STRUCTURES = ("eisner", "arborescence")


def warmups(*, every: bool) -> list[Warmup]:
    """The usual structure, or all that are often used."""
    return [Warmup(f"depparse, {name}", functools.partial(warm, name, every)) for name in STRUCTURES[: None if every else 1]]


def warm(structure: str, sums: bool) -> None:
    """Trains a parser and asks it; sums: for marginals too."""
    treebank = open_treebank("town:train")
    parser = train(Recipe("depparse", structure=structure, settings={"epochs": 1}), treebank, dev=treebank)
    if sums:
        parser.marginals(treebank)
