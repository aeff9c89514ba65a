"""L-BFGS, and OWL-QN when there is an l1 penalty: the whole gradient at every step, on several threads."""

from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.problem import Problem

from .base import Best, Result, Watch, check_range, refuse_kernel
from .quasi_newton import State, minimise


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
        check_range(self, epochs=(1, inf), memory=(1, inf), period=(1, inf), patience=(0, inf), delta=(0, inf))
        for name in ("dtype", "history"):
            if getattr(self, name) not in ("float32", "float64"):
                raise InputError(f"{name} {getattr(self, name)!r} is not known; choose float32 or float64")

    @property
    def kind(self) -> dict:
        """No learner can go on where this one has stopped."""
        return {"learner": self.name}

    def fit(
        self, problem: Problem, start: np.ndarray | None = None, watch: Watch | None = None, *, state=None, keep=None, carry=None
    ) -> Result:
        """Minimise F from `start` (or zeros); nothing but weights is carried on."""
        refuse_kernel("lbfgs", problem)
        if "argmax" in problem.objective.needs:
            raise InputError(
                f"lbfgs needs a smooth objective and {problem.objective.name} is not; use likelihood, softmax-margin, jensen or risk"
            )
        best, history, past = Best(self.patience), [], None
        if state is not None:
            arrays, history = state[0], list(state[1])
            past = State.from_arrays({k.removeprefix("lbfgs."): v for k, v in arrays.items() if k.startswith("lbfgs.")})
            best.restore(arrays)
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

        result = minimise(
            problem.value_and_gradient,
            w,
            copies=copies,
            l1=problem.penalty.l1,
            memory=self.memory,
            iterations=self.epochs,
            period=self.period,
            delta=self.delta,
            threads=problem.threads,
            keep=np.dtype(self.history).type,
            watch=note,
            state=past,
        )
        return Result(best.chosen(lambda: result.w / copies[:, None]), best.epoch, history, result.why)


def _arrays(now: State, best: Best) -> dict[str, np.ndarray]:
    arrays = {f"lbfgs.{k}": v for k, v in now.to_arrays().items()}
    return arrays | best.arrays()
