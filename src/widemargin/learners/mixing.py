"""Iterative parameter mixing: K learners, each on its shard of the rows, all from the same weights at the start of every epoch
(McDonald, Hall and Mann 2010, section 4.3):

    w_k = one epoch of learner k on shard k, from w          k = 1 .. K
    w   = sum_k mu_k w_k                                     mu_k: uniform 1/K; by size, rows_k / rows; by errors, moved_k / moved;
                                                             active: weight row by weight row, the mean over those who had a step there

Weights alone are mixed. What a rule keeps beside them stays with each learner from epoch to epoch: step sizes (AdaGrad, smd), memories
(AdaDelta), directions (smd), running sums and step counts. The average over steps is that over all steps of all learners,
sum_k S_k / sum_k T_k. With K = 1 all of this is the plain learner, to the byte.

Between epochs only weights travel, and only rows that changed where that is less: a learner without penalty changes just the rows that had
a gradient, and `last` of a table tells them. Such learners also keep no more weight rows than their shard can touch (Problem.narrowed), and
add to their running sums for those alone that had a step in the epoch; w belongs to the others in all its steps, and MixedTable sees to
that. Where learners share this process's memory nothing is copied: rows are mixed from their tables into their tables, blocks of rows on as
many threads as the problem has; and with `active`, where the mix of a row that one learner alone has is its own, they keep such rows to
themselves. K, the shards and their order decide the result; workers do not: mixing sums in the order of the learners. A learner that is
made anew on another worker starts from its last state that is kept here (`state`, for checkpoints; at first the start), and goes through
the epochs since then again, with the weights that were sent for them. After REPLAYED epochs the states are asked for even without a
checkpoint, so that no more than those are ever run again.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from widemargin.engine.mixing import Mixing
from widemargin.engine.problem import Problem
from widemargin.errors import InputError
from widemargin.learners.base import Best, other_checkpoint, put_back
from widemargin.learners.mixed_tables import MixedTable, Part, Team
from widemargin.learners.shard_run import Done, Seat, is_lazy, make_run
from widemargin.workers.crew import Call, Crew

MIX_WEIGHTS = ("uniform", "size", "errors", "active")
REPLAYED = 8
Heard = Callable[[dict], None]


@dataclass(frozen=True)
class Shards:
    """The rows, in `count` shards, and who learns from them. problem(k): makes shard k where it is called, and can be pickled; all have the
    same tables of weights."""

    crew: Crew
    count: int
    problem: Callable[[int], Callable[[], Problem]]
    heard: Heard | None = None  # told of every learner that has done its epoch


def part_of(problem: Problem, shard: int, count: int) -> Callable[[], Problem]:
    """Every count-th row, from number `shard` on: neighbours in a file are alike, and shards should not differ."""
    some = replace(problem.part(np.arange(shard, problem.corpus.rows, count)), threads=1)
    return functools.partial(_itself, some)


def _itself(problem: Problem) -> Problem:
    return problem


def in_memory(problem: Problem, count: int, crew: Crew, heard: Heard | None = None) -> Shards:
    """The rows of a problem, shared out among so many learners."""
    if count > problem.corpus.rows:
        raise InputError(f"{problem.corpus.rows} rows cannot be shared out among {count} learners; mix at most as many as there are rows")
    return Shards(crew, count, lambda k: part_of(problem, k, count), heard)


class Mixture:
    """K learners that are mixed after every epoch; to a fit (online.py) what a Run of one learner is."""

    carry = None  # state of K learners is nothing that one could go on from

    def __init__(self, learner: Any, problem: Problem, start: np.ndarray | None, shards: Shards):
        """problem: one with the shards' tables. learner: with a number for its rate."""
        self.learner, self.problem, self.shards, self.epochs = learner, problem, shards, 0
        self.dtype, crew = np.dtype(learner.dtype), shards.crew
        self.lazy, self.done = is_lazy(problem), 0  # epochs, also of the fit that this one resumes
        # smd's directions fade without a step
        apart = self.lazy and shards.count > 1 and learner.name != "smd"
        self.alone = apart and not crew.mortal and learner.mix_weights == "active"  # are there rows that one learner keeps to itself?
        w = problem.zeros(self.dtype) if start is None else np.array(start, self.dtype)
        tables = [table.reshape(-1, spec.height, spec.width) for table, spec in zip(problem.split(w), problem.specs)]
        self.tables = [MixedTable(table, apart and learner.average) for table in tables]
        self.rows = np.zeros(shards.count, np.int64)  # of each shard, known after an epoch
        self.steps = np.zeros(shards.count, np.int64)  # in each epoch, likewise
        self.saved: list[dict[str, np.ndarray]] | None = None  # by learner, at the end of epoch `saved_at`
        self.saved_at = 0
        self.sent: list[list[Part]] = []  # what every epoch since then began with, the last one's not yet run
        self._send([None] * len(tables))
        made = functools.partial(make_run, learner, Seat(problem.shape, not crew.mortal, apart))
        crew.seat(shards.count, lambda k: functools.partial(made, shards.problem(k)), self._again)

    @functools.cached_property
    def own(self) -> list[tuple[np.ndarray | None, ...]]:
        """Which rows each learner has, table by table. Learners in this process's memory are told which rows they alone have."""
        found = list(zip(*self._ask("own_rows")))
        if self.alone:
            mixing = self._mixing(0, sum(self._ask("steps_of_epoch")))
            rows = [[np.arange(len(table.w)) if some is None else some for some in own] for table, own in zip(self.tables, found)]
            alone = [table.alone(own, mixing) for table, own in zip(self.tables, rows)]
            self.shards.crew.ask([Call(k, "keep_alone", (some,)) for k, some in enumerate(zip(*alone))])
        return found

    def _send(self, rows: Sequence[np.ndarray | None]) -> None:
        """Notes what the next epoch begins with: these rows, the others are with the learners."""
        copies = [table.w.copy() if some is None else table.w[some] for some, table in zip(rows, self.tables)]
        self.sent.append([Part(some, None, w.reshape(-1, w.shape[2]), w.shape[1]) for some, w in zip(rows, copies)])

    def _again(self, k: int) -> list[Call]:
        """What brings a new learner k to the end of the last epoch."""
        first = [] if self.saved is None else [Call(k, "put", (self.saved[k],))]
        past = enumerate(self.sent[:-1], self.saved_at + 1)
        return first + [Call(k, "mixed_epoch", (number, parts)) for number, parts in past]

    def _ask(self, method: str, *arguments: Any, heard: Callable[[int, Any], None] | None = None, turned: bool = False) -> list:
        """The answers of all learners; turned: those of one worker are asked in the opposite order."""
        calls = [Call(k, method, arguments) for k in range(self.shards.count)]
        if turned:  # answers come in the order of calls
            return self.shards.crew.ask(calls[::-1], heard and (lambda i, answer: heard(len(calls) - 1 - i, answer)))[::-1]
        return self.shards.crew.ask(calls, heard)

    def epoch(self, number: int) -> dict:
        """One epoch of every learner, and their mix."""
        count, told = self.shards.count, self.shards.heard

        def heard(k: int, done: Done) -> None:
            if told is not None:
                told({"epoch": number, "learner": k + 1, "learners": count, "loss": done.facts["loss"]})

        owned = self.own  # asked for before the learners are an epoch further
        # the learner that was last begins: its weights are in the cache still
        found: list[Done] = self._ask("mixed_epoch", number, self.sent[-1], heard=heard, turned=number % 2 == 0)
        self.rows[:], self.steps[:] = [done.rows for done in found], [done.steps for done in found]
        share = self._shares([done.facts["moved"] for done in found])
        mixing, mu, shared = self._mixing(number, self.steps.sum()), share.astype(self.dtype), not self.shards.crew.mortal
        teams = [Team(own, self.steps, mu, mixing, self.lazy, shared) for own in owned]
        parts, threads = zip(*(done.parts for done in found)), self.problem.threads
        changed = [table.mix(team, own, threads) for table, team, own in zip(self.tables, teams, parts)]
        self.epochs = self.done = number
        if not self.shards.crew.mortal:
            self.sent = [[]]  # the learners have it
        else:
            self._send(changed)
            if len(self.sent) > REPLAYED:
                self._save(number)
        return self._facts(number, [done.facts for done in found], share)

    def _mixing(self, epoch: int, steps: int) -> Mixing:
        """In an epoch in which all together take so many steps."""
        count = self.shards.count
        return Mixing(count, parts_of(count, self.dtype), self.learner.mix_weights == "active", epoch, np.int64(steps))

    def _shares(self, errors: list[int]) -> np.ndarray:
        """mu; uniform where nobody has made an error. Of active learners, for rows in which none had a step."""
        even = np.ones(len(errors))
        weigh = {"uniform": even, "active": even, "size": self.rows, "errors": np.array(errors)}[self.learner.mix_weights]
        return (weigh if weigh.any() else np.ones(len(errors))) / (weigh.sum() or len(errors))

    def _facts(self, number: int, found: list[dict], share: np.ndarray) -> dict:
        size = self.rows / self.rows.sum()
        facts: dict = {"epoch": number, "loss": sum(float(part * own["loss"]) for part, own in zip(size, found))}
        facts["moved"] = sum(own["moved"] for own in found)
        if "violation" in found[0]:
            facts["violation"] = max(own["violation"] for own in found)
        return facts | {"mixed": [{"loss": float(own["loss"]), "moved": own["moved"], "share": float(mu)} for own, mu in zip(found, share)]}

    def _complete(self) -> None:
        """The tables' weights, also those that one learner keeps to itself; with averages they are so already."""
        if self.alone and not self.learner.average and self.rows.any():
            self._ask("give_alone")

    def weights(self) -> np.ndarray:
        """Per-feature weights [R, L]: the mix, or the average over all steps of all learners."""
        self._complete()
        tables = [table.w for table in self.tables]
        if self.learner.average and self.rows.any():
            found = self._ask("sums")
            tables = [self._sum(*some) for some in zip(self.tables, self.own, zip(*(sums for _, sums in found)))]
            for table in tables:
                table /= self.dtype.type(sum(steps for steps, _ in found))
        out = np.empty(self.problem.shape, self.dtype)
        for part, table, spec in zip(self.problem.split(out), tables, self.problem.specs):
            np.divide(table, spec.copies.astype(self.dtype)[:, None, None], out=part.reshape(table.shape))
        return out

    def _sum(self, table: MixedTable, own: Sequence[np.ndarray | None], sums: Sequence[np.ndarray]) -> np.ndarray:
        """The sum of a table's weights after every step of every learner; sums: of each learner's own."""
        total = table.all_sums(self.done, self.steps.sum()) if table.apart else np.full_like(table.w, -0.0)
        for some, more in zip(own, sums):
            total[slice(None) if some is None else some] += more
        return total

    def value(self) -> float:
        """F of the weights that would be handed out now, over all shards."""
        w = self.weights() * self.problem.copies[:, None]
        losses = self._ask("loss", w)
        return sum(float(part * loss) for part, loss in zip(self.rows / self.rows.sum(), losses)) + self.problem.penalty_of(w)

    def _save(self, epoch: int) -> None:
        """Learners that are made anew go on from here."""
        self.saved, self.saved_at = self._ask("kept"), epoch
        del self.sent[:-1]

    def state(self, epoch: int, best: Best) -> dict[str, np.ndarray]:
        """Everything that the next epoch depends on."""
        self._save(epoch)
        self._complete()
        assert self.saved is not None
        arrays = best.arrays(epoch) | self._kept()
        return arrays | {f"{k}.{name}": array for k, kept in enumerate(self.saved) for name, array in kept.items()}

    def _kept(self) -> dict[str, np.ndarray]:
        kept = {"shards": self.rows, "steps": self.steps}
        for t, table in enumerate(self.tables):
            kept |= table.kept(t)
        return kept

    def restore(self, state: tuple[dict[str, np.ndarray], list[dict]], best: Best) -> tuple[int, list[dict]]:
        """Continue where `state` was taken; returns the next epoch and the history so far."""
        arrays, history = state
        (epoch,) = best.restore(arrays, self.problem.shape, 1)
        put_back(self._kept(), arrays)
        saved: list[dict[str, np.ndarray]] = [{} for _ in range(self.shards.count)]
        for name, array in arrays.items():
            number, dot, own = name.partition(".")
            if dot and number.isdecimal():
                if int(number) >= len(saved):
                    raise other_checkpoint()
                saved[int(number)][own] = array
        self.saved, self.saved_at, self.done = saved, epoch, epoch
        self.sent.clear()
        self._send([None] * len(self.tables))
        return epoch + 1, list(history)


def parts_of(count: int, dtype: np.dtype) -> np.ndarray:
    """1 / n for n of 0 (which nobody asks for) to count."""
    return np.array([0.0] + [1.0 / n for n in range(1, count + 1)], dtype)


def check_mixing(problem: Problem, carry: dict | None) -> None:
    """Refuse what cannot be mixed."""
    if problem.kernel is not None:
        raise InputError("weights in the space of a kernel cannot be mixed; leave mix at 1, or write the kernel out (expand=true)")
    if carry is not None:
        raise InputError("mixed learners take all data at once and cannot go on with more; leave mix at 1, or use fit with warm_start=True")
