"""Why a mention is linked as it is: the difference between its antecedent and the next best candidate, template by template.

A candidate's score is a sum over templates, so a difference is a sum too, and nothing is estimated or left out: what one template says is
the score under features that have this template alone.
"""

import numpy as np

from widemargin.errors import InputError
from widemargin.families.coreference.attributes import attributes
from widemargin.families.coreference.decoding import Scored
from widemargin.families.coreference.documents import Documents
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.model import Resolver
from widemargin.families.coreference.problem import link_corpus
from widemargin.families.explanations import Comparison, Contribution, Decision, Explanation
from widemargin.families.shown import OTHER

NEW = "new"


def explain(model: Resolver, documents: Documents, document: int = 0, *, mention: int | None = None) -> Explanation:
    """The mentions of a document (from 0), or one of them (from 0) alone. A label is `new`, or the antecedent's number from 1 and words."""
    if not 0 <= document < len(documents.given):
        raise InputError(f"there is no document {document + 1}; there are {len(documents.given):,}", documents.source)
    alone = documents.part([document])
    scored = model.scored(alone)
    scores, at = scored.scores(), scored.corpus.at
    log_p = scored.log_probabilities(scores)
    texts = [" ".join(alone.words[a:b]) for a, b in zip(alone.first.tolist(), alone.end.tolist())]
    every = range(len(texts)) if mention is None else [mention]

    def named(m: int, k: int) -> str:
        return NEW if k == 0 else f"{m - k + 1} {texts[m - k]}"

    best = [int(scores[at[m] : at[m + 1]].argmax()) for m in range(len(texts))]
    compared = Compared(model, alone)
    decisions = []
    for m in every:
        own, p = scores[at[m] : at[m + 1]], np.exp(log_p[at[m] : at[m + 1]])
        ours = named(m, best[m])
        if len(own) == 1:
            decisions.append(Decision(m, ours, None, None, None, float(p[best[m]])))
            continue
        other = int(np.where(np.arange(len(own)) == best[m], -np.inf, own).argmax())
        margin, theirs = float(own[best[m]] - own[other]), named(m, other)
        parts = [Contribution(text, m, (ours,), (theirs,), value) for text, value in compared.split(m, best[m], other)]
        comparison = Comparison((ours,), (theirs,), margin, tuple(sorted(parts, key=lambda part: -abs(part.value))))
        decisions.append(Decision(m, ours, theirs, margin, comparison, float(p[best[m]]), float(p[other])))
    labels = tuple(named(m, k) for m, k in enumerate(best))
    total = float(sum(scores[at[m] + k] for m, k in enumerate(best)))
    return Explanation(tuple((text,) for text in texts), labels, labels, total, tuple(decisions), OTHER)


class Compared:
    """The mentions of one document, under each template alone."""

    def __init__(self, model: Resolver, document: Documents):
        self.weights, bits, mentions = model.weights.links, model.features.bits, attributes(document)
        self.corpora = [
            (template.text, link_corpus(document.mention_ptr, document.chain, mentions, LinkFeatures((template,), bits), model.window))
            for template in (model.features.templates if document.mentions else ())
        ]

    def split(self, m: int, ours: int, theirs: int) -> list[tuple[str, float]]:
        """What each template adds to score(ours) - score(theirs), two candidates of mention m."""
        out = []
        for text, corpus in self.corpora:
            scores = Scored(corpus.part(np.array([m])), self.weights, 1.0).scores()
            out.append((text, float(scores[ours] - scores[theirs])))
        return out
