"""A crew of workers. Objects sit on seats; seat k is with worker k modulo the number of workers, where its object is made when it is first
asked something. Each worker is asked one thing at a time. One that dies is replaced: its objects are made anew, brought back to where they
were (`revive`), and asked again what they had not answered.
"""

import functools
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

from widemargin.errors import InputError
from widemargin.parallel import cores, together

TRIES = 3  # as many workers may die over one call

Make = Callable[[], Any]  # makes an object where it is called; it can be pickled


class Call(NamedTuple):
    """A method of the object on a seat; seat -1: of the first object of whichever worker is free."""

    seat: int
    method: str
    arguments: tuple = ()


class Lost(Exception):
    """A worker has died."""


class Worker(ABC):
    """One worker, as seen from here."""

    @abstractmethod
    def make(self, seat: int, make: Make) -> None:
        """Puts what `make` returns on a seat."""

    @abstractmethod
    def ask(self, call: Call) -> Any:
        """What the method returns or raises; Lost where the worker has died."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the worker, whatever it is doing."""


def no_calls(seat: int) -> Sequence[Call]:
    """For objects that are as good as new."""
    return ()


class Crew(ABC):
    """Workers of one kind, and what sits where."""

    mortal = True  # may a worker die and leave this process alive?

    def __init__(self, workers: int = 0, notice: Callable[[str], None] | None = None):
        self.size = workers or cores()
        self.notice = notice or (lambda text: None)
        self.workers: dict[int, Worker] = {}
        self.made: dict[int, set[int]] = {}
        self.seats = 0
        self.make: Callable[[int], Make] = _nothing
        self.revive: Callable[[int], Sequence[Call]] = no_calls

    @abstractmethod
    def hire(self) -> Worker:
        """A new worker."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers."""
        while self.workers:
            self.workers.popitem()[1].stop()

    def seat(self, seats: int, make: Callable[[int], Make], revive: Callable[[int], Sequence[Call]] = no_calls) -> None:
        """So many new objects, none of them made yet. make(k): asked for here, what it gives is called on the worker. revive(k): what an
        object that is made anew is asked before anything else."""
        self.close()
        self.made.clear()
        self.seats, self.make, self.revive = seats, make, revive

    def ask(self, calls: Sequence[Call], heard: Callable[[int, Any], None] | None = None) -> list:
        """The answers, in the order of the calls. heard(i, answer) is told of each as it comes, one at a time. The first error is raised
        when the other workers have answered what they were asked last."""
        count = min(self.size, self.seats)
        own = [deque(i for i, call in enumerate(calls) if call.seat >= 0 and call.seat % count == w) for w in range(count)]
        free = deque(i for i, call in enumerate(calls) if call.seat < 0)
        answers: dict[int, Any] = {}
        failed, lock = threading.Event(), threading.Lock()

        def serve(w: int) -> None:
            while not failed.is_set():
                try:
                    i = (own[w] or free).popleft()
                except IndexError:
                    return
                try:
                    answer = self._answer(w, calls[i]._replace(seat=w if calls[i].seat < 0 else calls[i].seat))
                except BaseException:
                    failed.set()
                    raise
                with lock:
                    answers[i] = answer
                    if heard is not None:
                        heard(i, answer)

        try:
            together([functools.partial(serve, w) for w in range(count)], threads=count)
        except KeyboardInterrupt:
            self.close()
            raise
        return [answers[i] for i in range(len(calls))]

    def _answer(self, w: int, call: Call) -> Any:
        """What worker w says; it is replaced while it dies."""
        for _ in range(TRIES):
            try:
                if w not in self.workers:
                    self.workers[w], self.made[w] = self.hire(), set()
                if call.seat not in self.made[w]:
                    self.workers[w].make(call.seat, self.make(call.seat))
                    for earlier in self.revive(call.seat):
                        self.workers[w].ask(earlier)
                    self.made[w].add(call.seat)
                return self.workers[w].ask(call)
            except Lost:
                self.notice(f"worker {w + 1} has died; another takes its place")
                self.workers.pop(w).stop()
        raise InputError(f"{TRIES} workers died one after the other over the same piece of work; does their machine have enough memory?")


def _nothing(seat: int) -> Make:
    raise AssertionError("nobody is seated")
