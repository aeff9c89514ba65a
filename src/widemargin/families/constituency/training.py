"""Constituency trees as a problem of learning; what its weights decide, and the parser that they become."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.constituency.binary import Binariser
from widemargin.families.constituency.costs import BracketCost, parse_span_cost
from widemargin.families.constituency.decoding import Guess
from widemargin.families.constituency.evalb import BracketScores
from widemargin.families.constituency.features import SpanFeatures
from widemargin.families.constituency.gold import GoldTrees, find_gold, has_tree
from widemargin.families.constituency.inventory import Inventory
from widemargin.families.constituency.kinds import KINDS, Kind
from widemargin.families.constituency.model import GIVEN, WORDS, ChartParser, with_guess
from widemargin.families.constituency.problem import Features, SpanCorpus, SpanProblem, SpanWeights, structure_of
from widemargin.families.constituency.room import check_room
from widemargin.families.constituency.tag_features import TagFeatures, WordFeatures
from widemargin.families.constituency.templates import load_span_templates
from widemargin.families.constituency.trees import Trees
from widemargin.families.recipes import Recipe
from widemargin.structures.spans.count_prices import for_counts

GRAMMAR = ("direction", "horizontal", "vertical")


@dataclass(frozen=True)
class HeldTrees:
    """Trees to be scored on, their words hashed once."""

    trees: Trees
    asked: np.ndarray  # bool [S], sentences that have words
    corpus: SpanCorpus  # of those


def refuse(recipe: Recipe) -> None:
    """What a structure over spans, or a learner on it, does not have."""
    kind = KINDS[recipe.structure]
    if "kernel" in recipe.settings:
        raise InputError("kernels are on features of tokens, and trees have features of spans; leave kernel out")
    if recipe.learner == "smd" and kind.grammar:
        raise InputError(f"smd has no curvature along productions, which structure={kind.name} scores; use ops or sgd, or structure=labels")
    if kind.templates is None and (recipe.templates is not None or "hash_bits" in recipe.options):
        raise InputError(f"structure={kind.name} has weights of productions alone; leave templates and hash_bits out, or use rules")
    if not kind.grammar and (given := [name for name in GRAMMAR if name in recipe.options]):
        raise InputError(f"structure={kind.name} has no grammar, so {given[0]} has no effect; leave it out, or use structure=bigrams")


def binariser_of(recipe: Recipe, kind: Kind) -> Binariser:
    """How trees become binary."""
    horizontal = recipe.options.get("horizontal", kind.horizontal)
    return Binariser(recipe.option("direction"), horizontal=horizontal, vertical=recipe.option("vertical"))


def kind_of(recipe: Recipe) -> Kind:
    """The structure that a recipe asks for."""
    kind = KINDS[recipe.structure]
    return kind.from_words() if recipe.option("tags") == WORDS else kind


def pose_trees(
    recipe: Recipe, trees: Trees, *, start: ChartParser | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> "PosedSpans":
    """The problem that a learner is given."""
    if start is not None:
        refuse_other(recipe, start)
        binariser, features = start.binariser, start.features
        found = find_gold(trees, binariser, start.inventory.kind, start.inventory)
    else:
        kind = kind_of(recipe)
        binariser = binariser_of(recipe, kind)
        found = find_gold(trees, binariser, kind)
        features = features_of(recipe, found.inventory, trees.part(found.rows))
    kept = trees.part(found.rows)
    weight = np.ones(trees.sentences) if weight is None else np.asarray(weight, float)
    check_room(structure_of(found.inventory, features), kept, np.float32)
    corpus = SpanCorpus(kept.row_ptr, found.gold, weight[found.rows], features.transform(kept), features, found.inventory)
    return PosedSpans(recipe, kept, corpus, binariser, found, threads)


def features_of(recipe: Recipe, inventory: Inventory, trees: Trees) -> Features:
    """The features that a recipe asks for, with what they learn from trees."""
    kind = inventory.kind
    if kind.templates is None:
        return WordFeatures.of(inventory, trees) if kind.words else TagFeatures(inventory)
    features = SpanFeatures.of(load_span_templates(recipe.templates or kind.templates), trees, bits=recipe.option("hash_bits"))
    if features.splits and not kind.grammar:
        raise InputError(f"templates with split. are not for structure={kind.name}, in which splits have no scores; leave them out")
    if features.sees_tags and kind.words:
        raise InputError("templates of tags are not for tags=words, where sentences have none; write e.g. first.class last.word")
    return features


def refuse_other(recipe: Recipe, start: ChartParser) -> None:
    """Refuse a recipe that asks for what the model to start from has not."""
    asked, other = recipe.options, None
    binariser = start.binariser
    own = {"direction": binariser.direction, "horizontal": binariser.horizontal, "vertical": binariser.vertical}
    own |= {"hash_bits": start.features.bits, "tags": WORDS if start.inventory.kind.words else GIVEN}
    if recipe.structure != start.structure_name:
        other = f"structure={recipe.structure}"
    elif recipe.templates is not None and start.features.texts != tuple(t.text for t in load_span_templates(recipe.templates)):
        other = "--templates"
    else:
        other = next((f"{name}={asked[name]}" for name, value in own.items() if name in asked and asked[name] != value), None)
    if other is not None:
        raise InputError(
            f"the model to start from brings its own grammar and features, and {other} asks for others; leave it out, or drop --init"
        )


class PosedSpans:
    """A problem over constituency trees (families.base.Posed)."""

    metric = "f1"

    def __init__(self, recipe: Recipe, trees: Trees, corpus: SpanCorpus, binariser: Binariser, found: GoldTrees, threads: int):
        self.recipe, self.trees, self.corpus, self.binariser, self.found = recipe, trees, corpus, binariser, found
        inventory = corpus.inventory
        structure = structure_of(inventory, corpus.features)
        cost = parse_span_cost(recipe.cost, inventory.symbols, inventory.kind)
        if isinstance(cost, BracketCost):
            structure = for_counts(structure)
        problem = SpanProblem(corpus, structure, cost, *recipe.aim(structure, corpus.rows), threads=threads)
        self.remarks = found.remarks
        if not (possible := has_tree(problem)).all():
            text = f"{several(int((~possible).sum()), 'sentence')} left out: no tree of the grammar has all brackets that are known there"
            self.remarks += (text,)
            kept = corpus.part(np.flatnonzero(possible))
            problem = SpanProblem(kept, structure, cost, *recipe.aim(structure, kept.rows), threads=threads)
        self.problem = problem
        self.facts = {
            "format": trees.format,
            "sentences": trees.sentences,
            "tokens": trees.tokens,
            "symbols": len(inventory),
            "productions": len(inventory.rules),
        }

    @property
    def features(self) -> int:
        return int(np.prod(self.problem.shape))

    @property
    def inventory(self) -> Inventory:
        return self.corpus.inventory

    def again(self, recipe: Recipe) -> "PosedSpans":
        return PosedSpans(recipe, self.trees, self.corpus, self.binariser, self.found, self.problem.threads)

    def begin(self, start: ChartParser) -> np.ndarray:
        return np.concatenate([table.reshape(-1, self.problem.width) for table in start.weights]).astype(np.float64)

    def hold(self, data: Trees) -> HeldTrees:
        parser = self.finish_with(None)
        asked = parser.asked(data)
        return HeldTrees(data, asked, parser.corpus(data.part(asked)))

    def decode(self, w: np.ndarray, held: HeldTrees) -> Guess:
        found = self.finish_with(self._weights(w)).scorer.parse(held.corpus, threads=self.problem.threads)
        return found.among(np.diff(held.trees.row_ptr), held.asked)

    def scores(self, found: Guess, held: HeldTrees) -> BracketScores:
        return BracketScores(held.trees, with_guess(held.trees, found, self.inventory), strict=False)

    def finish(self, w: np.ndarray, facts: dict) -> ChartParser:
        return replace(self.finish_with(self._weights(w)), facts=facts)

    def carried(self, handed: dict) -> dict:
        return handed

    def finish_with(self, weights: SpanWeights | None) -> ChartParser:
        """The parser with these weights; None: it is not to be asked for trees."""
        nothing = SpanWeights(np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32))
        return ChartParser(self.inventory, self.binariser, self.corpus.features, weights or nothing)

    def _weights(self, w: np.ndarray) -> SpanWeights:
        return SpanWeights(*(np.ascontiguousarray(table, np.float32) for table in self.problem.linear(w)))
