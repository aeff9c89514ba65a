"""Distinct tokens, their Gram matrix row by row, and the problem that a kernel makes of a problem.

Tokens with the same features are one vector. A kernel problem is a problem whose node features are those D vectors, one per token: its
table w [D + edges, L] holds alpha, then the edges, and

    score[t, y] = sum_u alpha[u, y] K(x_u, x_t),        |w|^2 = sum_y alpha_y' K alpha_y + |edges|^2.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from widemargin.engine.rows import Rows
from widemargin.engine.tables import Weights
from widemargin.errors import InputError
from widemargin.scoring.corpus import EMPTY, Merged
from widemargin.scoring.kernels.gram_rows import LINEAR as LINE
from widemargin.scoring.kernels.gram_rows import POLY, RBF, TANH, Cache, Curve, Vectors, fill_index, gram_row
from widemargin.scoring.kernels.kernel import LINEAR, Kernel
from widemargin.scoring.kernels.support_rows import Supported
from widemargin.scoring.token_problem import TokenProblem

KINDS = {"linear": LINE, "poly": POLY, "tanh": TANH, "rbf": RBF}


def curve_of(kernel: Kernel) -> Curve:
    """The kernel's constants as compiled code reads them."""
    return Curve(KINDS[kernel.kind], int(kernel.degree), float(kernel.gamma), float(kernel.coef))


def vectors_of(ptr: np.ndarray, ind: np.ndarray, val: np.ndarray, copies: np.ndarray | None = None) -> Vectors:
    """Sparse vectors with their inverted index. val: empty when all are 1; copies [F]: how many features each one stands for."""
    val = np.ascontiguousarray(val, np.float32) if len(val) else np.ones(len(ind), np.float32)
    F = int(ind.max(initial=-1)) + 1
    copies = np.ones(F, np.float32) if copies is None else copies[:F].astype(np.float32)
    at = np.concatenate([[0], np.cumsum(np.bincount(ind, minlength=F))]).astype(np.int64)
    place, weight, square = np.empty(len(ind), np.int32), np.empty(len(ind), np.float32), np.zeros(len(ptr) - 1)
    ptr, ind = np.ascontiguousarray(ptr, np.int64), np.ascontiguousarray(ind, np.int32)
    vectors = Vectors(ptr, ind, val, at, place, weight, square)
    fill_index(vectors, copies, at[:-1].copy(), np.zeros(F))
    return vectors


def cache_for(vectors: Vectors, megabytes: float) -> Cache:
    """Room for as many Gram rows as the budget allows, at least one and never more than there are."""
    D = len(vectors.square)
    C = min(D, max(1, int(megabytes * 1e6 / (4 * D))))
    slot, owner, stamp = np.full(D, -1, np.int32), np.full(C, -1, np.int32), np.zeros(C, np.int64)
    return Cache(np.empty((C, D), np.float32), slot, owner, stamp, np.zeros(3, np.int64), np.zeros(D))


@dataclass(frozen=True)
class Distinct:
    """The distinct vectors among N tokens."""

    vectors: Vectors
    which: np.ndarray  # int32 [N]
    first: np.ndarray  # int64 [D]   the first token of each


def distinct(node: Merged) -> Distinct:
    """Tokens with the same features and values made one."""
    tokens = np.repeat(np.arange(len(node.ptr) - 1), np.diff(node.ptr))
    order = np.lexsort((node.ind, tokens))
    ind, val = node.ind[order], node.val[order] if len(node.val) else node.val
    which = np.empty(len(node.ptr) - 1, np.int32)
    first: list[int] = []
    seen: dict[tuple[bytes, bytes], int] = {}
    bounds = node.ptr.tolist()
    for t, (low, high) in enumerate(zip(bounds, bounds[1:])):
        key = ind[low:high].tobytes(), val[low:high].tobytes()
        which[t] = seen.setdefault(key, len(seen))
        if which[t] == len(first):
            first.append(t)
    keep = np.array(first, np.int64)
    ptr, ind, val = take_rows(node.ptr, ind, val, keep)
    return Distinct(vectors_of(ptr, ind, val, node.copies), which, keep)


def take_rows(ptr: np.ndarray, ind: np.ndarray, val: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some rows of a sparse matrix."""
    length = np.diff(ptr)[rows]
    out = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    at = np.repeat(ptr[rows] - out[:-1], length) + np.arange(out[-1])
    return out, ind[at], val[at] if len(val) else val


@dataclass
class KernelProblem(TokenProblem):
    """A problem in the space of a kernel; made by `kernelised`."""

    kernel: Kernel = LINEAR  # type: ignore[assignment]
    distinct: Distinct | None = None
    cache: float = 500.0  # megabytes of Gram rows that are kept

    @property
    def vectors(self) -> Vectors:
        assert self.distinct is not None
        return self.distinct.vectors

    def rows(self, dtype, room: int) -> Rows:
        """All rows, for a learner that begins with alpha = 0."""
        assert self.distinct is not None
        score, cache = np.zeros((self.labels, self.corpus.node.rows)), cache_for(self.vectors, self.cache)
        own = self.distinct.which, score, np.ones(1), self.vectors, curve_of(self.kernel), cache
        return Rows(self.target(dtype), Supported(self.indexed(dtype, room), *own), self.corpus.weight)

    def kept(self, rows: Rows) -> dict[str, np.ndarray]:
        return {"score": rows.input.score, "scale": rows.input.scale}

    def epoch_facts(self, rows: Rows, tables: Sequence[Weights], *, average: bool) -> dict:
        """F, unless other weights will be handed over, and the number of tokens that carry weight."""
        alpha, transitions = (table.row for table in tables)
        w, score = np.concatenate([alpha, transitions]), rows.input.score * rows.input.scale
        facts: dict = {} if average else {"primal": self.value(w, score)}
        return facts | {"support": int(alpha.any(axis=1).sum())}

    def scores(self, alpha: np.ndarray) -> np.ndarray:
        """K alpha [Y, D], from scratch."""
        out, cache, curve = np.zeros((self.labels, len(alpha))), cache_for(self.vectors, 0.0), curve_of(self.kernel)
        for u in np.flatnonzero(alpha.any(axis=1)):
            out += np.outer(alpha[u, : self.labels], cache.row[gram_row(u, self.vectors, curve, cache)])
        return out

    def loss(self, w: np.ndarray, score: np.ndarray | None = None) -> float:
        """The mean loss; score [Y, D]: K alpha, where it is known."""
        D, rows = self.corpus.node.rows, w.astype(np.float64)
        rows[:D, : self.labels] = (self.scores(w[:D]) if score is None else score).T
        return super().loss(rows)

    def penalty_of(self, w: np.ndarray, score: np.ndarray | None = None) -> float:
        """l2/2 |w|^2."""
        D = self.corpus.node.rows
        score = self.scores(w[:D]) if score is None else score
        edges = float(((w[D:].astype(np.float64) ** 2).sum(axis=1) / self.copies[D:]).sum())
        return 0.5 * self.penalty.l2 * (float((w[:D, : self.labels].T * score).sum()) + edges)

    def value(self, w: np.ndarray, score: np.ndarray | None = None) -> float:
        """F(w), from the scores [D, Y] of the distinct tokens where they are known."""
        score = self.scores(w[: self.corpus.node.rows]) if score is None else score
        return self.loss(w, score) + self.penalty_of(w, score)


def kernelised(problem: TokenProblem, kernel: Kernel) -> KernelProblem:
    """The same problem with the kernel on its tokens' features."""
    if problem.penalty.l1 > 0.0:
        raise InputError("a kernel model has no weights of features for l1 to act on; drop --l1 or write the kernel out with expand=true")
    found = distinct(problem.corpus.node)
    D, N = len(found.first), len(found.which)
    node = Merged(np.arange(N + 1), found.which, EMPTY, np.arange(D, dtype=np.int32), np.ones(D, np.int64))
    corpus = dataclasses.replace(problem.corpus, node=node)
    own = corpus, problem.structure, problem.cost, problem.objective, problem.penalty
    return KernelProblem(*own, threads=problem.threads, kernel=kernel, distinct=found)
