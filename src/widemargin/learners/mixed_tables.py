"""A weight table of several mixed learners: what all of them begin an epoch with, and how their own tables become one (mixing.py)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from widemargin.engine.mixing import Entries, Shares, Tallies, add_share, add_to_sums, copy_rows, hand_out, tally
from widemargin.parallel import together

BLOCK = 16384  # weight rows that are mixed at a time


class Part(NamedTuple):
    """Some weight rows of a table, or all."""

    rows: np.ndarray | None  # int64 [r], in order; None: all that there are, of a learner all that it has
    at: np.ndarray | None  # int64 [r]  where they are in w, in rows; None: one behind the other
    w: np.ndarray  # [*, L]
    stride: int  # rows of lanes from one weight row to the next
    stepped: np.ndarray = np.empty(0, np.uint8)  # of a learner: in which of them it had a step, a bit each (np.packbits)

    def numbers(self, everything: np.ndarray) -> np.ndarray:
        """The rows; everything: those that there are."""
        return everything if self.rows is None else self.rows

    def begin(self, rows: np.ndarray) -> np.ndarray:
        """Where these rows, all that it has, begin in w."""
        return (np.arange(len(rows)) if self.at is None else self.at) * self.stride

    def entries(self, own: np.ndarray, lazy: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the learner that has rows `own`: which it has changed, where they begin in w, and whether it had a step in each. lazy: it has
        changed no others."""
        rows = self.numbers(own)
        begin, active = self.begin(rows), np.unpackbits(self.stepped, count=len(rows)).view(bool)
        return (rows[active], begin[active], active[active]) if lazy and self.rows is None else (rows, begin, active)

    def put(self, own: np.ndarray | None, count: int, target: np.ndarray, stride: int, height: int) -> None:
        """Copies what it has into a table that has rows `own` of the `count`, by default all of them."""
        rows = self.numbers(np.arange(count))
        begin, into = self.begin(rows), rows
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
        count = len(w)
        self.sums = np.zeros(w.shape if apart else (0, *w.shape[1:]), w.dtype)
        self.since = np.zeros(count if apart else 0, np.int64)

    def kept(self, t: int) -> dict[str, np.ndarray]:
        """For checkpoints, as table number t."""
        return {f"mixed.{t}": self.w, f"sums.{t}": self.sums, f"since.{t}": self.since}

    def all_sums(self, epochs: int, steps: int) -> np.ndarray:
        """What the learners' sums leave out, after so many epochs in each of which all learners together took so many steps."""
        return self.sums + self.w * ((epochs - self.since) * steps).astype(self.w.dtype)[:, None, None]

    def mix(self, epoch: int, team: Team, parts: Sequence[Part], threads: int) -> np.ndarray | None:
        """Puts the mix into w, and into the learners' tables where those are here; returns the rows that anyone has changed, None for
        all."""
        count, height, width = self.w.shape
        held = [np.arange(count) if own is None else own for own in team.own]
        found = [part.entries(own, team.lazy) for part, own in zip(parts, held)]
        entries = Entries(*map(np.concatenate, zip(*found)))
        rows = [own for own, _, _ in found]
        first = np.cumsum([0, *map(len, rows)])
        counts = np.zeros((2, count), np.int32)
        tallies = Tallies(*counts, np.zeros(count, bool), np.ones(count), np.zeros(count, np.int64))
        given = zip(held, parts, [self._alone(team, own, *some) for own, some in zip(held, found)]) if team.shared else ()
        takers = list(given)
        flat = self.w.reshape(count, height * width)

        def job(low: int) -> Callable[[], None]:
            ends = low, min(low + BLOCK, count)
            span = np.array([start + np.searchsorted(own, ends) for start, own in zip(first, rows)])

            def work() -> None:
                tally(entries, span, team.shares, team.steps, tallies)
                if self.apart:
                    sums = self.sums.reshape(flat.shape)
                    add_to_sums(entries, span, tallies, flat, sums, self.since, epoch, team.steps.sum())
                for k, part in enumerate(parts):
                    add_share(entries, span, part.w, k, team.shares, tallies, self.w)
                for own, part, same in takers:
                    a, b = np.searchsorted(own, ends)
                    hand_out(own[a:b], a, part.stride, same, tallies, self.w, part.w)

            return work

        together([job(low) for low in range(0, count, BLOCK)], threads=threads)
        return np.flatnonzero(tallies.changed) if team.lazy else None

    @staticmethod
    def _alone(team: Team, own: np.ndarray, rows: np.ndarray, begin: np.ndarray, active: np.ndarray) -> np.ndarray:
        """Of a learner's rows: would what it has be the mix, if it were the only one to have changed it?"""
        if len(team.own) == 1:
            return np.ones(len(own), bool)
        found = np.zeros(len(own), bool)
        if team.shares.by_activity:
            found[np.searchsorted(own, rows[active])] = True
        return found
