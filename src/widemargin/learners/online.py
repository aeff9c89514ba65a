"""Online learners: one compiled sweep per epoch, a rule for the step, averaging as an option for all.

perceptron   w += f(gold) - f(guess), averaged                                         (Collins 2002)
mira         the smallest step that gives a margin as large as the cost, averaged     (Crammer et al. 2006; McDonald et al. 2005 for k > 1)
sgd          fixed step, or rate / (1 + decay step)^power                             (Bottou 2004)
ops          AdaGrad primal subgradient, l1 and l2 by lazy prox steps                 (Duchi et al. 2011; kummerfeld2015, Algorithm 1)
rda          dual averaging: l1 over all steps at once, AdaGrad's scale           (Xiao 2010; Duchi et al. 2011)
adadelta     steps from running means of squared gradients and moves                  (Zeiler 2012)
smd          a gain per weight that grows while steps agree, by curvature             (Schraudolph 1999; yu-lam2008, section 3.5)

mira takes the k outputs that score + cost ranks highest. rate=auto (sgd, smd, ops): rates.py. Batches of rows whose
gradients are gathered (trees) are shared out among threads (batch_shards.py); other rows are taken one after another.
"""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.engine.objectives import Objective
from widemargin.engine.problem import Problem
from widemargin.errors import InputError
from widemargin.learners.base import SEEDS, Best, Result, Watch, check_range, other_checkpoint, refuse_kernel
from widemargin.learners.mixing import MIX_WEIGHTS, Mixture, Shards, check_mixing, in_memory
from widemargin.learners.online_run import Run
from widemargin.learners.rates import AUTO, choose_rate
from widemargin.workers import Engine

inf, tiny = float("inf"), 1e-12
MOST_MIXED = 65_536
TUNABLE = ("sgd", "smd", "ops")


@dataclass(frozen=True)
class Online:
    """Hyperparameters of an online learner; no data inside."""

    name: str = "ops"
    epochs: int = 10
    rate: float | str = 0.1  # step size, or auto; MIRA: the cap C of a step; smd: the first gain
    schedule: str = "fixed"  # sgd: fixed, inverse = rate / (1 + decay t), root = rate / sqrt(1 + decay t)
    decay: float = 0.0  # 0: chosen as l2 * rate for inverse, 1 / rows otherwise
    batch: int = 1
    summed: bool = False  # a batch counts with the sum of its losses, not with their mean, beside one penalty (kummerfeld2015, Algorithm 1)
    average: bool = False
    initial: float = 1e-2  # ops, rda: the sum of squares at the start
    k: int = 1  # mira: margins over so many outputs at once
    tolerance: float = 1e-4  # mira, k > 1: how exactly the program of a step is solved, in units of the loss
    mu: float = 0.1  # smd: how fast gains change
    memory: float = 0.99  # smd: lambda, how long a gain's effect is remembered
    rho: float = 0.95  # adadelta: memory
    epsilon: float = 1e-6  # adadelta
    skip: float = 1e-3  # residuals below this are not passed on (sums only; 0 passes everything)
    dtype: str = "float32"
    seed: int = 1
    shuffle: bool = True
    delta: float = 0.0  # stop when an epoch has lowered F by less than this part of it, or raised it; 0: never, and F is not computed
    patience: int = 0  # stop after so many epochs without a better development score; 0: never
    mix: int = 1  # so many learners, each on its share of the rows, mixed after every epoch (mixing.py)
    mix_weights: str = "uniform"  # how much each counts in the mix: one of MIX_WEIGHTS (mixing.py)
    cache: float = 500.0  # megabytes of Gram rows that are kept (sgd with a kernel)

    def __post_init__(self):
        if self.schedule not in ("fixed", "inverse", "root"):
            raise InputError(f"schedule {self.schedule!r} is not known; choose fixed, inverse or root")
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"dtype {self.dtype!r} is not known; choose float32 or float64")
        if self.mix_weights not in MIX_WEIGHTS:
            raise InputError(f"mix_weights {self.mix_weights!r} is not known; choose one of {', '.join(MIX_WEIGHTS)}")
        check_range(self, mix=(1, MOST_MIXED))
        check_range(self, epochs=(1, inf), batch=(1, inf), patience=(0, inf), decay=(0, inf), epsilon=(0, inf), skip=(0, inf))
        check_range(self, k=(1, inf), cache=(0, inf), initial=(tiny, inf), rho=(tiny, 1 - tiny))
        check_range(self, tolerance=(tiny, inf), mu=(0, inf), memory=(0, 1), delta=(0, inf), seed=SEEDS)
        if self.rate != AUTO:
            check_range(self, rate=(tiny, inf))
        elif self.name not in TUNABLE:
            raise InputError(f"{self.name} has no step size to choose; rate=auto is for {', '.join(TUNABLE)}")
        if self.name == "mira" and self.batch != 1:
            raise InputError("mira takes one row at a time; leave batch at 1, or use ops, sgd or adadelta with batches")
        if self.summed and self.batch == 1:
            raise InputError("summed adds up the losses of a batch, and a batch is one row here; give batch, or leave summed out")
        if self.k > 1 and self.name != "mira":
            raise InputError(f"{self.name} looks at one output of a row; k is for mira")

    @property
    def step(self) -> float:
        """The step size, once it is known."""
        return float(self.rate)

    @property
    def adaptive(self) -> bool:
        """Has every weight a step size of its own?"""
        return self.name in ("ops", "adadelta", "smd", "rda")

    @property
    def kind(self) -> dict:
        """Which learners can go on where this one has stopped: those that keep the same numbers."""
        return {"learner": self.name, "average": self.average}

    @property
    def first_step_size(self) -> float:
        """The step size of a weight that has not moved yet."""
        return self.step / float(np.sqrt(self.initial)) if self.name in ("ops", "rda") else self.step

    def decay_on(self, problem: Problem) -> float:
        """The decay of the schedule, chosen where it is not given."""
        usual = 1.0 / problem.corpus.rows
        return self.decay or (problem.penalty.l2 * self.step or usual if self.schedule == "inverse" else usual)

    def going_on(self, carry: dict) -> "Online":
        """This learner with the rate that the fit it goes on from has chosen."""
        return replace(self, rate=carry["rate"]) if self.rate == AUTO else self

    def fit(
        self,
        problem: Problem,
        start: np.ndarray | None = None,
        watch: Watch | None = None,
        *,
        state=None,
        keep=None,
        carry=None,
        shards: Shards | None = None,
    ) -> Result:
        """Sweep until the epochs or the patience are used up.

        state: arrays of `keep` from an earlier, interrupted fit. carry: what an earlier fit, by this kind of learner, has handed
        over: epochs, steps, averages and step sizes then go on as if there had been no end. shards: for mixed
        learners, as many shards, and who learns from them; by default the problem's rows, and its threads.
        """
        self._refuse(problem)
        if problem.kernel is not None:
            self._refuse_in_kernel(problem, start, carry)
            problem = replace(problem, cache=self.cache)
        learner, trials = self._with_rate(problem, start, state, carry)
        run: Run | Mixture
        if self.mix == 1 and shards is None:
            run = Run(learner, problem, start, carry)
        else:
            check_mixing(problem, carry)
            run = Mixture(learner, problem, start, shards or in_memory(problem, self.mix, Engine(workers=problem.threads).crew()))
        best = Best(self.patience)
        history: list[dict] = []
        first = 1 + run.epochs
        if state is not None:
            first, history = run.restore(state, best)
        why = f"all {self.epochs} epochs done"
        end = run.epochs + self.epochs
        for epoch in range(first, end + 1):
            facts = run.epoch(epoch) | ({"rate": learner.step} if self.rate == AUTO else {}) | trials
            trials = {}
            done = self.delta > 0.0 and self._settled(facts, history, run)
            score = watch(epoch, facts, run.weights) if watch else None
            history.append(facts)
            over = best.offer(epoch, run.weights, score)
            if keep is not None:
                keep(epoch, lambda epoch=epoch: run.state(epoch, best), history, over or done or epoch == end)
            if over or done:
                if done:
                    rose = facts["primal"] > history[-2]["primal"]
                    why = "F rose in the last epoch" if rose else f"F fell by less than {self.delta:g} of itself in an epoch"
                if over:
                    why = f"no better development score for {self.patience} epochs"
                break
        return Result(best.chosen(run.weights), best.epoch, history, why, run.carry if problem.kernel is None else None)

    def _settled(self, facts: dict, history: list[dict], run: Run | Mixture) -> bool:
        """Adds F to the facts; has it fallen by less than delta?"""
        facts["primal"] = run.value()
        return bool(history) and history[-1]["primal"] - facts["primal"] < self.delta * abs(facts["primal"])

    def _with_rate(self, problem: Problem, start, state, carry) -> "tuple[Online, dict]":
        """This learner with a number for its rate: that of the fit it goes on from, or one that is chosen now; the trials if so."""
        if self.rate != AUTO:
            return self, {}
        if state is not None:
            rate = state[1][0].get("rate") if state[1] else None
            if not isinstance(rate, float):
                raise other_checkpoint()
            return replace(self, rate=rate), {}
        if carry is not None:
            return self.going_on(carry), {}
        rate, trials = choose_rate(self, problem, start)
        return replace(self, rate=rate), {"trials": trials}

    def _refuse_in_kernel(self, problem: Problem, start, carry) -> None:
        refuse_kernel(self.name, problem.kernel)
        if self.rate == AUTO or self.delta > 0.0:
            raise InputError(
                "rate=auto and delta are not for kernels; give a rate and a number of epochs, or write the kernel out (expand=true)"
            )
        if self.batch != 1 or self.k != 1:
            raise InputError(
                f"{self.name} with a kernel takes one row and one output at a time; leave batch and k at 1, or write the kernel out "
                "(expand=true)"
            )
        if start is not None or carry is not None:
            raise InputError("a kernel model cannot go on from another; train it on all data at once, or write it out (expand=true)")

    def refuse_objective(self, objective: Objective) -> None:
        """Refuse an objective that this learner cannot follow."""
        if self.k > 1 and objective.needs != {"argmax"}:
            raise InputError(f"mira with k > 1 needs an objective of best outputs and {objective.name} is not; use hinge, or leave k at 1")
        if self.name == "smd" and "tilt" in objective.needs:
            raise InputError(f"smd needs the curvature of {objective.name}, which is not available; use another objective, or ops or sgd")

    def _refuse(self, problem: Problem) -> None:
        name, objective, penalty = self.name, problem.objective.name, problem.penalty
        if name in ("perceptron", "mira") and (penalty.l1 or penalty.l2):
            raise InputError(f"{name} takes no penalty; drop --l1 and --l2, or use ops, sgd, adadelta or lbfgs")
        if name == "rda" and penalty.l2:
            raise InputError("rda has no l2: its weights are sums of gradients with l1 taken off; use --l1, or ops, sgd or lbfgs for l2")
        if name == "rda" and self.mix > 1:
            raise InputError("rda is not mixed: its weights follow from sums that each learner keeps; leave mix at 1, or use ops")
        self.refuse_objective(problem.objective)
        if self.k > 1 and "kbest" not in problem.structure.offers:
            raise InputError(f"mira with k > 1 needs the k best outputs, which {problem.structure.name} does not offer; leave k at 1")
        if name == "smd" and penalty.l1:
            raise InputError("smd has no l1: its gains need a penalty that is smooth; use --l2, or ops, sgd or lbfgs for l1")
        if name == "smd" and "logsum" in problem.objective.needs and "tilt" not in problem.structure.offers:
            raise InputError(f"smd with {objective} needs tilt, which {problem.structure.name} does not offer; use hinge, or ops or sgd")
