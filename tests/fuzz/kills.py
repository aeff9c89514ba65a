"""python -m fuzz.kills: trainings that are killed (SIGKILL) at random moments and resumed: the same bytes, and nothing left behind.

One process has imported everything and loaded the kernels; each training is a fork of it, so that most of its time is training and not
starting. A third of the kills wait for a file that is being written.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
from random import Random

from widemargin.cli import main as widemargin

TAGS = "word[0]\npos[-1..1]\nlabel[-1] pos[0]\n"
ARCS = "bias\nhead.xpos mod.xpos\nlower(head.form) mod.xpos\nlabel head.xpos mod.xpos\nlabel mod.upos\n"
TAGGER = ["chunk", "town:train:120", "--templates", "tags"]
PARSER = ["depparse", "town:train:12", "--templates", "arcs", "--hash-bits", "12", "--set", "label_bits=8"]
TRAININGS = {
    "tagger ops": [*TAGGER, "--learner", "ops", "--epochs", "25"],
    "tagger perceptron, dev": [*TAGGER, "--learner", "perceptron", "--epochs", "25", "--dev", "town:dev:30"],
    "tagger dual": [*TAGGER, "--learner", "bcfw", "--epochs", "20"],
    "tagger lbfgs": [*TAGGER, "--learner", "lbfgs", "--epochs", "30"],
    "parser mira": [*PARSER, "--learner", "mira", "--epochs", "20"],
    "parser dual": [*PARSER, "--learner", "bcfw", "--epochs", "15"],
    "parser lbfgs": [*PARSER, "--learner", "lbfgs", "--epochs", "15"],
}
MODEL = "model.safetensors"


class Wrong(Exception):
    """What must not be."""


def begin(name: str, folder: pathlib.Path, *, resume: bool) -> int:
    """A training in a process of its own; its number."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        quiet = os.open(folder.parent / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        arguments = ["train", *TRAININGS[name], "-o", str(folder / MODEL), "--checkpoint", "0", "--threads", "1"]
        status = widemargin([*arguments, "--resume"] if resume else arguments)
    finally:
        os._exit(status)


def ended(process: int) -> int:
    """Wait; the exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def whole(name: str, folder: pathlib.Path) -> tuple[bytes, float]:
    """The model without a kill, and how long it takes."""
    folder.mkdir()
    began = time.monotonic()
    if status := ended(begin(name, folder, resume=False)):
        raise Wrong(f"{name}: status {status} without any kill")
    return (folder / MODEL).read_bytes(), time.monotonic() - began


def kill(process: int, folder: pathlib.Path, seconds: float, *, writing: bool) -> bool:
    """Kill it after so long; writing: and then as soon as a temporary file is there. Was it still alive?"""
    end = time.monotonic() + seconds
    while time.monotonic() < end or (writing and not any(name.startswith(".") for name in os.listdir(folder))):
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0 if writing and time.monotonic() >= end else 0.0005)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    return ended(process) == -signal.SIGKILL


def trial(random: Random, name: str, expected: bytes, usual: float, folder: pathlib.Path) -> collections.Counter:
    """One training, killed once or more often and then left to end."""
    folder.mkdir()
    count: collections.Counter = collections.Counter()
    for attempt in range(random.randrange(1, 4)):
        process = begin(name, folder, resume=attempt > 0)
        writing = random.random() < 1 / 3
        if kill(process, folder, random.random() * usual, writing=writing):
            count["kills"] += 1
            count["with a checkpoint"] += (folder / f"{MODEL}.checkpoint").exists()
            count["with a temporary file"] += any(file.startswith(".") for file in os.listdir(folder))
    if status := ended(begin(name, folder, resume=True)):
        raise Wrong(f"{name}: status {status} of the training that was resumed")
    if (folder / MODEL).read_bytes() != expected:
        raise Wrong(f"{name}: other bytes than without a kill")
    if left := sorted(set(os.listdir(folder)) - {MODEL}):
        raise Wrong(f"{name}: left behind: {', '.join(left)}")
    shutil.rmtree(folder)
    return count


def lane(number: int, kills: int, seed: int, expected: dict, folder: pathlib.Path) -> int:
    """Trials until there were enough kills; prints what they came to."""
    random, totals, wrong = Random(f"{seed} {number}"), collections.Counter(), []
    names, began, n = sorted(expected), time.monotonic(), 0
    while totals["kills"] < kills:
        n += 1
        name, place = names[n % len(names)], folder / f"{number}-{n}"
        try:
            found = trial(random, name, *expected[name], place)
        except Wrong as error:
            wrong.append(str(error))
            print(f"{error} ({place})", flush=True)
            found = collections.Counter(kills=1)
        totals += found
        totals[name] += found["kills"]
    told = ", ".join(f"{name} {count}" for name, count in sorted(totals.items()))
    print(f"{n} trainings, {told}; wrong: {len(wrong)}; {time.monotonic() - began:.0f} s", flush=True)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="kills", description=__doc__)
    parser.add_argument("-n", type=int, default=100, help="how many kills (100)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="(the time)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="trainings at a time (one per core)")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kills-"))
    os.chdir(folder)
    pathlib.Path("tags").write_text(TAGS)
    pathlib.Path("arcs").write_text(ARCS)
    expected = {}
    for n, name in enumerate(TRAININGS):
        arguments = ["train", *TRAININGS[name], "-o", str(folder / "first"), "--threads", "1"]
        with open("log", "a") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            widemargin(arguments)  # in this process, so that kernels are there for all
        expected[name] = whole(name, folder / f"whole-{n}")
        print(f"{name}: {expected[name][1]:.2f} s without a kill", flush=True)
    lanes = []
    for number in range(options.workers):
        process = os.fork()
        if not process:
            os._exit(lane(number, -(-options.n // options.workers), options.seed, expected, folder))
        lanes.append(process)
    wrong = sum(map(ended, lanes)) != 0
    if not wrong:
        shutil.rmtree(folder)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
