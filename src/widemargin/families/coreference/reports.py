"""What people are told of documents and resolvers: facts, explanations and drawings."""

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.coreference.alignment import aligned_chains
from widemargin.families.coreference.documents import Documents
from widemargin.families.coreference.explanations import explain
from widemargin.families.coreference.model import COREF, Resolver
from widemargin.show.chains import draw_chains


def documents_facts(documents: Documents) -> dict:
    """What documents hold."""
    sizes = np.bincount(documents.chain[documents.chain >= 0], minlength=1)
    counts = np.diff(documents.mention_ptr)
    inside = sum(_nested(documents.spans(d)) for d in range(len(documents.given)))
    return {
        "file": documents.source,
        "format": documents.format,
        "documents": len(documents.given),
        "sentences": len(documents.sentence_ptr) - 1,
        "words": len(documents),
        "mentions": documents.mentions,
        "chains": int((sizes > 0).sum()),
        "singletons": int((sizes == 1).sum()),
        "longest chain": int(sizes.max()),
        "nested mentions": inside,
        "chains unknown": int((documents.chain < 0).sum()),
        "documents without mentions": int((counts == 0).sum()),
    }


def _nested(spans: list) -> int:
    """Mentions inside an earlier one; spans are by first word, the longer first."""
    count, ends = 0, 0
    for _, end in spans:
        count += end <= ends
        ends = max(ends, end)
    return count


def explanation(model: Resolver, documents: Documents, document: int, *, token: int | None, top: int, mentions: str | None = None) -> Told:
    """Each mention's antecedent, how sure it is, the next best, and which templates decided. token: the number of a mention."""
    ready = model.ready(documents, mentions)
    if not 1 <= document <= len(ready.given):
        raise InputError(f"there is no document {document}; there are {len(ready.given):,}", documents.source)
    count = int(np.diff(ready.mention_ptr)[document - 1])
    if token is not None and not 1 <= token <= count:
        raise InputError(f"there is no mention {token}; document {document} has {count:,}")
    found = explain(model, ready, document - 1, mention=None if token is None else token - 1)
    lines = []
    for d in found.decisions:
        lines.append(f"{d.token + 1}  {found.tokens[d.token][0]}  ->  {d.label}   p {d.probability:.4f}")
        if d.comparison is not None:
            lines.append(f"    rather than {d.runner_up}   p {d.runner_up_probability:.4f}, by {d.margin:+.4f}")
            lines += [f"    {c.value:+9.4f}  {c.feature}" for c in d.comparison.contributions[:top] if c.value]
    facts = {"task": COREF, "sentence": document} | found.as_json(top, token)
    return Told(facts, "\n".join(lines) + "\n", lambda: drawing(model.predict(ready.part([document - 1])), 1))


def drawing(gold: Documents, document: int, system: Documents | None = None) -> str:
    """One document as SVG, or a system's chains of it with what is wrong."""
    if not 1 <= document <= len(gold.given):
        raise InputError(f"there is no document {document}; there are {len(gold.given):,}", gold.source)
    d = document - 1
    if system is None:
        return draw_chains(gold.given[d].sentences, gold.chains(d))
    aligned_chains(gold, system)
    if gold.given[d].sentences != system.given[d].sentences:
        raise InputError(f"document {document} is cut into other words than in {gold.source}; draw each by itself.", system.source)
    return draw_chains(gold.given[d].sentences, system.chains(d), gold=gold.chains(d))
