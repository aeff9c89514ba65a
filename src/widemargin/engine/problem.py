"""The function that every learner minimises: F(w) = 1/n sum_i weight_i loss_i(w) + l2/2 |w|^2 + l1 |w|_1.

w is one table of rows [R, width]: the tables of the family one behind the other. A row that stands for m merged features holds the sum of
their m equal weights, so |w|^2 over features is the sum of row^2 / m. A family says what its tables, rows and workspaces are; value,
gradient and penalty are written here, once.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from widemargin.compiler.lanes import lanes_of
from widemargin.engine.by_hand import kernel_for, refuse_sums
from widemargin.engine.gradient import decode, gradients, losses, penalise
from widemargin.engine.objectives import Objective, objective_named
from widemargin.engine.penalty import Penalty
from widemargin.engine.rows import Rows, size
from widemargin.engine.tables import Reader, TableSpec, Weights, aligned, dense_of, fixed, fixed_table, pending_of
from widemargin.errors import InputError
from widemargin.parallel import together


@dataclass
class Problem(ABC):
    """A corpus, a structure, a cost, an objective and a penalty, wired together.

    corpus: of the family's own type, with the fields rows (how many), longest (the largest size of a row), weight [n] and a method
    part(rows).
    """

    corpus: Any
    structure: Any
    cost: Any
    objective: Objective
    penalty: Penalty = field(default_factory=Penalty)
    threads: int = 1

    pieces = 8  # rows are summed in so many pieces, whatever the number of threads
    kernel = None  # the kernel on tokens' features in whose space w lives, if any (scoring/kernels)
    takes_kernels = False  # may a kernel be put on its features?

    def __post_init__(self):
        objective_named(self.objective.name, self.structure)
        refuse_sums(self.structure, self.objective)

    # ---- what a family says ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def tables(self) -> tuple[TableSpec, ...]:
        """The tables of weights, one to four."""

    @abstractmethod
    def bundle(self, *tables: Weights) -> tuple:
        """Weights of those tables as the family's bundle (engine/tables.py)."""

    @abstractmethod
    def rows(self, dtype, room: int) -> Rows:
        """All rows, with scratch of one thread for those of a size up to `room`."""

    # ---- what a family may say better -----------------------------------------------------------------------------------------------

    def workspace(self, dtype, room: int) -> tuple:
        """The structure's workspace of one thread."""
        return self.structure.workspace(room, dtype=dtype)

    @property
    def latent(self) -> bool:
        """Is something of a gold output unknown (negative)?"""
        return bool((self.corpus.gold < 0).any())

    def fixed_rows(self, dtype, room: int) -> Rows:
        """Rows for passes under fixed weights."""
        return self.rows(dtype, room)

    def plane_rows(self, dtype, room: int) -> Rows:
        """Rows for dual learners (engine/planes.py)."""
        return self.rows(dtype, room)

    def gram_memory(self, k: int, dtype, room: int) -> tuple:
        """Memory for the Gram matrix of k outputs (kbest_mira.find_gram): by default k layers of a gradient per table."""
        return tuple(pending_of(spec, spec.rows, dtype, layers=k) for spec in self.specs)

    def most_touched(self, which: int, batch: int) -> int:
        """The most weight rows of a table that a batch of rows touches: all, unless the family knows better."""
        return self.specs[which].rows

    def mixture(self, dtype, memory: float) -> Any:
        """An empty mixture for Frank-Wolfe (frank_wolfe.py), of at most so many megabytes."""
        raise InputError(f"bcfw needs mixtures of parts, which {self.structure.name} does not have; use ocp or cutting-plane")

    def slots(self) -> np.ndarray:
        """Where the slots of each row's output begin, int64 [n+1] (structure.part_at): by default one per token."""
        return self.corpus.token

    def kept(self, rows: Rows) -> dict[str, np.ndarray]:
        """What changes in the rows while a learner visits them, for its checkpoints."""
        return {}

    def put_away(self) -> None:  # noqa: B027, most have nothing of the kind
        """Lets go of what is made again when it is needed: a fit is over, and no other follows."""

    def epoch_facts(self, rows: Rows, tables: Sequence[Weights], *, average: bool) -> dict:
        """More to say of an epoch of an online learner; tables: its weights, up to date; average: it will hand over their average."""
        return {}

    def cuts(self) -> np.ndarray:
        """Bounds of the pieces, row numbers [pieces + 1]."""
        return np.linspace(0, self.corpus.rows, self.pieces + 1).astype(int)

    @property
    def width(self) -> int:
        """Numbers in a row of w, which divides every table's width: that of the first."""
        return self.specs[0].width

    # ---- the weight table -----------------------------------------------------------------------------------------------------------

    @cached_property
    def specs(self) -> tuple[TableSpec, ...]:
        """The tables, asked for once."""
        return self.tables()

    @property
    def shape(self) -> tuple[int, int]:
        return sum(spec.size for spec in self.specs) // self.width, self.width

    @cached_property
    def copies(self) -> np.ndarray:
        """m of every row of w [R]."""
        parts = [np.repeat(spec.copies, spec.height * spec.width // self.width) for spec in self.specs]
        return np.concatenate(parts).astype(np.float64)

    def zeros(self, dtype=np.float64) -> np.ndarray:
        """The weights at the start."""
        return aligned(self.shape, dtype)

    def split(self, w: np.ndarray) -> list[np.ndarray]:
        """w as its tables, each [rows * height, width]; views where w is contiguous."""
        tables, first = [], 0
        for spec in self.specs:
            end = first + spec.size // self.width
            tables.append(w[first:end].reshape(-1, spec.width))
            first = end
        return tables

    def reader(self, w: np.ndarray) -> Reader:
        """Reads w, which nobody moves meanwhile."""
        return fixed(self.bundle(*(fixed_table(row, spec.height) for row, spec in zip(self.split(w), self.specs))))

    def part(self, rows: np.ndarray) -> "Problem":
        """The problem of some of the rows, with the weights of all."""
        return dataclasses.replace(self, corpus=self.corpus.part(rows))

    def narrowed(self) -> "tuple[Problem, Sequence[np.ndarray | None]]":
        """The problem with only those weight rows that its data can touch, and of each table which rows those are, int64 in order; None:
        all. By default all of them stay."""
        return self, [None] * len(self.specs)

    def decode(self, w: np.ndarray, into: Any) -> None:
        """The best output of every row under w; that of row i is kept in `into`, arrays over all rows, from slots()[i] on."""
        reader, at = self.reader(np.ascontiguousarray(w)), self.slots()

        def job(low, high):
            return lambda: summed(Desk(self, w.dtype), low, high, lambda a, b, *room: (0.0, decode(a, b, *room, reader, at, into)))

        cuts = self.cuts()
        together([job(a, b) for a, b in zip(cuts, cuts[1:])], threads=self.threads)

    # ---- F --------------------------------------------------------------------------------------------------------------------------

    def value(self, w: np.ndarray) -> float:
        """F(w) = mean weighted loss + penalty; w as the learner holds it, rows merged."""
        return self.loss(w) + self.penalty_of(w)

    def loss(self, w: np.ndarray) -> float:
        """The mean loss, F without its penalty."""
        w = np.ascontiguousarray(w, np.float64)
        reader, share, terms = self.reader(w), self.corpus.weight / self.corpus.rows, self.objective.terms
        find = kernel_for(self.structure, losses)

        def job(low, high):
            return lambda: summed(Desk(self, w.dtype), low, high, lambda a, b, *room: find(a, b, *room, terms, reader, share))

        cuts = self.cuts()
        return sum(together([job(a, b) for a, b in zip(cuts, cuts[1:])], threads=self.threads))

    def penalty_of(self, w: np.ndarray) -> float:
        """l2/2 |w|^2 + l1 |w|_1 over the unmerged features."""
        square = float(((w.astype(np.float64) ** 2).sum(axis=1) / self.copies).sum())
        return 0.5 * self.penalty.l2 * square + self.penalty.l1 * float(np.abs(w).sum(dtype=np.float64))

    def value_and_gradient(self, w: np.ndarray, g: np.ndarray) -> float:
        """The smooth part of F (all but l1) and its gradient, written to g. The same bytes for any number of threads."""
        w = np.ascontiguousarray(w)
        reader, share, terms = self.reader(w), self.corpus.weight / self.corpus.rows, self.objective.terms
        sums, find = [self.zeros(w.dtype) for _ in range(self.pieces)], kernel_for(self.structure, gradients)

        def job(low, high, piece):
            into = tuple(map(dense_of, self.specs, self.split(piece)))
            return lambda: summed(Desk(self, w.dtype), low, high, lambda a, b, *room: find(a, b, *room, terms, reader, share, into))

        cuts = self.cuts()
        value = sum(together([job(a, b, piece) for a, b, piece in zip(cuts, cuts[1:], sums)], threads=self.threads))
        g[:] = 0.0
        for piece in sums:
            g += piece
        return value + self.penalise(w, g)

    def penalise(self, w: np.ndarray, g: np.ndarray) -> float:
        """Adds l2's gradient to g; returns its value."""
        if self.penalty.l2 == 0.0:
            return 0.0
        l2, copies, lanes = self.penalty.l2, self.copies, lanes_of(self.width)

        def job(low, high):
            return lambda: penalise(low, high, w, g, copies, l2, lanes)

        ends = np.linspace(0, len(w), PENALTY_PIECES + 1).astype(int)
        return sum(together([job(a, b) for a, b in zip(ends, ends[1:])], threads=self.threads))


PENALTY_PIECES = 8


class Desk:
    """Rows and a workspace of one thread, which grow when a row finds no room."""

    def __init__(self, problem: Problem, dtype, make: Callable[[Any, int], Rows] | None = None, room: int = 0):
        """make: a method of the problem that gives rows, by default fixed_rows. room: the size of rows to be ready for, by default the
        largest."""
        self.problem, self.dtype = problem, dtype
        self.make = problem.fixed_rows if make is None else make
        self._set_up(room or problem.corpus.longest)

    def _set_up(self, room: int) -> None:
        self.room = room
        self.rows, self.s = self.make(self.dtype, room), self.problem.workspace(self.dtype, room)

    def grow(self, i: int) -> None:
        """Room for row i, and half as much again."""
        need = max(int(size(self.rows.target, i)), self.room)
        self._set_up(need + need // 2 + 1)


def summed(desk: Desk, low: int, high: int, run: Callable) -> float:
    """The sum of run(low, high, rows, s) -> (value, the row where it stopped), called again with more room until it is through."""
    value = 0.0
    while True:
        more, low = run(low, high, desk.rows, desk.s)
        value += more
        if low == high:
            return value
        desk.grow(low)
