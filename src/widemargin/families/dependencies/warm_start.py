"""Going on with a parser on new data: new relations begin as they would have at first, all other weights keep what they have."""

import dataclasses

import numpy as np

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import Treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.problem import TreeWeights, label_width
from widemargin.families.recipes import Recipe
from widemargin.families.warm_start import grown_carry


def grown(parser: Parser, carry: dict | None, recipe: Recipe, treebank: Treebank) -> tuple[Parser, dict | None]:
    """The parser with room for the treebank's relations, and what its learner carries on likewise."""
    if recipe.structure != parser.structure_name:
        raise InputError(f"the parser is one of {parser.structure_name} and cannot go on as one of {recipe.structure}; fit a new one")
    new = tuple(name for name in treebank.relations if name not in parser.relations) if parser.relations else ()
    relations, before = parser.relations + new, len(parser.relations)
    rows, width = len(parser.weights.relations), label_width(len(relations))
    cut = parser.weights.arcs.size

    def grow(plane: np.ndarray, first: float) -> np.ndarray:
        """The same numbers of the table of arcs, then those of relations in wider rows; all in rows of WIDTH."""
        flat = plane.reshape(-1)
        labels = np.full((rows, width), first, plane.dtype)
        labels[:, :before] = flat[cut:].reshape(rows, -1)[:, :before] if rows else 0.0
        return np.concatenate([flat[:cut], labels.reshape(-1)]).reshape(-1, plane.shape[1])

    edge = np.zeros((rows, width), np.float32)
    edge[:, :before] = parser.weights.relations[:, :before]
    start = dataclasses.replace(
        parser, relations=relations, weights=TreeWeights(parser.weights.arcs, edge if new else parser.weights.relations)
    )
    return start, grown_carry(carry, recipe, grow)
