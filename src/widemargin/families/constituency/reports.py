"""What commands say of trees, of a parser and of its decisions. Sentences and words are counted from 1 here, as in the files."""

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Told
from widemargin.families.constituency.explanations import Bracket, explain
from widemargin.families.constituency.model import CONSTPARSE, ChartParser
from widemargin.families.constituency.trees import Trees
from widemargin.families.explanations import Comparison
from widemargin.show.constituents import draw

MOST_CHANGES = 4  # brackets of another tree in a line


def explanation(model: ChartParser, trees: Trees, sentence: int, *, token: int | None, top: int) -> Told:
    """Each bracket, how sure it is, the best tree without it, and which features decided. token: brackets that begin at this word."""
    found = explain(model, trees, sentence - 1)
    words, tags = zip(*found.tokens)
    if token is not None and not 1 <= token <= len(words):
        raise InputError(f"there is no word {token}; sentence {sentence} has {len(words)}")
    lines = []

    def over(bracket: Bracket) -> str:
        first, end, label = bracket
        inside = words[first:end] if end - first < 6 else (*words[first : first + 2], "...", *words[end - 2 : end])
        return f"{label} {first + 1}-{end}  {' '.join(inside)}"

    for d in found.decisions:
        if token not in (None, d.token + 1):
            continue
        lines.append(f"{over(d.label)}   p {d.probability:.4f}")
        if d.comparison is None:
            lines.append("    every tree of the grammar has it")
            continue
        lines.append(f"    by {d.margin:+.4f} rather than {changes(d.comparison)}")
        for c in d.comparison.contributions[:top]:
            sides = [
                f"{sign} {label} {first + 1}-{end}" for sign, side in (("for", c.ours), ("against", c.theirs)) for first, end, label in side
            ]
            lines.append(f"    {c.value:+9.4f}  {c.feature}  ({', '.join(sides)})")
    facts = {"task": CONSTPARSE, "sentence": sentence} | found.as_json(top, token)
    return Told(facts, "\n".join(lines) + "\n", lambda: draw(words, tags, found.labels))


def changes(comparison: Comparison) -> str:
    """The brackets that another tree has instead."""
    theirs = [bracket for bracket in comparison.theirs if bracket not in comparison.ours]
    named = [f"{label} {first + 1}-{end}" for first, end, label in theirs[:MOST_CHANGES]]
    return ", ".join(named + (["..."] if len(theirs) > MOST_CHANGES else [])) or "the same without it"


def inspection(model: ChartParser, path: str) -> Told:
    """What a parser is; features of spans are hashed and have no names here: `explain` shows them at work."""
    facts = model.described(path)
    text = "".join(f"{key:12} {value}\n" for key, value in facts.items())
    return Told(facts | {"features": model.features.header()}, text)


def facts_of(trees: Trees) -> dict:
    """What trees hold, for people."""
    lengths, labels = np.diff(trees.row_ptr), np.bincount(trees.node[:, 2], minlength=len(trees.labels))
    order = np.argsort(-labels, kind="stable")[:40]
    return {
        "file": trees.source,
        "format": trees.format,
        "sentences": trees.sentences,
        "words": trees.tokens,
        "longest": int(lengths.max(initial=0)),
        "mean length": round(float(lengths.mean()), 2) if len(lengths) else 0.0,
        "without a tree": int((~trees.parsed).sum()),
        "known in part": int(trees.partial.sum()),
        "brackets": len(trees.node),
        "columns": {name: len(values) for name, values in zip(trees.columns.names, trees.columns.values)},
        "labels": {trees.labels[i]: int(labels[i]) for i in order if labels[i]},
    }
