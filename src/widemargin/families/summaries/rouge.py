"""ROUGE: how much of reference summaries a summary says (Lin 2004), as the package rouge-score computes it, to the digit.

    rouge1, rouge2    common words or bigrams, each as often as in both
    rougeL            the longest common subsequence of words
    rougeLsum         the union of longest common subsequences of a reference's line with all lines of the summary, words counted once

Recall is their number over that of the reference's, precision over that of the summary's. Several references: the mean, the one with the
highest F, or Lin's jackknife, the mean over all references but one of the highest of the others.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from widemargin.errors import InputError, require
from widemargin.families.summaries.text import words

METRICS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
TOKENS, COMBINED = ("ascii", "unicode"), ("mean", "max", "jackknife")
ASCII_WORD = re.compile(r"[a-z0-9]+")


class Overlap(NamedTuple):
    """Numbers from 0 to 1."""

    recall: float
    precision: float
    f: float


@dataclass(frozen=True)
class Rouge:
    """How texts are compared. tokens: ascii, runs of a-z and 0-9 as in rouge-score, or unicode, runs of letters and digits. stemmer: words
    of more than three letters lose their endings (Porter 1980, nltk's). truncate_words, truncate_bytes: so much of the summary's beginning
    counts, 0: all."""

    stemmer: bool = False
    tokens: str = "ascii"
    references: str = "mean"
    truncate_words: int = 0
    truncate_bytes: int = 0

    def __str__(self) -> str:
        """What is counted, and how, in a line beside the scores."""
        cuts = [f"first {n} {unit}" for n, unit in ((self.truncate_words, "words"), (self.truncate_bytes, "bytes")) if n]
        how = [f"{'with' if self.stemmer else 'without'} stemmer", f"{self.tokens} words", f"{self.references} over references", *cuts]
        return ", ".join(how)

    def tokenize(self, text: str) -> list[str]:
        """Words as they are compared."""
        found = ASCII_WORD.findall(text.lower()) if self.tokens == "ascii" else words(text)
        if self.stemmer:
            shorten = _porter()
            found = [shorten(word) if len(word) > 3 else word for word in found]
        return found

    def score(self, summary: str, references: Sequence[str], metrics: Sequence[str] = METRICS) -> dict[str, Overlap]:
        """Metrics of a summary against one or several references."""
        if not references:
            raise InputError("there is no reference to compare the summary with")
        lines = self._lines(self._cut(summary))
        each = [[compare(metric, lines, self._lines(reference)) for metric in metrics] for reference in references]
        return {metric: combine(list(found), self.references) for metric, found in zip(metrics, zip(*each))}

    def _lines(self, text: str) -> list[list[str]]:
        return [found for line in text.split("\n") if (found := self.tokenize(line))]

    def _cut(self, text: str) -> str:
        if self.truncate_bytes:
            text = text.encode()[: self.truncate_bytes].decode(errors="ignore")
        if self.truncate_words:
            found = list(re.finditer(r"\S+", text))[: self.truncate_words]
            text = text[: found[-1].end()] if found else ""
        return text


@functools.cache
def _porter() -> Callable[[str], str]:
    require("nltk", "the stemmer")
    from nltk.stem.porter import PorterStemmer

    return functools.cache(PorterStemmer().stem)


def compare(metric: str, summary: list[list[str]], reference: list[list[str]]) -> Overlap:
    """One of METRICS of a summary against one reference, both lines of words."""
    mine, theirs = ([word for line in lines for word in line] for lines in (summary, reference))
    if metric in ("rouge1", "rouge2"):
        return _ngrams(mine, theirs, int(metric[-1]))
    common = len(common_places(theirs, mine)) if metric == "rougeL" else _union(summary, reference)
    return _overlap(common, len(theirs), len(mine))


def combine(each: list[Overlap], how: str) -> Overlap:
    """Several references as one number."""
    if how == "mean" or len(each) == 1:
        return Overlap(*(sum(values) / len(each) for values in zip(*each)))
    if how == "max":
        return max(each, key=lambda overlap: overlap.f)
    best = [combine(each[:i] + each[i + 1 :], "max") for i in range(len(each))]
    return combine(best, "mean")


def _overlap(common: int, reference: int, summary: int) -> Overlap:
    recall, precision = common / max(1, reference), common / max(1, summary)
    return Overlap(recall, precision, 2 * recall * precision / (recall + precision) if common else 0.0)


def _ngrams(summary: list[str], reference: list[str], n: int) -> Overlap:
    mine, theirs = (Counter(zip(*(found[k:] for k in range(n)))) for found in (summary, reference))
    return _overlap((mine & theirs).total(), theirs.total(), mine.total())


def common_places(reference: list[str], summary: list[str]) -> list[int]:
    """Places in the reference of a longest common subsequence, from the end backwards the later words first."""
    rows, columns = len(reference), len(summary)
    table = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i, word in enumerate(reference):
        above, row = table[i], table[i + 1]
        for j, other in enumerate(summary):
            row[j + 1] = above[j] + 1 if word == other else max(above[j + 1], row[j])
    found, i, j = [], rows, columns
    while i > 0 and j > 0:
        if reference[i - 1] == summary[j - 1]:
            i, j = i - 1, j - 1
            found.append(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found[::-1]


def _union(summary: list[list[str]], reference: list[list[str]]) -> int:
    """How many words of the reference are in a common subsequence of its line and one of the summary's; none more often than in either
    text."""
    mine, theirs = (Counter(word for line in lines for word in line) for lines in (summary, reference))
    hits = 0
    for line in reference:
        for place in sorted({place for other in summary for place in common_places(line, other)}):
            word = line[place]
            if mine[word] > 0 and theirs[word] > 0:
                hits += 1
                mine[word] -= 1
                theirs[word] -= 1
    return hits
