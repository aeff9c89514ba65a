"""Structured SMO: ascent of the dual by pairs of outputs, on the masses of parts, with any kernel on tokens (Taskar et al. 2003).

The settings are those of the dual learners (duals.py), the step is in kernels/smo.py. Only tokens at which the two outputs of a step differ
need a row of the Gram matrix.
"""

import numpy as np

from widemargin.kernels.planes import Tables
from widemargin.kernels.smo import Marginals, climb_marginals
from widemargin.problem import Problem
from widemargin.scorers.gram import KernelProblem, kernelised
from widemargin.scorers.kernel import LINEAR
from widemargin.structures.base import aligned

from .ascent import Ascent
from .base import MEGA

EASY = 0.3  # a row is left alone while its violation is below this part of the mean gap at the end of the last epoch


class Smo(Ascent):
    """smo. On a problem without a kernel it uses the linear one, and hands over weights of features."""

    def __init__(self, learner, problem: Problem):
        self.plain = None if isinstance(problem, KernelProblem) else problem
        own = problem if isinstance(problem, KernelProblem) else kernelised(problem, LINEAR)
        super().__init__(learner, own)
        corpus, Y = own.corpus, own.labels
        self.own, self.D = own, corpus.node.rows
        self.support = own.support(self.w[: self.D], learner.cache)
        self.below = own.structure.workspace(corpus.longest, per_position=True, dtype=self.dtype)
        N = len(corpus.gold)
        self.marginals = Marginals(aligned((N, own.width), np.float64), aligned((N * Y if own.edge_rows else 0, own.width), np.float64))
        self.gold = gold_parts(own)
        for table, at in zip(self.marginals, self.gold):
            table[at] = 1.0
        self.floor = 0.0

    def epoch(self, number: int) -> dict:
        own = self.tables
        assert isinstance(own, Tables)
        tables = self.rule, self.support, own.edge, own.none, self.marginals
        loss, estimate, largest, moved = climb_marginals(
            self.order(number), self.rows, self.s, self.below, np.int64(self.learner.steps), self.floor, *tables, self.l2, own.scratch
        )
        own.edge.last[:] = 0
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "violation": largest, "dual": self.dual(self.offset())}
        facts["support"] = int(self.w[: self.D].any(axis=1).sum())
        facts["megabytes"] = round((sum(table.nbytes for table in self.marginals) + self.support.cache.row.nbytes) / MEGA, 3)
        facts = self.certify(number, facts, estimate)
        self.floor = EASY * max(0.0, facts.get("gap", estimate)) / float(self.share.sum())
        return facts

    def offset(self) -> float:
        """sum_i c_i <costs and base scores, marginals - gold>."""
        own, corpus, Y = self.own, self.own.corpus, self.own.labels
        share = np.repeat(self.share, np.diff(corpus.token))
        fixed = own.cost.matrix[corpus.gold] + (0.0 if corpus.base is None else corpus.base[:, :Y])
        value = share @ ((fixed * self.marginals.node[:, :Y]).sum(axis=1) - fixed[np.arange(len(fixed)), corpus.gold])
        base = getattr(own.structure, "base", None)
        if base is not None:
            edges = self.marginals.edge.reshape(-1, Y, own.width)[:, :, :Y].copy()
            at, label = self.gold[1]
            np.add.at(edges, (at // Y, at % Y, label), -1.0)
            value += share @ np.einsum("tjk,jk->t", edges, base)
        return float(value)

    def primal(self) -> float:
        return self.own.value(self.w, self.support.score)

    def dual(self, offset: float) -> float:
        return offset - self.own.penalty_of(self.w, self.support.score)

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L] under the linear kernel, else alpha and the edges."""
        edges = self.w[self.D :] / self.own.copies[self.D :, None]
        if self.plain is None:
            return np.concatenate([self.w[: self.D], edges])
        vectors, node = self.support.vectors, np.zeros((self.plain.corpus.node.rows, self.w.shape[1]), self.dtype)
        owner = np.repeat(np.arange(self.D), np.diff(vectors.ptr))
        np.add.at(node, vectors.ind, self.w[owner] * vectors.val[:, None])
        return np.concatenate([node, edges])

    def changing(self) -> dict[str, np.ndarray]:
        masses = {f"marginals.{name}": table for name, table in self.marginals._asdict().items()}
        return super().changing() | masses | {"score": self.support.score}

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | {"floor": np.array([self.floor])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        self.floor = float(arrays["floor"][0])


def gold_parts(problem: Problem) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the gold's parts in tables of nodes [N, L] and of edges [N * Y, L]."""
    gold = problem.corpus.gold
    into = np.setdiff1d(np.arange(len(gold)), problem.corpus.token) if problem.edge_rows else np.zeros(0, np.int64)
    return (np.arange(len(gold)), gold), (into * problem.labels + gold[into - 1], gold[into])
