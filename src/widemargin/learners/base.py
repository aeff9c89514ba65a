"""What learners share: the record of an epoch, the result, and early stopping on a development score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from widemargin.engine.frank_wolfe import MEGA
from widemargin.engine.settings import LAST_SEED, in_range
from widemargin.errors import InputError

__all__ = ["MEGA", "SEEDS", "Best", "Planes", "Result", "Watch", "Weigh", "check_range", "other_checkpoint", "put_back", "refuse_kernel"]

# watch(epoch, facts, weigh) -> development score or None. facts: numbers worth a line; weigh(): the per-feature table [R, L] as it is now.
Weigh = Callable[[], np.ndarray]
Watch = Callable[[int, dict, Weigh], float | None]


SEEDS = (0, LAST_SEED)


def check_range(learner, **ranges: tuple[float, float]) -> None:
    """Refuse settings outside [low, high]; an infinite high stands for what makes sense of anything (engine/settings.py)."""
    for name, (low, high) in ranges.items():
        in_range(name, getattr(learner, name), low, high)


# those that learn in the space of a kernel: what they need of features is their inner products
KERNEL_LEARNERS = ("smo", "sgd", "perceptron", "mira")


def refuse_kernel(name: str, kernel) -> None:
    """Refuse a kernel, where there is one, for a learner that needs weights of features."""
    if kernel is not None and name not in KERNEL_LEARNERS:
        names = f"{', '.join(KERNEL_LEARNERS[:-1])} or {KERNEL_LEARNERS[-1]}"
        raise InputError(
            f"{name} needs weights of features; use {names}, or write the kernel out as conjunctions: kernel=poly, expand=true"
        )


def other_checkpoint() -> InputError:
    """The error to raise where a checkpoint does not fit the run that is to go on from it."""
    return InputError("the checkpoint was written for other data or settings; train without --resume")


def put_back(own: Mapping[str, np.ndarray], saved: Mapping[str, np.ndarray]) -> None:
    """The arrays of a checkpoint into a run's own, which must be of the same types and shapes: kernels index by what they are."""
    for name, array in own.items():
        there = saved.get(name)
        if there is None or there.dtype != array.dtype or there.shape != array.shape:
            raise other_checkpoint()
        array[...] = there


@dataclass
class Result:
    """The chosen weights (per feature, merged rows [R, L]), which epoch they are from, and what happened."""

    w: np.ndarray
    epoch: int
    history: list[dict] = field(default_factory=list)
    why: str = ""
    carry: Callable[[], dict] | None = None  # what a later fit on more data goes on from; see online.py


@dataclass(frozen=True)
class Planes(Sequence[np.ndarray]):
    """What a learner hands on, a table [R, L] for each kind of number. Each is made when it is asked for: a fit that nobody goes on from
    need not copy them, which would take more memory than the fit did."""

    kinds: int
    make: Callable[[int], np.ndarray]

    def __len__(self) -> int:
        return self.kinds

    def __getitem__(self, plane):
        if isinstance(plane, slice):
            return [self.make(p) for p in range(*plane.indices(self.kinds))]
        if not 0 <= plane < self.kinds:
            raise IndexError(plane)
        return self.make(plane)


SPARSE = 4  # weights of which at least so many times as many are 0 as are not are kept without their zeros


@dataclass(frozen=True)
class Kept:
    """Weights put aside: hashed tables are mostly zeros, and a second copy of them would be most of a training's memory."""

    shape: tuple[int, ...]
    place: np.ndarray | None  # int64 [m], where they are not 0; None: `value` has all of them
    value: np.ndarray

    @classmethod
    def of(cls, w: np.ndarray) -> "Kept":
        """These weights, which the caller gives away."""
        flat = w.reshape(-1)
        if not w.size or SPARSE * np.count_nonzero(flat) > w.size:
            return cls(w.shape, None, w)
        place = np.flatnonzero(flat)
        return cls(w.shape, place, flat[place])

    def dense(self) -> np.ndarray:
        """All of them."""
        if self.place is None:
            return self.value
        out = np.zeros(self.shape, self.value.dtype)
        out.reshape(-1)[self.place] = self.value
        return out


def nothing_kept() -> Kept:
    """No weights."""
    return Kept.of(np.zeros((0, 0)))


@dataclass
class Best:
    """Keeps the best weights by development score, if there is one; says when patience is over."""

    patience: int
    kept: Kept = field(default_factory=nothing_kept)
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
            self.kept = nothing_kept()  # let go of first: there is never room for two
            self.kept, self.score, self.epoch = Kept.of(weigh()), score, epoch
        return self.patience > 0 and epoch - self.epoch >= self.patience

    def arrays(self, *more: float) -> dict[str, np.ndarray]:
        """For a checkpoint; `more` numbers stand before its own."""
        return {"scalars": np.array([*more, self.epoch, self.scored, self.score], np.float64), "best": self.kept.dense()}

    def restore(self, arrays: dict[str, np.ndarray], shape: tuple[int, ...], more: int = 0) -> list[int]:
        """Go on where `arrays` were taken, with weights of this shape; returns so many other numbers."""
        numbers, w = np.zeros(more + 3), arrays.get("best", self.kept.dense())
        put_back({"scalars": numbers}, arrays)
        *others, epoch, scored, score = numbers.tolist()
        counts = numbers[:-1]
        whole = np.isfinite(counts).all() and (counts >= 0).all() and (counts == np.floor(counts)).all()
        if not whole or w.dtype.kind != "f" or w.shape != (shape if scored else self.kept.shape):
            raise other_checkpoint()
        self.epoch, self.scored, self.score, self.kept = int(epoch), bool(scored), score, Kept.of(w.copy())
        return [int(number) for number in others]

    def chosen(self, weigh: Weigh) -> np.ndarray:
        """The best weights, or without scores the last."""
        return self.kept.dense() if self.scored else weigh()
