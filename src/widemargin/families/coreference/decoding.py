"""What weights decide: the best candidate of every mention, the chains that links make, probabilities, and the best few choices."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from widemargin.engine.gradient import decode_all
from widemargin.errors import InputError
from widemargin.families.coreference.documents import NO_CHAIN
from widemargin.families.coreference.kernels.tables import score_rows
from widemargin.families.coreference.problem import LinkCorpus, reader_of, rows_of
from widemargin.parallel import together
from widemargin.structures.listing import listable
from widemargin.structures.lists.arrays import Lists

FREE = (0.0, 0.0, 0.0)  # prices


class Ranked(NamedTuple):
    """One of the best choices for a document."""

    score: float
    log_probability: float
    candidate: np.ndarray  # int64 [m]  0: new, k: the k-th mention before


def chains_of(candidate: np.ndarray) -> np.ndarray:
    """The chain of every mention, named by its first: candidate k of mention m links it to mention m - k."""
    chain = np.arange(len(candidate))
    for m, k in enumerate(candidate.tolist()):
        if k:
            chain[m] = chain[m - k]
    return chain


def _over(corpus: LinkCorpus, weights: np.ndarray, threads: int, call: Callable[..., Any]) -> None:
    """call(low, high, rows, s, reader) on pieces with about as many candidates each, at most one per thread."""
    if not corpus.rows:
        return
    unknown = dataclasses.replace(corpus, chain=np.full_like(corpus.chain, NO_CHAIN))
    reader, dtype, room = reader_of(weights), weights.dtype, corpus.longest
    cuts = np.searchsorted(corpus.at, np.linspace(0, corpus.at[-1], threads + 1)).tolist()

    def job(low, high):
        rows, s = rows_of(unknown, FREE, dtype, room), Lists().workspace(room, dtype=dtype)
        return lambda: call(low, high, rows, s, reader)

    together([job(low, high) for low, high in zip(cuts, cuts[1:]) if high > low], threads=threads)


def best_candidates(corpus: LinkCorpus, weights: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """Of every mention, int32 [n]; the first among equals."""
    found, at = np.zeros(corpus.rows, np.int32), np.arange(corpus.rows + 1)
    _over(corpus, weights, threads, lambda low, high, rows, s, reader: decode_all(low, high, rows, s, reader, at, found))
    return found


@dataclass(frozen=True)
class Scored:
    """Mentions under fixed weights at a temperature: p(k) = exp(score(k) / T) / Z for every mention by itself."""

    corpus: LinkCorpus
    weights: np.ndarray  # [rows, 16]
    temperature: float
    threads: int = 1

    def __post_init__(self):
        if not 0.0 < self.temperature < np.inf:
            raise InputError(f"the temperature is {self.temperature}; it must be a number above 0")

    def scores(self) -> np.ndarray:
        """Of all candidates of all mentions [N]; those of mention i begin at corpus.at[i]."""
        out = np.zeros(int(self.corpus.at[-1]), self.weights.dtype)
        at = self.corpus.at
        _over(self.corpus, self.weights, self.threads, lambda low, high, rows, s, reader: score_rows(low, high, rows, s, reader, at, out))
        return out.astype(np.float64)

    def log_probabilities(self, scores: np.ndarray | None = None) -> np.ndarray:
        """Of all candidates [N]."""
        scaled = (self.scores() if scores is None else scores) / self.temperature
        if not len(scaled):
            return scaled
        first, sizes = self.corpus.at[:-1], self.corpus.sizes
        peak = np.repeat(np.maximum.reduceat(scaled, first), sizes)
        return scaled - peak - np.repeat(np.log(np.add.reduceat(np.exp(scaled - peak), first)), sizes)

    def kbest(self, mention_ptr: np.ndarray, k: int) -> list[list[Ranked]]:
        """The k best choices of every document, best first; fewer where there are fewer. Mentions are chosen independently of each other,
        so a document's best few are sums of its mentions'."""
        scores, at = self.scores(), self.corpus.at.tolist()
        log_p, out = self.log_probabilities(scores), []
        k = listable(k, 2**31, 8 * int(np.diff(mention_ptr).max(initial=1)))
        for low, high in zip(mention_ptr.tolist(), mention_ptr[1:].tolist()):
            total, picked = np.zeros(1), np.zeros((1, 0), np.int64)
            for m in range(low, high):
                own = scores[at[m] : at[m + 1]]
                order = np.argsort(-own, kind="stable")[:k]
                sums = (total[:, None] + own[order]).reshape(-1)
                best = np.argsort(-sums, kind="stable")[:k]
                total = sums[best]
                picked = np.column_stack([picked[best // len(order)], order[best % len(order)]])
            places = np.arange(low, high)
            base = np.array(at)[places] if high > low else np.zeros(0, np.int64)
            out.append([Ranked(float(s), float(log_p[base + row].sum()), row) for s, row in zip(total, picked)])
        return out
