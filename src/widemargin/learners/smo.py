"""Structured SMO: ascent of the dual by pairs of outputs, on the masses of parts, with any kernel on tokens (Taskar et al. 2003).

The settings are those of the dual learners (duals.py), the step is in smo.py. Only tokens at which the two outputs of a step differ
need a row of the Gram matrix.
"""

from dataclasses import replace

import numpy as np

from widemargin.engine.problem import Problem
from widemargin.engine.tables import aligned
from widemargin.learners.base import MEGA, put_back
from widemargin.learners.dual_runs import DualRun
from widemargin.scoring.kernels.kernel import LINEAR
from widemargin.scoring.kernels.problem import kernelised
from widemargin.scoring.kernels.smo import Marginals, climb_marginals
from widemargin.scoring.kernels.smo import Smo as Masses
from widemargin.scoring.token_problem import TokenProblem

EASY = 0.3  # a row is left alone while its violation is below this part of the mean gap at the end of the last epoch


class Smo(DualRun):
    """smo. On a problem without a kernel it uses the linear one, and hands over weights of features."""

    def __init__(self, learner, problem: TokenProblem):
        self.plain = problem if problem.kernel is None else None
        own = replace(kernelised(problem, LINEAR) if problem.kernel is None else problem, cache=learner.cache)
        super().__init__(learner, own)
        corpus, Y = own.corpus, own.labels
        self.own, self.D = own, corpus.node.rows
        self.input = self.desk.rows.input
        self.below = own.structure.workspace(corpus.longest, per_position=True, dtype=self.dtype)
        N = len(corpus.gold)
        self.marginals = Marginals(aligned((N, own.width), np.float64), aligned((N * Y if own.edge_rows else 0, own.width), np.float64))
        self.gold = gold_parts(own)
        for table, at in zip(self.marginals, self.gold):
            table[at] = 1.0
        self.floor = 0.0

    def rows_from(self, problem: Problem):
        return problem.rows

    def epoch(self, number: int) -> dict:
        masses = Masses(self.below, self.marginals, self.learner.steps, self.floor)
        loss, estimate, largest, moved = climb_marginals(self.order(number), self.desk.rows, self.desk.s, self.ascent, masses)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "violation": largest, "dual": self.dual(self.offset())}
        facts["support"] = int(self.w[: self.D].any(axis=1).sum())
        facts["megabytes"] = round((sum(table.nbytes for table in self.marginals) + self.input.cache.row.nbytes) / MEGA, 3)
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
        return self.own.value(self.w, self.input.score)

    def dual(self, offset: float) -> float:
        return offset - self.own.penalty_of(self.w, self.input.score)

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L] under the linear kernel, else alpha and the edges."""
        edges = self.w[self.D :] / self.own.copies[self.D :, None]
        if self.plain is None:
            return np.concatenate([self.w[: self.D], edges])
        vectors, node = self.input.vectors, np.zeros((self.plain.corpus.node.rows, self.w.shape[1]), self.dtype)
        owner = np.repeat(np.arange(self.D), np.diff(vectors.ptr))
        np.add.at(node, vectors.ind, self.w[owner] * vectors.val[:, None])
        return np.concatenate([node, edges])

    def changing(self) -> dict[str, np.ndarray]:
        masses = {f"marginals.{name}": table for name, table in self.marginals._asdict().items()}
        return super().changing() | masses | self.own.kept(self.desk.rows)

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | {"floor": np.array([self.floor])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        floor = np.zeros(1)
        put_back({"floor": floor}, arrays)
        self.floor = float(floor[0])


def gold_parts(problem: TokenProblem) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the gold's parts in tables of nodes [N, L] and of edges [N * Y, L]."""
    gold = problem.corpus.gold
    into = np.setdiff1d(np.arange(len(gold)), problem.corpus.token) if problem.edge_rows else np.zeros(0, np.int64)
    return (np.arange(len(gold)), gold), (into * problem.labels + gold[into - 1], gold[into])
