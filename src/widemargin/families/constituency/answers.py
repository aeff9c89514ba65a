"""What a constituency parser answers to sentences: trees, probabilities and alternatives, to be written as brackets or as JSON.

In files of brackets a probability stands behind a label, NP=0.9731, where readers look for indices (transforms.py takes them off): that of
a bracket behind its own, that of a tree behind TOP around it.
"""

from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.constituency.binary import restore
from widemargin.families.constituency.brackets import write_brackets
from widemargin.families.constituency.model import ChartParser, Failures, Parsed
from widemargin.families.constituency.trees import Trees

Bracket = tuple[int, int, str]


def answer(model: ChartParser, trees: Trees, wanted: Wanted, failures: Failures) -> Answers:
    """Trees as Parsed, and what else is wanted: alternatives are lists of brackets, `every` is the probability of each bracket."""
    parsed = model.predict(trees, failures, threads=wanted.threads)
    asked = np.flatnonzero(np.isfinite(parsed.score))
    part = trees.part(asked)
    found: dict[str, Any] = {}
    if (wanted.marginals or wanted.probability) and len(asked):
        _, some, log_some = model.marginals(part, threads=wanted.threads)
        probability, log_probability = np.zeros(len(parsed.trees.node)), np.full(trees.sentences, -np.inf)
        at = parsed.trees.node_ptr
        probability[np.repeat(np.isfinite(parsed.score), np.diff(at))], log_probability[asked] = some, log_some
        found["every"] = probability if wanted.marginals else None
        found["log_probability"] = log_probability if wanted.probability else None
    if wanted.kbest:
        lists: list[list[Alternative]] = [[] for _ in range(trees.sentences)]
        for i, ranked in zip(asked.tolist(), model.kbest(part, wanted.kbest, threads=wanted.threads) if len(asked) else []):
            lists[i] = [Alternative(_brackets(model, tree.node), tree.score, tree.log_probability) for tree in ranked]
        found["kbest"] = lists
    return Answers(parsed, wanted, **found)


def _brackets(model: ChartParser, node: np.ndarray) -> list[Bracket]:
    """The brackets that a binary tree stands for."""
    symbols = model.inventory.symbols
    return [(first, end, symbols.labels[label]) for first, end, label in restore(np.array([0, len(node)]), node, symbols)[1].tolist()]


def write(trees: Trees, answers: Answers, out: Any) -> None:
    """A tree a line; k best trees are as many lines."""
    found: Trees = answers.best.trees
    if answers.kbest is not None:
        for i, ranked in enumerate(answers.kbest):
            sentence = found.part([i])
            for alternative in ranked:
                write_brackets(_relabelled(sentence, [_named(alternative.output, len(sentence), alternative.log_probability)]), out)
            if not ranked:
                write_brackets(sentence, out)
        return
    if answers.every is None and answers.log_probability is None:
        write_brackets(found, out)
        return
    lines = []
    for i, (low, high) in enumerate(zip(found.node_ptr.tolist(), found.node_ptr[1:].tolist())):
        brackets = [(first, end, found.labels[label]) for first, end, label in found.node[low:high].tolist()]
        if answers.every is not None:
            brackets = [(first, end, f"{label}={p:.4f}") for (first, end, label), p in zip(brackets, answers.every[low:high])]
        log_probability = None if answers.log_probability is None else float(answers.log_probability[i])
        lines.append(_named(brackets, int(found.row_ptr[i + 1] - found.row_ptr[i]), log_probability))
    write_brackets(_relabelled(found, lines), out)


def _named(brackets: list[Bracket], words: int, log_probability: float | None) -> list[Bracket]:
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
        known: dict[str, Any] = {
            "tokens": list(tree.words),
            "tags": list(tree.tags),
            "brackets": [list(bracket) for bracket in tree.brackets],
        }
        if answers.every is not None:
            some = answers.every[found.trees.node_ptr[i] : found.trees.node_ptr[i + 1]]
            known["marginals"] = [round(float(p), 6) for p in some]
        return known | ({"failed": True} if i in failed else {"score": round(float(found.score[i]), 6)} if high > low else {})

    return answers.json_rows(trees.row_ptr, best, lambda output: {"brackets": [list(bracket) for bracket in output]})
