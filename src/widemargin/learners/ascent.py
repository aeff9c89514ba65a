"""The four ways up the dual: tables and scratch of one fit, and what an epoch does. The settings are in duals.py."""

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.planes import Gathered, Mixture, exchange, mix
from widemargin.kernels.rules import Sgd, Weights, settle
from widemargin.kernels.sweep import Pending, Scratch
from widemargin.problem import Problem
from widemargin.structures.base import aligned

from .planes import Cuts, PathSets
from .simplex import maximise

MEGA = 1e6


class Ascent:
    """What the row by row learners share: w, the order of an epoch, and the certificate."""

    def __init__(self, learner, problem: Problem):
        self.learner, self.problem = learner, problem
        self.dtype, self.l2 = np.dtype(learner.dtype), problem.penalty.l2
        corpus, Y, L = problem.corpus, problem.labels, problem.width
        self.rows, self.s = problem.rows(self.dtype), problem.workspace(self.dtype)
        self.share = corpus.weight / corpus.rows
        self.w = aligned(problem.shape, self.dtype)
        self.sums = aligned(problem.shape if learner.average else (0, L), self.dtype)
        nodes = corpus.node.rows
        self.node = self._table(slice(nodes), 1, corpus.node.copies)
        self.edge = self._table(slice(nodes, None), Y, np.concatenate([[1], corpus.edge.copies])[: problem.edge_rows])
        self.pending = Pending(np.zeros(0, np.int32), np.zeros(0, np.int32), aligned((0, L), self.dtype), np.zeros(1, np.int64))
        self.scratch = Scratch(aligned((Y, L), self.dtype), np.zeros(corpus.longest, np.bool_))
        most = int(np.diff(self.rows.node.at).max())
        self.found = Gathered(np.zeros(most, np.int32), aligned((most, L), self.dtype), self.node.copies)
        clock = np.zeros((corpus.rows + 1, 4))
        clock[:, 0] = 1.0
        self.rule = Sgd(clock, 0.0, 0.0, learner.average)
        self.steps = 0

    def _table(self, span: slice, height: int, copies: np.ndarray) -> Weights:
        sums, average = self.sums[span] if self.learner.average else self.sums, int(self.learner.average)
        last = np.zeros(len(copies), np.int32)
        return Weights(self.problem.structure.lanes, height, self.w[span], 1, sums, average, last, copies.astype(self.dtype))

    def order(self, number: int, turn: int = 0) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number, turn]).permutation(n) if learner.shuffle else np.arange(n)

    def summed(self) -> np.ndarray:
        """The weight table that is judged."""
        return self.sums / self.steps if self.learner.average and self.steps else self.w

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L], each merged row shared out equally."""
        return self.summed() / self.problem.copies[:, None]

    def certify(self, number: int, facts: dict, estimate: float) -> dict:
        """Adds F and the gap when it is time, or when the gap that was met on the way seems small enough."""
        learner = self.learner
        small = estimate <= learner.tolerance * abs(facts["dual"])
        if small or number % learner.check == 0 or number == learner.epochs:
            facts["primal"] = self.primal()
            facts["gap"] = facts["primal"] - facts["dual"]
        return facts

    def primal(self) -> float:
        """F of the weights that are judged."""
        return self.problem.value(self.summed())

    def dual(self, offset: float) -> float:
        """D = sum_i c_i sum_y a_iy b_iy - l2/2 |w|^2."""
        squares = np.einsum("rl,rl->r", self.w, self.w, dtype=np.float64, casting="same_kind")
        return offset - 0.5 * self.l2 * float((squares / self.problem.copies).sum())

    def tables(self) -> dict[str, np.ndarray]:
        """All that changes."""
        return {"w": self.w, "sums": self.sums}

    def arrays(self) -> dict[str, np.ndarray]:
        return self.tables() | {"steps": np.array([self.steps])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on where `arrays` were taken."""
        for name, table in self.tables().items():
            if arrays[name].shape != table.shape:
                raise InputError("the checkpoint was written for other data or settings; train without --resume")
            table[:] = arrays[name]
        self.steps = int(arrays["steps"][0])


class FrankWolfe(Ascent):
    """bcfw: every row's masses as one mixture of parts."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        corpus, Y, L = problem.corpus, problem.labels, problem.width
        edges = 0 if not problem.edge_rows else Y * (len(corpus.gold) if corpus.per_position else corpus.rows)
        tables = aligned((len(corpus.gold), L), self.dtype), aligned((edges, L), self.dtype)
        self.mixture = Mixture(*tables, np.zeros(corpus.rows), np.zeros(corpus.rows, np.bool_))

    def epoch(self, number: int) -> dict:
        objective, order = self.problem.objective, self.order(number)
        tables = self.rule, self.node, self.edge, self.pending
        loss, estimate, moved = mix(
            order,
            self.rows,
            self.s,
            objective.upper,
            objective.lower,
            *tables,
            self.mixture,
            self.l2,
            np.int64(0),
            self.scratch,
            self.found,
        )
        if self.learner.average:
            for table in (self.node, self.edge):
                settle(self.rule, table, len(order))
        for table in (self.node, self.edge):
            table.last[:] = 0
        self.steps += len(order)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "dual": self.dual(float(self.share @ self.mixture.offset))}
        facts["megabytes"] = round(sum(table.nbytes for table in self.mixture) / MEGA, 3)
        return self.certify(number, facts, estimate)

    def tables(self) -> dict[str, np.ndarray]:
        return super().tables() | {f"mixture.{name}": table for name, table in self.mixture._asdict().items()}


class Exchange(Ascent):
    """ocp: decode, keep the plane, move mass between two planes of the row; then passes over the kept planes alone."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.sets = PathSets(problem)

    def sweep(self, order: np.ndarray, *, decode: bool, steps: bool):
        tables = self.rule, self.node, self.edge, self.pending
        value = np.zeros(self.sets.room)
        found = exchange(order, self.rows, self.s, decode, steps, *tables, self.sets.paths, self.l2, value, self.scratch, self.found)
        for table in (self.node, self.edge):
            table.last[:] = 0
        return found

    def epoch(self, number: int) -> dict:
        loss, estimate, added, full, moved = self.sweep(self.order(number), decode=True, steps=True)
        for turn in range(1, 1 + self.learner.passes):
            self.sweep(self.order(number, turn), decode=False, steps=True)
        facts = {"epoch": number, "loss": loss, "moved": int(moved), "dual": self.dual(self.sets.offset)}
        self.tidy(facts, added, full)
        return self.certify(number, facts, estimate)

    def tidy(self, facts: dict, added: int, full: int) -> None:
        """Drop what is not used, make room for what found none."""
        self.sets.age(self.learner.prune)
        if full:
            self.sets.grow()
        facts |= {"planes": self.sets.planes, "added": int(added), "megabytes": round(self.sets.bytes / MEGA, 3)}

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | self.sets.arrays()

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        self.sets.restore(arrays)


class CuttingPlane(Exchange):
    """cutting-plane: solve on the planes that are there, then decode every row: that is F there, and the next planes."""

    def __init__(self, learner, problem: Problem):
        super().__init__(learner, problem)
        self.goal = 0.0

    def epoch(self, number: int) -> dict:
        passes = 0
        for turn in range(1, 1 + self.learner.passes):
            _, gap, _, _, moved = self.sweep(self.order(number, turn), decode=False, steps=True)
            passes = turn
            if gap <= self.goal or not moved:
                break
        dual = self.dual(self.sets.offset)
        loss, gap, added, full, _ = self.sweep(np.arange(self.problem.corpus.rows), decode=True, steps=False)
        primal = loss + self.problem.penalty_of(self.w)
        # no need to solve the planes of today much better than the planes of tomorrow will differ from them
        self.goal = max(0.1 * gap, 0.2 * self.learner.tolerance * primal)
        facts = {"epoch": number, "loss": loss, "passes": passes, "primal": primal, "dual": dual, "gap": primal - dual}
        self.tidy(facts, added, full)
        return facts

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | {"goal": np.array([self.goal])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        super().restore(arrays)
        self.goal = float(arrays["goal"][0])


class OneSlack:
    """one-slack: the mean loss itself is cut, by one plane per epoch, and the program over all planes is solved each time."""

    def __init__(self, learner, problem: Problem):
        self.learner, self.problem, self.l2 = learner, problem, problem.penalty.l2
        self.cuts = Cuts(problem.copies, problem.shape)
        self.lowest, self.best = np.inf, problem.zeros()

    def epoch(self, number: int) -> dict:
        problem, cuts, l2 = self.problem, self.cuts, self.l2
        finest = 1e-3 * self.learner.tolerance * (self.lowest if np.isfinite(self.lowest) else 1.0)
        # in units of l2, so that masses sum to at most 1
        found = maximise(cuts.gram / l2, cuts.offset, start=cuts.mass, tolerance=max(finest, 1e-12))
        cuts.mass = found.a
        w, g = problem.zeros(), problem.zeros()
        w[:] = cuts.weights(l2)
        primal = problem.value_and_gradient(w, g)
        g -= l2 * w / problem.copies[:, None]
        loss = primal - problem.penalty_of(w)
        if primal < self.lowest:
            self.lowest, self.best = primal, w
        cuts.age(self.learner.prune)
        cuts.add(g, loss - float((w * g).sum()))
        facts = {"epoch": number, "loss": loss, "primal": self.lowest, "dual": found.value, "gap": self.lowest - found.value}
        return facts | {"planes": cuts.planes, "steps": found.steps, "megabytes": round(cuts.bytes / MEGA, 3)}

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L] of the lowest F so far."""
        return self.best / self.problem.copies[:, None]

    def arrays(self) -> dict[str, np.ndarray]:
        return self.cuts.arrays() | {"w": self.best, "lowest": np.array([self.lowest])}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.cuts.restore(arrays)
        if arrays["w"].shape != self.best.shape:
            raise InputError("the checkpoint was written for other data or settings; train without --resume")
        self.best[:], self.lowest = arrays["w"], float(arrays["lowest"][0])


RUNS: dict[str, type] = {"cutting-plane": CuttingPlane, "one-slack": OneSlack, "bcfw": FrankWolfe, "ocp": Exchange}
