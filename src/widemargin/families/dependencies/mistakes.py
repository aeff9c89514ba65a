"""What a parser of dependency trees has got wrong."""

import numpy as np

from widemargin.families.answers import Answers, Told
from widemargin.families.dependencies.conllu import NO_VALUE, Treebank
from widemargin.families.dependencies.model import Parser
from widemargin.families.mistakes import Poor, told_mistakes, worst_rows


def mistakes(model: Parser, data: Treebank, answers: Answers, *, top: int) -> Told:
    """Relations that were confused, or the right relation to a wrong head; and the sentences with most wrong arcs."""
    gold, guess = (np.array([*names, NO_VALUE], object) for names in (data.relations, model.relations))
    right, found = gold[data.relation], guess[answers.best.relation]
    if not model.relations:
        right = np.full(len(right), NO_VALUE, object)
    known, head = data.heads >= 0, data.heads == answers.best.heads
    same = np.array([one.partition(":")[0] == two.partition(":")[0] for one, two in zip(right, found)], bool)  # as is scored
    wrong = known & ~(head & same)
    confused = [(g, f if good else f"{f}, other head") for g, f, good in zip(right[wrong], found[wrong], head[wrong])]
    counts = np.add.reduceat(wrong, data.row_ptr[:-1])
    poor = []
    for i in worst_rows(counts, top):
        low, high = (int(bound) for bound in data.row_ptr[i : i + 2])
        words = data.words(i)
        sides = [
            [
                f"{r} {'root' if h == 0 else f'{words[h - 1]} ({h})'}" if h >= 0 else "?"
                for h, r in zip(heads[low:high].tolist(), names[low:high])
            ]
            for heads, names in ((data.heads, right), (answers.best.heads, found))
        ]
        rows = [
            {"": t, "word": word, "gold": one, "guess": two, "wrong": "<" if bad else ""}
            for t, (word, one, two, bad) in enumerate(zip(words, *sides, wrong[low:high]), 1)
        ]
        poor.append(Poor(i + 1, f"{data.columns.where(low)}: {int(counts[i])} of {high - low} arcs are wrong", rows))
    return told_mistakes(confused, poor, top=top, of="wrong arcs")
