"""What is surely not meant, said as a warning: budgets that no sentence fits into."""

import warnings

from widemargin.errors import several
from widemargin.families.summaries.candidates import Extraction
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.model import Summary


def doubt_budget(clusters: Clusters, summaries: list[Summary], how: Extraction) -> None:
    """Warn of clusters with sentences of which none is short enough."""
    empty = [cluster for cluster, summary in zip(clusters.clusters, summaries) if cluster.sentences and not summary.sentences]
    if empty:
        limit = several(how.budget, how.unit.removesuffix("s"))
        told = f"{several(len(empty), 'cluster')} of {len(clusters.clusters):,} got an empty summary: no sentence fits into {limit}"
        warnings.warn(f"{told}, the first of them {empty[0].where or empty[0].id}", RuntimeWarning, stacklevel=3)
