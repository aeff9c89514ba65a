"""The four ways up the dual: tables and scratch of one fit, and what an epoch does. The settings are in duals.py."""

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.mixtures import mix
from widemargin.kernels.paths import exchange
from widemargin.kernels.plain import Plain
from widemargin.kernels.rules import Sgd, Weights, settle
from widemargin.kernels.tree_planes import Lists
from widemargin.problem import Part, Problem
from widemargin.structures.base import aligned

from .base import MEGA
from .gathering import mixture_of, resized, tables_of, with_room
from .one_slack import OneSlack
from .path_sets import PathSets

INNER = 0.1  # cutting-plane: how far the kept planes are solved
NEAR = 2.0  # F is computed when the gap seems to be within so many tolerances


class Ascent:
    """What the row by row learners share: w, the order of an epoch, and the certificate."""

    def __init__(self, learner, problem: Problem):
        self.learner, self.problem = learner, problem
        self.dtype, self.l2 = np.dtype(learner.dtype), problem.penalty.l2
        corpus = problem.corpus
        self.share = corpus.weight / corpus.rows
        self.w = aligned(problem.shape, self.dtype)
        self.sums = aligned(problem.shape if learner.average else (0, problem.width), self.dtype)
        node, edge = map(self._table, problem.parts, problem.linear(self.w), problem.linear(self.sums))
        self.rows, self.s = problem.rows(self.dtype, node), problem.workspace(self.dtype)
        self.tables = tables_of(problem, self.rows, node, edge, self.dtype)
        clock = np.zeros((corpus.rows + 1, 4))
        clock[:, 0] = 1.0
        self.rule = Sgd(clock, 0.0, 0.0, learner.average) if learner.average else Plain(0.0, 0.0)
        self.steps = 0
        self.terms = problem.objective.upper, problem.objective.lower

    def _table(self, part: Part, row: np.ndarray, sums: np.ndarray) -> Weights:
        last, average = np.zeros(part.rows, np.int32), int(self.learner.average)
        return Weights(part.lanes, part.height, row, 1, part.height, part.height, sums, average, last, part.copies.astype(self.dtype))

    def order(self, number: int, turn: int = 0) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number, turn]).permutation(n) if learner.shuffle else np.arange(n)

    def set_back(self, now: int) -> None:
        """Every weight is brought to step `now`, and the clock to zero."""
        for table in (self.tables.node, self.tables.edge):
            if self.learner.average:
                settle(self.rule, table, now)
            table.last[:] = 0

    def summed(self) -> np.ndarray:
        """The weight table that is judged."""
        return self.sums / self.steps if self.learner.average and self.steps else self.w

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L], each merged row shared out equally."""
        return self.summed() / self.problem.copies[:, None]

    def certify(self, number: int, facts: dict, estimate: float) -> dict:
        """Adds F and the gap when it is time, or when the gap that was met on the way, row by row, seems small enough."""
        learner = self.learner
        small = estimate <= NEAR * learner.tolerance * abs(facts["dual"])
        facts["estimate"] = estimate
        if small or number == learner.epochs or (learner.check and number % learner.check == 0):
            facts["primal"] = self.primal()
            facts["gap"] = facts["primal"] - facts["dual"]
        return facts

    def primal(self) -> float:
        """F of the weights that are judged."""
        return self.problem.value(self.summed())

    def dual(self, offset: float) -> float:
        """D = sum_i c_i sum_y a_iy b_iy - l2/2 |w|^2."""
        squares = np.einsum("rl,rl->r", self.w, self.w)  # in the precision of w, which is the rows' own
        return offset - 0.5 * self.l2 * float((squares / self.problem.copies).sum())

    def changing(self) -> dict[str, np.ndarray]:
        """All that changes."""
        return {"w": self.w, "sums": self.sums}

    def arrays(self) -> dict[str, np.ndarray]:
        return self.changing() | {"steps": np.array([self.steps])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on where `arrays` were taken."""
        for name, table in self.changing().items():
            if arrays[name].shape != table.shape:
                raise InputError("the checkpoint was written for other data or settings; train without --resume")
            table[:] = arrays[name]
        self.steps = int(arrays["steps"][0])


class FrankWolfe(Ascent):
    """bcfw: every row's masses as one mixture of parts."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.mixture = mixture_of(problem, self.dtype, learner.memory)

    def epoch(self, number: int) -> dict:
        order = self.order(number)
        self.mixture = with_room(self.mixture, self.learner.memory)
        loss, estimate, moved = mix(order, self.rows, self.s, *self.terms, self.rule, self.tables, self.mixture, self.l2)
        self.set_back(len(order))
        self.steps += len(order)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "dual": self.dual(float((self.share * self.mixture.offset).sum()))}
        facts["megabytes"] = round(sum(table.nbytes for table in self.mixture) / MEGA, 3)
        return self.certify(number, facts, estimate)

    def changing(self) -> dict[str, np.ndarray]:
        return super().changing() | {f"mixture.{name}": table for name, table in self.mixture._asdict().items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        if isinstance(self.mixture, Lists) and "mixture.part" in arrays:
            self.mixture = resized(self.mixture, len(arrays["mixture.part"]))
        super().restore(arrays)


class Exchange(Ascent):
    """ocp: decode, keep the plane, move mass between two planes of the row; then passes over the kept planes alone."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.sets = PathSets(problem)

    def sweep(self, order: np.ndarray, *, decode: bool, least: float = 0.0):
        """One pass; without decoding, rows whose gap was below `least` are left alone."""
        sets, value = self.sets, np.zeros(self.sets.room)
        found = exchange(order, self.rows, self.s, *self.terms, decode, least, self.rule, self.tables, sets.paths, self.l2, value)
        self.set_back(len(order))
        return found

    def epoch(self, number: int) -> dict:
        loss, estimate, added, full, moved = self.sweep(self.order(number), decode=True)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "passes": self.solve(number, estimate)}
        facts["dual"] = self.dual(self.sets.offset)
        self.sets.age(self.learner.prune)
        if full:  # some row has mass on all its planes and met another
            self.sets.grow(MEGA * self.learner.memory)
        facts |= {"planes": self.sets.planes, "added": int(added), "full": int(full), "megabytes": round(self.sets.bytes / MEGA, 3)}
        return self.certify(number, facts, estimate)

    def solve(self, number: int, gap: float) -> int:
        """Passes over the kept planes; returns how many."""
        for turn in range(1, 1 + self.learner.passes):
            self.sweep(self.order(number, turn), decode=False)
        return self.learner.passes

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | self.sets.arrays()

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        self.sets.restore(arrays)


class CuttingPlane(Exchange):
    """cutting-plane: the same planes, but what is kept is solved before more is looked for.

    Nothing is gained by solving the planes of today much better than the planes of tomorrow will differ from them: INNER of the gap that
    decoding has met is close enough.
    """

    def solve(self, number: int, gap: float) -> int:
        goal = INNER * gap
        for turn in range(1, 1 + self.learner.passes):
            _, left, _, _, moved = self.sweep(self.order(number, turn), decode=False, least=0.5 * goal / self.problem.corpus.rows)
            if left <= goal or not moved:
                return turn
        return self.learner.passes


RUNS: dict[str, type] = {"cutting-plane": CuttingPlane, "one-slack": OneSlack, "bcfw": FrankWolfe, "ocp": Exchange}
