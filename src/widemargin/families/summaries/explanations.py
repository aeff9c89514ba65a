"""Why a summary has its sentences: for each, the best summary without it, and the bigrams and sentences that make the difference."""

import dataclasses

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.shown import OTHER
from widemargin.families.summaries.candidates import Extraction
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.corpus import ClusterRow
from widemargin.families.summaries.model import SUMMARIZE, SummaryModel
from widemargin.families.summaries.solvers import Solver
from widemargin.structures.subset.arrays import Found


def explain(model: SummaryModel, clusters: Clusters, number: int, how: Extraction | None = None) -> Explanation:
    """Cluster `number`, from 0. Labels are numbers of sentences in the cluster."""
    if not 0 <= number < len(clusters.clusters):
        raise InputError(f"there is no cluster {number + 1}; there are {len(clusters.clusters):,}", clusters.source)
    cluster, solver = clusters.clusters[number], Solver(nodes=model.nodes)
    row, scores = model.row(cluster, how)
    coverage = row.candidates.coverage
    best = solver.kbest(scores, coverage, 1)[0]
    labels = tuple(row.candidates.sentences[best.sentences].tolist())
    decisions = []
    for place, j in enumerate(best.sentences.tolist()):
        if j in coverage.must:
            decisions.append(Decision(place, labels[place], None, None, None))
            continue
        other = solver.kbest(scores, dataclasses.replace(coverage, never=[*coverage.never, j]), 1)[0]
        compared = _comparison(row, scores, best, other)
        decisions.append(Decision(place, labels[place], None, compared.difference, compared))
    texts = tuple((cluster.sentences[j].text,) for j in labels)
    return Explanation(texts, labels, labels, best.value, tuple(decisions), OTHER)


def _comparison(row: ClusterRow, scores: np.ndarray, best: Found, other: Found) -> Comparison:
    """What each bigram and sentence in one of two sets and not in the other adds to the difference of their scores."""
    sentences, B = row.candidates.sentences.tolist(), len(row.candidates.bigrams)
    difference = best.parts.astype(float) - other.parts
    found = []
    for part in np.flatnonzero(difference).tolist():
        name = " ".join(row.candidates.bigrams[part]) if part < B else f"sentence {sentences[part - B]}"
        holders = [sentences[j] for j, items in enumerate(row.candidates.coverage.entries) if part in items] if part < B else []
        ours = [j for j in holders or [sentences[part - B]] if j in {sentences[k] for k in best.sentences}]
        theirs = [j for j in holders or [sentences[part - B]] if j in {sentences[k] for k in other.sentences}]
        found.append(Contribution(name, (ours or theirs)[0], tuple(ours), tuple(theirs), float(difference[part] * scores[part])))
    found.sort(key=lambda one: -abs(one.value))
    labels = [tuple(sentences[k] for k in one.sentences) for one in (best, other)]
    return Comparison(labels[0], labels[1], best.value - other.value, tuple(found))


def explanation(
    model: SummaryModel, clusters: Clusters, number: int, *, token: int | None, top: int, how: Extraction | None = None
) -> Told:
    """Each chosen sentence, what it is worth, and which bigrams pay for it. number, token: from 1."""
    found = explain(model, clusters, number - 1, how)
    if token is not None and not 1 <= token <= len(found.labels):
        raise InputError(f"there is no sentence {token} in this summary; it has {len(found.labels)}")
    lines = []
    for d in found.decisions:
        if token not in (None, d.token + 1):
            continue
        lines.append(f"{d.token + 1}  [{d.label}] {found.tokens[d.token][0]}")
        if d.comparison is None:
            lines.append("    must be there")
            continue
        lines.append(f"    {d.margin:+.4f} against the best summary without it, {list(d.comparison.theirs)}")
        lines += [f"    {c.value:+9.4f}  {c.feature}" for c in d.comparison.contributions[:top]]
    return Told({"task": SUMMARIZE, "sentence": number} | found.as_json(top, token), "\n".join(lines) + "\n")
