"""Weights of several learners as one: w = sum_k mu_k w_k, row by row (McDonald, Hall and Mann 2010; learners/mixed_tables.py).

A learner that has not changed a row counts with what all began with, so that only changed rows are read:

    w_f <- (1 - sum_{k in C_f} mu_k) w_f + sum_{k in C_f} mu_k w_kf          C_f: the learners that have changed row f

With mu by activity the row is the mean over those of C_f that had a step there.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import kernel
from widemargin.compiler.lanes import prefetch

AHEAD = 8  # so many entries before it is its turn, a row is asked for


class Tallies(NamedTuple):
    """Of every row of a table in an epoch."""

    changed: np.ndarray  # int32 [F]    how many learners have changed it
    active: np.ndarray  # int32 [F]    how many of them had a step there
    begun: np.ndarray  # bool [F]     is some of its sum in w already?
    left: np.ndarray  # float64 [F]  1 - the shares of those that have changed it
    taken: np.ndarray  # int64 [F]    steps of those that have changed it, where the row was never called settled
    listed: np.ndarray  # int64 [F]   the changed rows, each once; every block of rows has as much room as rows


class Entries(NamedTuple):
    """The rows that a learner has changed, in order."""

    row: np.ndarray  # int64 [E]
    at: np.ndarray  # int64 [E]  where it is in the learner's own table, in rows
    active: np.ndarray  # bool [E]   had it a step there?
    own: np.ndarray  # [*, L]  that table,
    stride: int  # and rows of lanes from one of its rows to the next


class Sums(NamedTuple):
    """Of every row of a table: w times the steps that no learner has added to its own sum, up to the epoch that last changed it."""

    sums: np.ndarray  # [F, height, L]
    since: np.ndarray  # int64 [F]


class Shares(NamedTuple):
    """How learners count."""

    mu: np.ndarray  # [K]     of each; by activity: for rows in which nobody had a step
    parts: np.ndarray  # [K+1]   1 / n
    by_activity: bool


@kernel
def forget(tallies, low, high):
    """The rows in low..high of the list are as they were before anyone changed them."""
    for i in range(low, high):
        f = tallies.listed[i]
        tallies.changed[f], tallies.active[f], tallies.begun[f], tallies.left[f], tallies.taken[f] = 0, 0, False, 1.0, 0


@kernel
def tally(entries, low, high, mu, steps, tallies, end):
    """Counts entries low..high of a learner of share mu that takes so many steps in an epoch. Rows that are new in the list, which ends at
    `end`, are added to it; returns where it ends then."""
    for e in range(low, high):
        f = entries.row[e]
        if tallies.changed[f] == 0:
            tallies.listed[end] = f
            end += 1
        tallies.changed[f] += 1
        tallies.active[f] += entries.active[e]
        tallies.left[f] -= mu
        tallies.taken[f] += steps
    return end


@kernel(vectorise=True)
def add_to_sums(entries, low, high, tallies, w, kept, epoch, steps):
    """Of entries low..high: kept.sums of row f += its w of before, times the steps that learners took while it was theirs and unchanged;
    all of them together take so many steps in an epoch."""
    for e in range(low, high):
        if e + AHEAD < high:
            prefetch(w, entries.row[e + AHEAD])
            prefetch(kept.sums, entries.row[e + AHEAD])
        f = entries.row[e]
        if kept.since[f] != epoch:
            t = (epoch - kept.since[f]) * steps - tallies.taken[f]
            kept.since[f] = epoch
            for j in range(w.shape[1]):
                for c in range(w.shape[2]):
                    kept.sums[f, j, c] += w[f, j, c] * t


@kernel(vectorise=True)
def add_share(entries, low, high, k, shares, tallies, w):
    """Adds learner k's part of its entries low..high to w [F, height, L]. The learners come in their order."""
    own, parts, height = entries.own, shares.parts, w.shape[1]
    for e in range(low, high):
        if e + AHEAD < high:
            prefetch(own, entries.at[e + AHEAD] * entries.stride)
            prefetch(w, entries.row[e + AHEAD])
        f, begin = entries.row[e], entries.at[e] * entries.stride
        mu, left = shares.mu[k], tallies.left[f]
        if shares.by_activity and tallies.active[f] > 0:
            mu, left = parts[tallies.active[f]] * entries.active[e], 0.0
        elif tallies.changed[f] == len(shares.mu):
            left = 0.0
        if mu != 0.0:
            if tallies.begun[f]:
                for j in range(height):
                    for c in range(w.shape[2]):
                        w[f, j, c] += mu * own[begin + j, c]
            elif left == 0.0:
                for j in range(height):
                    for c in range(w.shape[2]):
                        w[f, j, c] = mu * own[begin + j, c]
            else:
                for j in range(height):
                    for c in range(w.shape[2]):
                        w[f, j, c] = left * w[f, j, c] + mu * own[begin + j, c]
            tallies.begun[f] = True


@kernel(vectorise=True)
def hand_out(tallies, low, high, place, alone, entries, w):
    """A learner's own table gets the rows in low..high of the list from w [F, height, L].

    place: int32 [F], where it has them, in rows; -1: nowhere, or nobody else can change them. alone: bool [its rows], where what it has is
    the mix already if it was the only one to change it.
    """
    target, stride = entries.own, entries.stride
    for i in range(low, high):
        f = tallies.listed[i]
        at = place[f]
        if at >= 0 and not (alone[at] and tallies.changed[f] == 1):
            for j in range(w.shape[1]):
                for c in range(w.shape[2]):
                    target[at * stride + j, c] = w[f, j, c]


@kernel
def copy_rows(source, begin, target, into, height):
    """Weight rows of `height` rows of lanes: the one that begins at row begin[i] of source to where into[i] says in target."""
    for i in range(len(begin)):
        for j in range(height):
            for c in range(target.shape[1]):
                target[into[i] + j, c] = source[begin[i] + j, c]
