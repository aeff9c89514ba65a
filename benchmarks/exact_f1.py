"""Exact F1 inside training: milliseconds to find the tree of the largest Delta (1 + score - score of the gold), by length, on one core.

Trees and grammar (one child of markovisation) of the Penn sample in WIDEMARGIN_DATA; F1 on the original trees, gold tags, float32.
plain: the table over (symbol, tp, fp), with relative frequencies, for short sentences; frequencies: the search, with relative frequencies,
from where nothing is known; trained: the same with weights of two epochs of AdaGrad on this loss; kept: from where the sentence's last
search in training ended. argmax: the best tree, for comparison. Means over up to 40 sentences of CPU time, the smallest of the rounds.
"""

import argparse
import time

import numpy as np
from harness import Claim, Files, Outcome, main, run

LENGTHS = (10, 20, 30, 40, 50, 60)
PLAIN = {10: 40, 20: 4}  # sentences for which the plain table is made
SENTENCES, EPOCHS, LONGEST, EVERY = 40, 2, 60, 2
TARGETS = {20: 2.5, 40: 13.0}  # milliseconds, trained weights, kept


def measure(options: argparse.Namespace, files: Files) -> Outcome:
    """One row per length."""
    found = run("exact_f1:times", repeat=options.repeat)
    rows = found["rows"]
    claims = [Claim(f"trained, kept, {n} words, ms", rows[LENGTHS.index(n)]["kept"], limit) for n, limit in TARGETS.items()]
    notes = [f"Training: {', '.join(f'{ms:.2f}' for ms in found['epochs'])} ms a sentence in epochs 1 to {EPOCHS}, up to {LONGEST} words."]
    return Outcome(rows, claims, notes)


def times(repeat: int) -> dict:
    """All rows, and what a sentence took in every epoch of training."""
    from treebank_grammar import TreebankGrammar, penn_sentences

    grammar = TreebankGrammar(penn_sentences())
    target = grammar.target("f1", np.float32)
    s = grammar.structure.workspace(LONGEST + 2, dtype=np.float32)
    some = np.flatnonzero(grammar.words <= LONGEST + 2)[::EVERY]
    frequencies, trained = grammar.relative_frequencies(), list(grammar.train(some, EPOCHS, target, s))
    w, starts, rows = trained[-1][0], target.price.start.copy(), []
    for n in LENGTHS:
        near = some[np.argsort(np.abs(grammar.words[some] - n), kind="stable")[:SENTENCES]]
        mean = {"words": float(grammar.words[near].mean())}
        jobs = Jobs(grammar, target, s, starts, repeat)
        mean["argmax"] = jobs.mean("argmax", near, w)[0]
        if n in PLAIN:
            mean["plain"] = jobs.mean("plain", near[: PLAIN[n]], frequencies)[0]
        mean["frequencies"] = jobs.mean("cold", near, frequencies)[0]
        mean["trained"] = jobs.mean("cold", near, w)[0]
        mean["kept"], mean["kept, most"] = jobs.mean("kept", near, w)
        rows.append(mean)
    return {"rows": rows, "epochs": [1e3 * spent / len(some) for _, _, spent in trained]}


class Jobs:
    """Ways to do a sentence."""

    def __init__(self, grammar, target, s, starts, repeat):
        self.grammar, self.target, self.s, self.starts, self.repeat = grammar, target, s, starts, repeat

    def mean(self, how: str, rows: np.ndarray, w: np.ndarray) -> tuple[float, float]:
        """Milliseconds of a sentence, the mean and the most."""
        self.least(how, rows[0], w)  # loads what is compiled
        spent = [1e3 * self.least(how, i, w) for i in rows]
        return float(np.mean(spent)), float(np.max(spent))

    def least(self, how: str, i: int, w: np.ndarray) -> float:
        """CPU seconds of one sentence."""
        from treebank_grammar import MARGIN, find_best, find_worst

        from widemargin.engine.rows import row
        from widemargin.structures.spans.plain_frontier import plain_worst

        self.grammar.load(self.s, w, i)
        n, gold, price = row(self.target, i)
        out, best = self.s.spans.output[0], np.inf
        for _ in range(1 if how == "plain" else 2 * self.repeat):
            price.start[0] = self.starts[i] if how == "kept" else np.nan
            start = time.thread_time()
            if how == "plain":
                plain_worst(self.s, gold, price, n, MARGIN, out)
            elif how == "argmax":
                find_best(self.s, gold, price, n, out)
            else:
                find_worst(self.s, gold, price, n, out)
            best = min(best, time.thread_time() - start)
        return best


if __name__ == "__main__":
    main(measure, __doc__, {}, peers=False)
