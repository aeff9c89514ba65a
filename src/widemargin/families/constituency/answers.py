"""What a constituency parser answers to sentences: trees, probabilities and alternatives, to be written as brackets or as JSON."""

from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.constituency.binary import restore
from widemargin.families.constituency.brackets import brackets_text
from widemargin.families.constituency.confidence import Scored, bracket_marginals, repeats
from widemargin.families.constituency.model import ChartParser, Failures, Parsed
from widemargin.families.constituency.trees import Trees
from widemargin.metrics.calibration import HIDDEN_CODE


def answer(model: ChartParser, trees: Trees, wanted: Wanted, failures: Failures) -> Answers:
    """Trees as Parsed, and what else is wanted; alternatives are lists of brackets (first, end, label). Sentences without words, longer
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
            found["log_probability"][asked] = scored.best_log_probability()
        if wanted.kbest:
            found["kbest"] = [[] for _ in range(trees.sentences)]
            for i, ranked in zip(asked.tolist(), scored.kbest(wanted.kbest)):
                found["kbest"][i] = [Alternative(brackets_of(model, t.node), t.score, t.log_probability) for t in ranked]
    return Answers(parsed, wanted, **found)


def spread_marginals(scored: Scored, parsed: Parsed, asked: np.ndarray) -> np.ndarray:
    """The probability of every bracket of parsed.trees [M], from those of the sentences that were asked for; others have 0."""
    trees, out = parsed.trees, np.zeros(len(parsed.trees.node))
    chosen = np.repeat(np.isin(np.arange(trees.sentences), asked), np.diff(trees.node_ptr))
    out[chosen] = bracket_marginals(scored, trees.part(asked))
    return out


def brackets_of(model: ChartParser, node: np.ndarray) -> list[tuple[int, int, str]]:
    """The brackets that one binary tree stands for."""
    symbols = model.inventory.symbols
    _, found = restore(np.array([0, len(node)]), node, symbols)
    return [(first, end, symbols.labels[label]) for first, end, label in found.tolist()]


def write(trees: Trees, answers: Answers, out: Any) -> None:
    """A tree a line. With marginals, labels have the probability of their bracket behind them, NP=0.9876, which the transform `functions`
    takes off again. `# probability = 0.9` stands before a tree, `# kbest = 1` and `# score = 12.3` before each of the k best."""
    found: Parsed = answers.best
    shown = found.trees if answers.marginals is None else with_probabilities(found.trees, answers.marginals)
    lines = brackets_text(shown).splitlines()
    for i, line in enumerate(lines):
        if answers.log_probability is not None:
            lines[i] = f"# probability = {np.exp(answers.log_probability[i]):.6f}\n{line}"
        if answers.kbest is not None and answers.kbest[i]:
            lines[i] = "\n".join(_alternatives(found.trees.part([i]), answers.kbest[i]))
    out.write("".join(f"{line}\n" for line in lines).encode())


def _alternatives(sentence: Trees, found: list[Alternative]) -> list[str]:
    out = []
    for rank, alternative in enumerate(found, 1):
        labels = tuple(dict.fromkeys(label for _, _, label in alternative.output))
        node = np.array([(first, end, labels.index(label)) for first, end, label in alternative.output], np.int32).reshape(-1, 3)
        tree = sentence.with_trees(np.array([0, len(node)]), node, labels)
        out += [f"# kbest = {rank}", f"# score = {alternative.score:.4f}", brackets_text(tree).rstrip("\n")]
    return out


def with_probabilities(trees: Trees, chance: np.ndarray) -> Trees:
    """The same trees with labels such as NP=0.9876."""
    texts = [f"{trees.labels[label]}={p:.4f}" for label, p in zip(trees.node[:, 2].tolist(), chance.tolist())]
    index = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    node = trees.node.copy()
    node[:, 2] = [index[text] for text in texts]
    return trees.with_trees(trees.node_ptr, node, tuple(index), parsed=trees.parsed)


def as_json(trees: Trees, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md)."""
    found: Parsed = answers.best
    failed = set(found.failed.tolist())

    def best(i: int, low: int, high: int) -> dict:
        tree = found.trees.tree(i)
        known = {"tokens": list(tree.words), "tags": list(tree.tags), "brackets": [list(bracket) for bracket in tree.brackets]}
        return known | ({"failed": True} if i in failed else {})

    def other(brackets: list) -> dict:
        return {"brackets": [list(bracket) for bracket in brackets]}

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
