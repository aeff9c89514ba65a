"""Tables and scratch of one fit of an online learner, and one epoch of it. The settings are in online.py."""

from typing import Any

import numpy as np

from widemargin.engine.by_hand import kernel_for
from widemargin.engine.dual_averaging import DualAveraging, recomputed
from widemargin.engine.kbest_mira import Margins
from widemargin.engine.lazy import series
from widemargin.engine.meta_descent import DIRECTION, Smd
from widemargin.engine.problem import Desk, Problem
from widemargin.engine.rows import gathers
from widemargin.engine.rules import Adaptive, Sgd, is_full
from widemargin.engine.sweep import Batches, Capped, Learning, Progress, Schedule, sweep
from widemargin.engine.table_steps import settle, settle_stepped
from widemargin.engine.tables import Pending, TableSpec, Weights, aligned, pending_of
from widemargin.learners.base import Best, Planes, put_back
from widemargin.learners.batch_shards import Shards
from widemargin.structures.listing import listable

SMO_STEPS = 10_000  # for the program of one row of k-best MIRA


def margins(learner, problem: Problem, dtype, room: int) -> Margins:
    """The schedule of MIRA on the k best outputs, with scratch for rows of a size up to `room`."""
    found = problem.structure.kbest_memory(room, learner.k, dtype)
    k = listable(len(found.value), len(found.value), 8 * len(found.value))
    return Margins(
        cap=learner.step,
        tolerance=learner.tolerance,
        limit=SMO_STEPS,
        found=found,
        memory=problem.gram_memory(k, dtype, room),
        gram=np.zeros((k, k)),
        a=np.zeros(k),
        slope=np.zeros(k),
        worst=np.zeros(1),
    )


class Run:
    """Tables and scratch of one fit."""

    settle_all = True  # at the end of an epoch; else only sums of weights that had a step are, the others' are seen to elsewhere

    def __init__(self, learner, problem: Problem, start: np.ndarray | None, carry: dict | None = None, *, room: int = 0):
        """room: the size of rows that memory is laid out for at first; by default that of the largest."""
        self.learner, self.problem = learner, problem
        self.dtype = np.dtype(learner.dtype)
        self.adaptive, self.second = learner.adaptive, learner.name == "smd"
        self.dual = learner.name == "rda"
        self.specs = problem.specs
        self.weights_of = [self._table(spec) for spec in self.specs]
        self.tables: Any = problem.bundle(*self.weights_of)
        self.desk = Desk(problem, self.dtype, problem.rows, room)
        self.steps = self.epochs = 0
        if start is not None:
            self._put(0, start)
            if self.dual:  # gradients that would have led there
                self._put(self.weights_of[0].slots, start / (self.problem.copies[:, None] * learner.first_step_size))
        if carry is not None:
            self.steps, self.epochs = carry["steps"], carry["epochs"]
            for plane, rows in enumerate(carry["planes"]):
                self._put(plane, rows)
        self.pending = self.new_pending()
        self.sweeps = -(-problem.corpus.rows // learner.batch)
        self.decay_log = np.zeros((1 if self.adaptive else self.sweeps + 1, 4))
        self.decay_log[0, 0] = 1.0
        self.rule, self.schedule = self._rule(), self._schedule()
        self.visit = kernel_for(problem.structure, sweep)
        self.shards = Shards(self) if gathers(self.desk.rows.input) and learner.batch > 1 else None

    def _put(self, plane: int, rows: np.ndarray) -> None:
        for table, part in zip(self.weights_of, self.problem.split(rows)):
            view = plane_of(table, plane)
            view[:] = part.reshape(view.shape)

    def carry(self) -> dict:
        """What a later fit goes on from. planes [P] of [R, L] per feature: the slots of `row`, then those of `rest`."""
        tables, L, copies = self.weights_of, self.problem.width, self.problem.copies
        count = tables[0].slots + tables[0].extra
        # weights, their sums and their direction are those of all copies of a merged row
        shared = {0} | ({count - 1} if self.learner.average else set()) | ({DIRECTION} if self.second else set())

        def made(p: int) -> np.ndarray:
            plane = np.concatenate([plane_of(table, p).reshape(-1, L) for table in tables])
            if p in shared:
                plane /= copies[:, None]
            return plane

        return {**self.learner.kind, "rate": self.learner.rate, "epochs": self.epochs, "steps": self.steps, "planes": Planes(count, made)}

    def _rule(self):
        penalty, learner = self.problem.penalty, self.learner
        if self.second:
            return Smd(learner.mu, learner.memory, penalty.l2, learner.average)
        if self.dual:
            return DualAveraging(learner.step, penalty.l1, self.steps, learner.average)
        if self.adaptive:
            rho = learner.rho if learner.name == "adadelta" else 0.0
            # AdaGrad's steps only become smaller; AdaDelta's have no bound
            reach = penalty.l2 * learner.step / np.sqrt(learner.initial) if rho == 0.0 else np.inf
            powers = series(penalty.l2, reach, self.sweeps, self.dtype)
            return Adaptive(learner.step, penalty.l1, penalty.l2, float(reach), rho, learner.epsilon, learner.average, powers)
        return Sgd(self.decay_log, penalty.l1, penalty.l2, learner.average)

    def _schedule(self):
        learner, problem = self.learner, self.problem
        if learner.name == "perceptron":
            return Schedule(1.0, 0.0, 0.0)
        if learner.name == "mira":
            return Capped(learner.step) if learner.k == 1 else margins(learner, problem, self.dtype, self.desk.room)
        power = {"fixed": 0.0, "inverse": 1.0, "root": 0.5}[learner.schedule]
        return Schedule(learner.step, learner.decay_on(problem), power)

    def _table(self, spec: TableSpec) -> Weights:
        learner, height = self.learner, spec.height
        slots = 3 if self.second else 2 if self.adaptive else 1
        extra = {"adadelta": 2, "rda": 1}.get(learner.name, 0) + learner.average
        blocks = spec.rows * height
        row, rest = aligned((blocks * slots, spec.width), self.dtype), aligned((blocks * extra, spec.width), self.dtype)
        strides = (height, blocks) if spec.planes else (slots * height, height)
        last, copies = np.zeros(spec.rows, np.int32), spec.copies.astype(self.dtype)
        table = Weights(spec.lanes, height, row, slots, *strides, rest, extra, last, copies)
        if self.adaptive:
            slot_of(table, 1)[:] = learner.first_step_size
        return table

    def new_pending(self) -> tuple[Pending, ...]:
        """Room for the gradients of a batch, where they are gathered before a step."""
        batch, layers = self.learner.batch, 2 if self.second else 1
        gathered = batch > 1 or self.second or gathers(self.desk.rows.input)
        most = [self.problem.most_touched(which, batch) if gathered else 0 for which in range(len(self.specs))]
        return tuple(pending_of(spec, rows, self.dtype, layers=layers) for spec, rows in zip(self.specs, most))

    def order(self, number: int) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number]).permutation(n) if learner.shuffle else np.arange(n)

    def learning(self, pending: tuple | None = None) -> Learning:
        """What a sweep needs to know; pending: a shard's own."""
        needs = self.problem.objective.needs
        skip = self.learner.skip if "logsum" in needs or "tilt" in needs else 0.0
        rule = self.rule._replace(before=self.steps) if self.dual else self.rule
        return Learning(rule, self.tables, self.pending if pending is None else pending, self.schedule, skip)

    def grow(self, i: int) -> None:
        """More room: row i had none."""
        self.desk.grow(i)
        if isinstance(self.schedule, Margins):
            worst = self.schedule.worst
            self.schedule = margins(self.learner, self.problem, self.dtype, self.desk.room)._replace(worst=worst)

    def sweep(self, order: np.ndarray) -> Progress:
        """One sweep; it stops where memory is too small or the rule's log is full, and goes on with more or a new one."""
        batches, progress = Batches(order, self.learner.batch, 0, self.learner.summed), Progress(0, self.steps, 0, 0.0, 0)
        while True:
            terms, learning = self.problem.objective.terms, self.learning()
            progress = Progress(*self.visit(batches, self.desk.rows, self.desk.s, terms, learning, progress))
            if progress.place == len(order):
                return progress
            if is_full(self.rule, progress.now):
                progress = progress._replace(before=self.finish(progress.before, progress.now), now=0)
            else:
                self.grow(order[progress.place])

    def epoch(self, number: int) -> dict:
        """One sweep, and its facts."""
        order = self.order(number)
        _, before, now, loss, moved = self.shards.sweep(order) if self.shards else self.sweep(order)
        self.finish(before, now)
        self.epochs = number
        facts = {"epoch": number, "loss": loss / len(order), "moved": int(moved)}
        if isinstance(self.schedule, Margins):
            facts["violation"], self.schedule.worst[0] = float(self.schedule.worst[0]), 0.0
        return facts | self.problem.epoch_facts(self.desk.rows, self.weights_of, average=self.learner.average)

    def finish(self, before: int, now: int) -> int:
        """Every weight that is settled here is brought up to date, and its step called 0. Returns how many steps have been taken."""
        self.steps = before + now
        if self.settle_all:
            settle(self.tables, self.rule, now)
        elif self.learner.average:
            settle_stepped(self.tables, self.rule, now)
        for table in self.weights_of:
            table.last[:] = 0
            if self.dual:
                threshold = self.steps * self.problem.penalty.l1
                found = recomputed(plane_of(table, table.slots), slot_of(table, 1), threshold)
                slot_of(table, 0)[:] = found * table.copies[:, None, None]
        return self.steps

    def value(self) -> float:
        """F of the weights that would be handed out now."""
        return self.problem.value(self.weights() * self.problem.copies[:, None])

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L]: averaged over all steps if so asked, each merged row shared out equally."""
        out = np.empty(self.problem.shape, self.dtype)
        for table, part in zip(self.weights_of, self.problem.split(out)):
            own = part.reshape(-1, table.height, part.shape[1])
            if self.learner.average and self.steps:
                np.divide(plane_of(table, table.slots + table.extra - 1), self.dtype.type(self.steps), out=own)
            else:
                own[:] = slot_of(table, 0)
            own /= table.copies[: len(own), None, None]
        return out

    def _named(self) -> list[tuple[str, Weights]]:
        """The tables by the family's names for them."""
        return list(zip(self.tables._fields, self.weights_of))

    def state(self, epoch: int, best: Best) -> dict[str, np.ndarray]:
        """Everything that the next epoch depends on."""
        arrays = best.arrays(epoch, self.steps)
        for name, table in self._named():
            arrays |= {f"{name}.row": table.row, f"{name}.rest": table.rest}
        return arrays | {f"rows.{name}": array for name, array in self.problem.kept(self.desk.rows).items()}

    def restore(self, state: tuple[dict[str, np.ndarray], list[dict]], best: Best) -> tuple[int, list[dict]]:
        """Continue where `state` was taken; returns the next epoch and the history so far."""
        arrays, history = state
        epoch, self.steps = best.restore(arrays, self.problem.shape, 2)
        put_back({name: own for name, own in self.state(epoch, best).items() if name not in best.arrays()}, arrays)
        return epoch + 1, list(history)


def plane_of(table: Weights, plane: int) -> np.ndarray:
    """View [F, h, L] of a slot of `row` or, numbered behind those, of `rest`."""
    if plane < table.slots:
        return slot_of(table, plane)
    return table.rest.reshape(-1, table.extra, table.height, table.rest.shape[1])[:, plane - table.slots]


def slot_of(table: Weights, slot: int) -> np.ndarray:
    """View [F, h, L] of one slot."""
    L = table.row.shape[1]
    if table.row_stride == table.slots * table.height:
        return table.row.reshape(-1, table.slots, table.height, L)[:, slot]
    return table.row[slot * table.slot_stride : (slot + 1) * table.slot_stride].reshape(-1, table.height, L)
