"""What commands say of a parser, of its decisions and of treebanks. Sentences and words are counted from 1 here, as in the files."""

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.dependencies.conllu import UPOS, Treebank
from widemargin.families.dependencies.conllu_scan import BEGIN
from widemargin.families.dependencies.explanations import explain
from widemargin.families.dependencies.metric import check_words
from widemargin.families.dependencies.model import DEPPARSE, Parser
from widemargin.show.arcs import draw


def explanation(model: Parser, treebank: Treebank, sentence: int, *, token: int | None, top: int) -> Told:
    """Each word's head, how sure it is, the best tree with another head there, and which templates decided."""
    found = explain(model, treebank, sentence - 1)
    words = [cells[0] for cells in found.tokens]
    if token is not None and not 1 <= token <= len(words):
        raise InputError(f"there is no word {token}; sentence {sentence} has {len(words)}")
    lines = []

    def arc(label: tuple[int, str]) -> str:
        head, relation = label
        return f"<-{relation}- " + ("the root" if head == 0 else f"{words[head - 1]} ({head})")

    for d in found.decisions:
        if token not in (None, d.token + 1):
            continue
        lines.append(f"{d.token + 1}  {words[d.token]}  {arc(d.label)}   p {d.probability:.4f}")
        if d.comparison is not None and d.runner_up is not None:
            lines.append(f"    rather than {arc(d.runner_up)}   p {d.runner_up_probability:.4f}, by {d.margin:+.4f}")
            for c in d.comparison.contributions[:top]:
                place = "" if c.token == d.token else f"  (at {c.token + 1} {words[c.token]})"
                lines.append(f"    {c.value:+9.4f}  {c.feature}{place}")
    facts = {"task": DEPPARSE, "sentence": sentence} | found.as_json(top, token)
    heads, names = ([label[side] for label in found.labels] for side in (0, 1))
    return Told(facts, "\n".join(lines) + "\n", lambda: draw(words, heads, names))


def inspection(model: Parser, path: str) -> Told:
    """What a parser is; weights are hashed, so features have no names here: `explain` shows them at work."""
    facts = model.described(path)
    text = "".join(f"{key:12} {value}\n" for key, value in facts.items())
    return Told(facts | {"features": model.features.header()}, text)


def treebank_facts(treebank: Treebank) -> dict:
    """What a treebank holds; reading it has checked every tree."""
    crossed, lengths = treebank.crossed(), np.diff(treebank.row_ptr)
    counts = np.bincount(treebank.relation[treebank.relation >= 0], minlength=len(treebank.relations))
    order = np.argsort(-counts, kind="stable")[:40]
    first = treebank.columns.text[treebank.aside[:, BEGIN]]
    roots = np.add.reduceat((treebank.heads == 0).astype(np.int64), treebank.row_ptr[:-1])
    return {
        "file": treebank.source,
        "format": treebank.format,
        "documents": len(treebank.columns.doc_ptr) - 1,
        "sentences": len(lengths),
        "words": treebank.tokens,
        "longest": int(lengths.max()),
        "mean length": round(float(lengths.mean()), 2),
        "other lines": {"comments": int((first == ord("#")).sum()), "multi-word or empty": int((first != ord("#")).sum())},
        "heads unknown": int((treebank.heads < 0).sum()),
        "several roots": int((roots > 1).sum()),
        "non-projective": {"sentences": int((crossed > 0).sum()), "arcs": int(crossed.sum())},
        "columns": {name: len(values) for name, values in zip(treebank.columns.names, treebank.columns.values)},
        "relations": {treebank.relations[i]: int(counts[i]) for i in order},
    }


def drawing(gold: Treebank, sentence: int, system: Treebank | None = None) -> str:
    """One sentence of a treebank as SVG, or a system's tree of it with what is wrong."""
    if not 1 <= sentence <= len(gold.row_ptr) - 1:
        raise InputError(f"there is no sentence {sentence}; the treebank has {len(gold.row_ptr) - 1:,}", gold.source)
    low, high = gold.row_ptr[sentence - 1 : sentence + 1]
    tags = [gold.columns.values[UPOS][code] for code in gold.columns.codes[UPOS, low:high]]
    right = gold.heads[low:high].tolist(), gold.names(sentence - 1)
    if system is None:
        return draw(gold.words(sentence - 1), *right, tags=tags)
    check_words(gold, system)
    return draw(gold.words(sentence - 1), system.heads[low:high].tolist(), system.names(sentence - 1), tags=tags, gold=right)
