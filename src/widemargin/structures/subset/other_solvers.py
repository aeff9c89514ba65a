"""The same maximum by other means: scipy's integer programs (HiGHS), and the greedy solution, which is not exact."""

from collections.abc import Iterable

import numpy as np

from widemargin.errors import InputError
from widemargin.structures.subset.arrays import Coverage, Found, cover_of

SECONDS = 30.0  # of an integer program


def integer_program(scores: np.ndarray, row: Coverage, *, seconds: float = SECONDS) -> Found:
    """The best set by scipy.optimize.milp, stopped after so many seconds with the best set so far and a bound.

    x_s: is sentence s chosen, z_b: is item b covered. z_b <= sum of x_s over the sentences that have b; where its score is negative,
    z_b >= x_s for each of them instead.
    """
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_matrix
    except ImportError:
        raise InputError("integer programs need scipy, which is not installed; use solver=exact") from None
    B, S, cover = row.items, len(row.entries), cover_of([row])
    if not S:
        return Found(0.0, np.zeros(B, np.int8), np.zeros(0, np.int64), 0.0)  # scipy refuses programs without variables
    low, high = np.zeros(B + S), np.ones(B + S)
    low[B:][cover.mark > 0], high[B:][(cover.mark < 0) | (cover.length > row.budget)] = 1.0, 0.0
    sentence, item = np.repeat(np.arange(S), np.diff(cover.ptr)), cover.item.astype(np.int64)
    positive = scores[item] > 0.0
    many, single = np.flatnonzero(scores[:B] > 0.0), np.flatnonzero(~positive)
    place = np.zeros(B, np.int64)
    place[many] = np.arange(len(many))
    used = np.flatnonzero(high[B:])
    entries = [  # row, column, coefficient
        (np.zeros(S, np.int64), B + np.arange(S), cover.length.astype(float)),
        (1 + np.arange(len(many)), many, np.ones(len(many))),
        (1 + place[item[positive]], B + sentence[positive], -np.ones(int(positive.sum()))),
        (1 + len(many) + np.arange(len(single)), B + sentence[single], np.ones(len(single))),
        (1 + len(many) + np.arange(len(single)), item[single], -np.ones(len(single))),
        (np.full(len(used), 1 + len(many) + len(single)), B + used, -np.ones(len(used))),  # not empty
    ]
    where, column, value = (np.concatenate(each) for each in zip(*entries))
    shape = 2 + len(many) + len(single), B + S
    top = np.concatenate([[row.budget], np.zeros(shape[0] - 2), [-1.0 if len(used) else 0.0]])
    result = milp(
        -scores,
        integrality=(np.arange(B + S) >= B).astype(int),
        bounds=Bounds(low, high),
        constraints=LinearConstraint(coo_matrix((value, (where, column)), shape=shape).tocsr(), -np.inf, top),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    if result.x is None:
        raise InputError(f"HiGHS found no set of sentences in {seconds:g} seconds; give it more time, or use solver=exact")
    parts = parts_of(np.flatnonzero(result.x[B:] > 0.5), row)
    reached = float(scores @ parts)
    done = result.status == 0 or result.mip_dual_bound is None
    bound = reached if done else max(reached, -float(result.mip_dual_bound))
    return Found(reached, parts, np.flatnonzero(parts[B:]), bound)


def greedy(scores: np.ndarray, row: Coverage) -> Found:
    """One sentence after the other by gain per length, as long as one gains; the first in any case. Nothing is known of better sets."""
    cover = cover_of([row])
    chosen, left = np.flatnonzero(cover.mark > 0).tolist(), row.budget - int(cover.length[cover.mark > 0].sum())
    while True:
        now = parts_of(chosen, row)
        may = [j for j in np.flatnonzero((cover.mark == 0) & (cover.length <= left)).tolist() if j not in chosen]
        gain = np.array([scores @ parts_of([*chosen, j], row) - scores @ now for j in may])
        if not may or (chosen and gain.max() <= 0.0):
            return Found(float(scores @ now), now, np.sort(np.array(chosen, np.int64)), np.inf)
        best = may[int(np.argmax(gain / cover.length[may]))]
        chosen.append(best)
        left -= int(cover.length[best])


def parts_of(sentences: Iterable[int], row: Coverage) -> np.ndarray:
    """A set of sentences as an output, int8 [B + S]."""
    parts = np.zeros(row.items + len(row.entries), np.int8)
    for j in sentences:
        parts[np.asarray(row.entries[j], np.int64)] = 1
        parts[row.items + j] = 1
    return parts
