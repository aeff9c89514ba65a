"""Treebanks as a problem of learning; what its weights decide, and the parser that they become."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import Treebank
from widemargin.families.dependencies.costs import parse_arc_cost
from widemargin.families.dependencies.decoding import Guess, parse_corpus
from widemargin.families.dependencies.features import SIBLINGS, ArcFeatures, refuse_other_order
from widemargin.families.dependencies.gold import legal_gold
from widemargin.families.dependencies.metric import TreeScores
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.problem import ArcCorpus, ArcProblem, TreeWeights
from widemargin.families.dependencies.templates import ArcTemplate, load_arc_templates
from widemargin.families.recipes import Recipe
from widemargin.structures.arcs.trees import TREES

FIRST_ORDER = ("cutting-plane", "bcfw", "ocp", "smd")


@dataclass(frozen=True)
class HeldTrees:
    """Trees to be scored on, their words hashed once."""

    treebank: Treebank
    corpus: ArcCorpus


def refuse(recipe: Recipe) -> None:
    """What a structure of trees, or a learner on it, does not have."""
    if "kernel" in recipe.settings:
        raise InputError("kernels are on features of tokens, and trees have features of arcs; leave kernel out")
    names = {recipe.learner, recipe.settings.get("inner")} & set(FIRST_ORDER)
    if recipe.structure == SIBLINGS and names:
        raise InputError(f"{names.pop()} knows parts of one arc alone; with structure=siblings use mira, ops, sgd or another learner")
    if not TREES[recipe.structure].counts_roots and "single_root" in recipe.options:
        raise InputError("structure=heads chooses each word's head by itself and cannot count roots; leave single_root out")
    if not recipe.option("labelled") and "label_bits" in recipe.options:
        raise InputError("label_bits is the size of the table of relations, and labelled=no learns none; leave label_bits out")


def pose_trees(
    recipe: Recipe, treebank: Treebank, *, start: Parser | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> "PosedTrees":
    """The problem that a learner is given."""
    if start is not None:
        features, relations = _going_on(recipe, treebank, start), start.relations
    else:
        templates = _templates(recipe)
        features = ArcFeatures(templates, bits=recipe.option("hash_bits"), label_bits=recipe.option("label_bits")).fit(treebank.columns)
        relations = treebank.relations if any(template.label for template in templates) else ()
    refuse_other_order(recipe.structure, features)
    return PosedTrees(recipe, treebank, features, corpus_of(treebank, features, relations, weight), relations, threads)


def _templates(recipe: Recipe) -> tuple[ArcTemplate, ...]:
    templates = load_arc_templates(recipe.templates or ("arcs-siblings" if recipe.structure == SIBLINGS else "arcs"))
    return templates if recipe.option("labelled") else tuple(template for template in templates if not template.label)


def _going_on(recipe: Recipe, treebank: Treebank, start: Parser) -> ArcFeatures:
    """The features of a model to start from; a recipe or data that ask for others, or for other relations, are refused."""
    features, asked, other = start.features, recipe.options, None
    if recipe.templates is not None and [t.text for t in _templates(recipe)] != [t.text for t in features.templates]:
        other = "--templates"
    elif asked.get("labelled", bool(start.relations)) != bool(start.relations):
        other = f"labelled={'yes' if asked['labelled'] else 'no'}"
    elif asked.get("hash_bits", features.bits) != features.bits:
        other = f"hash_bits={asked['hash_bits']}"
    elif asked.get("label_bits", features.label_bits) != features.label_bits:
        other = f"label_bits={asked['label_bits']}"
    if other is not None:
        raise InputError(f"the model to start from brings its own features, and {other} asks for others; leave it out, or drop --init")
    if start.relations and (new := [name for name in treebank.relations if name not in start.relations]):
        cut = "; subtypes=no cuts what follows a colon off" if new[0].partition(":")[0] in start.relations else ""
        known = ", ".join(start.relations)
        raise InputError(f"the model to start from does not know the relation {new[0]}; its relations are {known}{cut}", treebank.source)
    return features


def corpus_of(treebank: Treebank, features: ArcFeatures, relations: tuple[str, ...], weight=None) -> ArcCorpus:
    """Sentences with gold trees; relations that are not in the list are unknown."""
    place = {name: r for r, name in enumerate(relations)}
    code = np.array([*(place.get(name, -1) for name in treebank.relations), -1], np.int32)
    gold = np.stack([treebank.heads, code[treebank.relation]], axis=1).astype(np.int32)
    weight = np.ones(len(treebank.row_ptr) - 1) if weight is None else np.asarray(weight, float)
    return ArcCorpus(treebank.row_ptr, gold, weight, features.transform(treebank.columns), features)


def unknown_arcs(corpus: ArcCorpus, labelled: bool) -> tuple[str, ...]:
    """A remark on heads and relations that are not known, if there are any."""
    heads = int((corpus.gold[:, 0] < 0).sum())
    bare = int(((corpus.gold[:, 0] >= 0) & (corpus.gold[:, 1] < 0)).sum()) if labelled else 0
    counts = [f"the heads of {heads:,} words"] * (heads > 0) + [f"the relations of {bare:,} words with a head"] * (bare > 0)
    return (f"{' and '.join(counts)} are not known: they are learnt as hidden ones",) if counts else ()


class PosedTrees:
    """A problem over trees (families.base.Posed)."""

    def __init__(
        self,
        recipe: Recipe,
        treebank: Treebank,
        arc_features: ArcFeatures,
        corpus: ArcCorpus,
        relations: tuple[str, ...],
        threads: int,
    ):
        """corpus: with gold trees as they stand in the treebank, legal or not."""
        self.recipe, self.treebank, self.arc_features, self.corpus, self.relations = recipe, treebank, arc_features, corpus, relations
        kind = TREES[recipe.structure]
        structure = kind(len(relations), single_root=recipe.option("single_root") and kind.counts_roots)
        objective, _ = recipe.aim(structure, corpus.rows)
        legal: ArcCorpus = corpus
        self.remarks = unknown_arcs(corpus, bool(relations))
        if getattr(objective.lower, "inside", False):
            legal, remarks = legal_gold(corpus, structure, treebank.source)
            self.remarks += remarks
        cost = parse_arc_cost(recipe.cost, relations)
        self.problem = ArcProblem(legal, structure, cost, *recipe.aim(structure, legal.rows), threads=threads)
        self.metric = "las" if relations else "uas"
        self.facts = {"format": treebank.format, "sentences": len(treebank.row_ptr) - 1, "tokens": treebank.tokens}

    @property
    def features(self) -> int:
        return int(np.prod(self.problem.shape))

    def again(self, recipe: Recipe) -> "PosedTrees":
        return PosedTrees(recipe, self.treebank, self.arc_features, self.corpus, self.relations, self.problem.threads)

    def begin(self, start: Parser) -> np.ndarray:
        return np.concatenate([table.reshape(-1, self.problem.width) for table in start.weights]).astype(np.float64)

    def hold(self, data: Treebank) -> HeldTrees:
        return HeldTrees(data, corpus_of(data, self.arc_features, self.relations))

    def decode(self, w: np.ndarray, held: HeldTrees) -> Guess:
        return parse_corpus(self.problem.structure, self._weights(w), held.corpus, threads=self.problem.threads)

    def scores(self, found: Guess, held: HeldTrees) -> TreeScores:
        return TreeScores(held.treebank, found.heads, found.relation, self.relations, metric=self.metric)

    def finish(self, w: np.ndarray, facts: dict) -> Parser:
        recipe = self.recipe
        return Parser(self.relations, recipe.structure, recipe.option("single_root"), self.arc_features, self._weights(w), facts)

    def carried(self, handed: dict) -> dict:
        return handed

    def _weights(self, w: np.ndarray) -> TreeWeights:
        return TreeWeights(*(np.ascontiguousarray(table, np.float32) for table in self.problem.linear(w)))
