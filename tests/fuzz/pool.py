"""Workers under watch: a case that hangs or kills its process is a finding, and the next case goes to a new process."""

import contextlib
import json
import os
import pathlib
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fuzz.cases import minimised, packed, unpacked
from fuzz.judge import Finding
from fuzz.targets import COMPILED, PLAIN

TESTS = pathlib.Path(__file__).parents[1]
LIMIT = 5.0  # seconds of processor time for a case
WALL = 180.0  # without a sign of life, be the machine as busy as it may
FATAL = ("hang", "crash")
MOST_FATAL = 25  # of one target: the rest of its cases is left out
PLACE = re.compile(r'File ".*/widemargin/(.*)", line \d+ in (\S+)')


def environment(mode: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    return os.environ | {"PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1" if mode == PLAIN else "0"}


def make_seeds(folder: pathlib.Path) -> None:
    """The files that all workers mutate."""
    subprocess.run([sys.executable, "-W", "ignore", "-m", "fuzz.seeds", str(folder)], env=environment(PLAIN), check=True)


class Died(Exception):
    """The worker is gone: why."""


class Broken(Exception):
    """Something is wrong with the fuzzer, not with what it tests."""


class Worker:
    """One process. orders() may raise Died; a new process is then made by the next order."""

    def __init__(self, mode: str, seeds: pathlib.Path, limit: float = LIMIT):
        self.mode, self.seeds, self.limit = mode, seeds, limit
        self.process: subprocess.Popen | None = None
        self.folder, self.heard = "", b""

    def start(self) -> None:
        self.errors = tempfile.TemporaryFile("w+", errors="replace")
        command = [sys.executable, "-m", "fuzz.worker", str(self.seeds), str(self.limit)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.errors}
        self.process, self.heard = subprocess.Popen(command, env=environment(self.mode), **pipes), b""
        self.folder = self.answer()["ready"]

    def answer(self) -> dict:
        """The next line of the worker."""
        assert self.process is not None
        pipe = self.process.stdout.fileno()
        while b"\n" not in self.heard:
            ready, _, _ = select.select([pipe], [], [], WALL)
            if not ready:
                self.process.kill()
            more = os.read(pipe, 1 << 16)
            self.heard += more
            if not more:
                code = self.process.wait()
                if code >= 0:  # no case may end it so
                    self.errors.seek(0)
                    raise Broken(f"the worker itself failed:\n{self.errors.read()[-2000:]}")
                raise Died("hang" if not ready or code == -signal.SIGPROF else f"crash {signal.Signals(-code).name}")
        line, _, self.heard = self.heard.partition(b"\n")
        return json.loads(line)

    def order(self, order: dict, tell: Callable[[dict], None]) -> dict:
        """Give an order; tell hears all answers but the last, which is returned."""
        if self.process is None:
            self.start()
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            found = self.answer()
            if "done" in found:
                return found
            tell(found)

    def post_mortem(self) -> tuple[int, str]:
        """Which case it was that ended the process, and where in the package."""
        self.errors.seek(0)
        text = self.errors.read()
        place = PLACE.search(text.rpartition("most recent call first")[2])
        case = int(pathlib.Path(self.folder, "now").read_text())
        self.clear()
        return case, ":".join(place.groups()) if place else ""

    def clear(self) -> None:
        """Forget a process that has ended, with what it has left."""
        for file in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(BrokenPipeError):
                file.close()
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.clear()


@dataclass
class Tally:
    """What became of the cases of a target in a mode."""

    cases: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    found: Counter = field(default_factory=Counter)  # by kind
    marks: dict[str, tuple[Finding, dict]] = field(default_factory=dict)  # the first case of each


@dataclass
class Stretch:
    target: str
    mode: str
    seed: int
    first: int
    count: int


class Pool:
    """Threads with a worker each, that take stretches from one queue."""

    def __init__(self, seeds: pathlib.Path, limit: float = LIMIT):
        self.seeds, self.limit = seeds, limit
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.lock = threading.Lock()
        self.failed: list[Exception] = []

    def run(self, stretches: list[Stretch], workers: int, tell: Callable[[str], None] = lambda text: None) -> None:
        self.tell = tell
        todo: queue.SimpleQueue[Stretch] = queue.SimpleQueue()
        for stretch in sorted(stretches, key=lambda stretch: stretch.mode == COMPILED):
            self.tallies.setdefault((stretch.target, stretch.mode), Tally())
            todo.put(stretch)
        threads = [threading.Thread(target=self._serve, args=(todo,), daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failed:
            raise self.failed[0]

    def _serve(self, todo: queue.SimpleQueue) -> None:
        try:
            self._serve_all(todo)
        except Exception as error:
            self.failed.append(error)

    def _serve_all(self, todo: queue.SimpleQueue) -> None:
        worker = None
        while True:
            try:
                stretch = todo.get_nowait()
            except queue.Empty:
                break
            if worker is None or worker.mode != stretch.mode:
                if worker is not None:
                    worker.close()
                worker = Worker(stretch.mode, self.seeds, self.limit)
            self._stretch(worker, stretch)
        if worker is not None:
            worker.close()

    def _stretch(self, worker: Worker, stretch: Stretch) -> None:
        tally = self.tallies[stretch.target, stretch.mode]
        first, end, began = stretch.first, stretch.first + stretch.count, time.monotonic()

        def hear(told: dict) -> None:
            if "found" in told:
                *finding, _ = told["found"]
                self._found(tally, Finding(*finding), unpacked(told["case"]), stretch)

        while first < end and sum(tally.found[kind] for kind in FATAL) < MOST_FATAL:
            order = {"target": stretch.target, "seed": stretch.seed, "first": first, "count": end - first}
            try:
                told = worker.order(order, hear)
                tally.slowest, last = max(tally.slowest, told["slowest"]), end
            except Died as died:
                last, where = worker.post_mortem()
                kind, _, how = str(died).partition(" ")
                case = unpacked(worker.order({"target": stretch.target, "seed": stretch.seed, "show": last}, hear)["case"])
                self._found(tally, Finding(kind, how or f"more than {self.limit:g} s", where), case, stretch)
                tally.slowest = max(tally.slowest, self.limit if kind == "hang" else 0)
                last += 1
            tally.cases += last - first
            first = last
        tally.seconds += time.monotonic() - began

    def _found(self, tally: Tally, finding: Finding, case: dict, stretch: Stretch) -> None:
        with self.lock:
            tally.found[finding.kind] += 1
            if finding.mark in tally.marks:
                return
            tally.marks[finding.mark] = finding, case
        self.tell(f"{stretch.target} ({stretch.mode}): {finding.kind}: {finding.what} {finding.where}")


def firsts(pool: Pool) -> Iterator[tuple[str, str, str, dict]]:
    """(target, mode, what, case): the first case of every kind of finding, made smaller where that is cheap."""
    for (target, mode), tally in pool.tallies.items():
        worker = Worker(mode, pool.seeds, pool.limit)
        for mark, (finding, case) in tally.marks.items():
            if finding.kind not in FATAL:
                case = minimised(case, lambda trial, mark=mark, worker=worker, target=target: marked(worker, target, trial) == mark)
            yield target, mode, f"{finding.kind}: {finding.what} {finding.where}".strip(), case
        worker.close()


def marked(worker: Worker, target: str, case: dict) -> str | None:
    """The mark of what a case does."""
    try:
        found = worker.order({"target": target, "case": packed(case)}, lambda told: None)["found"]
    except Died as died:
        worker.clear()
        return str(died)
    return found and found[3]
