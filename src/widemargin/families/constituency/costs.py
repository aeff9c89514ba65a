"""Costs of constituency trees (FAMILY.costs has the forms): prices of nodes and productions, or functions of counts of brackets.

Prices of wrong and missed nodes and of wrong productions, weighted by label, add up over the nodes of a binary tree
(structures/spans/prices.py):

    sum over its nodes            weight(A) wrong [not in the gold]  +  weight(A) production [not with these children in the gold]
    sum over the gold's nodes     weight(A) missed [not in the tree]

A word without a bracket of its own is a node too, where there is a grammar: all trees over n words have 2n-1 nodes, and as many of them are
wrong as are missed.

A function Delta(tp, fp, gold) of true and false positives, F1's above all, is no such sum (structures/spans/count_prices.py; Bauer et al.
2017). It counts the brackets of the original trees, or the nodes of binary ones.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.kinds import Kind
from widemargin.families.constituency.symbols import Symbols
from widemargin.families.costs import named_prices, split_factor
from widemargin.structures.spans.arrays import SpanTrees
from widemargin.structures.spans.count_costs import NAMED, CountCost
from widemargin.structures.spans.count_prices import binarised_counts, count_prices, original_counts
from widemargin.structures.spans.counts import CountPrices
from widemargin.structures.spans.kernel import Treebank

FORMS = (
    "hamming, productions, wrong=1,missed=0,production=0 with weights of labels after it (wrong=1,NP=2), f1, or original: fp / (tp + fp)"
)
PRODUCTIONS = {"wrong": 0.0, "production": 1.0}
ORIGINAL, BINARISED = "original", "binarised"


@dataclass(frozen=True)
class SpanCost:
    """Prices by symbol, for nodes of one word and of more; `text` is how the user wrote them."""

    text: str
    symbols: Symbols
    wrong: np.ndarray  # [2, K]
    missed: np.ndarray  # [2, K]
    production: np.ndarray  # [2, K]


@dataclass(frozen=True)
class BracketCost:
    """A function of counts of brackets; `text` is how the user wrote it."""

    text: str
    symbols: Symbols
    delta: str  # a name or a line of arithmetic (count_costs.py)
    factor: float
    counting: str  # ORIGINAL or BINARISED

    def prices(self, structure: SpanTrees, trees: Treebank, dtype) -> CountPrices:
        """As the kernels read it, for these trees."""
        symbols = range(len(self.symbols))
        original = self.counting == ORIGINAL
        counts = original_counts([self.symbols.stands_for(a) for a in symbols]) if original else binarised_counts(len(symbols))
        return count_prices(structure, self.delta, counts, trees, factor=self.factor, keep_start=False, dtype=dtype)


def parse_span_cost(text: str, symbols: Symbols, kind: Kind) -> SpanCost | BracketCost:
    """Read one of the forms of FAMILY.costs."""
    counting, colon, line = text.rpartition(":")
    if colon and counting.strip() not in (ORIGINAL, BINARISED):
        raise InputError(f"{counting.strip()!r} in {text!r} is not a way to count brackets; write {ORIGINAL}: or {BINARISED}:", "--cost")
    named = line.partition("*")[0].strip() in NAMED
    body, factor = split_factor(line) if named or not colon else (line.strip(), 1.0)  # in a line of arithmetic, * is no factor
    if colon or named:
        if not kind.grammar:
            raise InputError(
                f"structure={kind.name} has no grammar whose trees could be searched by counts; use structure=bigrams", "--cost"
            )
        CountCost(body)  # refuses what is none
        return BracketCost(text, symbols, body, factor, counting.strip() or ORIGINAL)
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
