"""What commands say of a reranker, of its choices and of lists. Sentences are counted from 1 here."""

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.reranking.answers import ranked
from widemargin.families.reranking.bleu import corpus_bleu
from widemargin.families.reranking.costs import parse_cost
from widemargin.families.reranking.features import featurised, within_lists
from widemargin.families.reranking.metrics import Metric, metric_named
from widemargin.families.reranking.model import RERANK, RerankModel
from widemargin.families.reranking.pool import Pool
from widemargin.families.shown import OTHER, apart
from widemargin.show.scatter import scatter

LONGEST_TITLE = 70


def one_list(pool: Pool, sentence: int) -> Pool:
    """The list of a sentence, counted from 1."""
    if not 1 <= sentence <= pool.sentences:
        raise InputError(f"there is no sentence {sentence}; there are lists for {pool.sentences:,}", pool.source)
    return pool.part(np.array([sentence - 1]))


def explain(model: RerankModel, pool: Pool) -> Explanation:
    """Why this hypothesis of a single list and not the next best one: the difference of their scores, split by feature."""
    scores, logs = model.scores(pool), model.log_probabilities(pool)
    order = ranked(scores, 2).tolist()
    best, text = order[0], tuple(pool.texts[h] for h in order)
    comparison = runner_up = margin = second = None
    if len(order) > 1:
        dense = featurised(pool, model.templates, model.names).hypotheses(np.array(order), np.array([0, 2])).dense()
        shares = model.weights.values * (dense[0] - dense[1])
        strongest = [f for f in np.argsort(-np.abs(shares), kind="stable").tolist() if shares[f]]
        parts = tuple(Contribution(model.names[f], 0, (float(dense[0, f]),), (float(dense[1, f]),), float(shares[f])) for f in strongest)
        margin, runner_up, second = float(scores[best] - scores[order[1]]), text[1], float(np.exp(logs[order[1]]))
        comparison = Comparison((text[0],), (text[1],), margin, parts)
    decision = Decision(0, text[0], runner_up, margin, comparison, float(np.exp(logs[best])), second)
    return Explanation(((text[0],),), (text[0],), (text[0],), float(scores[best]), (decision,), OTHER)


def explanation(model: RerankModel, pool: Pool, sentence: int, *, token: int | None, top: int) -> Told:
    """The hypothesis that is chosen, the runner-up, and which features decided."""
    one = one_list(pool, sentence)
    if token not in (None, 1):
        raise InputError(f"there is no decision {token}; a sentence has one, its hypothesis")
    found = explain(model, one)
    (decision,) = found.decisions
    lines = [f"{one.ids[0]}  {decision.label}   p {decision.probability:.4f}"]
    if decision.comparison is not None:
        lines.append(f"    rather than {decision.runner_up}   p {decision.runner_up_probability:.4f}, by {decision.margin:+.4f}")
        for part in decision.comparison.contributions[:top]:
            lines.append(f"    {part.value:+9.4f}  {part.feature}  ({part.ours[0]:g}, not {part.theirs[0]:g})")
    facts = {"task": RERANK, "sentence": sentence, "id": one.ids[0]} | found.as_json(top)

    def svg() -> str:
        factor = parse_cost(model.facts.get("cost") or "sentence").factor
        return picture(one, model.scores(one), metric_named(one, model.metric, smoothing=model.smoothing), factor)

    return Told(facts, "\n".join(lines) + "\n", svg)


def inspection(model: RerankModel, path: str) -> Told:
    """What a reranker is, and its strongest weights, each by what its feature usually moves within a list."""
    facts = model.described(path)
    moved = model.weights.values * np.where(model.scale > 0.0, model.scale, 1.0)
    strongest = np.argsort(-np.abs(moved), kind="stable")[:20].tolist()
    weights = [{"feature": model.names[f], "weight": float(model.weights.values[f]), "moves": float(moved[f])} for f in strongest]
    text = "".join(f"{key:12} {value}\n" for key, value in facts.items())
    text += apart((one["weight"], f"{one['weight']:+12.6g}  {one['feature']}  (moves a score by {one['moves']:+.4g})") for one in weights)
    return Told(facts | {"weights": weights}, text)


def pool_facts(pool: Pool) -> dict:
    """What lists hold."""
    size, length = np.diff(pool.row_ptr), np.diff(pool.token_ptr)
    spread = within_lists(pool)
    references = sorted({len(one) for one in pool.references})
    facts = {
        "file": pool.source,
        "sentences": pool.sentences,
        "hypotheses": len(pool),
        "a list": f"{size.min()} to {size.max()}, {size.mean():.1f} on average",
        "words": f"{length.mean():.1f} on average, {int((length == 0).sum())} hypotheses are empty",
        "features": len(pool.names),
        "constant": " ".join(name for name, one in zip(pool.names, spread) if one == 0.0) or "none",
        "columns": " ".join(pool.columns) or "none",
        "references": " or ".join(map(str, references)) if references else "none",
    }
    if pool.references:
        metric = metric_named(pool, "bleu")
        facts["BLEU of first"] = round(float(corpus_bleu(pool.counts[pool.row_ptr[:-1]].sum(axis=0))), 2)
        facts["BLEU of oracle"] = round(float(corpus_bleu(pool.counts[metric.best(pool)].sum(axis=0))), 2)
    return facts


def picture(pool: Pool, scores: np.ndarray, metric: Metric, factor: float) -> str:
    """Every hypothesis of one list by score and metric, as SVG: the model's choice, hope, fear, oracle and worst are marked.

    hope = argmax s + factor m, fear = argmax s - factor m, with m the metric's worth from 0 to 1; worst = argmin s (Eidelman et al. 2013).
    """
    worth = factor * metric.worth / 100.0
    marks = {
        "model": int(np.argmax(scores)),
        "hope": int(np.argmax(scores + worth)),
        "fear": int(np.argmax(scores - worth)),
        "oracle": int(np.argmax(worth)),
        "worst": int(np.argmin(scores)),
    }
    title = f"{pool.ids[0]}: {pool.references[0][0] if pool.references else pool.texts[0]}"
    points = list(zip(scores.tolist(), metric.single.tolist()))
    short = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 3] + "..."
    return scatter(points, marks, x_label="score", y_label=f"{metric.name} of the hypothesis by itself", title=short)


def drawing(gold: Pool, sentence: int, system: Pool | None = None) -> str:
    """The list of a sentence by the system's own scores, or by those of another file with the same hypotheses first."""
    one = one_list(gold if system is None else system, sentence)
    if np.isnan(one.score).any():
        raise InputError("these hypotheses have no scores; give lists with them, or use explain --svg with a model", one.source)
    metric = "bleu" if one.references or not one.columns else next(iter(one.columns))
    return picture(one, one.score, metric_named(one, metric), 1.0)
