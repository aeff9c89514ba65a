"""The four ways up the dual: tables and scratch of one fit, and what an epoch does. The settings are in duals.py."""

import numpy as np

from widemargin.engine.frank_wolfe import Mixed, frank_wolfe_pass, like_saved, with_room
from widemargin.engine.planes import Ascent
from widemargin.engine.problem import Desk, Problem
from widemargin.engine.rows import gathers
from widemargin.engine.rules import FIXED, Sgd
from widemargin.engine.table_steps import settle
from widemargin.engine.tables import TableSpec, Weights, aligned, pending_of
from widemargin.engine.working_sets import Exchanged, Pass, exchange
from widemargin.learners.base import MEGA, other_checkpoint, put_back
from widemargin.learners.one_slack import OneSlack
from widemargin.learners.working_sets import OutputSets

CHECK_WITHIN = 2.0  # F is computed when the gap seems to be within so many tolerances


class DualRun:
    """What the row by row learners share: w, the order of an epoch, and the certificate."""

    def __init__(self, learner, problem: Problem):
        self.learner, self.problem = learner, problem
        self.dtype, self.l2 = np.dtype(learner.dtype), problem.penalty.l2
        corpus = problem.corpus
        self.share = corpus.weight / corpus.rows
        self.w = aligned(problem.shape, self.dtype)
        self.sums = aligned(problem.shape if learner.average else (0, problem.width), self.dtype)
        sums = problem.split(self.sums) if learner.average else [self.sums] * len(problem.specs)
        self.weights_of = [self._table(*parts) for parts in zip(problem.specs, problem.split(self.w), sums)]
        self.tables = problem.bundle(*self.weights_of)
        self.desk = Desk(problem, self.dtype, self.rows_from(problem))
        gathered = gathers(self.desk.rows.input)
        pending = tuple(pending_of(spec, spec.rows if gathered else 0, self.dtype) for spec in problem.specs)
        log = np.zeros((corpus.rows + 1, 4))
        log[:, 0] = 1.0
        self.rule = Sgd(log, 0.0, 0.0, learner.average) if learner.average else FIXED
        self.ascent = Ascent(self.rule, self.tables, pending, self.l2)
        self.steps = 0

    def rows_from(self, problem: Problem):
        """The method that gives the rows which are visited."""
        return problem.plane_rows

    def _table(self, spec: TableSpec, row: np.ndarray, sums: np.ndarray) -> Weights:
        last, average = np.zeros(spec.rows, np.int32), int(self.learner.average)
        sums = sums.reshape(-1, spec.width)
        return Weights(spec.lanes, spec.height, row, 1, spec.height, spec.height, sums, average, last, spec.copies.astype(self.dtype))

    def visit(self, order: np.ndarray, kernel, extra, done):
        """A pass of a kernel over the rows, which stops where memory is too small and goes on with more; returns what it gives back."""
        while True:
            done = type(done)(*kernel(self.desk.rows, self.desk.s, self.problem.objective.terms, self.ascent, extra, done))
            if done.place == len(order):
                break
            self.desk.grow(order[done.place])
        self.rebase(len(order))
        return done

    def order(self, number: int, turn: int = 0) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number, turn]).permutation(n) if learner.shuffle else np.arange(n)

    def rebase(self, now: int) -> None:
        """Every weight is brought to step `now`, which is called 0 then."""
        if self.learner.average:
            settle(self.tables, self.rule, now)
        for table in self.weights_of:
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
        small = estimate <= CHECK_WITHIN * learner.tolerance * abs(facts["dual"])
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
        steps = np.array([self.steps])
        put_back(self.changing() | {"steps": steps}, arrays)
        self.steps = int(steps[0])


class FrankWolfe(DualRun):
    """bcfw: every row's masses as one mixture of parts."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.mixture = problem.mixture(self.dtype, learner.memory)

    def epoch(self, number: int) -> dict:
        order = self.order(number)
        self.mixture = with_room(self.mixture, self.learner.memory)
        found = self.visit(order, lambda *call: frank_wolfe_pass(order, *call), self.mixture, Mixed(0, 0.0, 0.0, 0))
        self.steps += len(order)
        facts = {"epoch": number, "loss": found.loss, "moved": int(found.moved)}
        facts["dual"] = self.dual(float((self.share * self.mixture.offset).sum()))
        facts["megabytes"] = round(sum(table.nbytes for table in self.mixture) / MEGA, 3)
        return self.certify(number, facts, found.gap)

    def changing(self) -> dict[str, np.ndarray]:
        return super().changing() | {f"mixture.{name}": table for name, table in self.mixture._asdict().items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        saved = {name.removeprefix("mixture."): array for name, array in arrays.items() if name.startswith("mixture.")}
        if saved.keys() != set(self.mixture._fields):
            raise other_checkpoint()
        self.mixture = like_saved(self.mixture, saved)
        super().restore(arrays)


class Exchange(DualRun):
    """ocp: decode, keep the plane, move mass between two planes of the row; then passes over the kept planes alone."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.sets = OutputSets(problem)

    def sweep(self, order: np.ndarray, *, decode: bool, least: float = 0.0) -> Exchanged:
        """One pass; without decoding, rows whose gap was below `least` are left alone. While decoding nothing moves if it is to wait."""
        visits = Pass(order, decode, least, not (decode and self.learner.wait))
        return self.visit(order, lambda *call: exchange(visits, *call), self.sets.tables, Exchanged(0, 0.0, 0.0, 0, 0, 0))

    def epoch(self, number: int) -> dict:
        found = self.sweep(self.order(number), decode=True)
        facts = {"epoch": number, "loss": found.loss, "moved": int(found.moved), "passes": self.solve(number, found.gap)}
        facts["dual"] = self.dual(self.sets.offset)
        self.sets.age(self.learner.prune)
        if found.full:  # some row has mass on all its planes and met another
            self.sets.grow(MEGA * self.learner.memory)
        facts |= {"planes": self.sets.planes, "added": int(found.added), "full": int(found.full)}
        facts["megabytes"] = round(self.sets.bytes / MEGA, 3)
        return self.certify(number, facts, found.gap)

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

    Nothing is gained by solving the planes of today much better than the planes of tomorrow will differ from them: a tenth of the gap that
    decoding has met is close enough. With `wait` all rows are decoded under the same weights, which is the batch algorithm.
    """

    def solve(self, number: int, gap: float) -> int:
        goal = self.learner.solved * gap
        for turn in range(1, 1 + self.learner.passes):
            found = self.sweep(self.order(number, turn), decode=False, least=0.5 * goal / self.problem.corpus.rows)
            if found.gap <= goal or not found.moved:
                return turn
        return self.learner.passes


RUNS: dict[str, type] = {"cutting-plane": CuttingPlane, "one-slack": OneSlack, "bcfw": FrankWolfe, "ocp": Exchange}
