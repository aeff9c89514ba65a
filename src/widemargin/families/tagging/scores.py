"""What labels are worth against gold labels: spans as conlleval counts them, or tokens (families.base.Scores)."""

from functools import cached_property
from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.families.tagging.gold import HIDDEN, Written, known_part
from widemargin.families.tagging.spans import SpanScores, span_counts_per_sentence, span_scores
from widemargin.families.tagging.tasks import Task
from widemargin.families.tagging.tokens import confusion
from widemargin.metrics.bootstrap import accuracy_from_counts, f1_from_counts


class LabelScores:
    """Labels (codes into values) against gold labels of the same sentences.

    Where gold labels are hidden, accuracy leaves out those tokens, and spans are counted in the other sentences.
    """

    def __init__(self, task: Task, gold: Written, codes: np.ndarray, values: list[str], *, strict: str | None = None, quirks: bool = False):
        """strict: a scheme; quirks: those of conlleval's script (spans.py)."""
        if (strict is not None or quirks) and not task.spans:
            flag = "--conlleval-quirks" if quirks else "--strict"
            raise InputError(f"{flag} is for spans, and {task.name} is scored by tokens; leave it out")
        if strict is not None and quirks:
            raise InputError("--strict counts well-formed spans and --conlleval-quirks any; give one of them")
        self.reading: dict[str, Any] = {"strict": strict, "quirks": quirks}
        self.task, self.metric, self.gold, self.codes, self.values = task, task.metric, gold, codes, values
        known = (gold, codes) if HIDDEN not in gold.values else known_part(gold, codes, sentences=task.spans)
        self._accuracy, self._spans = 0.0, None
        if task.spans:
            self._spans = self._span_scores(*known)
        else:
            self._confusion = confusion(known[0].codes, known[1], gold_values=gold.values, guess_values=values)
            self._accuracy = self._confusion.accuracy

    def _span_scores(self, gold: Written, codes: np.ndarray) -> SpanScores:
        return span_scores(gold.codes, codes, gold.values, self.values, gold.row_ptr, **self.reading)

    def as_dict(self) -> dict:
        return {"accuracy": self._accuracy} if self._spans is None else self._spans.as_dict()

    def report(self) -> str:
        if self._spans is not None:
            return self._spans.report()
        return f"accuracy: {self._accuracy:6.2f}%  ({len(self.codes):,} tokens)\n"

    @property
    def one_class(self) -> bool:
        """Has every token one class, its label? Spans may be found where there are none."""
        return not self.task.spans

    @property
    def by_class(self) -> dict[str, tuple[int, int, int]]:
        """Correct, guessed and gold spans of each type, or tokens of each label."""
        return self._spans.by_type if self._spans is not None else self._confusion.by_label()

    @cached_property
    def counts(self) -> np.ndarray:
        """Of each sentence: correct, guessed and gold spans, or right labels and labels."""
        gold, codes, values = self.gold, self.codes, self.values
        if self.task.spans:
            return span_counts_per_sentence(gold.codes, codes, gold.values, values, gold.row_ptr, **self.reading)
        right = np.array(gold.values)[gold.codes] == np.array(values)[codes]
        return np.stack([np.add.reduceat(right, gold.row_ptr[:-1]), np.diff(gold.row_ptr)], axis=1)

    def score(self, counts: np.ndarray) -> np.ndarray:
        return f1_from_counts(counts) if self.task.spans else accuracy_from_counts(counts)
