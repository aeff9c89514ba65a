"""Clusters as a problem of learning; what its weights decide, and the model that they become."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.base import Posed
from widemargin.families.recipes import Recipe
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.corpus import SummaryCorpus, row_of
from widemargin.families.summaries.costs import parse_summary_cost
from widemargin.families.summaries.metric import SummaryScores
from widemargin.families.summaries.model import SummaryModel, SummaryWeights, summary_of
from widemargin.families.summaries.problem import SummaryProblem
from widemargin.families.summaries.solvers import Solver
from widemargin.families.summaries.templates import Template, load_summary_templates
from widemargin.structures.subset.arrays import Subset

SUMMING = ("lbfgs", "smd")  # learners that need sums over all sets, or their curvature
WORK = "perceptron, mira, ops, sgd, adadelta, rda, bcfw, ocp, cutting-plane, one-slack and cccp"


@dataclass(frozen=True)
class HeldClusters:
    """Clusters to be scored on, looked up once."""

    clusters: Clusters
    corpus: SummaryCorpus


def refuse(recipe: Recipe) -> None:
    """What sets of sentences do not have."""
    if "kernel" in recipe.settings:
        raise InputError("kernels are on features of tokens, and summaries have features of bigrams; leave kernel out")
    if names := {recipe.learner, recipe.settings.get("inner")} & set(SUMMING):
        raise InputError(f"{names.pop()} needs sums over all sets of sentences, which are out of reach; {WORK} work")


def extraction_of(recipe: Recipe) -> Extraction:
    """What to extract, by the recipe's options."""
    return Extraction(*(recipe.option(name) for name in ("budget", "unit", "least_words", "least_count", "near")))


def pose_clusters(
    recipe: Recipe, clusters: Clusters, *, start: SummaryModel | None = None, weight: np.ndarray | None = None, threads: int = 1
) -> "PosedClusters":
    """The problem that a learner is given; clusters without references are left out."""
    templates = load_summary_templates(recipe.templates or recipe.family.tasks[recipe.task].templates)
    if start is not None:
        if recipe.templates is not None and templates != start.templates:
            raise InputError(
                "the model to start from brings its own features, and --templates asks for others; leave it out, or drop --init"
            )
        templates = start.templates
    how, structure, cost = extraction_of(recipe), Subset(recipe.option("nodes")), parse_summary_cost(recipe.cost)
    known = [i for i, cluster in enumerate(clusters.clusters) if cluster.references]
    if not known:
        raise InputError("no cluster has summaries to learn from; give them as a list of texts under the key references", clusters.source)
    rows = [row_of(candidates_of(clusters.clusters[i], how), templates, structure, cost) for i in known]
    weight = np.ones(len(clusters.clusters)) if weight is None else np.asarray(weight, float)
    left = len(clusters.clusters) - len(known)
    apart = sum(not row.candidates.reference_weights()[0].any() for row in rows)
    remarks: tuple[str, ...] = (f"{several(left, 'cluster')} without references left out",) if left else ()
    if apart:
        told = "no bigram of their references is in two documents, or in a sentence that may be chosen, so they teach nothing"
        remarks += (f"{apart:,} of {several(len(rows), 'cluster')}: {told}",)
    return PosedClusters(recipe, clusters, SummaryCorpus(tuple(rows), weight[known]), templates, remarks, threads)


class PosedClusters(Posed):
    """A problem over sets of sentences (families.base.Posed)."""

    metric = "rouge2"

    def __init__(
        self,
        recipe: Recipe,
        clusters: Clusters,
        corpus: SummaryCorpus,
        templates: tuple[Template, ...],
        remarks: tuple[str, ...],
        threads: int,
    ):
        self.recipe, self.clusters, self.corpus, self.templates, self.remarks = recipe, clusters, corpus, templates, remarks
        structure = Subset(recipe.option("nodes"))
        cost = parse_summary_cost(recipe.cost)
        self.problem = SummaryProblem(corpus, structure, cost, *recipe.aim(structure, corpus.rows), threads=threads)
        self.facts = {"sentences": len(clusters.clusters), "tokens": len(clusters)}

    @property
    def features(self) -> int:
        return int(self.corpus.features.size)

    def again(self, recipe: Recipe) -> "PosedClusters":
        if recipe.cost == self.recipe.cost:
            return PosedClusters(recipe, self.clusters, self.corpus, self.templates, self.remarks, self.problem.threads)
        cost, structure = parse_summary_cost(recipe.cost), self.problem.structure
        rows = tuple(row_of(row.candidates, self.templates, structure, cost) for row in self.corpus.clusters)
        corpus = SummaryCorpus(rows, self.corpus.weight)
        return PosedClusters(recipe, self.clusters, corpus, self.templates, self.remarks, self.problem.threads)

    def begin(self, start: SummaryModel) -> np.ndarray:
        return self.problem.table(start.weights.features)

    def hold(self, data: Clusters) -> HeldClusters:
        how, structure = extraction_of(self.recipe), self.problem.structure
        rows = tuple(row_of(candidates_of(cluster, how), self.templates, structure, None) for cluster in data.clusters)
        return HeldClusters(data, SummaryCorpus(rows, np.ones(len(rows))))

    @property
    def decode(self):
        """(w, held) -> summaries, as the model would make them."""

        def decode(w: np.ndarray, held: HeldClusters) -> list[str]:
            vector, solver = self._vector(w).astype(np.float64), Solver(nodes=self.recipe.option("nodes"))
            found = []
            for cluster, row in zip(held.clusters.clusters, held.corpus.clusters):
                best = solver.kbest(row.x @ vector, row.candidates.coverage, 1)[0]
                found.append(summary_of(cluster, row, best).text)
            return found

        return decode

    def scores(self, found: list[str], held: HeldClusters) -> SummaryScores:
        return SummaryScores(held.clusters, found, metrics=("rouge1", "rouge2"))

    def finish(self, w: np.ndarray, facts: dict) -> SummaryModel:
        recipe = self.recipe
        weights = SummaryWeights(self._vector(w))
        return SummaryModel(self.templates, weights, extraction_of(recipe), recipe.option("nodes"), recipe.structure, facts)

    def _vector(self, w: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.problem.vector(w), np.float32)
