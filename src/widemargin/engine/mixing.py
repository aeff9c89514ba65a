"""Weights of several learners as one: w = sum_k mu_k w_k, row by row (McDonald, Hall and Mann 2010; learners/mixed_tables.py).

A learner that has not changed a row counts with what all began with, so that only changed rows are read:

    w_f <- (1 - sum_{k in C_f} mu_k) w_f + sum_{k in C_f} mu_k w_kf          C_f: the learners that have changed row f

With mu by activity the row is the mean over those of C_f that had a step there. So where one learner alone has a row, the mix is its own.
"""

from typing import NamedTuple

import numpy as np

from widemargin.compiler.jit import inner, kernel
from widemargin.compiler.lanes import prefetch

AHEAD = 8  # so many entries before it is its turn, a row is asked for
TEAM = 4  # kernels are given so many learners at a time, some of them idle; more than that come one team after another


class Tallies(NamedTuple):
    """Of every row of a table in an epoch."""

    changed: np.ndarray  # int32 [F]    how many learners have changed it
    active: np.ndarray  # int32 [F]    how many of them had a step there
    begun: np.ndarray  # bool [F]     is some of its sum in w already?
    left: np.ndarray  # float64 [F]  1 - the shares of those that have changed it
    taken: np.ndarray  # int64 [F]    steps of those that have changed it, where the row was never called settled
    listed: np.ndarray  # int64 [F]   the changed rows of a block, each once, from the number of its first row on


class Entries(NamedTuple):
    """The rows that a learner has changed, in order."""

    row: np.ndarray  # int64 [E]
    at: np.ndarray  # int64 [E]  where it is in the learner's own table, in rows
    active: np.ndarray  # bool [E]   had it a step there?
    own: np.ndarray  # [*, L]  that table,
    stride: int  # and rows of lanes from one of its rows to the next


class Learner(NamedTuple):
    """What a learner has changed, and what the mix does to its own table."""

    entries: Entries
    cuts: np.ndarray  # int64 [B+1]  entries cuts[b] to cuts[b+1] are in block b
    mu: np.floating  # its share; by activity: in rows in which nobody had a step
    steps: int | np.integer  # that it takes in an epoch
    place: np.ndarray  # int32 [F]  where it has the rows that others may change, in rows, -1: nowhere; or [0], where its table is elsewhere
    unmixed: np.ndarray  # bool [its rows]  is what it has the mix, if nobody else has changed the row?


class Sums(NamedTuple):
    """Of every row of a table, or of none: w times the steps that no learner has added to its own sum, up to the epoch that last changed
    it."""

    sums: np.ndarray  # [F, height, L]
    since: np.ndarray  # int64 [F]


class Mixing(NamedTuple):
    """How learners are mixed."""

    learners: int  # K
    parts: np.ndarray  # [K+1]   1 / n
    by_activity: bool
    epoch: int
    steps: int | np.integer  # of all learners in an epoch


@kernel
def forget(tallies, low, high):
    """The rows in low..high of the list are as they were before anyone changed them."""
    for i in range(low, high):
        f = tallies.listed[i]
        tallies.changed[f], tallies.active[f], tallies.begun[f], tallies.left[f], tallies.taken[f] = 0, 0, False, 1.0, 0


@kernel
def tally(team, b, tallies, end):
    """Counts the entries of learners in block b. Rows that are new in the list, which ends at `end`, are added to it; returns where it ends
    then."""
    for learner in team:
        entries = learner.entries
        for e in range(learner.cuts[b], learner.cuts[b + 1]):
            f = entries.row[e]
            if tallies.changed[f] == 0:
                tallies.listed[end] = f
                end += 1
            tallies.changed[f] += 1
            tallies.active[f] += entries.active[e]
            tallies.left[f] -= learner.mu
            tallies.taken[f] += learner.steps
    return end


@inner
def add_to_sums(kept, f, w, steps, epoch):
    """sums of row f += so many times its w; the row is up to date in this epoch then."""
    kept.since[f] = epoch
    for j in range(w.shape[1]):
        for c in range(w.shape[2]):
            kept.sums[f, j, c] += w[f, j, c] * steps


@kernel(vectorise=True)
def take_over(entries, w, kept, mixing, taken):
    """Of rows that nobody but this learner has: w of row f becomes what the learner has made of it in an epoch of `taken` steps of its own.
    Where sums are kept, they get w of before for the steps of the others."""
    own, height, summed = entries.own, w.shape[1], len(kept.since) > 0
    for e in range(len(entries.row)):
        if e + AHEAD < len(entries.row):
            prefetch(w, entries.row[e + AHEAD], 1)
            prefetch(own, entries.at[e + AHEAD] * entries.stride, height)
            if summed:
                prefetch(kept.sums, entries.row[e + AHEAD], 1)
        f, begin = entries.row[e], entries.at[e] * entries.stride
        if summed:
            add_to_sums(kept, f, w, (mixing.epoch - kept.since[f]) * mixing.steps - taken, mixing.epoch)
        for j in range(height):
            for c in range(w.shape[2]):
                w[f, j, c] = own[begin + j, c]


@kernel(vectorise=True)
def add_shares(team, b, tallies, w, kept, mixing):
    """Adds the learners' parts of block b to w [F, height, L], in their order; before, where sums are kept, they get w of the steps of all
    that have not changed the row."""
    height, summed = w.shape[1], len(kept.since) > 0
    for learner in team:
        entries, end = learner.entries, learner.cuts[b + 1]
        own = entries.own
        for e in range(learner.cuts[b], end):
            if e + AHEAD < end:
                prefetch(own, entries.at[e + AHEAD] * entries.stride, height)
                prefetch(w, entries.row[e + AHEAD], 1)
                if summed:
                    prefetch(kept.sums, entries.row[e + AHEAD], 1)
            f, begin = entries.row[e], entries.at[e] * entries.stride
            if summed and kept.since[f] != mixing.epoch:
                add_to_sums(kept, f, w, (mixing.epoch - kept.since[f]) * mixing.steps - tallies.taken[f], mixing.epoch)
            mu, left = learner.mu, tallies.left[f]
            if mixing.by_activity and tallies.active[f] > 0:
                mu, left = mixing.parts[tallies.active[f]] * entries.active[e], 0.0
            elif tallies.changed[f] == mixing.learners:
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
def hand_out(team, low, high, tallies, w):
    """The learners' own tables get the rows in low..high of the list from w [F, height, L]."""
    for learner in team:
        target, stride = learner.entries.own, learner.entries.stride
        for i in range(low, high if len(learner.place) else low):
            f = tallies.listed[i]
            at = learner.place[f]
            if at >= 0 and not (learner.unmixed[at] and tallies.changed[f] == 1):
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
