"""First-order chains: sequences of labels, scored by nodes and by edges between neighbours."""

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.chain import Chain as Workspace
from widemargin.kernels.decode import answer, kbest
from widemargin.kernels.lanes import WIDTH, lanes_for
from widemargin.kernels.terms import UNKNOWN, LogSum, Max, augment_row, tilt_row

from .base import Legal, Parts, aligned, barrier, masked, refuse_if_empty


class Chain:
    """All label sequences of a row, or those that `legal` lets through: in decoding, in training and inside the partition function."""

    name = "chain"
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "strata"})

    def __init__(self, labels: int, legal: Legal | None = None, *, base: np.ndarray | None = None):
        """base [Y, Y]: fixed scores of pairs of neighbours."""
        self.labels, self.legal, self.base = labels, legal, base
        self.lanes = lanes_for(labels)

    def workspace(self, longest: int, *, per_position: bool, dtype, strata: int = 0) -> Workspace:
        """Scratch memory for rows of up to `longest` tokens; strata: rows of the tables of slack rescaling."""
        T, Y, L = longest, self.labels, WIDTH * len(self.lanes)
        edges = (T * Y if per_position else Y, L)
        legal = self.legal or Legal(None, None, None)  # type: ignore[arg-type]

        def table(*shape):
            return aligned(shape, dtype)

        step = barrier(legal.step, (Y, Y), L, dtype)
        if self.base is not None:
            step[:, :Y] += self.base

        return Workspace(
            lanes=self.lanes,
            labels=Y,
            pitch=Y if per_position else 0,
            start=barrier(legal.start, (1, Y), L, dtype),
            stop=barrier(legal.stop, (1, Y), L, dtype),
            step=step,
            node=table(T, L),
            edge=table(*edges),
            mu_node=table(T, L),
            mu_edge=table(*edges),
            path=np.zeros(T, np.int32),
            work=table(T, L),
            saved=table(T, L),
            alpha=table(T, L),
            dot=table(T, L),
            mean=table(T, L),
            price=table(T, L),
            price_edge=table(*edges),
            scale=np.zeros(T, dtype),
            exp_edge=table(*edges),
            exp_turn=table(*edges),
            pair=table(Y, L),
            line=table(4, L),
            strata=table(strata, L),
        )

    def argmax(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """Best legal sequence: its score and its indicator over parts."""
        return self._ask(Max(0.0, False), scores, allowed)

    def logsum(self, scores: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """log of the sum of exp(score) over legal sequences, and the parts' marginals."""
        return self._ask(LogSum(0.0, False), scores, allowed)

    def tilt(self, scores: Parts, direction: Parts, allowed: np.ndarray | None = None) -> tuple[float, Parts]:
        """E[d] and Cov(part, d) under exp(score)/Z: the derivatives of logsum and of the marginals along d."""
        s, n = self._loaded(scores, allowed)
        s.price[:n, : self.labels] = direction.node
        if direction.edge is not None:
            self._put_edges(s.price_edge, Parts(direction.node, direction.edge), s.pitch)
        return refuse_if_empty(tilt_row(s, self._unknown(n), s.price, n)), self._mu(s, n)

    def kbest(self, scores: Parts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, Parts]]:
        """The k best legal sequences, best first (fewer when there are fewer)."""
        s, n = self._loaded(scores, allowed)
        augment_row(s, self._unknown(n), s.price, n)
        paths, values = self.kbest_paths(s, n, k)
        out = []
        for path, value in zip(paths, values):
            s.mu_node[:], s.mu_edge[:] = 0.0, 0.0
            s.mu_node[np.arange(n), path] = 1.0
            np.add.at(s.mu_edge, (np.arange(1, n) * s.pitch + path[:-1], path[1:]), 1.0)
            out.append((float(value), self._mu(s, n)))
        return out

    def kbest_paths(self, s: Workspace, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Paths int32 [<= k, n] and values of the k best under s.work and s.edge."""
        if k < 1:
            raise InputError(f"{k} best sequences were asked for; ask for at least 1")
        shape = (n, self.labels, k)
        paths, values = np.zeros((k, n), np.int32), np.zeros(k)
        found = kbest(s, n, k, np.zeros(shape), np.zeros(shape, np.int32), np.zeros(shape, np.int32), paths, values)
        return paths[:found], values[:found]

    def _ask(self, term, scores, allowed):
        s, n = self._loaded(scores, allowed)
        return refuse_if_empty(answer(term, s, self._unknown(n), s.price, n)), self._mu(s, n)

    def _unknown(self, n):
        return np.full(n, UNKNOWN, np.int32)

    def _loaded(self, scores, allowed):
        node = masked(np.asarray(scores.node, float), allowed)
        n = len(node)
        s = self.workspace(n, per_position=np.ndim(scores.edge) == 3, dtype=np.float64)
        s.node[:, : self.labels] = node
        self._put_edges(s.edge, scores, s.pitch)
        s.edge[:] += np.tile(s.step, (len(s.edge) // self.labels, 1))
        return s, n

    def _put_edges(self, table, parts, pitch):
        table[:, : self.labels] = np.asarray(parts.edge, float).reshape(len(table), self.labels)

    def _mu(self, s, n):
        Y = self.labels
        edge = s.mu_edge[:, :Y].reshape(-1, Y, Y)
        return Parts(s.mu_node[:n, :Y].copy(), edge.copy() if s.pitch else edge[0].copy())
