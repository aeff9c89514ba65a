"""Tables and scratch of one fit of an online learner, and one epoch of it. The settings are in online.py."""

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels import tree_meta  # noqa: F401  (gives smd its direction on trees)
from widemargin.kernels.lanes import WIDTH
from widemargin.kernels.lazy import series
from widemargin.kernels.margins import Margins
from widemargin.kernels.meta import DIRECTION, Smd
from widemargin.kernels.rules import Adaptive, Sgd, Weights, settle
from widemargin.kernels.sweep import Capped, Pending, Schedule, Scratch, gathers, sweep
from widemargin.kernels.tree_margins import TreeMargins
from widemargin.problem import Part, Problem
from widemargin.structures.base import aligned

from .base import Best, pending_of
from .margins import margins
from .pieces import Pieces


class Run:
    """Tables and scratch of one fit."""

    def __init__(self, learner, problem: Problem, start: np.ndarray | None, carry: dict | None = None):
        self.learner, self.problem = learner, problem
        self.dtype = np.dtype(learner.dtype)
        self.adaptive, self.second = learner.adaptive, learner.name == "smd"
        self.node, self.edge = (self._table(part) for part in problem.parts)
        self.rows = problem.rows(self.dtype, self.node)
        self.s = problem.workspace(self.dtype)
        self.steps = self.epochs = 0
        if start is not None:
            self._put(0, start)
        if carry is not None:
            self.steps, self.epochs = carry["steps"], carry["epochs"]
            for plane, rows in enumerate(carry["planes"]):
                self._put(plane, rows)
        longest, Y, L = problem.corpus.longest, problem.labels, problem.width
        self.scratch = Scratch(aligned((Y, L), self.dtype), np.zeros(longest, np.bool_))
        self.pending = self.pending_pair()
        self.sweeps = -(-problem.corpus.rows // learner.batch)
        self.clock = np.zeros((1 if self.adaptive else self.sweeps + 1, 4))
        self.clock[0, 0] = 1.0
        self.rule, self.schedule = self._rule(), self._schedule()
        self.pieces = Pieces(self) if gathers(self.rows) and learner.batch > 1 else None

    def _put(self, plane: int, rows: np.ndarray) -> None:
        for table, part in zip((self.node, self.edge), self.problem.linear(rows)):
            view = self._plane(table, plane)
            view[:] = part.reshape(view.shape)

    def carry(self) -> dict:
        """What a later fit goes on from, as plain data. planes [P, R, L] per feature: the slots of `row`, then those of `rest`."""
        tables, L = (self.node, self.edge), self.problem.width
        count = self.node.slots + self.node.extra
        planes = np.stack([np.concatenate([self._plane(table, p).reshape(-1, L) for table in tables]) for p in range(count)])
        # weights, their sums and their direction are those of all copies of a merged row
        for p in {0} | ({count - 1} if self.learner.average else set()) | ({DIRECTION} if self.second else set()):
            planes[p] /= self.problem.copies[:, None]
        return {**self.learner.kind, "rate": self.learner.rate, "epochs": self.epochs, "steps": self.steps, "planes": planes}

    def _rule(self):
        penalty, learner = self.problem.penalty, self.learner
        if self.second:
            return Smd(learner.mu, learner.memory, penalty.l2, learner.average)
        if self.adaptive:
            rho = learner.rho if learner.name == "adadelta" else 0.0
            # AdaGrad's steps only become smaller; AdaDelta's have no bound
            reach = penalty.l2 * learner.step / np.sqrt(learner.initial) if rho == 0.0 else np.inf
            powers = series(penalty.l2, reach, self.sweeps, self.dtype)
            return Adaptive(learner.step, penalty.l1, penalty.l2, float(reach), rho, learner.epsilon, learner.average, powers)
        return Sgd(self.clock, penalty.l1, penalty.l2, learner.average)

    def _schedule(self):
        learner, problem = self.learner, self.problem
        if learner.name == "perceptron":
            return Schedule(1.0, 0.0, 0.0)
        if learner.name == "mira":
            return Capped(learner.step) if learner.k == 1 else margins(learner, problem, self.dtype)
        power = {"fixed": 0.0, "inverse": 1.0, "root": 0.5}[learner.schedule]
        return Schedule(learner.step, learner.decay_on(problem), power)

    def _table(self, part: Part) -> Weights:
        learner, height = self.learner, part.height
        slots = 3 if self.second else 2 if self.adaptive else 1
        extra = (2 if learner.name == "adadelta" else 0) + learner.average
        blocks, L = part.rows * height, WIDTH * len(part.lanes)
        row, rest = aligned((blocks * slots, L), self.dtype), aligned((blocks * extra, L), self.dtype)
        pitch, apart = (height, blocks) if part.apart else (slots * height, height)
        last, copies = np.zeros(part.rows, np.int32), part.copies.astype(self.dtype)
        table = Weights(part.lanes, height, row, slots, pitch, apart, rest, extra, last, copies)
        if self.adaptive:
            self._slot(table, 1)[:] = learner.first_pace
        return table

    def _plane(self, table: Weights, plane: int) -> np.ndarray:
        """View [F, h, L] of a slot of `row` or, numbered behind those, of `rest`."""
        if plane < table.slots:
            return self._slot(table, plane)
        return table.rest.reshape(-1, table.extra, table.height, table.rest.shape[1])[:, plane - table.slots]

    def _slot(self, table: Weights, slot: int) -> np.ndarray:
        """View [F, h, L] of one slot."""
        L = table.row.shape[1]
        if table.pitch == table.slots * table.height:
            return table.row.reshape(-1, table.slots, table.height, L)[:, slot]
        return table.row[slot * table.apart : (slot + 1) * table.apart].reshape(-1, table.height, L)

    def pending_pair(self) -> tuple[Pending, Pending]:
        """Room for the gradients of a batch, where they are gathered before a step."""
        problem, batch, span = self.problem, self.learner.batch, 2 if self.second else 1
        gathered = batch > 1 or self.second or gathers(self.rows)
        most = [problem.room(which, batch) if gathered else 0 for which in (0, 1)]
        node, edge = (pending_of(*pair, self.dtype, span=span) for pair in zip(problem.parts, most))
        return node, edge

    def order(self, number: int) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number]).permutation(n) if learner.shuffle else np.arange(n)

    def epoch(self, number: int) -> dict:
        """One sweep."""
        learner, objective, order = self.learner, self.problem.objective, self.order(number)
        skip = learner.skip if "logsum" in objective.needs or "tilt" in objective.needs else 0.0
        if self.pieces:
            found = self.pieces.sweep(order, skip)
        else:
            terms, tables = (objective.upper, objective.lower, self.rule), (self.node, self.edge)
            found = sweep(
                order, learner.batch, self.rows, self.s, *terms, *tables, *self.pending, self.schedule, self.steps, skip, self.scratch
            )
        loss, self.steps, since, moved = found
        for table in (self.node, self.edge):
            settle(self.rule, table, since)
            table.last[:] = 0
        self.epochs = number
        facts = {"epoch": number, "loss": loss / len(order), "moved": int(moved)}
        if isinstance(self.schedule, Margins | TreeMargins):
            facts["violation"], self.schedule.worst[0] = float(self.schedule.worst[0]), 0.0
        return facts

    def value(self) -> float:
        """F of the weights that would be handed out now."""
        return self.problem.value(self.weights() * self.problem.copies[:, None])

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L]: averaged over all steps if so asked, each merged row shared out equally."""
        out = []
        for table in (self.node, self.edge):
            w = self._slot(table, 0)
            if self.learner.average and self.steps:
                total = self._plane(table, table.slots + table.extra - 1)
                w = total / self.dtype.type(self.steps)
            copies = table.copies[: len(w)]
            out.append((w / copies[:, None, None]).reshape(-1, self.problem.width))
        return np.concatenate(out)

    def state(self, epoch: int, best: Best) -> dict[str, np.ndarray]:
        """Everything that the next epoch depends on."""
        arrays = best.arrays(epoch, self.steps)
        for name, table in (("node", self.node), ("edge", self.edge)):
            arrays |= {f"{name}.row": table.row, f"{name}.rest": table.rest}
        return arrays

    def restore(self, state: tuple[dict[str, np.ndarray], list[dict]], best: Best) -> tuple[int, list[dict]]:
        """Continue where `state` was taken; returns the next epoch and the history so far."""
        arrays, history = state
        epoch, self.steps = best.restore(arrays)
        for name, table in (("node", self.node), ("edge", self.edge)):
            for part in ("row", "rest"):
                if arrays[f"{name}.{part}"].shape != getattr(table, part).shape:
                    raise InputError("the checkpoint was written for other data or settings; train without --resume")
                getattr(table, part)[:] = arrays[f"{name}.{part}"]
        return epoch + 1, list(history)
