"""What a model is asked, what it answers, and what commands print, whatever the family."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SCHEMA = 1  # of the objects that predict writes


@dataclass(frozen=True)
class Wanted:
    """What is to be answered besides the best output."""

    kbest: int = 0
    marginals: bool = False
    probability: bool = False
    threads: int = 1


@dataclass(frozen=True)
class Alternative:
    """One of the k best outputs of a sentence, in the family's own form."""

    output: Any
    score: float
    log_probability: float | None = None  # None where the structure cannot sum

    def numbers(self) -> dict[str, float]:
        """score and log_probability, where there is one, rounded for JSON."""
        known = {} if self.log_probability is None else {"log_probability": round(self.log_probability, 6)}
        return {"score": round(self.score, 6)} | known


@dataclass(frozen=True)
class Answers:
    """A model's answers to some data; the family reads them in write, as_json and evaluate."""

    best: Any  # in the family's own form
    wanted: Wanted = Wanted()
    marginals: "np.ndarray | None" = None  # [N], how probable each chosen part is: one for each token, or as json_rows is told
    log_probability: "np.ndarray | None" = None  # [S], of the best output
    kbest: list[list[Alternative]] | None = None  # [S]
    every: Any = None  # all marginals, in the family's own form
    data: Any = None  # the data as they were answered, where something was put into them first, such as tags of a tagger
    spans: bool = False  # of labels at tokens: do they mark spans?

    def json_rows(
        self, row_ptr: Any, best: Callable[[int, int, int], dict], other: Callable[[Any], dict], *, part_ptr: Any = None
    ) -> list[dict]:
        """A dict per sentence (docs/json.md): what best(sentence, low, high) says, how probable it is, and other(output) of the k best.

        part_ptr: bounds of sentences in the chosen parts, where those are no tokens."""
        rows, parts = [], (row_ptr if part_ptr is None else part_ptr).tolist()
        for i, (low, high) in enumerate(zip(row_ptr.tolist(), row_ptr[1:].tolist())):
            row = best(i, low, high)
            if self.marginals is not None:
                row["marginals"] = [round(float(p), 6) for p in self.marginals[parts[i] : parts[i + 1]]]
            if self.log_probability is not None:
                row["probability"] = round(math.exp(self.log_probability[i]), 6)
            if self.kbest is not None:
                row["kbest"] = [other(a.output) | a.numbers() for a in self.kbest[i]]
            rows.append(row)
        return rows


def json_lines(rows: Iterable[dict]) -> bytes:
    """A line for each dict, with the version of what its keys mean (docs/json.md)."""
    return "".join(json.dumps({"schema": SCHEMA} | row, ensure_ascii=False) + "\n" for row in rows).encode()


@dataclass(frozen=True)
class Told:
    """Something to be printed: as one JSON object, or as lines of text; a drawing where there is one."""

    facts: dict
    text: str
    svg: Callable[[], str] | None = field(default=None, compare=False)
