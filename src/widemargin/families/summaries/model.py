"""A trained summariser: templates and one vector of weights; reads clusters, answers with sets of their sentences."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from widemargin.contents import Contents
from widemargin.errors import InputError
from widemargin.families.base import Task
from widemargin.families.model import Model
from widemargin.families.summaries import FAMILY
from widemargin.families.summaries.candidates import Extraction, candidates_of
from widemargin.families.summaries.clusters import Cluster, Clusters
from widemargin.families.summaries.corpus import ClusterRow, row_of
from widemargin.families.summaries.solvers import Solver
from widemargin.families.summaries.templates import Template, parse_summary_templates
from widemargin.families.summaries.text import UNITS
from widemargin.structures.subset.arrays import Found, Subset

SUMMARIZE = "summarize"
FORMAT = 4
MOST = 1 << 31


class SummaryWeights(NamedTuple):
    """Of the features, in the order of their templates."""

    features: np.ndarray  # float32 [D]


@dataclass(frozen=True)
class Summary:
    """Sentences of one cluster, in the order of the source."""

    sentences: tuple[int, ...]  # their numbers in the cluster
    text: str  # a line for each
    score: float
    gap: float  # by how much a better set could be better; 0: there is none


@dataclass
class SummaryModel(Model):
    """Everything that summarising needs."""

    kind: ClassVar[str] = "summariser"
    family: ClassVar[str] = FAMILY.name
    task: ClassVar[Task] = FAMILY.tasks[SUMMARIZE]

    templates: tuple[Template, ...]
    weights: SummaryWeights
    extraction: Extraction  # what it was trained for
    nodes: int  # a search is given up after so many
    structure_name: str = "subset"
    facts: dict = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Of the features."""
        return [name for template in self.templates for name in template.names]

    def extracting(self, **budgets: int | None) -> Extraction:
        """What to extract: as trained, or within another budget, extracting(words=100)."""
        given = {unit: amount for unit, amount in budgets.items() if amount is not None}
        if len(given) > 1:
            raise InputError(f"the budget is given in {' and in '.join(given)}; give one of them")
        for unit, amount in given.items():
            return dataclasses.replace(self.extraction, budget=amount, unit=unit)
        return self.extraction

    def row(self, cluster: Cluster, how: Extraction | None = None) -> tuple[ClusterRow, np.ndarray]:
        """A cluster as a problem, and the scores [n] of its parts."""
        row = row_of(candidates_of(cluster, how or self.extraction), self.templates, Subset(self.nodes), None)
        return row, row.x @ self.weights.features.astype(np.float64)

    def predict(self, clusters: Clusters, *, how: Extraction | None = None, solver: Solver | None = None) -> list[Summary]:
        """The best summary of every cluster."""
        return [found[0] for found in self.kbest(clusters, 1, how=how, solver=solver)]

    def kbest(self, clusters: Clusters, k: int, *, how: Extraction | None = None, solver: Solver | None = None) -> list[list[Summary]]:
        """For each cluster its k best summaries, best first."""
        solver, out = solver or Solver(nodes=self.nodes), []
        for cluster in clusters.clusters:
            row, scores = self.row(cluster, how)
            found = solver.kbest(scores, row.candidates.coverage, k)
            out.append([summary_of(cluster, row, one) for one in found])
        return out

    def summary(self) -> dict:
        weights = self.weights.features
        return {
            "task": SUMMARIZE,
            "structure": self.structure_name,
            "templates": len(self.templates),
            "weights": int(weights.size),
            "nonzero": int(np.count_nonzero(weights)),
            "budget": f"{self.extraction.budget} {self.extraction.unit}",
        } | self.trained()

    # ---- on disk ----------------------------------------------------------------------------------------------------------------

    def parts(self) -> tuple[dict, dict[str, np.ndarray]]:
        header = self.header(FORMAT) | {
            "structure": self.structure_name,
            "templates": [template.text for template in self.templates],
            "extraction": dataclasses.asdict(self.extraction),
            "nodes": self.nodes,
            "facts": self.facts,
        }
        return header, {"weights.features": self.weights.features}

    @classmethod
    def from_contents(cls, own: Contents) -> "SummaryModel":
        templates = parse_summary_templates("\n".join(own.texts("templates")), own.path)
        how = own.part("extraction")
        near = how.field("near", float)
        if not 0.0 <= near <= 1.0:
            raise own.refusal(f"near is {near}, not a number from 0 to 1")
        return cls(
            templates=templates,
            weights=SummaryWeights(own.floats("weights.features", sum(len(template.names) for template in templates))),
            extraction=Extraction(
                how.whole("budget", 1, MOST), how.choice("unit", UNITS), how.whole("least_words", 0), how.whole("least_count", 1), near
            ),
            nodes=own.whole("nodes", 1, MOST),
            structure_name=own.choice("structure", FAMILY.structures),
            facts=own.field("facts", dict),
        )


def summary_of(cluster: Cluster, row: ClusterRow, found: Found) -> Summary:
    """Sentences that were found, in the order of the source."""
    chosen = tuple(row.candidates.sentences[found.sentences].tolist())
    return Summary(chosen, text_of(cluster, chosen), found.value, found.gap)


def text_of(cluster: Cluster, sentences: Iterable[int]) -> str:
    """Sentences, a line each: what is a line end inside one becomes a space."""
    return "\n".join(" ".join(cluster.sentences[j].text.split("\n")) for j in sentences)


def with_marks(clusters: Clusters, must: Sequence[Any] | None = None, never: Sequence[Any] | None = None) -> Clusters:
    """The same clusters with other sentences that must, or may not, be chosen: a list of numbers for each cluster. None: those that the
    clusters bring."""
    found = list(clusters.clusters)
    for name, marks in (("must", must), ("never", never)):
        if marks is None:
            continue
        if len(marks) != len(found):
            raise InputError(f"{name} has {len(marks)} lists for {len(found)} clusters; give one for each")
        for i, (cluster, numbers) in enumerate(zip(found, marks)):
            if wrong := [j for j in numbers if not 0 <= j < len(cluster.sentences)]:
                text = f"there is no sentence {wrong[0]}; the cluster has {len(cluster.sentences)}, counted from 0"
                raise InputError(text, cluster.where or None)
            given: Any = {name: tuple(numbers)}
            found[i] = dataclasses.replace(cluster, **given)
    return Clusters(tuple(found), clusters.source)
