"""Lists of hypotheses in memory: features, words, BLEU statistics and metric columns of each, sentence by sentence.

The statistics are whole numbers that add up over sentences (Papineni et al. 2002), in the order of sacrebleu's formula:

    counts[h] = matches of 1..4-grams, n-grams of the hypothesis for n = 1..4, its length, length of the closest reference
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from widemargin.scoring.list_corpus import pointer

STATISTICS = 10
NO_COUNTS = np.zeros((0, STATISTICS), np.int32)


@dataclass(frozen=True, eq=False)
class Pool:
    """S sentences with H hypotheses in all, of D features. Those of sentence i are row_ptr[i]:row_ptr[i+1], best first as in the file."""

    row_ptr: np.ndarray  # int64 [S+1]
    feature_ptr: np.ndarray  # int64 [H+1]
    feature: np.ndarray  # int32 [E]   features of a hypothesis that are not 0, ascending
    value: np.ndarray  # float64 [E]
    names: tuple[str, ...]  # [D]
    token_ptr: np.ndarray  # int64 [H+1]
    token: np.ndarray  # int32 [T]   words as numbers
    counts: np.ndarray = field(default_factory=lambda: NO_COUNTS)  # int32 [H, 10], or [0, 10] without references
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)  # float64 [H] each: metrics of a hypothesis
    words: tuple[str, ...] = ()  # what the numbers of tokens stand for
    ids: tuple[str, ...] = ()  # [S]   of sentences, as the file has them
    texts: tuple[str, ...] = ()  # [H]
    score: np.ndarray = field(default_factory=lambda: np.zeros(0))  # float64 [H]   the system's own, NaN where it gave none
    alignment: tuple[str, ...] = ()  # [H], or empty where no hypothesis has one
    references: tuple[tuple[str, ...], ...] = ()  # [S], the references of each sentence; empty: there are none
    sources: tuple[str, ...] = ()  # [S], or empty
    line: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # int64 [H]   where it stands in the file
    source: str = "<memory>"
    form: str = "nbest"  # of the file: nbest or jsonl, which what is written from it takes too

    def __len__(self) -> int:
        """H."""
        return len(self.feature_ptr) - 1

    @property
    def sentences(self) -> int:
        return len(self.row_ptr) - 1

    @property
    def row(self) -> np.ndarray:
        """The sentence of each hypothesis, int64 [H]."""
        return np.repeat(np.arange(self.sentences), np.diff(self.row_ptr))

    @property
    def text(self) -> bytes:
        """Everything that decides what is learnt, as bytes: for digests."""
        arrays = (self.row_ptr, self.feature_ptr, self.feature, self.value, self.token_ptr, self.token, self.counts, *self.columns.values())
        names = [*self.names, "", *self.columns, "", *self.texts, "", *(one for many in self.references for one in many)]
        return b"".join(array.tobytes() for array in arrays) + "\n".join(names).encode()

    def dense(self) -> np.ndarray:
        """Feature vectors written out, float64 [H, D]."""
        out = np.zeros((len(self), len(self.names)))
        out[np.repeat(np.arange(len(self)), np.diff(self.feature_ptr)), self.feature] = self.value
        return out

    def scores(self, w: np.ndarray) -> np.ndarray:
        """w . f(h) for every hypothesis, float64 [H]; w is [D]."""
        owner = np.repeat(np.arange(len(self)), np.diff(self.feature_ptr))
        return np.bincount(owner, self.value * w[self.feature], minlength=len(self))

    def part(self, rows: np.ndarray) -> "Pool":
        """Some of the sentences, in this order."""
        rows = np.asarray(rows, np.int64)
        chosen = ranges(self.row_ptr, rows)
        made = self.hypotheses(chosen, pointer(np.diff(self.row_ptr)[rows]))

        def of(things: tuple) -> tuple:
            return tuple(things[i] for i in rows.tolist()) if things else ()

        return dataclasses.replace(made, ids=of(self.ids), references=of(self.references), sources=of(self.sources))

    def hypotheses(self, chosen: np.ndarray, row_ptr: np.ndarray) -> "Pool":
        """Hypotheses by number, those of sentence i at row_ptr[i]:row_ptr[i+1] of the new list; the sentences stay as they are."""
        entries, tokens = ranges(self.feature_ptr, chosen), ranges(self.token_ptr, chosen)
        return dataclasses.replace(
            self,
            row_ptr=row_ptr,
            feature_ptr=pointer(np.diff(self.feature_ptr)[chosen]),
            feature=self.feature[entries],
            value=self.value[entries],
            token_ptr=pointer(np.diff(self.token_ptr)[chosen]),
            token=self.token[tokens],
            counts=self.counts[chosen] if len(self.counts) else self.counts,
            columns={name: column[chosen] for name, column in self.columns.items()},
            texts=tuple(self.texts[h] for h in chosen) if self.texts else (),
            score=self.score[chosen] if len(self.score) else self.score,
            alignment=tuple(self.alignment[h] for h in chosen) if self.alignment else (),
            line=self.line[chosen] if len(self.line) else self.line,
        )

    def merge(self, other: "Pool") -> "Pool":
        """Both lists as one, sentence by sentence, this one's hypotheses first; what has the same words and features stands once.

        Lists accumulate over iterations of a decoder by it. Sentences are told apart by their ids.
        """
        from widemargin.families.reranking.merging import merged

        return merged(self, other)


def ranges(ptr: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The numbers ptr[i] .. ptr[i+1]-1 for every i of `which`, one after another."""
    counts = np.diff(ptr)[which]
    at = pointer(counts)
    return np.repeat(ptr[:-1][which] - at[:-1], counts) + np.arange(at[-1])
