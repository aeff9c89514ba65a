"""What a constituency parser has got wrong."""

from collections import Counter

import numpy as np

from widemargin.errors import several
from widemargin.families.answers import Answers, Told
from widemargin.families.constituency.trees import Trees
from widemargin.families.mistakes import NOTHING, Poor, told_mistakes, worst_rows

Bracket = tuple[int, int, str]
MOST_WORDS = 8


def mistakes(data: Trees, answers: Answers, *, top: int) -> Told:
    """Brackets that were missed, too many, or of another label; and the sentences with most of them."""
    pairs = [(data.tree(i), answers.best.trees.tree(i)) for i in range(data.sentences)]
    sides = []
    for gold, guess in pairs:
        wanted, found = Counter(gold.brackets), Counter(guess.brackets)
        sides.append((list((wanted - found).elements()), list((found - wanted).elements())))
    confused = [pair for missed, extra in sides for pair in _confused(missed, extra)]
    counts = np.array([len(missed) + len(extra) for missed, extra in sides])
    poor = []
    for i in worst_rows(counts, top):
        words = pairs[i][0].words
        rows = [
            {"gold": label if missing else "", "guess": "" if missing else label, "words": _over(words, first, end)}
            for (first, end, label), missing in sorted(
                [(bracket, missing) for missing, side in zip((True, False), sides[i]) for bracket in side],
                key=lambda pair: (pair[0][0], -pair[0][1], not pair[1]),
            )
        ]
        told = f"{several(len(sides[i][0]), 'missing bracket')}, {several(len(sides[i][1]), 'wrong bracket')}"
        poor.append(Poor(i + 1, f"{data.where(i)}: {told}", rows))
    return told_mistakes(confused, poor, top=top, of="brackets missed or wrong")


def _confused(missed: list[Bracket], extra: list[Bracket]) -> list[tuple[str, str]]:
    """A missed bracket with one of another label over the same words, if there is one."""
    left, out = list(extra), []
    for first, end, label in missed:
        other = next((bracket for bracket in left if bracket[:2] == (first, end)), None)
        if other is not None:
            left.remove(other)
        out.append((label, NOTHING if other is None else other[2]))
    return out + [(NOTHING, label) for _, _, label in left]


def _over(words: tuple[str, ...], first: int, end: int) -> str:
    inside = words[first:end] if end - first <= MOST_WORDS else (*words[first : first + 3], "...", *words[end - 3 : end])
    return f"{first + 1}-{end}  {' '.join(inside)}"
