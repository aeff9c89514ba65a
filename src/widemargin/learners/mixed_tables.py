"""A weight table of several mixed learners: what all of them begin an epoch with, and how their own tables become one (mixing.py)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from widemargin.engine.mixing import (
    TEAM,
    Entries,
    Learner,
    Mixing,
    Sums,
    Tallies,
    add_shares,
    copy_rows,
    forget,
    hand_out,
    take_over,
    tally,
)
from widemargin.engine.tables import Weights
from widemargin.parallel import together

BLOCK, LEAST = 8192, 512  # how many changed rows of a learner are mixed at a time, at most and at least


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
    """The learners, in their order, and how they are mixed."""

    own: Sequence[np.ndarray | None]  # which rows of the table each has, int64; None: all
    steps: np.ndarray  # int64 [K]  how many each takes in an epoch
    mu: np.ndarray  # [K]  share of each
    mixing: Mixing
    lazy: bool  # have they changed only rows in which they had a step?
    shared: bool  # are their tables in this process's memory?


class Alone(NamedTuple):
    """Of a learner whose table is here: the rows that nobody else has. By activity their mix is what it makes of them."""

    rows: np.ndarray  # bool [its rows]
    w: np.ndarray  # [F, height, L]  of the MixedTable
    sums: Sums
    mixing: Mixing

    def keep(self, at: np.ndarray, own: np.ndarray, table: Weights, epoch: int, taken: int) -> None:
        """w and sums of these of its rows, after an epoch in which it took so many steps. own: which rows it has."""
        entries = Entries(own[at], at, np.empty(0, bool), table.row, table.row_stride)
        take_over(entries, self.w, self.sums, self.mixing._replace(epoch=epoch), taken)


class MixedTable:
    """w [F, height, L], the weights that all begin with; and of averages, what the learners leave out of their sums.

    apart: a learner settles only the rows in which it had a step. To the others w belongs for the whole epoch, once per step; `sums` takes
    them up when w changes, for all epochs since it did so last.
    """

    def __init__(self, w: np.ndarray, apart: bool):
        self.w, self.apart = w, apart
        self.places: list[np.ndarray] | None = None  # not known before the first epoch
        count = len(w)
        self.sums = Sums(np.zeros(w.shape if apart else (0, *w.shape[1:]), w.dtype), np.zeros(count if apart else 0, np.int64))
        changed, active = np.zeros((2, count), np.int32)
        taken, listed = np.zeros((2, count), np.int64)
        self.tallies = Tallies(changed, active, np.zeros(count, bool), np.ones(count), taken, listed)

    def kept(self, t: int) -> dict[str, np.ndarray]:
        """For checkpoints, as table number t."""
        return {f"mixed.{t}": self.w, f"sums.{t}": self.sums.sums, f"since.{t}": self.sums.since}

    def all_sums(self, epochs: int, steps: int) -> np.ndarray:
        """What the learners' sums leave out, after so many epochs in each of which all learners together took so many steps."""
        return self.sums.sums + self.w * ((epochs - self.sums.since) * steps).astype(self.w.dtype)[:, None, None]

    def alone(self, own: Sequence[np.ndarray], mixing: Mixing) -> list[Alone]:
        """For each learner, all of them here and mixed by activity: the rows that nobody else has."""
        holders = np.bincount(np.concatenate(own), minlength=len(self.w))
        return [Alone(holders[rows] == 1, self.w, self.sums, mixing) for rows in own]

    def mix(self, team: Team, parts: Sequence[Part], threads: int) -> np.ndarray | None:
        """Puts the mix into w, and into the learners' tables where those are here. Where they are not, returns the rows that anyone has
        changed; None for all."""
        count = len(self.w)
        if self.places is None:
            self.places = _places(team, count)
        held = [np.arange(count) if own is None else own for own in team.own]
        found = [part.entries(own, team.lazy) for part, own in zip(parts, held)]
        cuts = _cuts(max((own.row for own in found), key=len), count, threads)
        learners = []
        for entries, rows, mu, steps, place in zip(found, held, team.mu, team.steps, self.places):
            unmixed = _unmixed(team, len(rows), entries)
            learners.append(Learner(entries, np.searchsorted(entries.row, cuts), mu, steps, place, unmixed))
        idle = _idle(learners[0])
        teams = [tuple([*learners[k : k + TEAM], *[idle] * TEAM][:TEAM]) for k in range(0, len(learners), TEAM)]

        def job(b: int) -> Callable[[], np.ndarray]:
            return lambda: self._mix_block(b, cuts[b], teams, team.mixing)

        changed = together([job(b) for b in range(len(cuts) - 1)], threads=threads)
        return np.sort(np.concatenate(changed)) if team.lazy and not team.shared else None

    def _mix_block(self, b: int, begin: np.integer, teams: Sequence[tuple[Learner, ...]], mixing: Mixing) -> np.ndarray:
        """Mixes block b, of rows from `begin` on; returns which of them have changed."""
        tallies, end = self.tallies, begin
        for team in teams:
            end = tally(team, b, tallies, end)
        for team in teams:
            add_shares(team, b, tallies, self.w, self.sums, mixing)
        for team in teams:
            hand_out(team, begin, end, tallies, self.w)
        forget(tallies, begin, end)
        return tallies.listed[begin:end].copy()


def _cuts(rows: np.ndarray, count: int, threads: int) -> np.ndarray:
    """Where blocks of a table of so many rows begin, and the end: about as many changed rows in each, `rows` being those of one learner."""
    blocks = max(-(-len(rows) // BLOCK), min(2 * threads, len(rows) // LEAST), 1)
    inner = rows[np.arange(1, blocks) * len(rows) // blocks] if len(rows) else rows
    return np.unique(np.concatenate([[0], inner, [count]]))


def _idle(learner: Learner) -> Learner:
    """One that has changed nothing."""
    entries, nothing = learner.entries, slice(0)
    none = Entries(entries.row[nothing], entries.at[nothing], entries.active[nothing], entries.own[nothing], entries.stride)
    return Learner(none, np.zeros_like(learner.cuts), learner.mu, learner.steps, learner.place[nothing], learner.unmixed[nothing])


def _places(team: Team, count: int) -> list[np.ndarray]:
    """Where each learner whose table is here has the rows that others may change, int32 [count], -1 for what it has not; else nothing. By
    activity a row that only one of them has is never anything but its own."""
    if not team.shared:
        return [np.empty(0, np.int32)] * len(team.own)
    held = [np.arange(count) if own is None else own for own in team.own]
    holders, found = np.bincount(np.concatenate(held), minlength=count), []
    for rows in held:
        place = np.full(count, -1, np.int32)
        place[rows] = np.where(holders[rows] > team.mixing.by_activity, np.arange(len(rows)), -1)
        found.append(place)
    return found


def _unmixed(team: Team, count: int, entries: Entries) -> np.ndarray:
    """Of a learner's rows: would what it has be the mix, if it were the only one to have changed it?"""
    if not team.shared:
        return np.empty(0, bool)
    if len(team.own) == 1:
        return np.ones(count, bool)
    found = np.zeros(count, bool)
    if team.mixing.by_activity:
        found[entries.at if team.lazy else entries.at[entries.active]] = True
    return found
