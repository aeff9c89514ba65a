"""What a resolver answers to documents: chains, link probabilities and alternatives, to be written into them or as JSON."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.coreference.conll2012 import chains_text
from widemargin.families.coreference.decoding import chains_of
from widemargin.families.coreference.documents import Documents, grouped
from widemargin.families.coreference.model import Resolver, chained
from widemargin.metrics.calibration import HIDDEN_CODE

NEW = 0  # as a candidate, and as an antecedent in JSON


@dataclass(frozen=True)
class Found:
    """Documents with the mentions that were to be linked, the candidate chosen for each, and the answer."""

    ready: Documents
    candidate: np.ndarray  # int32 [M]
    documents: Documents


def answer(model: Resolver, documents: Documents, mentions: str | None, wanted: Wanted) -> Answers:
    """Chains as Found, and what else is wanted; an alternative is the candidates of a document's mentions."""
    ready = model.ready(documents, mentions)
    candidate = model.candidates(ready, threads=wanted.threads)
    best = Found(ready, candidate, chained(ready, chains_of(candidate), singletons=model.singletons))
    found: dict[str, Any] = {}
    if wanted.marginals or wanted.probability or wanted.kbest:
        scored = model.scored(ready, threads=wanted.threads)
        log_p = scored.log_probabilities()
        chosen = log_p[scored.corpus.at[:-1] + candidate] if len(candidate) else np.zeros(0)
        if wanted.marginals:
            found["marginals"] = np.exp(chosen)
        if wanted.probability:
            sums = np.concatenate([[0.0], np.cumsum(chosen)])
            found["log_probability"] = sums[ready.mention_ptr[1:]] - sums[ready.mention_ptr[:-1]]
        if wanted.kbest:
            ranked = scored.kbest(ready.mention_ptr, wanted.kbest)
            found["kbest"] = [[Alternative(one.candidate, one.score, one.log_probability) for one in own] for own in ranked]
    return Answers(best, wanted, every=model.singletons, **found)


def antecedents(candidate: np.ndarray) -> list[int]:
    """For every mention of a document 0, it is new, or the number of its antecedent, from 1."""
    return [0 if k == NEW else m - k + 1 for m, k in enumerate(np.asarray(candidate).tolist())]


def write(documents: Documents, answers: Answers, out: Any) -> None:
    """The documents with the model's chains, in CoNLL-2012 or as they came (JSONL, CoNLL-U, brat); comments before a document say how
    probable its links are. k best answers are as many documents."""
    from widemargin.families.coreference.sources import text_of

    found = answers.best
    if answers.kbest is None:
        out.write(text_of(found.documents, _comments(found, answers)))
        return
    for d, ranked in enumerate(answers.kbest):
        for number, one in enumerate(ranked, 1):
            alone = chained(found.ready.part([d]), chains_of(one.output), singletons=answers.every)
            out.write(chains_text(alone, [[f"kbest = {number}", f"score = {one.score:.4f}"]]))


def _comments(found: Found, answers: Answers) -> list[list[str]]:
    out: list[list[str]] = []
    for d in range(len(found.ready.given)):
        lines: list[str] = []
        low, high = found.ready.mention_ptr[d : d + 2].tolist()
        if answers.log_probability is not None:
            lines.append(f"probability = {np.exp(answers.log_probability[d]):.6f}")
        if answers.marginals is not None:
            spans = found.ready.spans(d)
            for (first, end), k, p, m in zip(spans, found.candidate[low:high].tolist(), answers.marginals[low:high], range(high - low)):
                to = "new" if k == NEW else f"{spans[m - k][0] + 1}-{spans[m - k][1]}"
                lines.append(f"link {first + 1}-{end} {to} {p:.4f}")
        out.append(lines)
    return out


def as_json(documents: Documents, answers: Answers) -> list[dict]:
    """A dict per document (docs/json.md): tokens, mentions as [first, end), antecedents from 1 (0: new), clusters of mentions."""
    ready, found = answers.best.ready, answers.best

    def links(spans: list, candidate: np.ndarray) -> dict:
        clusters = grouped(spans, chains_of(candidate))
        return {"antecedents": antecedents(candidate), "clusters": [chain for chain in clusters if answers.every or len(chain) > 1]}

    def best(d: int, low: int, high: int) -> dict:
        spans, at = ready.spans(d), slice(*ready.mention_ptr[d : d + 2].tolist())
        facts = {"id": ready.given[d].name, "tokens": list(ready.words[low:high]), "mentions": spans}
        return facts | links(spans, found.candidate[at])

    rows = answers.json_rows(ready.row_ptr, best, lambda output: {"antecedents": antecedents(output)}, part_ptr=ready.mention_ptr)
    for d, row in enumerate(rows):
        for one, ranked in zip(row.get("kbest", ()), answers.kbest[d] if answers.kbest else ()):
            one["clusters"] = links(row["mentions"], ranked.output)["clusters"]
    return rows


def held_links(model: Resolver, documents: Documents, *, threads: int = 1) -> HeldOut:
    """Mentions, each of which may be new or have any candidate for its antecedent. All correct ones are column 0, together."""
    corpus = model.corpus(documents)
    correct = np.concatenate([corpus.correct(i) for i in range(corpus.rows)]) if corpus.rows else np.zeros(0, bool)
    known = corpus.chain[corpus.mention] >= 0

    def chance(temperature: float) -> np.ndarray:
        p = np.exp(model.scored(documents, temperature, threads=threads).log_probabilities())
        row = np.repeat(np.arange(corpus.rows), corpus.sizes)
        out = np.zeros((corpus.rows, corpus.longest + 1), np.float32)
        out[row, np.arange(len(p)) - corpus.at[row] + 1] = np.where(correct, 0.0, p)
        np.add.at(out[:, 0], row[correct], p[correct])
        return out

    return HeldOut(chance, np.where(known, 0, HIDDEN_CODE).astype(np.int64), "antecedents", "mention")
