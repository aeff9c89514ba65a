"""Batches on threads: sentences with trees are scored and decoded in pieces of a batch (kernels/pieces.py)."""

import numpy as np

from widemargin.kernels.lazy import NEAR
from widemargin.kernels.pieces import finish_batch, fold_piece, gather_piece
from widemargin.kernels.rules import Adaptive, Sgd
from widemargin.parallel import together
from widemargin.problem_arcs import PIECES


def only_reads(rule) -> bool:
    """May several threads score at once? Not where a weight that is read late is brought up to date first: with l1, large steps or smd."""
    if isinstance(rule, Sgd):
        return rule.l1 == 0.0
    return isinstance(rule, Adaptive) and rule.l1 == 0.0 and (rule.l2 == 0.0 or rule.reach <= NEAR)


class Pieces:
    """Memory for the pieces of a batch, and one sweep of a Run over all batches."""

    def __init__(self, run):
        self.run, problem, dtype = run, run.problem, run.dtype
        self.threads = problem.threads if only_reads(run.rule) else 1
        self.memory = [(run.rows, run.s, run.pending)]
        self.memory += [(problem.rows(dtype, run.node), problem.workspace(dtype), run.pending_pair()) for _ in range(1, PIECES)]

    def sweep(self, order: np.ndarray, skip: float):
        """What kernels/sweep.sweep does and returns. The same bytes for any number of threads."""
        run, tables = self.run, (self.run.node, self.run.edge)
        batch, objective = run.learner.batch, run.problem.objective
        loss, moved, before, now = 0.0, 0, run.steps, 0

        def job(some, size, memory, step, now):
            rows, s, pending = memory
            terms = objective.upper, objective.lower, run.rule
            return lambda: gather_piece(some, size, rows, s, *terms, *tables, *pending, run.schedule, step, now, skip, run.scratch)

        for first in range(0, len(order), batch):
            some = order[first : first + batch]
            cuts = np.linspace(0, len(some), PIECES + 1).astype(int)
            jobs = [job(some[a:b], len(some), memory, before + now, now) for a, b, memory in zip(cuts, cuts[1:], self.memory)]
            for more, moves in together(jobs, threads=self.threads):
                loss, moved = loss + more, moved + moves
            for _, _, pending in self.memory[1:]:
                fold_piece(*tables, *run.pending, *pending)
            before, now = finish_batch(run.rule, *tables, *run.pending, run.schedule, before, now)
        return loss, before + now, now, moved
