"""Attachment scores of dependency trees: UAS, LAS, CLAS, whole sentences, and F1 by relation.

    UAS   right head                          LAS   right head and relation
    CLAS  LAS of content words: those whose relation is in CONTENT; guesses and gold are counted apart, so it is an F1
    UEM, LEM   sentences without any wrong head, without any wrong head or relation

as the evaluation of CoNLL 2018 counts (Zeman et al. 2018) where both sides have the same words: subtypes of relations are cut off
(nsubj:pass is nsubj), punctuation counts in UAS and LAS and is no content. A relation's F1 counts words of that relation with the right
head. Words whose gold head is not known (-1) count nowhere.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.dependencies.conllu import FORM, UPOS, Treebank
from widemargin.metrics.bootstrap import accuracy_from_counts
from widemargin.metrics.rates import rates

CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod conj fixed flat"
    " compound list parataxis orphan goeswith reparandum root dep".split()
)


@dataclass(frozen=True)
class DependencyScores:
    """Counts of words and sentences; scores in per cent."""

    words: int
    heads: int  # with the right head
    both: int  # with the right head and relation
    content: tuple[int, int, int]  # right, guessed, gold
    sentences: int
    heads_exact: int  # sentences with the right heads alone
    both_exact: int
    by_relation: dict[str, tuple[int, int, int]]  # right, guessed, gold

    @property
    def uas(self) -> float:
        return 100 * self.heads / self.words if self.words else 0.0

    @property
    def las(self) -> float:
        return 100 * self.both / self.words if self.words else 0.0

    @property
    def clas(self) -> float:
        return rates(*self.content)[2]

    @property
    def uem(self) -> float:
        return 100 * self.heads_exact / self.sentences if self.sentences else 0.0

    @property
    def lem(self) -> float:
        return 100 * self.both_exact / self.sentences if self.sentences else 0.0

    def report(self) -> str:
        """Lines to read: the scores, then relations by their number in the gold standard."""
        lines = [f"UAS {self.uas:6.2f}  LAS {self.las:6.2f}  CLAS {self.clas:6.2f}  ({self.words:,} words)\n"]
        lines.append(f"UEM {self.uem:6.2f}  LEM {self.lem:6.2f}  ({self.sentences:,} sentences)\n")
        for name, counts in sorted(self.by_relation.items(), key=lambda pair: (-pair[1][2], pair[0])):
            precision, recall, f1 = rates(*counts)
            lines.append(f"{name:>15}: precision {precision:6.2f}  recall {recall:6.2f}  F1 {f1:6.2f}  ({counts[2]:,})\n")
        return "".join(lines)

    def as_dict(self) -> dict:
        """Per cents by the keys uas, las, clas, uem and lem, and relations: precision, recall, f1 and counts of each."""
        relations = {}
        for name, (correct, guessed, gold) in sorted(self.by_relation.items()):
            precision, recall, f1 = rates(correct, guessed, gold)
            relations[name] = {"precision": precision, "recall": recall, "f1": f1, "correct": correct, "guessed": guessed, "gold": gold}
        overall = {"uas": self.uas, "las": self.las, "clas": self.clas, "uem": self.uem, "lem": self.lem}
        return {**overall, "words": self.words, "sentences": self.sentences, "relations": relations}


class TreeSide(NamedTuple):
    """One side's trees."""

    heads: np.ndarray  # int [N]
    relation: np.ndarray  # int [N] into the names, -1: none
    names: Sequence[str]


def dependency_scores(
    gold: TreeSide, guess: TreeSide, row_ptr: np.ndarray, *, counted: np.ndarray | None = None, subtypes: bool = False
) -> DependencyScores:
    """Score guessed trees against gold ones; sentences by row_ptr [S+1].

    counted bool [N] leaves out words where it is false; subtypes=True compares whole relations.
    """
    return _scores(_compared(gold, guess, row_ptr, counted, subtypes), row_ptr)


def _scores(compared: tuple, row_ptr: np.ndarray) -> DependencyScores:
    """What `_compared` found, counted."""
    known, head, both, gold, guess, names = compared
    content = np.array([name in CONTENT for name in names] + [False])  # the last is for -1
    size = len(names)
    right, guessed, wanted = (np.bincount(codes[codes >= 0], minlength=size) for codes in (gold[both], guess[known], gold[known]))
    whole = np.diff(row_ptr) > 0
    wrong_head, wrong = (np.add.reduceat(np.append(known & ~part, False), row_ptr[:-1]) * whole > 0 for part in (head, both))
    return DependencyScores(
        words=int(known.sum()),
        heads=int(head.sum()),
        both=int(both.sum()),
        content=(int((both & content[gold]).sum()), int((known & content[guess]).sum()), int((known & content[gold]).sum())),
        sentences=len(row_ptr) - 1,
        heads_exact=int((~wrong_head).sum()),
        both_exact=int((~wrong).sum()),
        by_relation={name: (int(right[k]), int(guessed[k]), int(wanted[k])) for k, name in enumerate(names) if guessed[k] or wanted[k]},
    )


class TreeScores:
    """Heads [N] and relations (codes into their names) against a treebank's own trees (families.base.Scores)."""

    def __init__(
        self,
        gold: Treebank,
        heads: np.ndarray,
        relation: np.ndarray,
        names: Sequence[str],
        *,
        no_punctuation: bool = False,
        subtypes: bool = False,
        metric: str = "las",
    ):
        counted = ~punctuation_of(gold) if no_punctuation else None
        self.metric, self._row_ptr = metric, gold.row_ptr
        sides = TreeSide(gold.heads, gold.relation, gold.relations), TreeSide(heads, relation, names)
        self._compared = _compared(*sides, gold.row_ptr, counted, subtypes)
        self.found = _scores(self._compared, gold.row_ptr)

    def as_dict(self) -> dict:
        return self.found.as_dict()

    def report(self) -> str:
        return self.found.report()

    one_class = True  # every word has a head and a relation

    @property
    def by_class(self) -> dict[str, tuple[int, int, int]]:
        """Words of each relation: with the right head and relation, guessed, gold."""
        return self.found.by_relation

    @cached_property
    def counts(self) -> np.ndarray:
        """Of each sentence: words with the right head (las: and relation), and words, int64 [S, 2]."""
        known, head, both, *_ = self._compared
        right = both if self.metric == "las" else head
        return np.stack([np.add.reduceat(part.astype(np.int64), self._row_ptr[:-1]) for part in (right, known)], axis=1)

    def score(self, counts: np.ndarray) -> np.ndarray:
        return accuracy_from_counts(counts)


def compare_treebanks(gold: Treebank, system: Treebank, *, punctuation: bool = True, subtypes: bool = False) -> DependencyScores:
    """Score a system's trees against gold trees of the same words."""
    check_words(gold, system)
    return TreeScores(gold, system.heads, system.relation, system.relations, no_punctuation=not punctuation, subtypes=subtypes).found


def punctuation_of(treebank: Treebank) -> np.ndarray:
    """Which words are punctuation, bool [N]: by UPOS, in CoNLL-X (which has none) by the characters of the form."""
    column = UPOS if treebank.format == "conllu" else FORM
    values = treebank.columns.values[column]
    if column == UPOS:
        mark = [value == "PUNCT" for value in values]
    else:
        mark = [all(unicodedata.category(character)[0] == "P" for character in value) for value in values]
    return np.array(mark, bool)[treebank.columns.codes[column]]


def check_words(gold: Treebank, system: Treebank) -> None:
    """Both sides must have the same words in the same sentences."""
    if not np.array_equal(gold.row_ptr, system.row_ptr):
        raise InputError(
            f"{gold.source} has {gold.tokens:,} words in {len(gold.row_ptr) - 1:,} sentences, {system.source} {system.tokens:,} in "
            f"{len(system.row_ptr) - 1:,}; both files must hold the same sentences"
        )
    index = {form: code for code, form in enumerate(gold.columns.values[FORM])}
    other = np.array([index.get(form, -1) for form in system.columns.values[FORM]])[system.columns.codes[FORM]]
    if (bad := np.flatnonzero(other != gold.columns.codes[FORM])).size:
        words = [side.columns.values[FORM][side.columns.codes[FORM, bad[0]]] for side in (system, gold)]
        raise InputError(
            f"the word is {words[0]!r} here and {words[1]!r} in {gold.columns.where(bad[0])}; both files must hold the same words",
            system.columns.where(bad[0]),
        )


def _compared(gold: TreeSide, guess: TreeSide, row_ptr: np.ndarray, counted: np.ndarray | None, subtypes: bool) -> tuple:
    """Which words count, have the right head, and the right relation too (bool [N]); both sides' relations as codes, and their names."""
    n = row_ptr[-1]
    if any(len(array) != n for side in (gold, guess) for array in (side.heads, side.relation)):
        raise InputError(f"there are {len(gold.heads)} gold heads and {len(guess.heads)} guessed heads for {n} words; give one of each.")
    index: dict[str, int] = {}

    def codes(side: TreeSide) -> np.ndarray:
        names = (name if subtypes else name.partition(":")[0] for name in side.names)
        return np.array([*(index.setdefault(name, len(index)) for name in names), -1])[side.relation]

    of_gold, of_guess = codes(gold), codes(guess)
    known = np.asarray(gold.heads) >= 0
    if counted is not None:
        known &= counted
    head = known & (np.asarray(gold.heads) == guess.heads)
    return known, head, head & (of_gold == of_guess), of_gold, of_guess, list(index)
