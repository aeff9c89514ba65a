"""MERT: coordinate search with exact line searches from many starts (Och 2003)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from widemargin.errors import InputError
from widemargin.families.reranking.metrics import Metric, first_best
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.tuners.base import BestWeights, Task, Tuned, check_settings
from widemargin.families.reranking.tuners.hulls import Slopes, Space, breaks_for, search_line, sorted_slopes, sums_of

MOST_FEATURES = 200


@dataclass(frozen=True)
class Mert:
    """From the start and from `restarts` random points, each feature and `directions` random directions are searched from where the weights
    are, and the best step of all is taken, until none gains `gain` per cent. Random weights are uniform in [-1, 1], of features of standard
    deviation 1."""

    restarts: int = 20
    directions: int = 0
    rounds: int = 50
    gain: float = 1e-4
    scaling: bool = True
    seed: int = 1

    name = "mert"

    def __post_init__(self):
        inf = float("inf")
        check_settings(self, restarts=(0, inf), directions=(0, inf), rounds=(1, inf), gain=(0, 100), seed=(0, 2**63 - 1))

    def tune(self, pool: Pool, metric: Metric, start: np.ndarray | None = None, *, dev: tuple[Pool, Metric] | None = None) -> Tuned:
        """The best of all starts' ends on dev, or on the lists themselves without it."""
        if len(pool.names) > MOST_FEATURES:
            raise InputError(
                f"mert searches each of {len(pool.names)} features in turn, and takes at most {MOST_FEATURES}; use rm, mira or pro"
            )
        task = Task(pool, metric, start, dev, scaling=self.scaling)
        search, random = _Search(task), np.random.default_rng(self.seed)
        best, history = BestWeights(task), []
        for begin in range(self.restarts + 1):
            w = task.w if begin == 0 else random.uniform(-1.0, 1.0, len(task.w))
            w, facts = self._climb(search, w, random)
            history.append({"epoch": begin} | facts | best.offer(w, begin))
        return task.finish(self.name, best.w, best.epoch, history)

    def _climb(self, search: "_Search", w: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, dict]:
        """Where the search ends that begins at w, and what it took."""
        worth, searches, last = search.task.tuning.worth(w), 0, None
        for _ in range(self.rounds):
            lines = search.lines + [search.line(random.normal(size=len(w))) for _ in range(self.directions)]
            lines = [line for line in lines if line is not last]  # whose best point is here
            found = search.from_here(w, lines)
            searches += len(found)
            at = int(np.argmax([there for _, there in found]))
            x, reached = found[at]
            moved = w + x * lines[at].direction
            if not reached > worth + self.gain or not moved.any():
                break
            w, worth, last = moved / np.abs(moved).sum(), reached, lines[at]
        return w, {"searches": searches}


class _Line(NamedTuple):
    """A direction of weights, and its slopes in the lists."""

    direction: np.ndarray
    slopes: Slopes


class _Search:
    """Lists written out by feature [D, H], and the lines along each."""

    def __init__(self, task: Task):
        row_ptr, counts = task.pool.row_ptr, task.metric.counts
        counts = np.ascontiguousarray(counts, np.int32 if counts.dtype == np.int32 else np.float64)  # half the memory to wait for
        self.task, self.space = task, Space(sums_of(task.metric), row_ptr, counts, breaks_for(row_ptr, counts))
        self.features = np.ascontiguousarray((task.pool.dense() / task.unit).T)
        self.lines = [self.line(direction) for direction in np.eye(len(self.features))]

    def line(self, direction: np.ndarray) -> _Line:
        return _Line(direction, sorted_slopes(self.space.row_ptr, direction @ self.features))

    def from_here(self, w: np.ndarray, lines: list[_Line]) -> list[tuple[float, float]]:
        """(x, worth) of the best point on each line through w."""
        score = w @ self.features
        best = first_best(self.space.row_ptr, score)
        return [search_line(self.space, score, best, line.slopes) for line in lines]
