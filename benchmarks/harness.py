"""What the benchmarks share: contenders in fresh processes, the data, claims with their targets, tables.

A contender is a function MODULE:FUNCTION of this folder that takes JSON and returns a dict. It runs in a process of its own on one thread
and takes its own times with `spent` after its imports, so that starting Python is not counted. A run in which Numba had to compile is
repeated in a new process: kernels are cached on disk, so compiling is not counted either (startup.py measures both).
"""

import argparse
import contextlib
import importlib
import importlib.util
import json
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
DATA = "conll2000"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
COMPILATIONS_ALLOWED = 3
KEPT_TYPE = "NP"  # of the files that have noun phrases only
HELD_OUT = 0.1  # of the training file, its end: where settings are chosen


class Skip(Exception):
    """Something that the benchmark needs is not here; the sentence says what."""


@dataclass(frozen=True)
class Claim:
    """A measured number and its target: at most `limit`, or at least."""

    what: str
    measured: float
    limit: float
    at_least: bool = False

    @property
    def ok(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def row(self) -> dict:
        """A line of the table of claims."""
        target = f"{'>=' if self.at_least else '<='} {self.limit:.4g}"
        return {"claim": self.what, "measured": f"{self.measured:.4g}", "target": target, "": "ok" if self.ok else "MISSED"}


@dataclass
class Outcome:
    """A table, the claims that follow from it, and remarks."""

    rows: list[dict]
    claims: list[Claim] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict:
        """For --json."""
        return {"rows": self.rows, "claims": [asdict(claim) | {"ok": claim.ok} for claim in self.claims], "notes": self.notes}

    def text(self) -> str:
        """For people."""
        from widemargin.show.tables import Column, text_table

        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        parts = [text_table(self.rows, [Column(key, precision=precision(self.rows, key)) for key in keys])]
        if self.claims:
            parts.append(text_table([claim.row() for claim in self.claims], [Column(key) for key in ("claim", "measured", "target", "")]))
        return "\n".join([*parts, *self.notes, ""])


def precision(rows: list[dict], key: str) -> int | None:
    """Decimals of a column of a table: four digits of its smallest number; none where all are whole."""
    numbers = [abs(row[key]) for row in rows if isinstance(row.get(key), float) and row[key]]
    return max(0, 3 - math.floor(math.log10(min(numbers)))) if numbers else None


@contextlib.contextmanager
def spent() -> Iterator[dict]:
    """CPU (user + system, all threads) and wall seconds of a block, in the dict when it is left."""
    times: dict[str, float] = {}
    cpu, wall = time.process_time(), time.perf_counter()
    yield times
    times |= {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def run(contender: str, **arguments) -> dict:
    """The contender's answer, with `rss` in MB, from a fresh process that compiled nothing."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1")
    for _ in range(COMPILATIONS_ALLOWED + 1):
        command = [sys.executable, str(HERE / "harness.py"), contender]
        done = subprocess.run(command, input=json.dumps(arguments), capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"{contender} failed:\n{done.stderr}")
        answer = json.loads(done.stdout.splitlines()[-1])
        if not answer["compiled"]:
            return answer
    raise RuntimeError(f"{contender} compiled kernels every time; is the cache folder writable, and are the sources at rest?")


def contend() -> None:
    """The fresh process: one contender, its arguments on standard input, its answer on the last line of standard output."""
    module, _, function = sys.argv[1].partition(":")
    contender = getattr(importlib.import_module(module), function)
    compilations: list = []
    with contextlib.ExitStack() as stack:
        if "numba" in sys.modules:
            from numba.core import event

            compilations = stack.enter_context(event.install_recorder("numba:compile")).buffer
        answer = contender(**json.load(sys.stdin))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(answer | {"rss": peak, "compiled": len(compilations)}))


def alternate(contenders: dict[str, Callable[[], dict]], repeat: int) -> dict[str, list[dict]]:
    """Every contender `repeat` times, back to back, each round in the opposite order of the one before."""
    answers: dict[str, list[dict]] = {name: [] for name in contenders}
    for turn in range(repeat):
        for name in list(contenders) if turn % 2 == 0 else reversed(contenders):
            say(f"{name} ({turn + 1} of {repeat})")
            answers[name].append(contenders[name]())
    return answers


def median(answers: list[dict], key: str) -> float:
    """Of one number over the repetitions."""
    return statistics.median(answer[key] for answer in answers)


def least(answers: list[dict], key: str) -> float:
    """The smallest over the repetitions: what other work on the machine disturbed least."""
    return min(answer[key] for answer in answers)


def ratio_note(ours: list[dict], theirs: list[dict], key: str = "cpu") -> str:
    """Both ratios in a sentence."""
    by_median, by_least = median(theirs, key) / median(ours, key), least(theirs, key) / least(ours, key)
    return f"{key} ratio peer/ours: {by_median:.1f} by medians, {by_least:.1f} by the smallest."


def say(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Files:
    """Plain copies of the data in a temporary folder, the same for all contenders."""

    folder: pathlib.Path

    def __call__(self, name: str) -> str:
        """The path of train, test, np-train, np-test, a held-out pair such as train-90 and train-10, or of a file to write."""
        return str(self.folder / name)


@contextlib.contextmanager
def prepared() -> Iterator[Files]:
    """The data unpacked: all chunks and noun phrases only, with the training file's last tenth held out, and a small sample of each."""
    texts = {name: data_text(f"{name}.txt") for name in ("train", "test")}
    with tempfile.TemporaryDirectory(prefix="widemargin-bench-") as folder:
        files = Files(pathlib.Path(folder))
        for prefix, change in (("", str), ("np-", noun_phrases)):
            for name, text in texts.items():
                (files.folder / f"{prefix}{name}").write_text(change(text))
            sentences = change(texts["train"]).strip().split("\n\n")
            cut = round(len(sentences) * (1 - HELD_OUT))
            for name, part in (("train-90", sentences[:cut]), ("train-10", sentences[cut:]), ("sample", every_label(sentences))):
                (files.folder / f"{prefix}{name}").write_text("\n\n".join(part) + "\n\n")
        yield files


def data_text(name: str) -> str:
    """A file of the data set, from $WIDEMARGIN_DATA or from shared/data beside the repository."""
    from widemargin.corpora.catalogue import FOLDER_VARIABLE, data_named, place
    from widemargin.readers.files import open_bytes

    folder = os.environ.get(FOLDER_VARIABLE) or str(HERE.parents[1] / "shared" / "data")
    path = place(data_named(DATA), name, folder)
    if path is None:
        raise Skip(f"{name} of {DATA} is not in {folder}; get it with `widemargin data fetch {DATA} -o DIR` and set {FOLDER_VARIABLE}=DIR")
    with open_bytes(path) as stream:
        return stream.read().decode()


def noun_phrases(text: str) -> str:
    """Every chunk of another type becomes O."""
    return re.sub(rf" (?!\S-{KEPT_TYPE}$)\S+$", " O", text, flags=re.MULTILINE)


def every_label(sentences: Sequence[str]) -> list[str]:
    """The sentences that show a label first: few, and with them our kernels are those of the whole file."""
    seen: set[str] = set()
    chosen = []
    for sentence in sentences:
        labels = {line.rsplit(" ", 1)[1] for line in sentence.split("\n")}
        if labels - seen:
            seen |= labels
            chosen.append(sentence)
    return chosen


def main(
    measure: Callable[[argparse.Namespace, Files], Outcome], about: str, flags: dict[str, str] | None = None, *, peers: bool = True
) -> None:
    """The command line of a benchmark: measure, print; exit status 0 even where a target is missed, for machines differ.

    Without peers it needs neither their packages nor the data, and is given no files.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="times that each contender runs (3)")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    for flag, text in (flags or {}).items():
        parser.add_argument(flag, action="store_true", help=text)
    options = parser.parse_args()
    try:
        if peers and importlib.util.find_spec("pycrfsuite") is None:
            raise Skip("python-crfsuite is not installed; `pip install -e '.[bench]'` installs the peers")
        before = os.getloadavg()[0]
        with prepared() if peers else contextlib.nullcontext(Files(HERE)) as files:
            outcome = measure(options, files)
    except Skip as reason:
        print(json.dumps({"skipped": str(reason)}) if options.json else f"skipped: {reason}")
        return
    outcome.notes.append(f"Load average {before:.2f} before, {os.getloadavg()[0]:.2f} after; {os.cpu_count()} cores.")
    print(json.dumps(outcome.as_dict()) if options.json else outcome.text(), end="\n" if options.json else "")


if __name__ == "__main__":
    contend()
