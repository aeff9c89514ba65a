"""Summarisation in the study: FewSum, both domains together, or clusters of the embedded corpus."""

from dataclasses import dataclass

from widemargin.corpora.catalogue import files_or_town
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.sources import open_clusters

SUMMARIES = "summarization"
WORDS = 55


@dataclass(frozen=True)
class SummaryData:
    """Training, development and test clusters, and what they are."""

    name: str
    train: Clusters
    dev: Clusters
    test: Clusters


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
