"""Summaries against references: ROUGE of every cluster, its mean, and counts for paired bootstraps."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.rouge import METRICS, Rouge


class SummaryScores:
    """ROUGE of summaries, the mean over clusters, in per cent; the metric is rouge2's recall."""

    metric = "rouge2"

    def __init__(self, gold: Clusters, summaries: Sequence[str], how: Rouge | None = None, metrics: tuple[str, ...] = METRICS):
        """summaries: one for each cluster."""
        if len(summaries) != len(gold.clusters):
            raise InputError(
                f"there are {several(len(gold.clusters), 'cluster')} and summaries of {len(summaries)}; give one for each", gold.source
            )
        if missing := [cluster for cluster in gold.clusters if not cluster.references]:
            raise InputError("a cluster without references cannot be scored", missing[0].where or gold.source)
        self.gold, self.summaries, self.how, self.metrics = gold, summaries, how or Rouge(), metrics

    @cached_property
    def each(self) -> np.ndarray:
        """Recall, precision and F of every cluster [S, metrics, 3], in per cent."""
        pairs = zip(self.summaries, self.gold.clusters)
        found = [self.how.score(summary, cluster.references, self.metrics) for summary, cluster in pairs]
        return 100.0 * np.array([[one[metric] for metric in self.metrics] for one in found])

    @property
    def counts(self) -> np.ndarray:
        """Recall of ROUGE-2 and 1, by cluster [S, 2]."""
        return np.stack([self.each[:, self.metrics.index(self.metric), 0], np.ones(len(self.each))], axis=1)

    def score(self, counts: np.ndarray) -> np.ndarray:
        return counts[..., 0] / np.maximum(counts[..., 1], 1)

    def as_dict(self) -> dict:
        """Recall by the metric's name, F and precision by name_f and name_precision."""
        found: dict[str, float] = {}
        for metric, (recall, precision, f) in zip(self.metrics, self.each.mean(axis=0).tolist()):
            found |= {metric: recall, f"{metric}_f": f, f"{metric}_precision": precision}
        return found

    def report(self) -> str:
        lines = [f"{several(len(self.gold.clusters), 'cluster')}; {self.how}"]
        lines += [f"{'':10} {'recall':>8} {'precision':>10} {'F':>8}"]
        for metric, (recall, precision, f) in zip(self.metrics, self.each.mean(axis=0).tolist()):
            lines.append(f"{metric:10} {recall:8.2f} {precision:10.2f} {f:8.2f}")
        return "\n".join(lines) + "\n"


def summaries_in(system: Clusters, gold: Clusters) -> list[str]:
    """The summaries of a system's file, checked to be of the same clusters."""
    if len(system.clusters) != len(gold.clusters):
        raise InputError(
            f"the gold has {several(len(gold.clusters), 'cluster')} and this file {len(system.clusters)}; give the same clusters",
            system.source,
        )
    found = []
    for mine, theirs in zip(system.clusters, gold.clusters):
        if mine.id != theirs.id:
            raise InputError(f"this is cluster {mine.id[:40]!r}, and the gold has {theirs.id[:40]!r} there", mine.where or system.source)
        if mine.summary is None and not mine.references:
            raise InputError("this cluster has no summary", mine.where or system.source)
        found.append(mine.references[0] if mine.summary is None else mine.summary)
    return found
