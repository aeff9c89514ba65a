"""Summaries that say least of what their references say."""

from widemargin.families.answers import Answers, Told
from widemargin.families.mistakes import Poor, told_mistakes, worst_rows
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.metric import SummaryScores


def mistakes(data: Clusters, answers: Answers, *, top: int) -> Told:
    """The clusters with the lowest recall of ROUGE-2, summary and references beside each other."""
    scores = SummaryScores(data, [summary.text for summary in answers.best])
    recall = scores.counts[:, 0]
    poor = []
    for i in worst_rows(100.0 - recall, top):
        cluster = data.clusters[i]
        rows = [{"which": "guess", "text": line} for line in answers.best[i].text.splitlines()]
        rows += [{"which": f"reference {k}", "text": line} for k, text in enumerate(cluster.references, 1) for line in text.splitlines()]
        poor.append(Poor(i + 1, f"{cluster.id}: ROUGE-2 recall {recall[i]:.2f}", rows))
    return told_mistakes([], poor, top=top, of="summaries that miss anything", unit="cluster")
