"""Documents as a problem of learning; what its weights decide, and the resolver that they become."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.families.coreference.attributes import attributes
from widemargin.families.coreference.costs import parse_link_cost
from widemargin.families.coreference.decoding import best_candidates, chains_of
from widemargin.families.coreference.detection import detected
from widemargin.families.coreference.documents import Documents
from widemargin.families.coreference.doubts import doubt_chains
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.metric import ChainScores
from widemargin.families.coreference.model import LinkWeights, Resolver, chained
from widemargin.families.coreference.problem import LinkCorpus, LinkProblem, link_corpus
from widemargin.families.coreference.templates import load_link_templates
from widemargin.families.recipes import Recipe

USUAL_TEMPLATES = "links"


@dataclass(frozen=True)
class Held:
    """Documents to be scored on, their mentions seen once."""

    documents: Documents
    ready: Documents  # with the mentions that are to be linked
    corpus: LinkCorpus


def refuse(recipe: Recipe) -> None:
    """What links do not have."""
    if "kernel" in recipe.settings:
        raise InputError("kernels are on features of tokens, and links have features of mentions; leave kernel out")


def pose_links(
    recipe: Recipe, documents: Documents, *, start: Resolver | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> "PosedLinks":
    """The problem that a learner is given."""
    features = (
        LinkFeatures(load_link_templates(recipe.templates or USUAL_TEMPLATES), recipe.option("hash_bits"))
        if start is None
        else _going_on(recipe, start)
    )
    return PosedLinks(recipe, documents, features, weight, threads)


def _going_on(recipe: Recipe, start: Resolver) -> LinkFeatures:
    """The features of a model to start from; a recipe that asks for others is refused."""
    features, asked, other = start.features, recipe.options, None
    if recipe.templates is not None and [t.text for t in load_link_templates(recipe.templates)] != [t.text for t in features.templates]:
        other = "--templates"
    elif asked.get("hash_bits", features.bits) != features.bits:
        other = f"hash_bits={asked['hash_bits']}"
    elif asked.get("window", start.window) != start.window:
        other = f"window={asked['window']}"
    if other is not None:
        raise InputError(f"the model to start from brings its own features, and {other} asks for others; leave it out, or drop --init")
    return features


class PosedLinks:
    """A problem over mentions (families.base.Posed)."""

    metric = "conll"

    def __init__(self, recipe: Recipe, documents: Documents, features: LinkFeatures, weight: np.ndarray | None, threads: int):
        self.recipe, self.documents, self.link_features, self.weight = recipe, documents, features, weight
        self.window, self.mentions = recipe.option("window"), recipe.option("mentions")
        if not (documents.chain >= 0).any():
            raise InputError("no mention here has a chain; give documents with chains to learn from.", documents.source)
        sizes = np.bincount(documents.chain[documents.chain >= 0])
        self.singletons = bool((sizes == 1).any())
        ready = self._ready(documents)
        self.corpus = self._corpus(ready, weight)
        structure = recipe.family.structures[recipe.structure]()
        cost = parse_link_cost(recipe.cost)
        self.problem = LinkProblem(self.corpus, structure, cost, *recipe.aim(structure, self.corpus.rows), threads=threads)
        self.lost = links_lost(self.corpus, ready.mention_ptr)
        self.remarks = tuple(self._remarks(documents, ready))
        self.facts = {
            "format": documents.format,
            "sentences": len(documents.sentence_ptr) - 1,
            "tokens": len(documents),
            "documents": len(documents.given),
            "mentions": documents.mentions,
            "links_lost": self.lost,
        }

    def _remarks(self, documents: Documents, ready: Documents) -> list[str]:
        out = []
        if self.lost:
            out.append(f"{self.lost:,} mentions have their nearest antecedent beyond the window of {self.window} and are taken as new")
        empty = sum(low == high for low, high in zip(documents.mention_ptr.tolist(), documents.mention_ptr[1:].tolist()))
        if empty:
            out.append(f"{empty:,} of {len(documents.given):,} documents have no mentions")
        if ready is not documents:
            gold = {(a, b) for a, b in zip(documents.first.tolist(), documents.end.tolist())}
            found = {(a, b) for a, b in zip(ready.first.tolist(), ready.end.tolist())}
            out.append(f"rules find {len(gold & found):,} of {len(gold):,} mentions, and {len(found - gold):,} others")
        return out

    def _ready(self, documents: Documents) -> Documents:
        return documents if self.mentions == "file" else detected(documents)

    def _corpus(self, documents: Documents, weight: np.ndarray | None = None) -> LinkCorpus:
        found = link_corpus(documents.mention_ptr, documents.chain, attributes(documents), self.link_features, self.window)
        if weight is not None:
            found.weight[:] = np.repeat(np.asarray(weight, float), np.diff(documents.mention_ptr))
        return found

    @property
    def features(self) -> int:
        return int(np.prod(self.problem.shape))

    def again(self, recipe: Recipe) -> "PosedLinks":
        return PosedLinks(recipe, self.documents, self.link_features, self.weight, self.problem.threads)

    def begin(self, start: Resolver) -> np.ndarray:
        return start.weights.links.astype(np.float64)

    def hold(self, data: Documents) -> Held:
        doubt_chains(data)
        ready = self._ready(data)
        return Held(data, ready, self._corpus(ready))

    def decode(self, w: np.ndarray, held: Held) -> Documents:
        found = best_candidates(held.corpus, np.ascontiguousarray(w, np.float32), threads=self.problem.threads)
        return chained(held.ready, chains_of(found), singletons=self.singletons)

    def scores(self, found: Documents, held: Held) -> ChainScores:
        every = range(len(held.documents.given))
        return ChainScores(*([side.chains(d) for d in every] for side in (held.documents, found)), singletons=self.singletons)

    def finish(self, w: np.ndarray, facts: dict) -> Resolver:
        weights = LinkWeights(np.ascontiguousarray(w, np.float32))
        return Resolver(self.recipe.structure, self.link_features, weights, self.window, self.mentions, self.singletons, facts)

    def carried(self, handed: dict) -> dict:
        return handed


def links_lost(corpus: LinkCorpus, mention_ptr: np.ndarray) -> int:
    """Mentions whose chain has an earlier mention in the document, but none within the window."""
    seen: set[int] = set()
    lost = 0
    for i, chain in enumerate(corpus.chain.tolist()):
        lost += chain in seen and not (corpus.chain[corpus.lowest[i] : i] == chain).any()
        if chain >= 0:
            seen.add(chain)
    return lost
