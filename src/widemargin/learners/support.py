"""Stochastic gradient descent on support tokens: the primal is descended, but w is kept as a sum over training tokens (yu-lam2008).

A step on row i with step size x is w <- (w - x Phi' mu) / (1 + x l2): alpha of the row's tokens moves by -x mu, and all of alpha shrinks,
which is one number for the whole table. Rows without a loss cost nothing but their inference.
"""

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.rules import settle
from widemargin.kernels.support import sweep_support
from widemargin.scorers.gram import KernelProblem

from .base import Best, refuse_kernel
from .sweeping import Run


class SupportRun(Run):
    """sgd in a kernel's space: `node` holds alpha."""

    problem: KernelProblem

    def __init__(self, learner, problem: KernelProblem, start, carry):
        if learner.name != "sgd":
            refuse_kernel(learner.name, problem)
        if learner.batch != 1:
            raise InputError("sgd with a kernel takes one row at a time; leave batch at 1, or write the kernel out (expand=true)")
        if start is not None or carry is not None:
            raise InputError("a kernel model cannot go on from another; train it on all data at once, or write it out (expand=true)")
        super().__init__(learner, problem, None)
        self.support = problem.support(self.node.row, learner.cache, average=learner.average)

    def epoch(self, number: int) -> dict:
        """One pass; loss is the mean as rows were met, primal is F at the end."""
        learner, objective, order = self.learner, self.problem.objective, self.order(number)
        skip = learner.skip if "logsum" in objective.needs or "tilt" in objective.needs else 0.0
        tables = self.rule, self.support, self.node.rest, self.edge, self.pending[1]
        own = self.schedule, self.steps, skip, self.scratch
        loss, self.steps, since, moved = sweep_support(order, self.rows, self.s, objective.upper, objective.lower, *tables, *own)
        settle(self.rule, self.edge, since)
        self.edge.last[:] = 0
        self.epochs = number
        facts = {"epoch": number, "loss": loss / len(order), "moved": int(moved)}
        if not learner.average:
            facts["primal"] = self.problem.value(np.concatenate([self.node.row, self.edge.row]), self.support.score)
        return facts | {"support": int(self.node.row.any(axis=1).sum())}

    def state(self, epoch: int, best: Best) -> dict[str, np.ndarray]:
        return super().state(epoch, best) | {"score": self.support.score}

    def restore(self, state, best: Best):
        found = super().restore(state, best)
        self.support.score[:] = state[0]["score"]
        return found
