"""What a summariser answers to clusters: summaries and alternatives, as JSON lines or JSON."""

import json
import math
from typing import Any

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.summaries.clusters import Cluster, Clusters
from widemargin.families.summaries.doubts import doubt_budget
from widemargin.families.summaries.model import Summary, SummaryModel
from widemargin.families.summaries.solvers import Solver
from widemargin.structures.subset.other_solvers import SECONDS


def answer(
    model: SummaryModel, clusters: Clusters, wanted: Wanted, *, solver: str = "auto", seconds: float = SECONDS, **budgets: int | None
) -> Answers:
    """Summaries, and alternatives where they are wanted."""
    how, solver_ = model.extracting(**budgets), Solver(solver, model.nodes, seconds)
    best = model.predict(clusters, how=how, solver=solver_)
    doubt_budget(clusters, best, how)
    found: dict[str, Any] = {}
    if wanted.kbest:
        ranked = model.kbest(clusters, wanted.kbest, how=how, solver=solver_)
        found["kbest"] = [[Alternative(summary, summary.score) for summary in summaries] for summaries in ranked]
    return Answers(best, wanted, **found)


def as_json(clusters: Clusters, answers: Answers) -> list[dict]:
    """A dict per cluster (docs/json.md)."""

    def best(i: int, low: int, high: int) -> dict:
        cluster = clusters.clusters[i]
        return {"id": cluster.id} | described(cluster, answers.best[i]) | {"score": round(answers.best[i].score, 6)}

    rows = answers.json_rows(clusters.row_ptr, best, lambda summary: {"summary": summary.text, "labels": list(summary.sentences)})
    return rows


def described(cluster: Cluster, summary: Summary) -> dict:
    """A summary as plain data: its text, the numbers of its sentences in the cluster, where they stand in documents, and the gap; None
    where nothing is known of better ones."""
    chosen = [cluster.sentences[j] for j in summary.sentences]
    places = [{"document": one.document, "begin": one.begin, "end": one.end, "text": one.text} for one in chosen]
    return {
        "summary": summary.text,
        "labels": list(summary.sentences),
        "places": places,
        "gap": round(summary.gap, 6) if math.isfinite(summary.gap) else None,
    }


def write(clusters: Clusters, answers: Answers, out: Any) -> None:
    """JSON lines: a cluster as it was read, with its summary; k best summaries are as many lines."""
    for i, cluster in enumerate(clusters.clusters):
        if answers.kbest is None:
            found = [answers.best[i]]
        else:
            found = [alternative.output for alternative in answers.kbest[i]]
        for summary in found:
            extra = described(cluster, summary) | {"score": summary.score}
            out.write(json.dumps(cluster.record | {"id": cluster.id} | extra, ensure_ascii=False).encode() + b"\n")
