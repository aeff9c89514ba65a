"""Costs of constituency trees: prices of wrong and missed nodes and of wrong productions, weighted by label (FAMILY.costs has the forms).

The cost of a binary tree is a sum over nodes (structures/spans/prices.py),

    sum over its nodes            weight(A) wrong [not in the gold]  +  weight(A) production [not with these children in the gold]
    sum over the gold's nodes     weight(A) missed [not in the tree]

A word without a bracket of its own is a node too, where there is a grammar: all trees over n words have 2n-1 nodes, and as many of them are
wrong as are missed.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.kinds import Kind
from widemargin.families.constituency.symbols import Symbols
from widemargin.families.costs import named_prices, split_factor

FORMS = "hamming, productions, or wrong=1,missed=0,production=0 with weights of labels behind, e.g. wrong=1,NP=2"
PRODUCTIONS = {"wrong": 0.0, "production": 1.0}


@dataclass(frozen=True)
class SpanCost:
    """Prices by symbol, for nodes of one word and of more; `text` is how the user wrote them."""

    text: str
    symbols: Symbols
    wrong: np.ndarray  # [2, K]
    missed: np.ndarray  # [2, K]
    production: np.ndarray  # [2, K]


def parse_span_cost(text: str, symbols: Symbols, kind: Kind) -> SpanCost:
    """Read one of the forms of FAMILY.costs."""
    body, factor = split_factor(text)
    known = {"hamming": {}, "productions": PRODUCTIONS}
    weights = dict(known[body]) if body in known else named_prices(body, text, FORMS)
    usual = 1.0 if not kind.grammar else 0.0  # without a grammar trees differ in size, so what is missing must cost something
    prices = {name: weights.pop(name, default) for name, default in (("wrong", 1.0), ("missed", usual), ("production", 0.0))}
    if prices["production"] and not kind.grammar:
        raise InputError(f"structure={kind.name} has no productions that could be wrong; use hamming, or structure=bigrams", "--cost")
    labels = sorted({label for symbol in symbols.items for label in symbol.labels})
    if unknown := [name for name in weights if name not in labels]:
        raise InputError(
            f"the label {unknown[0]!r} does not occur in the training data; the labels are {', '.join(symbols.labels)}", "--cost"
        )
    weight = np.array([max([weights[label] for label in item.labels if label in weights] or [1.0]) for item in symbols.items]) * factor
    if not kind.grammar:
        weight[symbols.is_tag] = 0.0  # a span that is no constituent
    table = np.stack([weight, weight])
    production = prices["production"] * table
    production[0] = 0.0
    return SpanCost(text, symbols, prices["wrong"] * table, prices["missed"] * table, production)
