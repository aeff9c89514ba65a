"""What a reranker answers to lists: a hypothesis of each, probabilities and alternatives, to be written as lists or as JSON."""

from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.reranking.doubts import doubt_features
from widemargin.families.reranking.jsonl import format_jsonl
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.model import RerankModel
from widemargin.families.reranking.nbest import format_nbest
from widemargin.families.reranking.pool import Pool
from widemargin.scoring.list_corpus import pointer


def answer(model: RerankModel, pool: Pool, wanted: Wanted) -> Answers:
    """The best hypotheses, indices into all of them [S]; alternatives are places in their lists, from 0. `every` is all scores [H]."""
    doubt_features(model, pool)
    scores, found = model.scores(pool), {}
    best = model.predict(pool)
    if wanted.marginals or wanted.probability or wanted.kbest:
        logs = model.log_probabilities(pool)
        if wanted.marginals:
            found["marginals"] = np.exp(logs[best])
        if wanted.probability:
            found["log_probability"] = logs[best]
        if wanted.kbest:
            found["kbest"] = [
                [Alternative(h - low, float(scores[h]), float(logs[h])) for h in (low + ranked(scores[low:high], wanted.kbest)).tolist()]
                for low, high in zip(pool.row_ptr.tolist(), pool.row_ptr[1:].tolist())
            ]
    return Answers(best, wanted, every=scores, **found)


def ranked(scores: np.ndarray, k: int) -> np.ndarray:
    """Places of the k highest scores, the highest first, the first of equals first."""
    return np.argsort(-scores, kind="stable")[:k]


def write(pool: Pool, answers: Answers, out: Any) -> None:
    """The chosen hypotheses, with the model's scores, in the form of the file: an n-best list or JSON lines; the k best one after another.
    --marginals and --probability are the same here: P of the hypothesis, a metric column of JSON lines, a feature of n-best lists."""
    if answers.kbest is None:
        chosen, count = answers.best, np.ones(pool.sentences, np.int64)
    else:
        places = [[alternative.output for alternative in ranked_ones] for ranked_ones in answers.kbest]
        chosen = np.concatenate([low + np.array(one) for low, one in zip(pool.row_ptr.tolist(), places)])
        count = np.array([len(one) for one in places])
    made = pool.hypotheses(chosen, pointer(count))
    sure = answers.log_probability if answers.log_probability is not None else None
    if answers.marginals is not None:
        sure = np.log(answers.marginals)
    out.write(written(made, answers.every[chosen], sure).encode())


def written(pool: Pool, scores: np.ndarray, log_probability: np.ndarray | None = None) -> str:
    """Lists with these scores, in the form that they came in."""
    import dataclasses

    if pool.form == "jsonl":
        columns = dict(pool.columns) | ({} if log_probability is None else {"probability": np.exp(log_probability)})
        return format_jsonl(dataclasses.replace(pool, score=scores, columns=columns))
    lines = format_nbest(pool, score=scores)
    if log_probability is None:
        return lines
    fields = (line.split(" ||| ") for line in lines.split("\n")[:-1])
    return "".join(
        " ||| ".join([*one[:2], f"{one[2]} probability= {p:.6f}".strip(), *one[3:]]) + "\n"
        for one, p in zip(fields, np.exp(log_probability))
    )


def as_json(pool: Pool, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md): `chosen` is the place in the list, from 0."""

    def one(h: int) -> dict:
        return {"chosen": [h - int(pool.row_ptr[row[h]])], "text": pool.texts[h]}

    row = pool.row
    first = pool.row_ptr.tolist()

    def best(i: int, low: int, high: int) -> dict:
        return {"id": pool.ids[i], **one(int(answers.best[i])), "score": round(float(answers.every[answers.best[i]]), 6)}

    rows = answers.json_rows(pool.row_ptr, best, lambda output: {}, part_ptr=np.arange(pool.sentences + 1))
    for i, found in enumerate(rows):
        if answers.kbest is not None:
            found["kbest"] = [one(first[i] + a.output) | a.numbers() for a in answers.kbest[i]]
    return rows


def held_choices(model: RerankModel, pool: Pool) -> HeldOut:
    """Sentences, each of which may have any hypothesis of its list; the best one by the metric is right."""
    best = metric_named(pool, model.metric, smoothing=model.smoothing).best(pool) - pool.row_ptr[:-1]
    place = np.arange(len(pool)) - pool.row_ptr[:-1][pool.row]

    def chance(temperature: float) -> np.ndarray:
        out = np.zeros((pool.sentences, int(np.diff(pool.row_ptr).max())), np.float32)
        out[pool.row, place] = np.exp(model.log_probabilities(pool, temperature))
        return out

    return HeldOut(chance, best.astype(np.int32), "best hypotheses", "sentence")
