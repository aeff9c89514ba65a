"""EVALB's numbers (Sekine and Collins 1997): how well a system's brackets agree with gold ones.

    precision   matched / system's brackets       recall   matched / gold brackets       f1   2 matched / (system's + gold)
    exact       sentences in which all brackets of both sides match
    crossing    brackets of the system that cross a gold one, per sentence; sentences without any, and with two or fewer
    tagging     right tags of words that count
evalb_sentence.py says what counts; sums are over valid sentences. A sentence whose words differ from the gold ones is an error, one without
words is skipped (a parser that failed); both are refused by `strict`, and else left out of all sums and listed, as EVALB does. The means of
precision, recall and F1 over sentences are given too: a sentence in which neither side has brackets counts 100.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.errors import InputError
from widemargin.families.constituency.evalb_sentence import NO_WORDS, SKIPPED, VALID, Compared, compare
from widemargin.families.constituency.evalb_settings import COLLINS, EvalbSettings
from widemargin.families.constituency.trees import Trees
from widemargin.metrics.bootstrap import f1_from_counts
from widemargin.metrics.rates import rates

SHORT = 20  # words; a second part that is scored apart


@dataclass(frozen=True)
class Summary:
    """The numbers of some sentences, in per cent but for counts and the average of crossing brackets."""

    sentences: int
    errors: int
    skipped: int
    precision: float
    recall: float
    f1: float
    exact: float
    crossing: float
    no_crossing: float
    two_or_fewer: float
    tagging: float
    mean_precision: float  # over sentences; likewise the other means
    mean_recall: float
    mean_f1: float

    @property
    def valid(self) -> int:
        return self.sentences - self.errors - self.skipped

    def as_dict(self) -> dict:
        return {**self.__dict__, "valid": self.valid}


class BracketScores:
    """A system's trees against gold trees of the same sentences (families.base.Scores).

    strict: a sentence that EVALB would leave out is refused, with its place; otherwise they are listed in `failures`, and refused only when
    there are more than settings.max_error + 1 errors, where EVALB would stop.
    """

    metric = "f1"

    def __init__(self, gold: Trees, system: Trees, *, settings: EvalbSettings = COLLINS, strict: bool = True):
        if gold.sentences != system.sentences:
            raise InputError(
                f"{gold.source} has {gold.sentences:,} sentences and {system.source} has {system.sentences:,}; both must hold the same."
            )
        if not gold.sentences:
            raise InputError("there are no sentences to score; give at least one.", gold.source)
        self.settings, self.failures = settings, list[tuple[int, str]]()  # sentences from 0, with reasons
        self.compared: list[Compared] = []
        errors = 0
        for i in range(gold.sentences):
            if not gold.parsed[i]:
                text = "this file has no gold trees to compare with; give trees in brackets."
                if gold.parsed.any():
                    text = "this sentence has no gold tree to compare with; leave it out."
                raise InputError(text, gold.where(i))
            if gold.partial[i]:
                raise InputError(
                    "the tree of this sentence is not wholly known (?), so nothing can be counted; leave it out.", gold.where(i)
                )
            found = compare(gold.tree(i), system.tree(i), settings)
            if not system.parsed[i] and found.reason != NO_WORDS:
                found = Compared(SKIPPED, found.length, reason="the system has no tree")
            self.compared.append(found)
            if found.status == VALID:
                continue
            self.failures.append((i, found.reason))
            errors += found.status != SKIPPED
            if (strict and found.reason != NO_WORDS) or errors > settings.max_error + 1:
                more = "" if strict else f", and so are {errors - 1} sentences before it; MAX_ERROR is {settings.max_error}"
                raise InputError(f"this sentence cannot be scored against {gold.where(i)}: {found.reason}{more}.", system.where(i))

    @cached_property
    def counts(self) -> np.ndarray:
        """Of each sentence: matched, the system's and gold brackets, int64 [S, 3]; zeros where it could not be scored."""
        return np.array([_numbers(found) for found in self.compared], np.int64)

    def score(self, counts: np.ndarray) -> np.ndarray:
        return f1_from_counts(counts)

    @property
    def per_sentence(self) -> np.ndarray:
        """F1 of each sentence in per cent [S], NaN where it could not be scored: for signed-rank tests."""
        return np.array([_rates(found)[2] if found.status == VALID else np.nan for found in self.compared])

    def summary(self, longest: int | None = None) -> Summary:
        """Numbers of all sentences, or of those with at most so many words."""
        chosen = [found for found in self.compared if longest is None or found.length <= longest]
        valid = [found for found in chosen if found.status == VALID]
        count, words = max(len(valid), 1), max(sum(found.words for found in valid), 1)
        matched, guessed, gold = np.array([_numbers(found) for found in valid] or [(0, 0, 0)]).sum(axis=0).tolist()
        skipped = sum(found.status == SKIPPED for found in chosen)
        means = np.array([_rates(found) for found in valid] or [(0.0, 0.0, 0.0)]).mean(axis=0).tolist()
        return Summary(
            len(chosen),
            len(chosen) - len(valid) - skipped,
            skipped,
            *rates(matched, guessed, gold),
            100 * sum(found.matched == found.gold == found.guessed for found in valid) / count,
            sum(found.crossing for found in valid) / count,
            100 * sum(found.crossing == 0 for found in valid) / count,
            100 * sum(found.crossing <= 2 for found in valid) / count,
            100 * sum(found.right_tags for found in valid) / words,
            *means,
        )

    @cached_property
    def by_label(self) -> dict[str, tuple[int, int, int]]:
        """Matched, the system's and gold brackets of each label."""
        sums: dict[str, np.ndarray] = {}
        for found in self.compared:
            for label, *numbers in found.by_label:
                sums[label] = sums.get(label, 0) + np.array(numbers)
        return {label: (int(a), int(b), int(c)) for label, (a, b, c) in sorted(sums.items())}

    one_class = False

    @property
    def by_class(self) -> dict[str, tuple[int, int, int]]:
        """The same, under the name that families share."""
        return self.by_label

    @property
    def signature(self) -> str:
        """One line that says how was counted, and how many sentences were not."""
        return f"{self.settings.signature}|left out:{len(self.failures)}"

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths up to which sentences are scored apart."""
        return tuple(sorted({self.settings.cutoff, SHORT}, reverse=True))

    def as_dict(self) -> dict:
        """The numbers of all sentences by name, and under lengths, labels and failures what is told of parts."""
        labels = {}
        for label, numbers in self.by_label.items():
            precision, recall, f1 = rates(*numbers)
            labels[label] = {
                "precision": precision,
                "recall": recall,
                "f1": f1,
                "correct": numbers[0],
                "guessed": numbers[1],
                "gold": numbers[2],
            }
        return {
            **self.summary().as_dict(),
            "lengths": {str(length): self.summary(length).as_dict() for length in self.lengths},
            "labels": labels,
            "failures": [{"sentence": i + 1, "reason": reason} for i, reason in self.failures],
            "signature": self.signature,
        }

    def report(self) -> str:
        """Lines to read: all sentences and shorter ones, then labels by their number in the gold trees, then what was left out."""
        lines = []
        for name, found in [("all", self.summary()), *((f"<= {length}", self.summary(length)) for length in self.lengths)]:
            lines.append(
                f"{name:>6}: precision {found.precision:6.2f}  recall {found.recall:6.2f}  F1 {found.f1:6.2f}  exact {found.exact:6.2f}"
                f"  ({found.valid:,} sentences)\n"
            )
            lines.append(
                f"        crossing {found.crossing:.2f} a sentence, none {found.no_crossing:.2f}, two or fewer {found.two_or_fewer:.2f}"
                f"  tags {found.tagging:.2f}  mean F1 of sentences {found.mean_f1:.2f}\n"
            )
        for label, numbers in sorted(self.by_label.items(), key=lambda pair: (-pair[1][2], pair[0])):
            precision, recall, f1 = rates(*numbers)
            lines.append(f"{label:>15}: precision {precision:6.2f}  recall {recall:6.2f}  F1 {f1:6.2f}  ({numbers[2]:,})\n")
        lines += [f"left out: sentence {i + 1}: {reason}\n" for i, reason in self.failures]
        return "".join([*lines, self.signature + "\n"])


def _numbers(found: Compared) -> tuple[int, int, int]:
    return found.matched, found.guessed, found.gold


def _rates(found: Compared) -> tuple[float, float, float]:
    """Precision, recall and F1 of one sentence in per cent; 100 where there is nothing to find and nothing was found."""
    return rates(*_numbers(found)) if found.gold or found.guessed else (100.0, 100.0, 100.0)
