"""Runs of the study: every point of a grid with every seed, the best point by its mean on the development lists, and what it comes to."""

import statistics
import time
from dataclasses import dataclass

import numpy as np

from widemargin.families.reranking.scores import choice_scores
from widemargin.families.reranking.tuners import Tuned
from widemargin.families.reranking.tuners.lists import chosen, lists_of
from widemargin.families.reranking.tuners.spread import spread_facts
from widemargin.study.papers.eidelman.data import Data, Part
from widemargin.study.papers.eidelman.methods import Method
from widemargin.study.tuning import text_of

PARTS = ("p1", "p2", "p3", "p4", "brevity_penalty", "ter", "half_ter_less_bleu")


@dataclass(frozen=True)
class Trial:
    """A point of a grid with all seeds."""

    point: dict
    found: list[Tuned]
    seconds: float  # of CPU time, all seeds

    @property
    def dev(self) -> float:
        """Mean over seeds."""
        return statistics.fmean(one.dev for one in self.found if one.dev is not None)


def trials(method: Method, data: Data, seeds: range, epochs: int | None) -> list[Trial]:
    """All points of the method's grid; the development lists choose the epoch of each run."""
    out = []
    for point in method.grid:
        began = time.process_time()
        dev = data.dev.pool, data.dev.metric
        found = [method.at(point, seed, epochs).tune(data.tune.pool, data.tune.metric, data.start, dev=dev) for seed in seeds]
        out.append(Trial(point, found, time.process_time() - began))
    return out


def mean_and_sd(values: list[float]) -> str:
    """As text, for tables."""
    return f"{statistics.fmean(values):.2f} ± {statistics.pstdev(values):.2f}"


def pooled(means: list[float], deviations: list[float]) -> str:
    """Mean and standard deviation of groups of one size put together."""
    mean = statistics.fmean(means)
    square = statistics.fmean(m * m + d * d for m, d in zip(means, deviations)) - mean * mean
    return f"{mean:.2f} ± {max(square, 0.0) ** 0.5:.2f}"


def score_of(part: Part, w: np.ndarray) -> float:
    """BLEU of what w chooses."""
    return float(part.metric.total(part.metric.counts[chosen(lists_of(part.pool), w)].sum(axis=0)))


def outcome(method: str, data: Data, trial: Trial, *, ter: bool) -> dict:
    """A row of the table: means over seeds; interval, precisions and lengths are those of the first seed. The test lists are read here."""
    weights = [one.weights for one in trial.found]
    scores = choice_scores(data.test.pool, data.test.metric, chosen(lists_of(data.test.pool), weights[0]), ter=ter).as_dict()
    lies = [spread_facts(data.tune.pool, data.tune.metric, w) for w in weights]
    row = {
        "tuner": method,
        "settings": text_of(trial.point) or None,
        "tune": mean_and_sd([one.score for one in trial.found]),
        "dev": mean_and_sd([one.dev for one in trial.found if one.dev is not None]),
        "test": mean_and_sd([score_of(data.test, w) for w in weights]),
        "gain": f"{scores['gain']:+.2f} ({scores['gain_low']:+.2f} to {scores['gain_high']:+.2f})",
        "spread": pooled([one["spread"] for one in lies], [one["spread_sd"] for one in lies]),
        "relative_margin": statistics.fmean(one["relative_margin"] for one in lies),
        "active": f"{lies[0]['active']:,} of {len(data.tune.pool.names):,}",
        "seconds": trial.seconds / len(weights),
        "failed": f"{sum(bool(one.failure) for one in trial.found)} of {len(weights)}",
        "failures": [one.failure for one in trial.found if one.failure],
    }
    visits = [facts for one in trial.found for facts in one.history if "spread" in facts]
    row["visited"] = pooled([one["spread"] for one in visits], [one["spread_sd"] for one in visits]) if visits else None
    parts = {key: scores[key] for key in PARTS if key in scores}
    return row | {"parts": parts}


def start_row(data: Data, *, ter: bool) -> dict:
    """The weights to start from, without tuning."""
    scores = choice_scores(
        data.test.pool, data.test.metric, chosen(lists_of(data.test.pool), data.start), intervals=False, ter=ter
    ).as_dict()
    lies = spread_facts(data.tune.pool, data.tune.metric, data.start)
    parts = {key: scores[key] for key in PARTS if key in scores}
    found = {name: f"{score_of(part, data.start):.2f}" for name, part in (("tune", data.tune), ("dev", data.dev), ("test", data.test))}
    spread = {"spread": f"{lies['spread']:.2f} ± {lies['spread_sd']:.2f}", "relative_margin": lies["relative_margin"]}
    return {"tuner": "start", **found, **spread, "active": f"{lies['active']:,} of {len(data.tune.pool.names):,}", "parts": parts}


def oracle_row(data: Data) -> dict:
    """The best hypothesis of each list by itself."""
    parts = (("tune", data.tune), ("dev", data.dev), ("test", data.test))
    best = {name: part.metric.counts[part.metric.best(part.pool)].sum(axis=0) for name, part in parts}
    return {"tuner": "oracle"} | {name: f"{float(data.tune.metric.total(sums)):.2f}" for name, sums in best.items()}
