"""What learners share: the record of an epoch, the result, and early stopping on a development score."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from widemargin.errors import InputError
from widemargin.kernels.lanes import WIDTH
from widemargin.kernels.sweep import Pending
from widemargin.problem import Part
from widemargin.scorers.gram import KernelProblem
from widemargin.structures.base import aligned

MEGA = 1e6

# watch(epoch, facts, weigh) -> development score or None. facts: numbers worth a line; weigh(): the per-feature table [R, L] as it is now.
Weigh = Callable[[], np.ndarray]
Watch = Callable[[int, dict, Weigh], float | None]


def check_range(learner, **ranges: tuple[float, float]) -> None:
    """Refuse settings outside [low, high], high itself only when it is finite."""
    for name, (low, high) in ranges.items():
        value = getattr(learner, name)
        if not low <= value <= high or value == float("inf"):
            upper = f" and at most {high:g}" if high < float("inf") else " and finite"
            raise InputError(f"{name} is {value}; it must be at least {low:g}{upper}")


def refuse_kernel(name: str, problem) -> None:
    """Refuse a problem in the space of a kernel."""
    if isinstance(problem, KernelProblem):
        raise InputError(f"{name} needs weights of features; use smo or sgd, or write the kernel out as conjunctions: expand=true")


def pending_of(part: Part, most: int, dtype, *, span: int = 1) -> Pending:
    """An empty gradient with room for `most` weight rows of a table. Memory that is not touched is not taken."""
    g = aligned((most * span * part.height, WIDTH * len(part.lanes)), dtype)
    return Pending(np.full(part.rows if most else 0, -1, np.int32), np.zeros(most, np.int32), g, np.zeros(1, np.int64), span)


@dataclass
class Result:
    """The chosen weights (per feature, merged rows [R, L]), which epoch they are from, and what happened."""

    w: np.ndarray
    epoch: int
    history: list[dict] = field(default_factory=list)
    why: str = ""
    carry: Callable[[], dict] | None = None  # what a later fit on more data goes on from; see online.py


@dataclass
class Best:
    """Keeps the best weights by development score, if there is one; says when patience is over."""

    patience: int
    w: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    score: float = -np.inf
    epoch: int = 0
    scored: bool = False

    def offer(self, epoch: int, weigh: Weigh, score: float | None) -> bool:
        """Takes note of an epoch; True when `patience` epochs have brought nothing better."""
        if score is None:
            self.epoch = epoch
            return False
        self.scored = True
        if score > self.score:
            self.w, self.score, self.epoch = weigh(), score, epoch
        return self.patience > 0 and epoch - self.epoch >= self.patience

    def arrays(self, *more: float) -> dict[str, np.ndarray]:
        """For a checkpoint; `more` numbers stand before its own."""
        return {"scalars": np.array([*more, self.epoch, self.scored, self.score], np.float64), "best": self.w}

    def restore(self, arrays: dict[str, np.ndarray]) -> list[int]:
        """Go on where `arrays` were taken; returns the other numbers."""
        *more, epoch, scored, score = arrays["scalars"].tolist()
        self.epoch, self.scored, self.score, self.w = int(epoch), bool(scored), score, arrays["best"].copy()
        return [int(number) for number in more]

    def chosen(self, weigh: Weigh) -> np.ndarray:
        """The best weights, or without scores the last."""
        return self.w if self.scored else weigh()
