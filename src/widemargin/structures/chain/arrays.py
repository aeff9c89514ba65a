"""First-order chains: sequences of labels, scored by nodes and by edges between neighbours."""

import numpy as np

from widemargin.compiler.lanes import lanes_for, width_of
from widemargin.engine.tables import aligned
from widemargin.engine.terms import UNKNOWN, LogSum, Max, answer, augment_row, kbest_row, tilt_row
from widemargin.structures.base import Legal, Parts, barrier, masked, refuse_if_empty
from widemargin.structures.chain.kbest import BestPaths, best_paths
from widemargin.structures.chain.kernel import Chain as Workspace
from widemargin.structures.listing import listable, outcomes


class Chain:
    """Sequences of labels, one for each token, with scores of neighbouring pairs; all of them, or those that `legal` allows."""

    name = "chain"
    splits_rows = False
    offers = frozenset({"argmax", "logsum", "kbest", "tilt", "strata", "argmin"})
    part_type = np.int16  # of a label as a number (working sets)

    def __init__(self, labels: int, legal: Legal | None = None, *, base: np.ndarray | None = None):
        """base [Y, Y]: fixed scores of pairs of neighbours."""
        self.labels, self.legal, self.base = labels, legal, base
        self.lanes = lanes_for(labels)

    def workspace(self, longest: int, *, per_position: bool, dtype, strata: int = 0) -> Workspace:
        """Scratch memory for rows of up to `longest` tokens; strata: rows of the tables of slack rescaling."""
        T, Y, L = longest, self.labels, width_of(self.lanes)
        edges = (T * Y if per_position else Y, L)
        legal = self.legal or Legal(None, None, None)  # type: ignore[arg-type]

        def table(*shape):
            return aligned(shape, dtype)

        transitions = barrier(legal.step, (Y, Y), L, dtype)
        if self.base is not None:
            transitions[:, :Y] += self.base

        return Workspace(
            lanes=self.lanes,
            labels=Y,
            edge_stride=Y if per_position else 0,
            start=barrier(legal.start, (1, Y), L, dtype),
            stop=barrier(legal.stop, (1, Y), L, dtype),
            transitions=transitions,
            node=table(T, L),
            edge=table(*edges),
            mu_node=table(T, L),
            mu_edge=table(*edges),
            output=(np.zeros(T, np.int32), np.zeros(T, np.int32)),
            work=table(T, L),
            saved=table(T, L),
            alpha=table(T, L),
            alpha_dot=table(T, L),
            beta=table(T, L),
            direction=table(T, L),
            direction_edge=table(*edges),
            scale=np.zeros(T, dtype),
            exp_edge=table(*edges),
            exp_edge_T=table(*edges),
            pair=table(Y, L),
            scratch=table(4, L),
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
        s.direction[:n, : self.labels] = direction.node
        if direction.edge is not None:
            self._put_edges(s.direction_edge, direction)
        return refuse_if_empty(tilt_row(s, self._unknown(n), s.direction, n)), self._mu(s, n)

    def kbest(self, scores: Parts, k: int, allowed: np.ndarray | None = None) -> list[tuple[float, Parts]]:
        """The k best legal sequences, best first (fewer when there are fewer)."""
        s, n = self._loaded(scores, allowed)
        augment_row(s, self._unknown(n), s.direction, n)
        paths, values = self.kbest_paths(s, n, k)
        out = []
        for path, value in zip(paths, values):
            s.mu_node[:], s.mu_edge[:] = 0.0, 0.0
            s.mu_node[np.arange(n), path] = 1.0
            np.add.at(s.mu_edge, (np.arange(1, n) * s.edge_stride + path[:-1], path[1:]), 1.0)
            out.append((float(value), self._mu(s, n)))
        return out

    def kbest_paths(self, s: Workspace, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Paths int32 [<= k, n] and values of the k best under s.work and s.edge."""
        found = self.kbest_memory(n, k)
        count = kbest_row(s, n, found)
        return found.path[:count], found.value[:count]

    def kbest_memory(self, longest: int, k: int, dtype=np.float64) -> BestPaths:
        """Memory for the k best sequences of a row, fewer where there are fewer."""
        return best_paths(longest, self.labels, listable(k, outcomes(self.labels, longest), 16 * longest * (self.labels + 1)))

    def _ask(self, term, scores, allowed):
        s, n = self._loaded(scores, allowed)
        return refuse_if_empty(answer(term, s, self._unknown(n), s.direction, n)), self._mu(s, n)

    def _unknown(self, n):
        return np.full(n, UNKNOWN, np.int32)

    def _loaded(self, scores, allowed):
        node = masked(np.asarray(scores.node, float), allowed)
        n = len(node)
        s = self.workspace(n, per_position=np.ndim(scores.edge) == 3, dtype=np.float64)
        s.node[:, : self.labels] = node
        self._put_edges(s.edge, scores)
        s.edge[:] += np.tile(s.transitions, (len(s.edge) // self.labels, 1))
        return s, n

    def _put_edges(self, table, parts):
        table[:, : self.labels] = np.asarray(parts.edge, float).reshape(len(table), self.labels)

    def _mu(self, s, n):
        Y = self.labels
        edge = s.mu_edge[:, :Y].reshape(-1, Y, Y)
        return Parts(s.mu_node[:n, :Y].copy(), edge.copy() if s.edge_stride else edge[0].copy())
