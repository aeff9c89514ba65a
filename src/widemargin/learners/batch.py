"""L-BFGS, and OWL-QN when there is an l1 penalty: the whole gradient at every step, on several threads."""

from dataclasses import dataclass

import numpy as np

from widemargin.engine.objectives import Objective
from widemargin.engine.problem import Problem
from widemargin.errors import InputError
from widemargin.learners.base import SEEDS, Best, Result, Watch, check_range, other_checkpoint, refuse_kernel
from widemargin.learners.quasi_newton import SearchSettings, State, minimise


@dataclass(frozen=True)
class Lbfgs:
    """Hyperparameters of L-BFGS (Liu and Nocedal 1989; OWL-QN: Andrew and Gao 2007)."""

    name: str = "lbfgs"
    epochs: int = 100  # iterations
    memory: int = 6
    period: int = 10  # stop when F has improved by less than delta (relative) over so many iterations
    delta: float = 1e-5
    dtype: str = "float32"  # of weights and gradients
    history: str = "float32"  # of the kept pairs
    patience: int = 0
    seed: int = 1  # nothing is random here; kept so that all learners take a seed

    def __post_init__(self):
        inf = float("inf")
        check_range(self, epochs=(1, inf), memory=(1, inf), period=(1, inf), patience=(0, inf), delta=(0, inf), seed=SEEDS)
        for name in ("dtype", "history"):
            if getattr(self, name) not in ("float32", "float64"):
                raise InputError(f"{name} {getattr(self, name)!r} is not known; choose float32 or float64")

    @property
    def kind(self) -> dict:
        """No learner can go on where this one has stopped."""
        return {"learner": self.name}

    def refuse_objective(self, objective: Objective) -> None:
        """Refuse an objective with corners."""
        if "argmax" in objective.needs:
            raise InputError(f"lbfgs needs a smooth objective and {objective.name} is not; use likelihood, softmax-margin, jensen or risk")

    def fit(
        self, problem: Problem, start: np.ndarray | None = None, watch: Watch | None = None, *, state=None, keep=None, carry=None
    ) -> Result:
        """Minimise F from `start` (or zeros); nothing but weights is carried on."""
        refuse_kernel("lbfgs", problem.kernel)
        self.refuse_objective(problem.objective)
        best, history, past = Best(self.patience), [], None
        if state is not None:
            arrays, history = state[0], list(state[1])
            best.restore(arrays, problem.shape)
            past = self._state(problem, {k.removeprefix("lbfgs."): v for k, v in arrays.items() if k.startswith("lbfgs.")})
        w = problem.zeros(np.dtype(self.dtype))
        if start is not None:
            w[:] = start
        copies = problem.copies

        def note(iteration: int, value: float, now: State) -> bool:
            facts = {"epoch": iteration, "loss": value}

            def weigh() -> np.ndarray:
                return now.w / copies[:, None]

            score = watch(iteration, facts, weigh) if watch else None
            history.append(facts)
            over = best.offer(iteration, weigh, score)
            if keep is not None:
                keep(iteration, lambda: _arrays(now, best), history, over or iteration == self.epochs)
            return over

        keep_as = np.dtype(self.history).type
        settings = SearchSettings(problem.penalty.l1, self.memory, self.epochs, self.period, self.delta, problem.threads, keep_as)
        result = minimise(problem.value_and_gradient, w, settings, copies=copies, watch=note, state=past)
        return Result(best.chosen(lambda: result.w / copies[:, None]), best.epoch, history, result.why)

    def _state(self, problem: Problem, arrays: dict[str, np.ndarray]) -> State:
        """The state in a checkpoint, if it is one of this search."""
        try:
            state = State.from_arrays(arrays)
        except (KeyError, TypeError):
            raise other_checkpoint() from None
        if not state.fits(problem.zeros(np.dtype(self.dtype)), self.memory, np.dtype(self.history)):
            raise other_checkpoint()
        return state


def _arrays(now: State, best: Best) -> dict[str, np.ndarray]:
    arrays = {f"lbfgs.{k}": v for k, v in now.to_arrays().items()}
    return arrays | best.arrays()
