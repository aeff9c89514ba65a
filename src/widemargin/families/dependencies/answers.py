"""What a parser answers to a treebank: trees, probabilities and alternatives, to be written into it or as JSON."""

import re
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.base import Alternative, Answers, Wanted
from widemargin.families.calibration import HeldOut
from widemargin.families.dependencies.conllu import Treebank, write_treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.dependencies.output import with_alternatives, with_comments, with_probabilities

MISC = 9
TOKEN_RANGE = re.compile(r"(?:^|\|)TokenRange=([0-9]{1,9}):([0-9]{1,9})(?:\||$)")


def answer(model: Parser, treebank: Treebank, wanted: Wanted) -> Answers:
    """Trees as a Guess, and what else is wanted; alternatives are pairs of heads [n] and relations [n]. A piece may have no sentence."""
    if not treebank.tokens:
        return Answers(None, wanted, every=model.relations, data=treebank)
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
    return Answers(guess, wanted, every=model.relations, data=treebank, **found)


def chosen_marginals(tables: list[np.ndarray], heads: np.ndarray) -> np.ndarray:
    """The probability of each word's head [N], from those of all heads of every sentence [n+1, n+1]."""
    out, low = np.zeros(len(heads)), 0
    for table in tables:
        n = len(table) - 1
        out[low : low + n] = table[heads[low : low + n], np.arange(1, n + 1)]
        low += n
    return out


def write(treebank: Treebank, answers: Answers, out: Any) -> None:
    """Every column but HEAD, DEPREL (and MISC with marginals, and those that a tagger has filled in) comes back as it was. `# probability`
    stands before a sentence; k best trees are as many sentences."""
    treebank = answers.data
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


def write_conllu(treebank: Treebank, answers: Answers, out: Any) -> None:
    """The same, of a treebank that is CoNLL-U."""
    if treebank.format != "conllu":
        raise InputError("the input is CoNLL-X, whose last columns CoNLL-U has no room for; leave --output-format out", treebank.source)
    write(treebank, answers, out)


def as_json(treebank: Treebank, answers: Answers) -> list[dict]:
    """A dict per sentence (docs/json.md)."""
    guess, relations = answers.best, answers.every

    def tree(heads: np.ndarray, labels: np.ndarray) -> dict:
        return {"heads": heads.tolist()} | ({"relations": [relations[r] for r in labels]} if relations else {})

    columns, range_of = treebank.columns, {}
    for code, cell in enumerate(columns.values[MISC]):
        if place := TOKEN_RANGE.search(cell):
            range_of[code] = [int(place[1]), int(place[2])]

    def best(i: int, low: int, high: int) -> dict:
        row = {"tokens": treebank.words(i)} | tree(guess.heads[low:high], guess.relation[low:high])
        places = [range_of.get(code) for code in columns.codes[MISC, low:high].tolist()]
        return row if None in places else row | {"offsets": places}

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
