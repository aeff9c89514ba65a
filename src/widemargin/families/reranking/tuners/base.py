"""What all tuners share: the lists in units of their own, who judges weights, and what comes out."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from widemargin.engine.names import hint
from widemargin.engine.settings import in_range
from widemargin.errors import InputError
from widemargin.families.reranking.features import within_lists
from widemargin.families.reranking.metrics import Metric
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.tuners.lists import Lists, chosen, lists_of
from widemargin.families.reranking.tuners.spread import spread_facts

NAMED = 5  # features named in a note; more are counted


class Judged(NamedTuple):
    """Lists and the metric that judges a choice from them."""

    lists: Lists
    metric: Metric

    def score(self, w: np.ndarray) -> float:
        """The metric of what w chooses, in per cent."""
        return self.of(chosen(self.lists, w))

    def of(self, choice: np.ndarray) -> float:
        """The metric of one hypothesis for each sentence, int64 [S]."""
        return float(self.metric.total(self.metric.counts[choice].sum(axis=0)))

    def worth(self, w: np.ndarray) -> float:
        """Higher for better weights."""
        return -self.score(w) if self.metric.lower_is_better else self.score(w)


@dataclass
class Tuned:
    """What a tuner has found. Weights are in the features' own units."""

    tuner: str
    weights: np.ndarray  # [D]
    score: float  # on the lists that it was tuned on, in per cent
    dev: float | None  # on held-out lists, if there were any
    epoch: int  # from which the weights are
    history: list[dict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)  # spread.py, on the tuning lists
    failure: str = ""  # why this is no success, in a sentence


class Tuner(Protocol):
    """Weights for lists that are no learner's minimum of F."""

    name: str
    __dataclass_fields__: ClassVar[dict[str, Any]]  # its settings

    def tune(self, pool: Pool, metric: Metric, start: np.ndarray | None = None, *, dev: tuple[Pool, Metric] | None = None) -> Tuned:
        """Weights that choose well by the metric, from `start` [D] (by default 1 for every feature); the best on dev, if it is given."""
        ...


class Task:
    """A pool made ready: scaled lists, weights to start from, who judges, and what was noticed.

    unit [D] is the standard deviation of a feature within its lists, over the hypotheses of all lists, or 1 without scaling. Inside, values
    are divided and weights multiplied by it, so scores stay what they are.
    """

    def __init__(self, pool: Pool, metric: Metric, start: np.ndarray | None, dev: tuple[Pool, Metric] | None, *, scaling: bool):
        self.pool, self.metric, self.notes = pool, metric, list[str]()
        _refuse_bad_values(pool)
        deviation = within_lists(pool)
        constant = np.flatnonzero(deviation == 0.0)
        if len(constant) == len(deviation):
            raise InputError("no feature differs between the hypotheses of any sentence, so there is nothing to tune", pool.source)
        if len(constant):
            some = ", ".join(pool.names[f] for f in constant[:NAMED])
            more = f" and {len(constant) - NAMED} more" if len(constant) > NAMED else ""
            self.notes.append(f"within each list these features are constant, so their weights cannot matter: {some}{more}")
        self.unit = np.where(deviation > 0.0, deviation, 1.0) if scaling else np.ones(len(deviation))
        self.start = np.ones(len(pool.names)) if start is None else np.array(start, np.float64)
        if self.start.shape != (len(pool.names),) or not np.isfinite(self.start).all():
            raise InputError(f"the start must be {len(pool.names)} finite weights, one per feature; it has shape {self.start.shape}")
        self.w = self.start * self.unit
        self.tuning = Judged(lists_of(pool, self.unit), metric)
        self.judge, self.held_out = self.tuning, dev is not None
        self.baseline = self.tuning.of(pool.row_ptr[:-1])
        if dev is not None:
            if dev[0].names != pool.names:
                raise InputError("the development lists have other features than the tuning lists; give both the same, in one order")
            if dev[1].name != metric.name:
                raise InputError(f"the development lists are judged by {dev[1].name} and the tuning lists by {metric.name}; use one metric")
            self.judge = Judged(lists_of(dev[0], self.unit), dev[1])
            self.baseline = self.judge.of(dev[0].row_ptr[:-1])

    def finish(self, tuner: str, w: np.ndarray, epoch: int, history: list[dict]) -> Tuned:
        """The result of scaled weights w, and whether it is one."""
        dev = self.judge.score(w) if self.held_out else None
        found = Tuned(tuner, w / self.unit, self.tuning.score(w), dev, epoch, history, self.notes)
        found.facts = spread_facts(self.pool, self.metric, found.weights)
        score = found.score if dev is None else dev
        worse = score > self.baseline if self.metric.lower_is_better else score < self.baseline
        where = "the tuning lists" if dev is None else "the development lists"
        if not np.isfinite(w).all() or not w.any():
            found.failure = f"{tuner} ended with weights that are all zero or not finite; try another start, or smaller steps"
        elif worse:
            name = self.metric.name
            found.failure = f"{tuner} reached {name} {score:.2f} on {where}, worse than the first of each list ({self.baseline:.2f})"
        return found


class BestWeights:
    """The weights that were worth most; offered one after another, the first of equals stays."""

    def __init__(self, task: Task):
        self.task, self.worth, self.w, self.epoch = task, -np.inf, task.w.copy(), 0

    def offer(self, w: np.ndarray, epoch: int) -> dict:
        """Takes note of weights; the scores that they reach."""
        worth = self.task.judge.worth(w)
        if worth > self.worth:
            self.worth, self.w, self.epoch = worth, w.copy(), epoch
        score = -worth if self.task.metric.lower_is_better else worth
        return {"dev": score, "score": self.task.tuning.score(w)} if self.task.held_out else {"score": score}


def _refuse_bad_values(pool: Pool) -> None:
    fine = np.isfinite(pool.value)
    if not fine.all():
        entry = int(np.argmin(fine))
        h = int(np.searchsorted(pool.feature_ptr, entry, side="right")) - 1
        place = f"{pool.source}:{pool.line[h]}" if len(pool.line) else f"hypothesis {h} of {pool.source}"
        raise InputError(f"feature {pool.names[pool.feature[entry]]!r} is {pool.value[entry]}; give finite numbers", place)


def check_settings(tuner, **ranges: tuple[float, float]) -> None:
    """Refuse settings outside [low, high]; inf is allowed where high is inf."""
    for name, (low, high) in ranges.items():
        value = getattr(tuner, name)
        if not (value == np.inf and high == np.inf):
            in_range(name, value, low, None if high == np.inf else high)


def one_of(name: str, value: str, known: tuple[str, ...] | dict) -> None:
    """Refuse a word that is none of those known."""
    if value not in known:
        raise InputError(f"{name} {value!r} is not known; choose one of {', '.join(known)}{hint(value, known)}")
