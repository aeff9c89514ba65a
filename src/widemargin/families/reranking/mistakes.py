"""What a reranker could have chosen better."""

import numpy as np

from widemargin.families.answers import Answers, Told
from widemargin.families.mistakes import Poor, told_mistakes, worst_rows
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.model import RerankModel
from widemargin.families.reranking.pool import Pool


def mistakes(model: RerankModel, data: Pool, answers: Answers, *, top: int) -> Told:
    """How far down the lists the best hypotheses were, and the sentences that lost most by the metric, chosen and best beside another."""
    metric = metric_named(data, model.metric, smoothing=model.smoothing)
    chosen, best = np.asarray(answers.best), metric.best(data)
    lost = metric.worth[best] - metric.worth[chosen]
    poor = []
    for i in worst_rows(lost, top):
        rows = [
            {"which": name, metric.name: round(float(metric.single[h]), 2), "text": data.texts[h]}
            for name, h in (("best", int(best[i])), ("chosen", int(chosen[i])))
        ]
        rows += [{"which": "reference", "text": text} for text in (data.references[i] if data.references else ())]
        poor.append(Poor(i + 1, f"{data.ids[i]}: {lost[i]:.2f} lost", rows))
    places = np.stack([best, chosen]) - data.row_ptr[:-1]
    pairs = [(f"place {1 + g}", f"place {1 + c}") for g, c, bad in zip(*places.tolist(), (lost > 0).tolist()) if bad]
    return told_mistakes(pairs, poor, top=top, of="lists whose best hypothesis was not chosen, by place in the list")
