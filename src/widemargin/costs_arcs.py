"""Costs of dependency trees: the price of a wrong head and of a wrong relation, weighted by the gold relation.

    hamming                    an arc costs 1 if its head or its relation is wrong
    head=1,label=0.5           other prices of a wrong head, and of a wrong relation where the head is right; label=0 counts heads alone
    head=2,nsubj=3,punct=0     both prices times 3 where the gold relation is nsubj (or a subtype of it that has no weight of its own)

Any of them may be followed by *NUMBER. The cost of a tree is a sum over its words m with head h and relation r,

    sum_m  weight(r*_m) ( head [h != h*_m] + label [h = h*_m, r != r*_m] )

so it decomposes over arcs (kernels/arc_labels.Prices). Words of unknown gold head (-1) cost nothing, nor do relations where the gold's is
not known.
"""

from dataclasses import dataclass

import numpy as np

from .errors import InputError

FORMS = "hamming, or head=1,label=1 with weights of relations behind, e.g. head=2,nsubj=3,punct=0"


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
    """Read one of the forms above for a list of relations."""
    body, times, factor = text.strip().partition("*")
    prices = {"head": 1.0, "label": 1.0}
    weights: dict[str, float] = {}
    for item in [] if body == "hamming" else body.split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"cost {text!r}: {item!r} is not NAME=NUMBER; use {FORMS}")
        (prices if name in prices else weights)[name] = _price(value, text)
    heads = {relation.partition(":")[0] for relation in relations}
    if unknown := [name for name in weights if name not in relations and name not in heads]:
        raise InputError(f"relation {unknown[0]!r} does not occur in the training data; the relations are {', '.join(relations)}", "--cost")
    scale = _price(factor, text) if times else 1.0
    weight = np.array([weights.get(name, weights.get(name.partition(":")[0], 1.0)) for name in relations] + [1.0]) * scale
    label = np.outer(weight, np.full(len(relations), prices["label"]))
    label[-1] = 0.0
    np.fill_diagonal(label, 0.0)
    return ArcCost(text, tuple(relations), weight * prices["head"], label)


def _price(value: str, text: str) -> float:
    try:
        price = float(value)
    except ValueError:
        raise InputError(f"{value!r} in cost {text!r} is not a number; use {FORMS}") from None
    if not 0 <= price < np.inf:
        raise InputError(f"cost {text!r} has a negative or infinite price; prices are numbers from 0 up")
    return price
