"""MERT's line search: the metric of all sentences as an exact function of x in w + x u (Och 2003, Minimum error rate training, section 5).

Along a line the score of hypothesis k is score[k] + x slope[k], so the best of a list changes along the upper envelope of its lines. With
lines in the order of their slopes, the envelope is a stack: a line goes when the new one is above it where it begins. Everything between
two breakpoints of any list has one metric, of sums of counts that change by two hypotheses at a time. O(n log n) for the sorting alone.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import generic, inner, kernel
from widemargin.errors import InputError
from widemargin.families.reranking.metrics import Metric

NARROW = 1e-6  # an interval narrower than this is not aimed at: rounding decides there


class BleuSums(NamedTuple):
    """BLEU of sums of statistics [10], in per cent."""

    orders: int


class RatioSums(NamedTuple):
    """factor * the first sum over the second: means, and error rates with a factor below 0."""

    factor: float


@generic
def worth_of_sums(kind, sums):
    """What sums of counts are worth, higher for better."""
    raise TypeError(kind)


@worth_of_sums.when(BleuSums)
def _(kind, sums):
    matches = sums[0] * sums[1] * sums[2] * sums[3]
    if not matches > 0.0:
        return 0.0
    value = 100.0 * np.sqrt(np.sqrt(matches / (sums[4] * sums[5] * sums[6] * sums[7])))
    return value * np.exp(1.0 - sums[9] / sums[8]) if sums[8] < sums[9] else value


@worth_of_sums.when(RatioSums)
def _(kind, sums):
    return kind.factor * sums[0] / max(sums[1], 1.0)


def sums_of(metric: Metric):
    """How kernels make a metric's worth of sums."""
    if metric.name == "bleu":
        return BleuSums(4)
    if metric.counts.shape[1] != 2:
        raise InputError(
            f"mert needs sums that it can follow along a line, which {metric.name} does not have; use bleu, ter, wer, cer or a column"
        )
    return RatioSums(-100.0 if metric.lower_is_better else 1.0)


class Breaks(NamedTuple):
    """Where best hypotheses change along a line; room for every hypothesis."""

    x: np.ndarray  # [H]
    old: np.ndarray  # int32 [H]   to the left of x,
    new: np.ndarray  # int32 [H]   and to its right
    stack: np.ndarray  # int32 [the longest list + 2]   the envelope: numbers of kept lines
    begin: np.ndarray  # [the longest list + 2]   where the line on the stack begins to be the highest
    kept: np.ndarray  # int32 [the longest list + 2]   lines that may be on the envelope, by slope
    intercept: np.ndarray  # [the longest list + 2]   their scores at x = 0
    sums: np.ndarray  # [K]   of what is best at x = -inf


def breaks_for(lists: np.ndarray, counts: np.ndarray) -> Breaks:
    """Room for lists with these bounds, int64 [S+1], and counts [H, K]."""
    H, room = int(lists[-1]), int(np.diff(lists).max()) + 2
    old, new, stack, kept = (np.zeros(size, np.int32) for size in (H, H, room, room))
    return Breaks(np.zeros(H), old, new, stack, np.zeros(room), kept, np.zeros(room), np.zeros(counts.shape[1]))


class Slopes(NamedTuple):
    """A direction in all lists."""

    slope: np.ndarray  # [H]   ascending in each list
    order: np.ndarray  # int32 [H]   the hypotheses that have them
    place: np.ndarray  # int32 [H]   where each hypothesis stands in that order


@inner
def keep_high_lines(score, line, high, first, end, breaks):
    """The places first..end-1 of lines that may be on the envelope, to breaks.kept; returns how many.

    With the first line, the last one and the one at `high`, which is highest at x = 0, the envelope is at least a curve of three pieces: a
    line whose slope lies between two of them is below it everywhere if it is below where those two cross."""
    slope, order, kept, count = line.slope, line.order, breaks.kept, 1
    kept[0], breaks.intercept[0] = first, score[order[first]]
    for side in range(2):
        low, top = (first, high) if side == 0 else (high, end - 1)
        if top == low:
            continue
        rise, at = slope[top] - slope[low], score[order[low]]
        x = (at - score[order[top]]) / rise if rise > 0.0 else 0.0
        value = min(at + x * slope[low], score[order[top]] + x * slope[top])
        for t in range(low + 1, top):
            here = score[order[t]]
            kept[count], breaks.intercept[count] = t, here  # written over by the next one where it is too low: no branch to guess
            count += int(here + x * slope[t] >= value)
        kept[count], breaks.intercept[count] = top, score[order[top]]
        count += 1
    return count


@inner
def envelope(slope, count, breaks):
    """The upper envelope of the lines in breaks.kept, their numbers on the stack; returns its height. Of equal lines the first stays."""
    stack, begin, kept, intercept, top = breaks.stack, breaks.begin, breaks.kept, breaks.intercept, 0
    for p in range(count):
        here = slope[kept[p]]
        if top > 0 and here == slope[kept[stack[top - 1]]]:
            if intercept[p] <= intercept[stack[top - 1]]:
                continue
            top -= 1
        x = -np.inf
        while top > 0:
            below = stack[top - 1]
            x = (intercept[below] - intercept[p]) / (here - slope[kept[below]])
            if x > begin[top - 1]:
                break
            top -= 1
            x = -np.inf
        stack[top], begin[top] = p, x
        top += 1
    return top


@kernel
def find_breaks(row_ptr, score, best, line, counts, breaks):
    """All breakpoints of all lists into breaks; returns how many. score [H] and best int64 [S], its first highest hypotheses; line: Slopes.
    Where two neighbours on an envelope have the same counts there is no break."""
    found, wide, order = 0, counts.shape[1], line.order
    breaks.sums[:] = 0.0
    for i in range(len(row_ptr) - 1):
        count = keep_high_lines(score, line, line.place[best[i]], row_ptr[i], row_ptr[i + 1], breaks)
        height = envelope(line.slope, count, breaks)
        here = order[breaks.kept[breaks.stack[0]]]
        for q in range(wide):
            breaks.sums[q] += counts[here, q]
        for t in range(1, height):
            there, same = order[breaks.kept[breaks.stack[t]]], True
            for q in range(wide):
                same = same and counts[here, q] == counts[there, q]
            if not same:
                breaks.x[found], breaks.old[found], breaks.new[found] = breaks.begin[t], here, there
                found += 1
            here = there
    return found


@kernel
def best_interval(kind, order, counts, breaks):
    """(x, worth) of the best interval between breakpoints, the first of equals; order: breakpoints by ascending x. Intervals without an end
    are entered by a tenth of the way to 0, or by 0.1."""
    sums, wide, many = breaks.sums, counts.shape[1], len(order)
    best = worth_of_sums(kind, sums)
    x = 0.0 if many == 0 else breaks.x[order[0]] - 0.1 * max(1.0, abs(breaks.x[order[0]]))
    for t in range(many):
        j = order[t]
        for q in range(wide):
            sums[q] += counts[breaks.new[j], q] - counts[breaks.old[j], q]
        here = breaks.x[j]
        end = breaks.x[order[t + 1]] if t + 1 < many else here + 0.2 * max(1.0, abs(here))
        if end - here > NARROW:
            worth = worth_of_sums(kind, sums)
            if worth > best:
                best, x = worth, 0.5 * (here + end)
    return x, best


@kernel(allocates=True)
def sort_slopes(row_ptr, slope, line):
    """Slopes [H] of the hypotheses, sorted stably in each list, into line."""
    for i in range(len(row_ptr) - 1):
        first, end = row_ptr[i], row_ptr[i + 1]
        places = np.argsort(slope[first:end], kind="mergesort")
        for t in range(end - first):
            h = first + places[t]
            line.order[first + t], line.slope[first + t], line.place[h] = h, slope[h], first + t


def sorted_slopes(row_ptr: np.ndarray, slope: np.ndarray) -> Slopes:
    """A direction whose slopes [H] are these."""
    found = Slopes(np.zeros(len(slope)), np.zeros(len(slope), np.int32), np.zeros(len(slope), np.int32))
    sort_slopes(row_ptr, slope, found)
    return found


class Space(NamedTuple):
    """What line searches over the same lists share."""

    kind: tuple  # worth_of_sums
    row_ptr: np.ndarray  # int64 [S+1]
    counts: np.ndarray  # int32 or float64 [H, K]
    breaks: Breaks


def search_line(space: Space, score: np.ndarray, best: np.ndarray, line: Slopes) -> tuple[float, float]:
    """The best x along a direction, and its worth. score [H]; best: first_best of it."""
    many = find_breaks(space.row_ptr, score, best, line, space.counts, space.breaks)
    return best_interval(space.kind, np.argsort(space.breaks.x[:many], kind="stable"), space.counts, space.breaks)
