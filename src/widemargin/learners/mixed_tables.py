"""A weight table of several mixed learners: what all of them begin an epoch with, and how their own tables become one (mixing.py)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from widemargin.engine.mixing import Entries, Shares, Sums, Tallies, add_share, add_to_sums, copy_rows, forget, hand_out, tally
from widemargin.parallel import together

BLOCK = 32768  # weight rows that are mixed at a time


class Part(NamedTuple):
    """Some weight rows of a table, or all."""

    rows: np.ndarray | None  # int64 [r], in order; None: all that there are, of a learner all that it has
    at: np.ndarray | None  # int64 [r]  where they are in w, in rows; None: one behind the other
    w: np.ndarray  # [*, L]
    stride: int  # rows of lanes from one weight row to the next
    stepped: np.ndarray = np.empty(0, np.uint8)  # of a learner: in which of all rows it had a step, a bit each (np.packbits); of some: all

    def numbers(self, everything: np.ndarray) -> np.ndarray:
        """The rows; everything: those that there are."""
        return everything if self.rows is None else self.rows

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where these rows, all that it has, are in w, in rows."""
        return np.arange(len(rows)) if self.at is None else self.at

    def entries(self, own: np.ndarray, lazy: bool) -> Entries:
        """Of the learner that has rows `own`: what it has changed. lazy: it has changed no row in which it had no step."""
        rows = self.numbers(own)
        at, active = self.places(rows), np.ones(len(rows), bool)
        if self.rows is None:
            active = np.unpackbits(self.stepped, count=len(rows)).view(bool)
            if lazy:
                rows, at, active = rows[active], at[active], active[active]
        return Entries(rows, at, active, self.w, self.stride)

    def put(self, own: np.ndarray | None, count: int, target: np.ndarray, stride: int, height: int) -> None:
        """Copies what it has into a table that has rows `own` of the `count`, by default all of them."""
        rows = self.numbers(np.arange(count))
        begin, into = self.places(rows) * self.stride, rows
        if own is not None:
            into = np.searchsorted(own, rows)
            there = own[np.minimum(into, len(own) - 1)] == rows if len(own) else np.zeros(len(rows), bool)
            begin, into = begin[there], into[there]
        copy_rows(self.w, begin, target, into * stride, height)


class Team(NamedTuple):
    """The learners, in their order."""

    own: Sequence[np.ndarray | None]  # which rows of the table each has, int64; None: all
    steps: np.ndarray  # int64 [K]  how many each takes in an epoch
    shares: Shares
    lazy: bool  # have they changed only rows in which they had a step?
    shared: bool  # are their tables in this process's memory?


class MixedTable:
    """w [F, height, L], the weights that all begin with; and of averages, what the learners leave out of their sums.

    apart: a learner settles only the rows in which it had a step. To the others w belongs for the whole epoch, once per step; `sums` takes
    them up when w changes, for all epochs since it did so last.
    """

    def __init__(self, w: np.ndarray, apart: bool):
        self.w, self.apart = w, apart
        self.places: list[np.ndarray] | None = None  # not known before the first epoch
        count = len(w)
        self.cuts = np.arange(0, count + BLOCK, BLOCK).clip(max=count)  # where blocks begin
        self.sums = Sums(np.zeros(w.shape if apart else (0, *w.shape[1:]), w.dtype), np.zeros(count if apart else 0, np.int64))
        changed, active = np.zeros((2, count), np.int32)
        taken, listed = np.zeros((2, count), np.int64)
        self.tallies = Tallies(changed, active, np.zeros(count, bool), np.ones(count), taken, listed)
        self.ends = self.cuts[:-1].copy()  # where the list of a block's changed rows ends

    def kept(self, t: int) -> dict[str, np.ndarray]:
        """For checkpoints, as table number t."""
        return {f"mixed.{t}": self.w, f"sums.{t}": self.sums.sums, f"since.{t}": self.sums.since}

    def all_sums(self, epochs: int, steps: int) -> np.ndarray:
        """What the learners' sums leave out, after so many epochs in each of which all learners together took so many steps."""
        return self.sums.sums + self.w * ((epochs - self.sums.since) * steps).astype(self.w.dtype)[:, None, None]

    def mix(self, epoch: int, team: Team, parts: Sequence[Part], threads: int) -> np.ndarray | None:
        """Puts the mix into w, and into the learners' tables where those are here. Where they are not, returns the rows that anyone has
        changed; None for all."""
        count = len(self.w)
        if self.places is None:
            self.places = _places(team, count)
        held = [np.arange(count) if own is None else own for own in team.own]
        found = [part.entries(own, team.lazy) for part, own in zip(parts, held)]
        learners = [Cut(own, np.searchsorted(own.row, self.cuts)) for own in found]
        alone = [_alone(team, len(rows), own) for rows, own in zip(held, found)] if team.shared else []

        def job(b: int) -> Callable[[], None]:
            return lambda: self._mix_block(b, epoch, team, learners, alone)

        together([job(b) for b in range(len(self.ends))], threads=threads)
        return np.flatnonzero(self.tallies.changed) if team.lazy and not team.shared else None

    def _mix_block(self, b: int, epoch: int, team: Team, learners: Sequence["Cut"], alone: Sequence[np.ndarray]) -> None:
        tallies, shares, begin = self.tallies, team.shares, self.cuts[b]
        forget(tallies, begin, self.ends[b])
        self.ends[b] = begin
        for own, mu, steps in zip(learners, shares.mu, team.steps):
            self.ends[b] = tally(*own.entries_of(b), mu, steps, tallies, self.ends[b])
        if self.apart:
            for own in learners:
                add_to_sums(*own.entries_of(b), tallies, self.w, self.sums, epoch, team.steps.sum())
        for k, own in enumerate(learners):
            add_share(*own.entries_of(b), k, shares, tallies, self.w)
        for own, same, place in zip(learners, alone, self.places or ()):
            hand_out(tallies, begin, self.ends[b], place, same, own.entries, self.w)


class Cut(NamedTuple):
    """What a learner has changed, cut into blocks."""

    entries: Entries
    cuts: np.ndarray

    def entries_of(self, b: int) -> tuple[Entries, np.integer, np.integer]:
        """All, and which are in block b."""
        return self.entries, self.cuts[b], self.cuts[b + 1]


def _places(team: Team, count: int) -> list[np.ndarray]:
    """Of learners whose tables are here: where each has the rows that others may change, int32 [count], -1 for what it has not. By activity
    a row that only one of them has is never anything but its own."""
    if not team.shared:
        return []
    held = [np.arange(count) if own is None else own for own in team.own]
    holders, found = np.bincount(np.concatenate(held), minlength=count), []
    for rows in held:
        place = np.full(count, -1, np.int32)
        place[rows] = np.where(holders[rows] > team.shares.by_activity, np.arange(len(rows)), -1)
        found.append(place)
    return found


def _alone(team: Team, count: int, entries: Entries) -> np.ndarray:
    """Of a learner's rows: would what it has be the mix, if it were the only one to have changed it?"""
    if len(team.own) == 1:
        return np.ones(count, bool)
    found = np.zeros(count, bool)
    if team.shares.by_activity:
        found[entries.at if team.lazy else entries.at[entries.active]] = True
    return found
