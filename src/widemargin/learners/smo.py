"""Structured SMO: ascent of the chain's dual by pairs of outputs, with any kernel on tokens (Taskar et al. 2003, section 6; Platt 1998).

A step takes one row, its output of highest loss under the present scores and the output of lowest loss that carries mass, and moves mass
from the second to the first until the dual is highest or the mass is used up. Only tokens at which the two differ need a row of the Gram
matrix. Masses of outputs are kept, path by path; their sums are the marginals of the dual, which are consistent by construction.
"""

import numpy as np

from widemargin.problem import Problem
from widemargin.scorers.gram import KernelProblem, kernelised
from widemargin.scorers.kernel import LINEAR

from .ascent import MEGA, Exchange

EASY = 0.3  # rows are left alone while their best step promises less than this part of the mean gap of the last epoch


class Smo(Exchange):
    """smo. On a problem without a kernel it uses the linear one, and hands over weights of features."""

    def __init__(self, learner, problem: Problem):
        self.plain = None if isinstance(problem, KernelProblem) else problem
        own = problem if isinstance(problem, KernelProblem) else kernelised(problem, LINEAR)
        super().__init__(learner, own)
        self.own, self.D = own, own.corpus.node.rows
        self.support = own.support(self.w[: self.D], learner.cache)
        self.node, self.lazy = self.support, (self.edge,)
        self.floor = 0.0

    def epoch(self, number: int) -> dict:
        loss, gap, added, full, moved = self.sweep(self.order(number), decode=True, steps=self.learner.steps, floor=self.floor)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "dual": self.dual(self.sets.offset)}
        self.tidy(facts, added, full)
        facts["megabytes"] = round((self.sets.bytes + self.support.cache.row.nbytes) / MEGA, 3)
        facts["support"] = int(self.w[: self.D].any(axis=1).sum())
        facts = self.certify(number, facts, gap)
        self.floor = EASY * max(0.0, facts.get("gap", gap)) / max(self.share.sum(), 1e-300)
        return facts

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

    def tables(self) -> dict[str, np.ndarray]:
        return super().tables() | {"score": self.support.score}

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | {"floor": np.array([self.floor])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        self.floor = float(arrays["floor"][0])
