"""What a dual step gathers and where: the tables of kernels/planes.py for labels at tokens, of kernels/tree_planes.py for trees."""

from typing import Any

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.mixtures import Mixture
from widemargin.kernels.planes import Gathered, Tables, Tokens, number_entries
from widemargin.kernels.rules import Weights
from widemargin.kernels.sweep import Rows, Scratch
from widemargin.kernels.tree_planes import NOWHERE, Lists, TreeTables
from widemargin.problem import Problem
from widemargin.problem_arcs import ArcProblem
from widemargin.structures.base import aligned

from .base import MEGA, pending_of

PER_PART = 16  # bytes of a part in a list


def tables_of(problem: Problem, rows, node: Weights, edge: Weights, dtype) -> Any:
    """Weights, and scratch for one row at a time."""
    if isinstance(problem, ArcProblem):
        scratch = Scratch(aligned((0, problem.width), dtype), np.zeros(problem.corpus.longest, np.bool_))
        arcs, relations = (pending_of(part, part.rows, dtype) for part in problem.parts)
        return TreeTables(node, edge, arcs, relations, scratch)
    most, L = int(np.diff(rows.node.at).max()), problem.width
    return Tables(
        node=node,
        edge=edge,
        tokens=_tokens(problem, rows),
        found=Gathered(np.full(most, -1, np.int32), np.zeros(most, np.int32), aligned((most, L), dtype)),
        none=pending_of(problem.parts[1], 0, dtype),
        scratch=Scratch(aligned((problem.labels, L), dtype), np.zeros(problem.corpus.longest, np.bool_)),
    )


def _tokens(problem: Problem, rows: Rows) -> Tokens:
    node = problem.corpus.node
    entry, place = np.zeros(len(node.ind), np.int32), np.zeros(node.rows, np.int32)
    number_entries(node.ptr, node.ind, problem.corpus.token, rows.node.at, rows.node.feature, place, entry)
    return Tokens(node.ptr, entry, node.value)


def mixture_of(problem: Problem, dtype, memory: float) -> Mixture | Lists:
    """bcfw's mixtures, all on the gold; memory: megabytes."""
    corpus, L = problem.corpus, problem.width
    facts = np.zeros(corpus.rows), np.zeros(corpus.rows), np.zeros(corpus.rows, np.bool_)
    tokens = len(corpus.gold)
    if isinstance(problem, ArcProblem):
        empty = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(1, np.int64)
        return Lists(np.full(tokens, NOWHERE, np.int32), *empty, *facts)
    edges = 0 if not problem.edge_rows else problem.labels * (tokens if corpus.per_position else corpus.rows)
    _refuse_more((tokens + edges) * L * dtype.itemsize, memory)
    return Mixture(aligned((tokens, L), dtype), aligned((edges, L), dtype), *facts)


def with_room(mixture: Mixture | Lists, memory: float) -> Mixture | Lists:
    """Fit for one more pass: lists of parts may grow by two parts per word."""
    if isinstance(mixture, Mixture) or (needed := int(mixture.used[0]) + 2 * len(mixture.first)) <= len(mixture.part):
        return mixture
    _refuse_more(PER_PART * needed + mixture.first.nbytes, memory)
    return resized(mixture, needed + needed // 2)


def resized(lists: Lists, room: int) -> Lists:
    """The same with memory for so many parts."""
    tables = {name: np.zeros(room, getattr(lists, name).dtype) for name in ("next", "part", "mass")}
    for name, table in tables.items():
        old = getattr(lists, name)[:room]
        table[: len(old)] = old
    return lists._replace(**tables)


def _refuse_more(needed: float, memory: float) -> None:
    if needed / MEGA > memory:
        raise InputError(
            f"bcfw keeps {needed / MEGA:.0f} MB of mixtures, and memory is {memory:g}; raise it (--set memory=...), or use ocp"
        )
