"""What a parser answers to a treebank: trees, probabilities and alternatives, to be written into it or as JSON."""

from typing import Any

import numpy as np

from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.dependencies.conllu import Treebank, write_treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.output import with_alternatives, with_comments, with_probabilities


def answer(model: Parser, treebank: Treebank, wanted: Wanted) -> Answers:
    """Trees as a Guess, and what else is wanted; alternatives are pairs of heads [n] and relations [n]. A piece may have no sentence."""
    if not treebank.tokens:
        return Answers(None, wanted, every=model.relations)
    threads = wanted.threads
    found: dict[str, Any] = {}
    guess = model.predict(treebank, threads=threads)
    if wanted.marginals:
        found["marginals"] = chosen_marginals(model.marginals(treebank, threads=threads), guess.heads)
    if wanted.probability:
        tree = np.stack([guess.heads, guess.relation], axis=1).astype(np.int32)
        found["log_probability"] = model.scored(treebank, threads=threads).log_probability(tree)
    if wanted.kbest:
        trees = model.kbest(treebank, wanted.kbest, threads=threads)
        found["kbest"] = [[Alternative((t.heads, t.relation), t.score, t.log_probability) for t in ranked] for ranked in trees]
    return Answers(guess, wanted, every=model.relations, **found)


def chosen_marginals(tables: list[np.ndarray], heads: np.ndarray) -> np.ndarray:
    """The probability of each word's head [N], from those of all heads of every sentence [n+1, n+1]."""
    out, low = np.zeros(len(heads)), 0
    for table in tables:
        n = len(table) - 1
        out[low : low + n] = table[heads[low : low + n], np.arange(1, n + 1)]
        low += n
    return out


def write(treebank: Treebank, answers: Answers, out: Any) -> None:
    """Every column but HEAD, DEPREL (and MISC with marginals) comes back as it was. `# probability` stands before a sentence; k best trees
    are as many sentences."""
    guess, relations = answers.best, answers.every
    if not treebank.tokens:
        write_treebank(treebank, out)
    elif answers.kbest is not None:
        out.write(with_alternatives(treebank, relations, answers.kbest))
    else:
        if answers.log_probability is not None:
            treebank = with_comments(treebank, [f"probability = {p:.6f}" for p in np.exp(answers.log_probability)])
        if answers.marginals is not None:
            treebank = with_probabilities(treebank, answers.marginals)
        write_treebank(treebank, out, heads=guess.heads, relations=(guess.relation, relations) if relations else None)


def as_json(treebank: Treebank, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md)."""
    guess, relations = answers.best, answers.every

    def tree(heads: np.ndarray, labels: np.ndarray) -> dict:
        return {"heads": heads.tolist()} | ({"relations": [relations[r] for r in labels]} if relations else {})

    def best(i: int, low: int, high: int) -> dict:
        return {"tokens": treebank.words(i)} | tree(guess.heads[low:high], guess.relation[low:high])

    return answers.json_rows(treebank.row_ptr, best, lambda output: tree(*output))


def held_heads(model: Parser, treebank: Treebank, *, threads: int = 1) -> HeldOut:
    """Words of a treebank, each of which may have any word of its sentence for its head, or 0, the root."""

    def chance(temperature: float) -> np.ndarray:
        longest = int(np.diff(treebank.row_ptr).max(initial=0))
        out = np.zeros((treebank.tokens, longest + 1), np.float32)
        for low, table in zip(treebank.row_ptr.tolist(), model.marginals(treebank, temperature, threads=threads)):
            out[low : low + len(table) - 1, : len(table)] = table[:, 1:].T
        return out

    return HeldOut(chance, treebank.heads, "heads", "head")
