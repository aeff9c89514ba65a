"""Frank-Wolfe's mixture sum_y a_iy r_y over candidates: a number for each (engine/frank_wolfe.py). The input has a field `at`, where the
candidates of a row begin."""

from typing import NamedTuple

import numpy as np

from widemargin.engine.frank_wolfe import fw_direction, fw_update, refuse_more


class CandidateMixture(NamedTuple):
    """The mixtures of all rows."""

    part: np.ndarray  # [N]
    offset: np.ndarray  # [n]
    cost: np.ndarray  # [n]
    live: np.ndarray  # bool [n]


def candidate_mixture(rows: int, candidates: int, memory: float) -> CandidateMixture:
    """All mass is on the gold; of at most so many megabytes."""
    part = np.zeros(candidates)
    refuse_more(part.nbytes, memory)
    return CandidateMixture(part, np.zeros(rows), np.zeros(rows), np.zeros(rows, np.bool_))


@fw_direction.when(CandidateMixture)
def _(mixture, input, s, i, n, right, out):
    first, value = input.at[i], 0.0
    for k in range(n):
        s.mu[k] -= mixture.part[first + k]
        value += np.float64(s.mu[k]) * s.score[k]
    return value, 0.0


@fw_update.when(CandidateMixture)
def _(mixture, input, s, i, n, right, out, step):
    first = input.at[i]
    for k in range(n):
        mixture.part[first + k] += step * s.mu[k]
