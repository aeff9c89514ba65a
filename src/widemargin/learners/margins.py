"""Schedules and scratch of MIRA on the k best outputs: paths or trees."""

import numpy as np

from widemargin.kernels.margins import Margins
from widemargin.kernels.tree_margins import TreeMargins
from widemargin.problem import Problem
from widemargin.problem_arcs import ArcProblem
from widemargin.structures.base import aligned

from .base import pending_of

SMO_STEPS = 10_000  # for the program of one row


def margins(learner, problem: Problem, dtype) -> Margins | TreeMargins:
    """The schedule and scratch of MIRA on the k best outputs."""
    if isinstance(problem, ArcProblem):
        return tree_margins(learner, problem, dtype)
    k, T, Y, L = learner.k, problem.corpus.longest, problem.labels, problem.width
    lists = (T, Y, k)
    return Margins(
        cap=learner.step,
        tolerance=learner.tolerance,
        limit=SMO_STEPS,
        score=np.zeros(lists),
        back=np.zeros(lists, np.int32),
        rank=np.zeros(lists, np.int32),
        path=np.zeros((k + 1, T), np.int32),
        value=np.zeros(k),
        part=np.zeros((k + 1, T), np.int32),
        hot=np.zeros(T, np.bool_),
        mass=np.zeros(T),
        sums=aligned((k * Y, L), dtype),
        gram=np.zeros((k, k)),
        a=np.zeros(k),
        slope=np.zeros(k),
        worst=np.zeros(1),
    )


def tree_margins(learner, problem: ArcProblem, dtype) -> TreeMargins:
    """The same for trees."""
    k, across = learner.k, problem.corpus.longest + 1
    trees = [np.zeros((rows, across), np.int32) for rows in (k, k, k + 1, k + 1)]
    node, edge = (pending_of(part, part.rows, dtype, span=k) for part in problem.parts)
    return TreeMargins(
        cap=learner.step,
        tolerance=learner.tolerance,
        limit=SMO_STEPS,
        keep=np.zeros((across, across), dtype),
        pool_value=np.zeros(k),
        pool_from=np.zeros(k, np.int32),
        pool_head=trees[0],
        pool_label=trees[1],
        banned=np.zeros(k),
        head=trees[2],
        label=trees[3],
        value=np.zeros(k),
        node=node,
        edge=edge,
        gram=np.zeros((k, k)),
        a=np.zeros(k),
        slope=np.zeros(k),
        worst=np.zeros(1),
    )
