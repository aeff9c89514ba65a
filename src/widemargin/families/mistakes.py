"""What a model has got wrong, for people: which answer was taken for which, and the sentences with most mistakes, gold beside guess."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.families.answers import Told
from widemargin.show.tables import Column, text_table

NOTHING = "-"  # one side of a confusion has nothing there


@dataclass(frozen=True)
class Poor:
    """A sentence, document or list that was answered badly."""

    number: int  # from 1
    where: str  # a file and a line, or how bad it is in words
    rows: list[dict]  # of a table: gold beside guess; `wrong` is "<" where they differ


def worst_rows(wrong: np.ndarray, top: int) -> list[int]:
    """The `top` numbers (from 0) with most mistakes, the first among equals; those without any are left out."""
    order = np.argsort(-np.asarray(wrong, float), kind="stable")[:top]
    return [int(i) for i in order if wrong[i] > 0]


def told_mistakes(confusions: Iterable[tuple[str, str]], poor: Sequence[Poor], *, top: int, of: str, unit: str = "sentence") -> Told:
    """confusions: (gold, guess) of every mistake; of: what was confused, in words."""
    counted = Counter(confusions)
    rows = [{"gold": gold, "guess": guess, "count": n} for (gold, guess), n in counted.most_common(top)]
    facts = {
        "mistakes": sum(counted.values()),
        "confusions": rows,
        "worst": [{unit: one.number, "where": one.where, "rows": one.rows} for one in poor],
    }
    lines = []
    if rows:
        lines.append(f"{facts['mistakes']:,} {of}; the most frequent:")
        lines += text_table(rows, [Column("count"), Column("gold"), Column("guess")]).splitlines()
    for one in poor:
        lines += ["", f"{unit} {one.number}, {one.where}"]
        lines += text_table(one.rows, [Column(key, "" if key == "wrong" else None) for key in one.rows[0]]).splitlines()
    return Told(facts, "\n".join(lines or [f"there are no {of}"]).lstrip("\n") + "\n")
