"""What a constituency parser answers to sentences: trees, probabilities and alternatives, to be written as brackets or as JSON.

In files of brackets a probability stands behind a label, NP=0.9731, where readers look for indices (transforms.py takes them off): that of
a bracket behind its own, that of a tree behind TOP around it.
"""

from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.constituency.binary import NO_SPLIT, restore
from widemargin.families.constituency.brackets import write_brackets
from widemargin.families.constituency.confidence import Scored, bracket_marginals, repeats
from widemargin.families.constituency.model import ChartParser, Failures, Parsed
from widemargin.families.constituency.trees import Trees
from widemargin.metrics.calibration import HIDDEN_CODE

Bracket = tuple[int, int, str]


def answer(model: ChartParser, trees: Trees, wanted: Wanted, failures: Failures) -> Answers:
    """Trees as Parsed, and what else is wanted; alternatives are pairs: brackets (first, end, label), and tags where they are predicted,
    else none. Sentences without words, longer
    than max_words, or without a tree in the grammar have probability 0, marginals of 0 and no alternatives."""
    parsed = model.predict(trees, failures, threads=wanted.threads)
    found: dict[str, Any] = {}
    asked = np.flatnonzero(model.asked(trees, failures.max_words))
    if len(asked) and (wanted.marginals or wanted.probability or wanted.kbest):
        scored = model.scored(trees.part(asked), threads=wanted.threads)
        if wanted.marginals:
            found["marginals"] = spread_marginals(scored, parsed, asked)
        if wanted.probability:
            found["log_probability"] = np.full(trees.sentences, -np.inf)
            found["log_probability"][asked] = scored.guess_log_probability(scored.scorer.parse(scored.corpus, threads=wanted.threads))
        if wanted.kbest:
            found["kbest"] = [[] for _ in range(trees.sentences)]
            for i, ranked in zip(asked.tolist(), scored.kbest(wanted.kbest)):
                found["kbest"][i] = [
                    Alternative((brackets_of(model, t.node), tags_of(model, t.node)), t.score, t.log_probability) for t in ranked
                ]
    return Answers(parsed, wanted, **found)


def spread_marginals(scored: Scored, parsed: Parsed, asked: np.ndarray) -> np.ndarray:
    """The probability of every bracket of parsed.trees [M], from those of the sentences that were asked for; others have 0."""
    trees, out = parsed.trees, np.zeros(len(parsed.trees.node))
    chosen = np.repeat(np.isin(np.arange(trees.sentences), asked), np.diff(trees.node_ptr))
    out[chosen] = bracket_marginals(scored, trees.part(asked))
    return out


def brackets_of(model: ChartParser, node: np.ndarray) -> list[Bracket]:
    """The brackets that one binary tree stands for."""
    symbols = model.inventory.symbols
    _, found = restore(np.array([0, len(node)]), node, symbols)
    return [(first, end, symbols.labels[label]) for first, end, label in found.tolist()]


def tags_of(model: ChartParser, node: np.ndarray) -> list[str]:
    """The tags that the symbols of one binary tree say; none where tags are given."""
    inventory = model.inventory
    return [inventory.tags[t] for t in inventory.tag_of[node[node[:, 1] == NO_SPLIT, 3]].tolist()] if inventory.kind.words else []


def write(trees: Trees, answers: Answers, out: Any) -> None:
    """A tree a line. The k best trees of a sentence are as many lines, and an empty line follows them."""
    found: Trees = answers.best.trees
    if answers.kbest is not None:
        for i, ranked in enumerate(answers.kbest):
            sentence = found.part([i])
            for other in ranked:
                brackets, tags = other.output
                tagged = sentence.with_tags(np.arange(len(tags)), tags) if tags else sentence
                write_brackets(_relabelled(tagged, [_with_top(brackets, sentence.tokens, other.log_probability)]), out)
            if not ranked:
                write_brackets(sentence, out)
            out.write(b"\n")
        return
    if answers.marginals is None and answers.log_probability is None:
        write_brackets(found, out)
        return
    lines = []
    for i, (low, high) in enumerate(zip(found.node_ptr.tolist(), found.node_ptr[1:].tolist())):
        brackets = [(first, end, found.labels[label]) for first, end, label in found.node[low:high].tolist()]
        if answers.marginals is not None:
            brackets = [(first, end, f"{label}={p:.4f}") for (first, end, label), p in zip(brackets, answers.marginals[low:high])]
        sure = None if answers.log_probability is None else float(answers.log_probability[i])
        lines.append(_with_top(brackets, int(found.row_ptr[i + 1] - found.row_ptr[i]), sure))
    write_brackets(_relabelled(found, lines), out)


def _with_top(brackets: list[Bracket], words: int, log_probability: float | None) -> list[Bracket]:
    """Brackets with TOP around them and the probability of the tree behind it, if it is known."""
    if log_probability is None or not words:
        return brackets
    return [(0, words, f"TOP={np.exp(log_probability):.6f}"), *brackets]


def _relabelled(trees: Trees, lines: list[list[Bracket]]) -> Trees:
    """Sentences with other brackets."""
    labels: dict[str, int] = {}
    node = [(first, end, labels.setdefault(label, len(labels))) for line in lines for first, end, label in line]
    bounds = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
    return trees.with_trees(bounds, np.array(node, np.int32).reshape(-1, 3), tuple(labels), parsed=trees.parsed)


def as_json(trees: Trees, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md)."""
    found: Parsed = answers.best
    failed = set(found.failed.tolist())

    def best(i: int, low: int, high: int) -> dict:
        tree = found.trees.tree(i)
        known = {"tokens": list(tree.words), "tags": list(tree.tags), "brackets": [list(bracket) for bracket in tree.brackets]}
        return known | ({"failed": True} if i in failed else {})

    def other(output: tuple[list, list]) -> dict:
        brackets, tags = output
        return {"brackets": [list(bracket) for bracket in brackets]} | ({"tags": tags} if tags else {})

    return answers.json_rows(np.asarray(trees.row_ptr), best, other, part_ptr=found.trees.node_ptr)


def held_brackets(model: ChartParser, trees: Trees, *, threads: int = 1) -> HeldOut:
    """The brackets of the parser's best trees, each of which is wrong (0) or right (1); those of sentences whose gold tree is not wholly
    known are hidden."""
    trees = trees.part(model.asked(trees))
    parsed = model.predict(trees, threads=threads)
    trees = trees.part(keep := np.isfinite(parsed.score))
    chosen = parsed.trees.part(keep)
    known = trees.parsed & ~trees.partial
    right = []
    for i in range(trees.sentences):
        ours, gold = ([(*bracket, k) for bracket, k in zip(t.brackets, repeats(t.brackets))] for t in (chosen.tree(i), trees.tree(i)))
        right += [int(bracket in set(gold)) if known[i] else HIDDEN_CODE for bracket in ours]

    def chance(temperature: float) -> np.ndarray:
        p = bracket_marginals(model.scored(trees, temperature, threads=threads), chosen)
        return np.stack([1.0 - p, p], axis=1).astype(np.float32)

    return HeldOut(chance, np.array(right, np.int64), "brackets", "bracket")
