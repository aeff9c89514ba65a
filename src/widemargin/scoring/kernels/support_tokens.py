"""The scorer of a kernel model: training tokens that carry weight, score[t, y] = sum_u alpha[u, y] K(x_u, x_t)."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from widemargin.compiler.lanes import lanes_for, lanes_of, width_of
from widemargin.contents import Contents
from widemargin.parallel import together
from widemargin.scoring.group import Sparse
from widemargin.scoring.kernels.gram_rows import KernelSum, Vectors, score_tokens
from widemargin.scoring.kernels.kernel import Kernel
from widemargin.scoring.kernels.problem import KernelProblem, curve_of, take_rows, vectors_of
from widemargin.scoring.token_features import Features

NEAR_ZERO = 1e-9  # an alpha so much smaller than the largest is rounding


@dataclass(frozen=True, eq=False)
class SupportTokens:
    """S training tokens with their features (numbers in the model's index, nothing merged), and where they stood."""

    kernel: Kernel
    ptr: np.ndarray  # int64 [S+1]
    ind: np.ndarray  # int32 [nnz]
    val: np.ndarray  # float32 [nnz], or empty: all 1
    alpha: np.ndarray  # float32 [S, L]
    place: np.ndarray  # int32 [S, 2]   sentence and token of the training data, from 0

    def __len__(self) -> int:
        return len(self.alpha)

    @cached_property
    def vectors(self) -> Vectors:
        return vectors_of(self.ptr, self.ind, self.val)

    def scores(self, features: Features, *, threads: int = 1) -> np.ndarray:
        """Of every token [N, L], float64."""
        return self._sums(features, self.alpha.astype(np.float64), threads)

    def rows(self, features: Features) -> np.ndarray:
        """K(x_t, x_u) [N, S] of a few tokens."""
        return self._sums(features, np.eye(len(self), width_of(lanes_for(len(self)))), 1)[:, : len(self)]

    def _sums(self, features: Features, alpha: np.ndarray, threads: int) -> np.ndarray:
        """sum_u K(x_t, x_u) alpha[u] [N, width]."""
        N, S, width = int(features.row_ptr[-1]), len(self), alpha.shape[1]
        val = features.node_val if len(features.node_val) else np.ones(len(features.node_ind), np.float32)
        out, curve = np.zeros((N, width)), curve_of(self.kernel)
        cuts = np.linspace(0, N, max(threads, 1) + 1).astype(int).tolist()

        tokens, support = Sparse(features.node_ptr, features.node_ind, val), KernelSum(self.vectors, curve, alpha, lanes_of(width))

        def job(low, high):
            return lambda: score_tokens(low, high, tokens, support, np.zeros(S), np.zeros(S, np.float32), out)

        together([job(low, high) for low, high in zip(cuts, cuts[1:])], threads=threads)
        return out

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a model; the kernel is in its header."""
        return {name: getattr(self, name) for name in ("ptr", "ind", "val", "alpha", "place")}

    @classmethod
    def from_contents(cls, kernel: Kernel, own: Contents, features: int, columns: int, width: int) -> "SupportTokens":
        """Tokens as they are in a model with so many features, columns of labels in its file and lanes in memory."""
        ind, stored = own.numbers("ind", None, below=features), own.floats("alpha", None, columns)
        alpha = np.zeros((len(stored), width), np.float32)
        alpha[:, :columns] = stored
        S, values = len(alpha), own.floats("val", None)
        if len(values) not in (0, len(ind)):
            raise own.wrong("val", f"has {len(values)} values for {len(ind)} features")
        return cls(kernel, own.bounds("ptr", len(ind), S), ind, values, alpha, own.numbers("place", S, 2, below=1 << 31))


def without_nodes(features: Features) -> Features:
    """The same tokens without node features: their scores come from elsewhere."""
    nothing = np.zeros(len(features.node_ptr), np.int64)
    return dataclasses.replace(features, node_ptr=nothing, node_ind=np.empty(0, np.int32), node_val=np.empty(0, np.float32))


def support_of(problem: KernelProblem, alpha: np.ndarray, features: Features) -> SupportTokens:
    """The tokens of the training features that carry weight under alpha [D, L]."""
    assert problem.distinct is not None
    size = np.abs(alpha).max(axis=1)
    kept = np.flatnonzero(size > NEAR_ZERO * size.max(initial=0.0))
    tokens = problem.distinct.first[kept]
    sentence = np.searchsorted(features.row_ptr, tokens, side="right") - 1
    place = np.stack([sentence, tokens - features.row_ptr[sentence]], axis=1).astype(np.int32)
    rows = take_rows(features.node_ptr, features.node_ind, features.node_val, tokens)
    return SupportTokens(problem.kernel, *rows, np.ascontiguousarray(alpha[kept], np.float32), place)
