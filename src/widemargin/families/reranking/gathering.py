"""Hypotheses as a reader finds them, line by line, and the Pool that they become."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from widemargin.engine.settings import shown, whole_number
from widemargin.errors import InputError
from widemargin.families.reranking.merging import without_repetitions
from widemargin.families.reranking.pool import NO_COUNTS, Pool
from widemargin.scoring.list_corpus import pointer

LARGEST = 1e100  # of a feature in absolute value: sums of products stay finite


def _numbers() -> defaultdict[str, int]:
    """Numbers for words in order of first appearance."""
    found: defaultdict[str, int] = defaultdict()
    found.default_factory = found.__len__
    return found


@dataclass
class Gathered:
    """Lists under construction. Each list has an entry per hypothesis but for those of features and words, which have runs of entries."""

    source: str
    form: str = "nbest"
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    score: list[str | float] = field(default_factory=list)  # "" where there is none
    alignment: list[str] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    value: list[str | float] = field(default_factory=list)  # as text where the file has text: all are converted at once
    features: list[int] = field(default_factory=list)  # how many of them
    names: defaultdict[str, int] = field(default_factory=_numbers)
    columns: dict[str, list[float]] = field(default_factory=dict)
    references: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by sentence, where the lists bring them along
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, number: int, sentence: str, text: str, *, score: str | float = "", alignment: str = "") -> None:
        """A hypothesis, whose features follow."""
        self.ids.append(sentence)
        self.texts.append(text)
        self.line.append(number)
        self.score.append(score)
        self.alignment.append(alignment)

    def where(self, h: int) -> str:
        """file:line of a hypothesis."""
        return f"{self.source}:{self.line[h]}"

    def pool(self) -> Pool:
        """All of it, by sentence; what stands twice with the same words and features stands once."""
        if not self.ids:
            raise InputError(
                "there is no hypothesis in this file; give lines such as `0 ||| a text ||| lm= -12.5 tm= -3 ||| -15.5`", self.source
            )
        ids, sentence = self._sentences()
        order = np.argsort(sentence, kind="stable")
        feature_ptr, feature, value = self._features()
        words, token_ptr, token = self._words()
        made = Pool(
            pointer(np.bincount(sentence)),
            feature_ptr,
            feature,
            value,
            tuple(self.names),
            token_ptr,
            token,
            NO_COUNTS,
            {name: np.array(column) for name, column in self.columns.items()},
            words,
            ids,
            tuple(self.texts),
            self._scores(),
            tuple(self.alignment) if any(self.alignment) else (),
            tuple(self.references[name] for name in ids) if self.references else (),
            tuple(self.sources.get(name, "") for name in ids) if self.sources else (),
            np.array(self.line, np.int64),
            self.source,
            self.form,
        )
        if (order[1:] < order[:-1]).any():
            made = made.hypotheses(order, made.row_ptr)
        same = len(set(zip(self.ids, [" ".join(text.split()) for text in self.texts])))
        return without_repetitions(made) if same < len(made) else made

    def _sentences(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Ids of sentences, by number where all are whole numbers, else as they come; and the sentence of each hypothesis [H]."""
        ids = list(dict.fromkeys(self.ids))
        numbers = {name: whole_number(name) for name in ids}
        if None not in numbers.values():
            ids.sort(key=lambda name: numbers[name] or 0)
        place = {name: i for i, name in enumerate(ids)}
        return tuple(ids), np.fromiter(map(place.__getitem__, self.ids), np.int64, len(self.ids))

    def _words(self) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
        """The vocabulary, bounds and numbers of the words of all hypotheses."""
        numbers = _numbers()
        split = [text.split() for text in self.texts]
        token_ptr = pointer(np.fromiter(map(len, split), np.int64, len(split)))
        token = np.fromiter((numbers[word] for words in split for word in words), np.int32, int(token_ptr[-1]))
        return tuple(numbers), token_ptr, token

    def _features(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds, numbers and values: ascending in each hypothesis, values of the same feature added, zeros left out."""
        owner = np.repeat(np.arange(len(self.features)), self.features)
        feature, value = np.array(self.feature, np.int32), self._values(owner)
        order = np.lexsort((feature, owner))
        owner, feature, value = owner[order], feature[order], value[order]
        new = np.concatenate([[True], (owner[1:] != owner[:-1]) | (feature[1:] != feature[:-1])])[: len(owner)]
        first = np.flatnonzero(new)
        value = np.add.reduceat(value, first) if len(first) else value
        kept = first[value != 0.0]
        return pointer(np.bincount(owner[kept], minlength=len(self.features))), feature[kept], value[value != 0.0]

    def _values(self, owner: np.ndarray) -> np.ndarray:
        """Values of features as numbers; one that is none is refused with its place."""
        try:
            value = np.array(list(map(float, self.value)), float)
            fine = np.abs(value) <= LARGEST
        except ValueError:
            fine = np.array([_is_number(one) for one in self.value])
        if not fine.all():
            at = int(np.argmin(fine))
            name = list(self.names)[self.feature[at]]
            raise InputError(f"the feature {name} is {shown(self.value[at])!r}, which is not a finite number", self.where(int(owner[at])))
        return value

    def _scores(self) -> np.ndarray:
        for h, score in enumerate(self.score):
            if score != "" and not _is_number(score):
                raise InputError(f"the score of this hypothesis is {shown(score)!r}, which is not a finite number", self.where(h))
        return np.array([np.nan if score == "" else float(score) for score in self.score])


def _is_number(text: str | float) -> bool:
    try:
        return abs(float(text)) <= LARGEST
    except ValueError:
        return False
