"""One sentence as EVALB compares it: which words and brackets count, which match, and which cross.

    words      those whose tag is deleted go, on either side; what is left must be the same words
    labels     are cut at the first - or =; brackets with a deleted label, or without words that count, go
    match      each gold bracket takes the first bracket of the system that is not taken yet, over the same words, with a like label
    crossing   brackets of the system that cross a gold one, each once
    tags       of the words that count
An outer bracket without a label goes too: EVALB would count it, but expects TOP there.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from widemargin.families.constituency.evalb_settings import EvalbSettings
from widemargin.families.constituency.tree import Tree

VALID, ERROR, SKIPPED = range(3)  # EVALB's status
NO_WORDS = "no word of it counts"  # on either side, so nothing is wrong
QUOTATION = ("'", '"', "/")  # words that QUOTE_LABEL is about
Bracket = tuple[int, int, str]


class Compared(NamedTuple):
    """What EVALB's line for a sentence says, and a reason where it fails."""

    status: int
    length: int  # of the gold sentence
    matched: int = 0
    gold: int = 0
    guessed: int = 0
    crossing: int = 0
    words: int = 0
    right_tags: int = 0
    by_label: tuple[tuple[str, int, int, int], ...] = ()  # label, matched, guessed, gold
    reason: str = ""


def compare(gold: Tree, guess: Tree, settings: EvalbSettings) -> Compared:
    """A system's tree against the gold tree."""
    length = sum(tag not in settings.not_in_length for tag in gold.tags)
    keep, kept = ([tag not in settings.deleted for tag in tree.tags] for tree in (gold, guess))
    if not any(keep) and not any(kept):
        return Compared(SKIPPED, length, reason=NO_WORDS)
    if not any(kept):
        return Compared(SKIPPED, length, reason="the system has no words that count")
    if sum(keep) != sum(kept):
        _mend_quotes(gold, guess, keep, kept, settings)
    words, others = (_chosen(tree.words, mask) for tree, mask in ((gold, keep), (guess, kept)))
    if len(words) != len(others):
        return Compared(ERROR, length, reason=f"the gold tree has {len(words)} words that count, the system's {len(others)}")
    for word, other in zip(words, others):
        if word != other and (word, other) not in settings.same_words and (other, word) not in settings.same_words:
            return Compared(ERROR, length, reason=f"the word is {word!r} in the gold tree and {other!r} in the system's")
    wanted, found = _brackets(gold, keep, settings), _brackets(guess, kept, settings)
    matched, by_label = _matches(wanted, found, settings)
    tags = zip(_chosen(gold.tags, keep), _chosen(guess.tags, kept))
    right = sum(settings.alike(tag, other) for tag, other in tags)
    return Compared(VALID, length, matched, len(wanted), len(found), crossings(wanted, found), len(words), right, by_label)


def _chosen(cells: tuple[str, ...], mask: list[bool]) -> list[str]:
    return [cell for cell, stays in zip(cells, mask) if stays]


def _mend_quotes(gold: Tree, guess: Tree, keep: list[bool], kept: list[bool], settings: EvalbSettings) -> None:
    """A quotation mark that one side alone deletes stays on both, where both tags are settings.quotes."""
    if gold.words == guess.words:
        for w, word in enumerate(gold.words):
            if keep[w] != kept[w] and word in QUOTATION and {gold.tags[w], guess.tags[w]} <= set(settings.quotes):
                keep[w] = kept[w] = True


def _brackets(tree: Tree, keep: list[bool], settings: EvalbSettings) -> list[Bracket]:
    """Brackets that count, over words that count."""
    place = [0, *np.cumsum(keep).tolist()]
    out = []
    for first, end, label in tree.brackets:
        first, end, label = place[first], place[end], label.partition("-")[0].partition("=")[0] if label else "TOP"
        if first < end and not any(settings.alike(label, other) for other in settings.deleted):
            out.append((first, end, label))
    return out


def _matches(wanted: list[Bracket], found: list[Bracket], settings: EvalbSettings) -> tuple[int, tuple[tuple[str, int, int, int], ...]]:
    """How many match, and matched, guessed and gold brackets of each label; labels that are alike count under the first of their pair."""
    free: dict[tuple[int, int], list[str]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    shared = {b: a for a, b in settings.same_labels}
    for first, end, label in found:
        free[first, end].append(label)
        counts[shared.get(label, label)][1] += 1
    matched = 0
    for first, end, label in wanted:
        counts[shared.get(label, label)][2] += 1
        there = free.get((first, end), [])
        taken = next((k for k, other in enumerate(there) if not settings.labelled or settings.alike(label, other)), None)
        if taken is not None:
            del there[taken]
            matched += 1
            counts[shared.get(label, label)][0] += 1
    return matched, tuple((label, a, b, c) for label, (a, b, c) in sorted(counts.items()))


def crossings(wanted: list[Bracket], found: list[Bracket]) -> int:
    """How many found brackets cross one that is wanted: each begins inside the other and ends outside. Both are trees in pre-order.

    Of the wanted brackets around a place between two words, the innermost is the first to be crossed.
    """
    n = max([end for _, end, _ in [*wanted, *found]], default=0)
    first_around, end_around = np.full(n + 1, -1), np.full(n + 1, n + 1)  # of the innermost, at each place
    for first, end in dict.fromkeys((first, end) for first, end, _ in wanted):  # the inner ones later
        first_around[first + 1 : end] = first
        end_around[first + 1 : end] = end
    spans = np.array([bracket[:2] for bracket in found], np.int64).reshape(-1, 2)
    low, high = spans.T
    return int(((end_around[low] < high) | (first_around[high] > low)).sum())
