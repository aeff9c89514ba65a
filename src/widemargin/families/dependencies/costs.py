"""Costs of dependency trees: the price of a wrong head and of a wrong relation, weighted by the gold relation (FAMILY.costs has the forms).

The cost of a tree is a sum over its words m with head h and relation r,

    sum_m  weight(r*_m) ( head [h != h*_m] + label [h = h*_m, r != r*_m] )

so it decomposes over arcs (arcs/labels.Prices). Words of unknown gold head (-1) cost nothing, nor do relations where the gold's is
not known.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.costs import named_prices, split_factor

FORMS = "hamming, or head=1,label=1 with weights of relations after it, e.g. head=2,nsubj=3,punct=0"


@dataclass(frozen=True)
class ArcCost:
    """Prices by gold relation; `text` is how the user wrote them."""

    text: str
    relations: tuple[str, ...]
    head: np.ndarray  # [R+1]   of a wrong head where the gold relation is r; the last is for an unknown relation
    label: np.ndarray  # [R+1, R]   of relation r' where the gold one is r, 0 on the diagonal and in the last row (unknown)

    def between(self, gold_heads, gold_relation, guess_heads, guess_relation) -> float:
        """Cost of a whole guess."""
        known, same = np.asarray(gold_heads) >= 0, np.asarray(gold_heads) == guess_heads
        return float(self.head[gold_relation][known & ~same].sum() + self.label[gold_relation, guess_relation][known & same].sum())


def parse_arc_cost(text: str, relations: tuple[str, ...]) -> ArcCost:
    """Read one of the forms of FAMILY.costs for a list of relations."""
    body, factor = split_factor(text)
    weights = {} if body == "hamming" else named_prices(body, text, FORMS)
    head, wrong = weights.pop("head", 1.0), weights.pop("label", 1.0)
    known = {*relations, *(relation.partition(":")[0] for relation in relations)}
    if unknown := [name for name in weights if name not in known]:
        raise InputError(f"relation {unknown[0]!r} does not occur in the training data; the relations are {', '.join(relations)}", "--cost")
    weight = np.array([weights.get(name, weights.get(name.partition(":")[0], 1.0)) for name in relations] + [1.0]) * factor
    label = np.outer(weight, np.full(len(relations), wrong))
    label[-1] = 0.0
    np.fill_diagonal(label, 0.0)
    return ArcCost(text, tuple(relations), weight * head, label)
