"""Dual learners: they keep planes of the hinge and know how far they are from the minimum of F.

cutting-plane  a working set per row, solved by SMO, then every row's best output is added                (Tsochantaridis et al. 2005)
one-slack      one working set of planes of the whole mean loss, solved exactly at every step             (Joachims et al. 2009)
bcfw           a row at a time towards its best output, the line search in closed form                    (Lacoste-Julien et al. 2013)
ocp            a row at a time, mass moved between two of its planes; L1 loss                             (Chang and Yih 2013)
smo            a row at a time, mass moved between two outputs, on the masses of parts, with kernels        (Taskar et al. 2003)

All of them raise the dual D(a) <= min F and stop when F(w) - D(a), the gap, is small enough to be called the end.

On trees (all but smo) the planes of a sentence are trees. There bcfw keeps its mixture sparse: each word has a list of the (head, label)
parts that some best tree gave it, 16 bytes each, within `memory`.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.engine.by_hand import is_by_hand
from widemargin.engine.objectives import Objective
from widemargin.engine.problem import Problem
from widemargin.errors import InputError
from widemargin.learners.base import SEEDS, Best, Result, Watch, check_range, refuse_kernel
from widemargin.learners.dual_runs import RUNS as ASCENTS
from widemargin.learners.smo import Smo

inf = float("inf")
RUNS: dict[str, type] = {**ASCENTS, "smo": Smo}
DUALS = tuple(RUNS)
MARGINS = ("hinge", "slack")  # the objectives that are maxima of planes


@dataclass(frozen=True)
class Dual:
    """Hyperparameters of a dual learner; no data inside."""

    name: str = "bcfw"
    epochs: int = 50
    tolerance: float = 1e-3  # stop when the gap is at most this part of F
    check: int = 0  # F, and with it the gap, every so many epochs; 0: when it seems to be small enough, and at the end
    passes: int = 0  # over the working sets without decoding; ocp: in every epoch, cutting-plane: at most
    solved: float = 0.1  # cutting-plane: the kept planes are solved until their gap is at most this part of the one met by decoding
    wait: bool = False  # cutting-plane: decode all rows under the same weights, then solve; no step is taken while decoding
    prune: int = 10  # planes without mass for more than so many epochs are dropped; 0: never
    memory: float = 1000.0  # megabytes that planes may take; then the lightest are merged (one-slack), or no more are kept
    steps: int = 10  # smo: in one visit mass is moved between outputs of a row at most so often
    cache: float = 500.0  # smo: megabytes of Gram rows that are kept
    average: bool = False  # bcfw: the mean of w over all steps
    dtype: str = "float64"  # of weights and mixtures; one-slack is float64
    seed: int = 1
    shuffle: bool = True
    patience: int = 0  # stop after so many epochs without a better development score; 0: never

    def __post_init__(self):
        if self.dtype not in ("float32", "float64"):
            raise InputError(f"dtype {self.dtype!r} is not known; choose float32 or float64")
        check_range(
            self, epochs=(1, inf), check=(0, inf), passes=(0, inf), prune=(0, inf), patience=(0, inf), tolerance=(0, inf), memory=(0, inf)
        )
        check_range(self, steps=(1, inf), cache=(0, inf), seed=SEEDS, solved=(0, 1))
        if self.average and self.name != "bcfw":
            raise InputError(f"{self.name} does not average; leave average out, or use bcfw")
        if self.wait and self.name != "cutting-plane":
            raise InputError(f"{self.name} does not solve its planes between decodings; leave wait out, or use cutting-plane")
        if self.wait and not self.passes:
            raise InputError("with wait only passes over the planes move the weights; give passes, for example 100")

    @property
    def kind(self) -> dict:
        """No learner can go on where this one has stopped."""
        return {"learner": self.name}

    def fit(
        self, problem: Problem, start: np.ndarray | None = None, watch: Watch | None = None, *, state=None, keep=None, carry=None
    ) -> Result:
        """Raise the dual until the gap, the epochs or the patience say stop. state: arrays of `keep` from an interrupted fit."""
        self._refuse(problem, start, carry)
        run = RUNS[self.name](self, problem)
        best = Best(self.patience)
        history: list[dict] = []
        first = 1
        if state is not None:
            arrays, history = state[0], list(state[1])
            first = best.restore(arrays, problem.shape, 1)[0] + 1
            run.restore(arrays)
        why = f"all {self.epochs} epochs done"
        for epoch in range(first, self.epochs + 1):
            facts = run.epoch(epoch)
            score = watch(epoch, facts, run.weights) if watch else None
            history.append(facts)
            over = best.offer(epoch, run.weights, score)
            done = facts.get("gap", inf) <= self.tolerance * facts.get("primal", 0.0)
            if keep is not None:
                keep(epoch, lambda epoch=epoch: run.arrays() | best.arrays(epoch), history, over or done or epoch == self.epochs)
            if over or done:
                why = f"no better development score for {self.patience} epochs"
                if done:
                    why = f"F is near its minimum after {epoch} epochs"
                break
        return Result(best.chosen(run.weights), best.epoch, history, why + self._certificate(history[-1]))

    def refuse_objective(self, objective: Objective) -> None:
        """Refuse an objective that is no maximum of planes."""
        if objective.name not in (MARGINS if self.name != "smo" else ("hinge",)):
            others = "cccp, ops or sgd" if objective.name == "ramp" else "ops, sgd or lbfgs"
            raise InputError(f"{self.name} minimises the hinge, not {objective.name}; use --objective hinge, or {others}")

    def _certificate(self, facts: dict) -> str:
        """How far from the minimum of F the last epoch is, in words; nothing where that was not computed."""
        if "gap" not in facts or "primal" not in facts:
            return ""
        part = facts["gap"] / max(facts["primal"], 1e-300)
        end = "converged" if facts["gap"] <= self.tolerance * facts["primal"] else "not converged"
        return f"; gap {facts['gap']:.3g}, {part:.1e} of F, tolerance {self.tolerance:g}: {end}"

    def _refuse(self, problem: Problem, start, carry) -> None:
        name, corpus = self.name, problem.corpus
        if name != "smo":
            refuse_kernel(name, problem.kernel)
        elif not problem.takes_kernels:
            raise InputError(f"smo and kernels are for labels of tokens, not for {problem.structure.name}; use bcfw, ocp or cutting-plane")
        if name != "one-slack" and is_by_hand(problem.structure):
            raise InputError(f"{name} needs a compiled argmax, and that of {problem.structure.name} is Python; use one-slack, mira or ops")
        self.refuse_objective(problem.objective)
        if problem.penalty.l2 == 0.0 or problem.penalty.l1 > 0.0:
            raise InputError(f"{name} needs l2 above 0 and no l1; give --l2, for example 1/n = {1 / corpus.rows:.3g}, or use ops or sgd")
        if problem.latent:
            inner = name if name != "smo" else "bcfw"
            raise InputError(
                f"{name} needs every label; with unknown labels (?) use cccp with inner={inner}, ops, sgd, perceptron or lbfgs"
            )
        if (corpus.weight < 0).any():
            raise InputError(f"{name} needs row weights from 0 up, and row {int(np.argmin(corpus.weight))} has a negative one")
        if start is not None or carry is not None:
            raise InputError(f"{name} starts from no planes and cannot go on from weights; use ops, sgd, perceptron or mira for that")
