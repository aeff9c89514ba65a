"""What commands say of a summariser and of clusters, and a summariser with fewer weights."""

import dataclasses

import numpy as np

from widemargin.families.base import Told
from widemargin.families.pruning import pruned_tables
from widemargin.families.shown import apart
from widemargin.families.summaries.clusters import Clusters
from widemargin.families.summaries.model import SummaryModel, SummaryWeights
from widemargin.families.summaries.text import words


def inspection(model: SummaryModel, path: str) -> Told:
    """What it is, and its weights by feature, those for a sentence and those against it apart, the largest first."""
    facts = model.described(path)
    weights = sorted(zip(model.names, model.weights.features.tolist()), key=lambda pair: -abs(pair[1]))
    text = "".join(f"{key:12} {value}\n" for key, value in facts.items())
    text += apart((value, f"{value:+10.4f}  {name}") for name, value in weights)
    return Told(facts | {"features": dict(weights)}, text)


def cluster_facts(data: Clusters) -> dict:
    """What clusters hold."""
    lengths = [len(words(sentence.text)) for cluster in data.clusters for sentence in cluster.sentences]
    references = [len(words(reference)) for cluster in data.clusters for reference in cluster.references]
    return {
        "file": data.source,
        "clusters": len(data.clusters),
        "documents": sum(len(cluster.documents) for cluster in data.clusters),
        "sentences": len(lengths),
        "words": int(np.sum(lengths, dtype=np.int64)),
        "mean length": round(float(np.mean(lengths)), 2) if lengths else 0.0,
        "references": len(references),
        "mean length of references": round(float(np.mean(references)), 2) if references else 0.0,
        "without references": sum(not cluster.references for cluster in data.clusters),
    }


def pruned(model: SummaryModel, *, threshold: float | None = None, keep: int | None = None) -> SummaryModel:
    """A summariser with zeros for weak weights."""
    (weights,), facts = pruned_tables((model.weights.features.copy(),), threshold=threshold, keep=keep)
    return dataclasses.replace(model, weights=SummaryWeights(weights.astype(np.float32)), facts=model.facts | {"pruned": facts})
