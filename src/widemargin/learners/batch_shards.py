"""Batches on threads: rows whose gradients are gathered anyway are scored and decoded in shards of a batch (engine/batch_shards.py)."""

import numpy as np

from widemargin.engine.batch_shards import finish_batch, fold_piece
from widemargin.engine.lazy import SMALL_DECAY
from widemargin.engine.problem import Desk
from widemargin.engine.rules import Adaptive, Sgd, is_full
from widemargin.engine.sweep import Batches, Progress
from widemargin.parallel import together

SHARDS = 4  # of a batch, whatever the number of threads


def only_reads(rule) -> bool:
    """May several threads score at once? Not where a weight that is read late is brought up to date first: with l1, large steps or smd."""
    if isinstance(rule, Sgd):
        return rule.l1 == 0.0
    return isinstance(rule, Adaptive) and rule.l1 == 0.0 and (rule.l2 == 0.0 or rule.reach <= SMALL_DECAY)


class Shards:
    """Memory for the shards of a batch, and one sweep of a Run over all batches."""

    def __init__(self, run):
        self.run, problem = run, run.problem
        self.threads = problem.threads if only_reads(run.rule) else 1
        self.desks = [run.desk] + [Desk(problem, run.dtype, problem.rows, run.desk.room) for _ in range(1, SHARDS)]
        self.pending = [run.pending] + [run.new_pending() for _ in range(1, SHARDS)]

    def sweep(self, order: np.ndarray) -> Progress:
        """What Run.sweep does and returns. The same bytes for any number of threads."""
        run, batch = self.run, self.run.learner.batch
        learning, terms = run.learning(), run.problem.objective.terms
        loss, moved, before, now = 0.0, 0, run.steps, 0

        def job(shard, whole, desk, pending, before, now):
            def gather():
                batches, progress = Batches(shard, max(1, len(shard)), whole, run.learner.summed), Progress(0, before, now, 0.0, 0)
                while True:
                    progress = Progress(*run.visit(batches, desk.rows, desk.s, terms, learning._replace(pending=pending), progress))
                    if progress.place == len(shard):
                        return progress
                    desk.grow(shard[progress.place])

            return gather

        for first in range(0, len(order), batch):
            some = order[first : first + batch]
            cuts = np.linspace(0, len(some), SHARDS + 1).astype(int)
            memory = zip(cuts, cuts[1:], self.desks, self.pending)
            jobs = [job(some[a:b], len(some), desk, pending, before, now) for a, b, desk, pending in memory]
            for found in together(jobs, threads=self.threads):
                loss, moved = loss + found.loss, moved + found.moved
            for pending in self.pending[1:]:
                fold_piece(run.tables, run.pending, pending)
            finish_batch(learning, before, now)
            now += 1
            if is_full(run.rule, now):
                before, now = run.finish(before, now), 0
        return Progress(len(order), before, now, loss, moved)
