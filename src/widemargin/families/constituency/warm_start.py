"""Going on with a parser on new trees: new symbols and productions begin as they would have at first, all other weights stay."""

import dataclasses

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.errors import InputError
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.model import ChartParser
from widemargin.families.constituency.problem import Features, SpanWeights, grammar_rows
from widemargin.families.constituency.symbols import Symbols
from widemargin.families.constituency.tag_features import TagFeatures, WordFeatures
from widemargin.families.constituency.trees import Trees
from widemargin.families.recipes import Recipe
from widemargin.families.warm_start import grown_carry


def grown(parser: ChartParser, carry: dict | None, recipe: Recipe, trees: Trees) -> tuple[ChartParser, dict | None]:
    """The parser with the symbols and productions of these trees too, and what its learner carries on likewise."""
    if recipe.structure != parser.structure_name:
        raise InputError(f"the parser is one of {parser.structure_name} and cannot go on as one of {recipe.structure}; fit a new one")
    old = parser.inventory
    whole = (np.diff(trees.row_ptr) > 0) & trees.parsed & ~trees.partial
    new = joined(old, Inventory.of(parser.binariser(trees.part(whole)), old.kind)) if whole.any() else old
    features = grown_features(parser.features, new)
    place = np.array([new.symbols.codes[item] for item in old.symbols.items])
    width, spans = width_of(lanes_for(len(new))), parser.weights.spans

    def grow(plane: np.ndarray, first: float) -> np.ndarray:
        """Numbers of all weights of the old parser, in rows of L, as those of the new one; what is new has `first`."""
        rows = features.rows
        out = np.full((rows + grammar_rows(new), width), first, plane.dtype)
        at = tag_rows(old, new) if type(features) is TagFeatures else np.arange(rows)
        out[at[:, None], place] = plane[: len(spans), : len(old)]
        one, two = plane[len(spans) :], out[rows:]
        two[0, place] = one[0, : len(old)]
        if old.kind.pairs:
            for before, after in ((1, 1), (1 + len(old), 1 + len(new))):
                two[after + place[:, None], place] = one[before : before + len(old), : len(old)]
        elif old.kind.rules:
            number = {tuple(rule): r for r, rule in enumerate(new.rules.tolist())}
            rules = [number[tuple(rule)] for rule in place[old.rules].tolist()]
            two[1:].reshape(-1)[rules] = one[1:].reshape(-1)[: len(rules)]
        return out

    tables = grow(np.concatenate(parser.weights), 0.0)
    weights = SpanWeights(np.ascontiguousarray(tables[: features.rows]), np.ascontiguousarray(tables[features.rows :]))
    start = dataclasses.replace(parser, inventory=new, features=features, weights=weights)
    return start, grown_carry(carry, recipe, grow)


def grown_features(features: Features, inventory: Inventory) -> Features:
    """The same features over more symbols."""
    if isinstance(features, WordFeatures):
        return WordFeatures(inventory, features.classes, features.names)
    return TagFeatures(inventory) if isinstance(features, TagFeatures) else features


def tag_rows(old: Inventory, new: Inventory) -> np.ndarray:
    """Which rows of the new parser's tags those of the old one are; the last is that of tags that neither has."""
    return np.array([*(new.tags.index(tag) for tag in old.tags), len(new.tags)])


def joined(one: Inventory, two: Inventory) -> Inventory:
    """What either of two parsers of the same kind has; the top symbol is the first one's."""
    symbols = Symbols.of([*one.symbols.items, *two.symbols.items])
    tags = tuple(sorted({*one.tags, *two.tags}))
    legal, root = np.zeros((2, len(symbols)), bool), np.zeros((2, len(symbols)), bool)
    rules, lexical = [], []
    for own in (one, two):
        place = np.array([symbols.codes[item] for item in own.symbols.items])
        tag = np.array([tags.index(name) for name in own.tags])
        legal[:, place] |= own.legal
        root[:, place] |= own.root
        rules.append(place[own.rules].reshape(-1, 3))
        if len(own.lexical):
            lexical.append(np.stack([place[own.lexical[:, 0]], tag[own.lexical[:, 1]]], axis=1))
    every = np.unique(np.concatenate(rules)[:, [1, 2, 0]], axis=0)[:, [2, 0, 1]]
    pairs = np.unique(np.concatenate(lexical), axis=0) if lexical else np.zeros((0, 2))
    top = symbols.codes[one.symbols.items[one.top]]
    return Inventory(one.kind, symbols, legal, root, np.ascontiguousarray(every, np.int32), top, tags, pairs.astype(np.int32))
