"""Online learners: one compiled sweep per epoch, a rule for the step, averaging as an option for all.

perceptron   w += f(gold) - f(guess), averaged                                         (Collins 2002)
mira         the smallest step that gives a margin as large as the cost, averaged     (Crammer et al. 2006; 1-best, cost-augmented)
sgd          fixed step, or rate / (1 + decay step)^power                             (Bottou 2004)
ops          AdaGrad primal subgradient, l1 and l2 by lazy prox steps                 (Duchi et al. 2011; kummerfeld2015, Algorithm 1)
adadelta     steps from running means of squared gradients and moves                  (Zeiler 2012)
"""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.lazy import series
from widemargin.kernels.rules import Adaptive, Sgd, Weights, settle
from widemargin.kernels.sweep import Pending, Schedule, Scratch, sweep
from widemargin.problem import Problem
from widemargin.scorers.gram import KernelProblem
from widemargin.structures.base import aligned

from .base import Best, Result, Watch, check_range

inf, tiny = float("inf"), 1e-12


@dataclass(frozen=True)
class Online:
    """Hyperparameters of an online learner; no data inside."""

    name: str = "ops"
    epochs: int = 10
    rate: float = 0.1  # step size; MIRA: the cap C of a step
    schedule: str = "fixed"  # sgd: fixed, inverse = rate / (1 + decay t), root = rate / sqrt(1 + decay t)
    decay: float = 0.0  # 0: chosen as l2 * rate for inverse, 1 / rows otherwise
    batch: int = 1
    average: bool = False
    initial: float = 1e-2  # ops: the sum of squares at the start
    rho: float = 0.95  # adadelta: memory
    epsilon: float = 1e-6  # adadelta
    skip: float = 1e-3  # residuals below this are not passed on (sums only; 0 passes everything)
    dtype: str = "float32"
    seed: int = 1
    shuffle: bool = True
    patience: int = 0  # stop after so many epochs without a better development score; 0: never
    cache: float = 500.0  # megabytes of Gram rows that are kept (sgd with a kernel)

    def __post_init__(self):
        if self.schedule not in ("fixed", "inverse", "root"):
            raise InputError(f"schedule {self.schedule!r} is not known; choose fixed, inverse or root")
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"dtype {self.dtype!r} is not known; choose float32 or float64")
        check_range(self, epochs=(1, inf), batch=(1, inf), patience=(0, inf), decay=(0, inf), epsilon=(0, inf), skip=(0, inf))
        check_range(self, cache=(0, inf), rate=(tiny, inf), initial=(tiny, inf), rho=(tiny, 1 - tiny))
        if self.name == "mira" and self.batch != 1:
            raise InputError("mira takes one row at a time; leave batch at 1, or use ops, sgd or adadelta with batches")

    @property
    def adaptive(self) -> bool:
        """Has every weight a step size of its own?"""
        return self.name in ("ops", "adadelta")

    @property
    def kind(self) -> dict:
        """Which learners can go on where this one has stopped: those that keep the same numbers."""
        return {"learner": self.name, "average": self.average}

    @property
    def first_pace(self) -> float:
        """The step size of a weight that has not moved yet."""
        return self.rate / float(np.sqrt(self.initial)) if self.name == "ops" else self.rate

    def fit(
        self, problem: Problem, start: np.ndarray | None = None, watch: Watch | None = None, *, state=None, keep=None, carry=None
    ) -> Result:
        """Sweep until the epochs or the patience are used up.

        state: arrays of `keep` from an earlier, interrupted fit. carry: what an earlier fit, by this kind of learner, has handed
        over: epochs, steps, averages and step sizes then go on as if there had been no end.
        """
        if self.name in ("perceptron", "mira") and (problem.penalty.l1 or problem.penalty.l2):
            raise InputError(f"{self.name} takes no penalty; drop --l1 and --l2, or use ops, sgd, adadelta or lbfgs")
        run = self._run(problem, start, carry)
        best = Best(self.patience)
        history: list[dict] = []
        first = 1 + run.epochs
        if state is not None:
            first, history = run.restore(state, best)
        why = f"all {self.epochs} epochs done"
        end = run.epochs + self.epochs
        for epoch in range(first, end + 1):
            facts = run.epoch(epoch)
            score = watch(epoch, facts, run.weights) if watch else None
            history.append(facts)
            over = best.offer(epoch, run.weights, score)
            if keep is not None:
                keep(epoch, lambda epoch=epoch: run.state(epoch, best), history, over or epoch == end)
            if over:
                why = f"no better development score for {self.patience} epochs"
                break
        handed = None if isinstance(problem, KernelProblem) else run.carry
        return Result(best.chosen(run.weights), best.epoch, history, why, handed)

    def _run(self, problem: Problem, start, carry) -> "Run":
        from .support import SupportRun  # it builds on Run

        return SupportRun(self, problem, start, carry) if isinstance(problem, KernelProblem) else Run(self, problem, start, carry)


class Run:
    """Tables and scratch of one fit."""

    def __init__(self, learner: Online, problem: Problem, start: np.ndarray | None, carry: dict | None = None):
        self.learner, self.problem = learner, problem
        self.dtype = np.dtype(learner.dtype)
        self.adaptive = learner.adaptive
        self.rows = problem.rows(self.dtype)
        self.s = problem.workspace(self.dtype)
        nodes = problem.corpus.node.rows
        self.node = self._table(nodes, 1, problem.corpus.node.copies)
        self.edge = self._table(problem.edge_rows, problem.labels, np.concatenate([[1], problem.corpus.edge.copies]))
        self.steps = self.epochs = 0
        if start is not None:
            self._put(0, start)
        if carry is not None:
            self.steps, self.epochs = carry["steps"], carry["epochs"]
            for plane, rows in enumerate(carry["planes"]):
                self._put(plane, rows)
        longest, Y, L = problem.corpus.longest, problem.labels, problem.width
        self.scratch = Scratch(aligned((Y, L), self.dtype), np.zeros(longest, np.bool_))
        self.pending = self._pending(self.node, self.rows.node), self._pending(self.edge, self.rows.edge)
        self.sweeps = -(-problem.corpus.rows // learner.batch)
        self.clock = np.zeros((1 if self.adaptive else self.sweeps + 1, 4))
        self.clock[0, 0] = 1.0
        self.rule, self.schedule = self._rule(), self._schedule()

    def _put(self, plane: int, rows: np.ndarray) -> None:
        nodes, problem = len(self.node.last), self.problem
        self._plane(self.node, plane)[:] = rows[:nodes].reshape(-1, 1, problem.width)
        self._plane(self.edge, plane)[:] = rows[nodes:].reshape(-1, problem.labels, problem.width)

    def carry(self) -> dict:
        """What a later fit goes on from, as plain data. planes [P, R, L] per feature: the slots of `row`, then those of `rest`."""
        tables, L = (self.node, self.edge), self.problem.width
        count = self.node.slots + self.node.extra
        planes = np.stack([np.concatenate([self._plane(table, p).reshape(-1, L) for table in tables]) for p in range(count)])
        for p in {0, count - 1} if self.learner.average else {0}:  # weights, and their sums, are those of all copies of a merged row
            planes[p] /= self.problem.copies[:, None]
        return {**self.learner.kind, "epochs": self.epochs, "steps": self.steps, "planes": planes}

    def _rule(self):
        penalty, learner = self.problem.penalty, self.learner
        if self.adaptive:
            rho = learner.rho if learner.name == "adadelta" else 0.0
            # AdaGrad's steps only become smaller; AdaDelta's have no bound
            reach = penalty.l2 * learner.rate / np.sqrt(learner.initial) if rho == 0.0 else np.inf
            powers = series(penalty.l2, reach, self.sweeps, self.dtype)
            return Adaptive(learner.rate, penalty.l1, penalty.l2, float(reach), rho, learner.epsilon, learner.average, powers)
        return Sgd(self.clock, penalty.l1, penalty.l2, learner.average)

    def _schedule(self):
        learner, rows = self.learner, self.problem.corpus.rows
        if learner.name == "perceptron":
            return Schedule(1.0, 0.0, 0.0, 0.0)
        if learner.name == "mira":
            return Schedule(0.0, 0.0, 0.0, learner.rate)
        inverse = self.problem.penalty.l2 * learner.rate or 1.0 / rows
        decay = learner.decay or (inverse if learner.schedule == "inverse" else 1.0 / rows)
        power = {"fixed": 0.0, "inverse": 1.0, "root": 0.5}[learner.schedule]
        return Schedule(learner.rate, decay, power, 0.0)

    def _table(self, rows: int, height: int, copies: np.ndarray) -> Weights:
        learner = self.learner
        slots = 2 if self.adaptive else 1
        extra = (2 if learner.name == "adadelta" else 0) + learner.average
        L = self.problem.width
        row, rest = aligned((rows * slots * height, L), self.dtype), aligned((rows * extra * height, L), self.dtype)
        table = Weights(self.problem.structure.lanes, height, row, slots, rest, extra, np.zeros(rows, np.int32), copies.astype(self.dtype))
        if self.adaptive:
            self._slot(table, 1)[:] = learner.first_pace
        return table

    def _plane(self, table: Weights, plane: int) -> np.ndarray:
        """View [F, h, L] of a slot of `row` or, numbered behind those, of `rest`."""
        if plane < table.slots:
            return self._slot(table, plane)
        return table.rest.reshape(-1, table.extra, table.height, self.problem.width)[:, plane - table.slots]

    def _slot(self, table: Weights, slot: int) -> np.ndarray:
        """View [F, h, L] of one slot."""
        return table.row.reshape(-1, table.slots, table.height, self.problem.width)[:, slot]

    def _pending(self, table: Weights, occurrences) -> Pending:
        rows, learner = len(table.last), self.learner
        most = 0
        if learner.batch > 1:
            entries = np.sort(np.diff(occurrences.at))[::-1]
            most = min(rows, int(entries[: learner.batch].sum()) + 1)
        g = aligned((most * table.height, self.problem.width), self.dtype)
        return Pending(np.full(rows if most else 0, -1, np.int32), np.zeros(most, np.int32), g, np.zeros(1, np.int64))

    def order(self, number: int) -> np.ndarray:
        """An epoch's own random order, so that a resumed fit sees the same rows."""
        learner, n = self.learner, self.problem.corpus.rows
        return np.random.default_rng([learner.seed, number]).permutation(n) if learner.shuffle else np.arange(n)

    def epoch(self, number: int) -> dict:
        """One sweep."""
        learner, objective, order = self.learner, self.problem.objective, self.order(number)
        skip = learner.skip if "logsum" in objective.needs or "tilt" in objective.needs else 0.0
        loss, self.steps, since, moved = sweep(
            order,
            learner.batch,
            self.rows,
            self.s,
            objective.upper,
            objective.lower,
            self.rule,
            self.node,
            self.edge,
            *self.pending,
            self.schedule,
            self.steps,
            skip,
            self.scratch,
        )
        for table in (self.node, self.edge):
            settle(self.rule, table, since)
            table.last[:] = 0
        self.epochs = number
        return {"epoch": number, "loss": loss / len(order), "moved": int(moved)}

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L]: averaged over all steps if so asked, each merged row shared out equally."""
        out = []
        for table in (self.node, self.edge):
            w = self._slot(table, 0)
            if self.learner.average and self.steps:
                total = table.rest.reshape(-1, table.extra, table.height, self.problem.width)[:, -1]
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
