"""rate=auto: try step sizes on a sample of rows and keep the one that lowers F most (Bottou 2004; yu-lam2008, section 3.3).

Every trial is one pass over the sample from the same start, then F of the sample. The walk begins at the learner's usual rate and goes on
by factors of two, upwards first, while F falls; where the first step up does not lower F, it goes down.
"""

import math
from dataclasses import replace

import numpy as np

from widemargin.engine.problem import Problem
from widemargin.learners.online_run import Run

AUTO = "auto"
SAMPLE = 1000  # rows
MIDDLE, FACTOR, REACH = 0.1, 2.0, 20  # where the walk begins, its step, and how many steps it may take


def choose_rate(learner, problem: Problem, start: np.ndarray | None) -> tuple[float, list[list[float | None]]]:
    """The best rate, and every [rate, F] that was tried, in order (F is None where it is no number). The learner's seed decides."""
    rows = problem.corpus.rows
    chosen = np.sort(np.random.default_rng([learner.seed, 0]).permutation(rows)[:SAMPLE])
    sample = problem.part(chosen) if len(chosen) < rows else problem
    trials: list[list[float | None]] = []

    def value_at(power: int) -> float:
        rate = MIDDLE * FACTOR**power
        trial = replace(learner, rate=rate)
        run = Run(replace(trial, decay=trial.decay_on(problem)), sample, start)
        run.epoch(1)
        value = run.value()
        trials.append([rate, value if math.isfinite(value) else None])
        return value if math.isfinite(value) else math.inf

    best, lowest = 0, value_at(0)
    for direction in (1, -1):
        while abs(best) < REACH and (value := value_at(best + direction)) < lowest:
            best, lowest = best + direction, value
        if best:
            break
    return MIDDLE * FACTOR**best, trials
