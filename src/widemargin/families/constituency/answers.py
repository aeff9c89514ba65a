"""What a constituency parser answers to sentences: trees, to be written as brackets or as JSON."""

from typing import Any

import numpy as np

from widemargin.families.base import Answers, Wanted
from widemargin.families.constituency.brackets import write_brackets
from widemargin.families.constituency.model import ChartParser, Failures, Parsed
from widemargin.families.constituency.trees import Trees


def answer(model: ChartParser, trees: Trees, wanted: Wanted, failures: Failures) -> Answers:
    """Trees as Parsed, and what else is wanted."""
    return Answers(model.predict(trees, failures, threads=wanted.threads), wanted)


def write(trees: Trees, answers: Answers, out: Any) -> None:
    """A tree a line."""
    write_brackets(answers.best.trees, out)


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
        return known | ({"failed": True} if i in failed else {"score": round(float(found.score[i]), 6)} if high > low else {})

    return answers.json_rows(np.asarray(trees.row_ptr), best, dict)
