"""Summarisation in the study: FewSum, both domains, or the embedded corpus; settings of the methods there, and the published times.

Settings were chosen by ROUGE-2 on FewSum's val parts (benchmarks/summaries.py has the grid). Methods that sum over all outputs are left
out: nobody can sum over sets of sentences.
"""

from dataclasses import dataclass

from widemargin.corpora.catalogue import files_or_town
from widemargin.families.recipes import Recipe
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.sources import open_clusters

SUMMARIES = "summarization"
WORDS = 55
ADAGRAD = {"rate": 0.003, "average": True}
SETTINGS = {  # by method; "learner" settings, in place of the study's own
    "MIRA": {"rate": 1e-5},
    "MIRA, 5 best": {"rate": 1e-5},
    "OPS": ADAGRAD,
    "OPS, l2": ADAGRAD,
    "OPS, l2, batches of 10": ADAGRAD,
    "OPS, l1": ADAGRAD,
}
PUBLISHED = {"Averaged perceptron": 1.0, "MIRA": 1.0, "Cutting plane": 0.6, "OCP": 1.1, "OPS": 0.9}
PUBLISHED_DECODING = 0.7


@dataclass(frozen=True)
class SummaryData:
    """Training, development and test clusters, and what they are."""

    name: str
    train: Clusters
    dev: Clusters
    test: Clusters


def summary_recipe(**fields) -> Recipe:
    """A recipe of the study's budget."""
    return Recipe("summarize", budget=WORDS, **fields)


def open_summaries(folder: str | None = None, clusters: int | None = None) -> SummaryData:
    """Both domains together; `clusters`: only the first so many of each part."""
    name, places = files_or_town("summarization_fewsum", "FewSum", folder, ("train", "dev", "test"))
    parts = []
    for part in range(3):
        found = [cluster for path in places[part::3] for cluster in open_clusters(path).clusters]
        parts.append(Clusters(tuple(found[:clusters]), f"{name}, part {part + 1}"))
    if clusters is not None:
        name += f", the first {clusters} clusters of each part"
    return SummaryData(name, *parts)
