"""Tables 2 and 3: iterations, CPU time, precision, recall and F1 of five kernels by structured SMO or by SGD, and of a CRF.

Kernels are learnt from the first sentences of the training data alone, because support tokens of all sentences take long; the CRF, and
what can be written out as weights of features, from the whole of it too. Test data is always whole. Step sizes and s are chosen on a tenth
of the sentences that a row is learnt from, with the first seed; then every seed is fitted on all of them.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from widemargin.errors import InputError
from widemargin.learners.settings import UNRANDOM
from widemargin.metrics.bootstrap import f1_from_counts
from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import Data, epochs_of, first, open_np, slice_of
from widemargin.study.papers.yulam.learning import choose, learn, warm_up
from widemargin.study.papers.yulam.methods import CRF, Method
from widemargin.study.reproduction import Report, Section, Settings
from widemargin.study.significance import against

SEEDS = 3
COLUMNS = [
    Column("method"),
    *(Column("iterations"), Column("their_iterations", "theirs")),
    *(Column("seconds", "CPU s", 2), Column("their_seconds", "theirs", 0)),
    *(Column("precision", "P", 2), Column("their_precision", "theirs", 2)),
    *(Column("recall", "R", 2), Column("their_recall", "theirs", 2)),
    *(Column("f1", "F1", 2), Column("spread", "s.d.", 2), Column("their_f1", "theirs", 2)),
    Column("p", "p beside the CRF", 4),
    Column("s"),
    Column("rate"),
]
TRIALS = [
    Column("method"),
    Column("sentences"),
    Column("s"),
    Column("share", "rate x K(x, x)"),
    Column("rate"),
    Column("f1", "held-out F1", 2),
]


def table(number: int, kernelised: tuple[Method, ...], whole: tuple[Method, ...], settings: Settings, wants: Callable) -> Report:
    """The kernelised methods and the CRF on a slice, then the CRF and others on all sentences unless a number of them was asked for; of all
    these, those that `wants` (Settings.wants) is asked for."""
    began, data = time.perf_counter(), open_np(settings.place)
    size = slice_of(settings, data)
    more = (CRF, *whole) if settings.sentences is None and not settings.quick and size < data.sentences else ()
    names = list(dict.fromkeys(method.name for method in (*kernelised, CRF, *more)))
    if not any(wants(name, names) for name in names):
        raise InputError(f"--only names no row of this table; its rows are {'; '.join(names)}")
    sections: list[Section] = []
    every: list[dict] = []
    trials: list[dict] = []
    for methods, count in (((*kernelised, CRF), size), (more, data.sentences)):
        wanted = [method for method in methods if wants(method.name, names)]
        if not wanted:
            continue
        found = [learnt_row(method.lasting(epochs_of(settings)), data, count, settings) for method in wanted]
        compare(found, CRF.name, settings.samples)
        every += [own.row for own in found]
        trials += [trial for own in found for trial in own.trials]
        title = f"Table {number}: noun phrases, {data.name}, trained on {count:,} of {data.sentences:,} sentences (theirs: 8,936)"
        sections.append(Section(title, [own.row for own in found], COLUMNS))
    if trials:
        sections.append(Section("What was tried, judged on every tenth of the sentences", trials, TRIALS))
    facts = {"table": number, "data": data.name, "slice": size, "train": data.sentences, "rows": every, "trials": trials}
    return Report(sections, facts | {"seconds": time.perf_counter() - began})


@dataclass(frozen=True)
class Found:
    """A line of a table, what was tried for it, and counts of the test sentences [S, 3], those of all seeds added."""

    row: dict
    trials: list[dict]
    counts: np.ndarray


def learnt_row(method: Method, data: Data, count: int, settings: Settings) -> Found:
    """A method on the first so many sentences: means over the seeds; iterations and times are those of the first."""
    train = first(data.train, count)
    chosen = choose(method, train, seed=settings.seed, tell=settings.listen)
    warm_up((chosen.method,), data.train)
    seeds = range(settings.seed, settings.seed + (1 if method.learner in UNRANDOM or settings.quick else settings.seeds or SEEDS))
    runs = [learn(chosen.method, train, data.test, seed=seed, tell=settings.listen, **chosen.settings) for seed in seeds]
    f1 = [run.test["f1"] for run in runs]
    row = runs[0].row() | {"s": chosen.method.kernel.gamma if method.kernels else None, "seeds": len(runs)}
    row |= {name: statistics.fmean(run.test[name] for run in runs) for name in ("precision", "recall", "f1")}
    row["spread"] = statistics.stdev(f1) if len(f1) > 1 else None
    return Found(row, chosen.trials, np.sum([run.counts for run in runs], axis=0))


def compare(found: list[Found], name: str, samples: int) -> None:
    """Add p to every row but that of this name, where there is one: paired bootstrap over the test sentences, one-sided, in the direction
    of the difference."""
    base = next((own for own in found if own.row["method"] == name), None)
    for own in found:
        if base is not None and own is not base:
            own.row["p"] = against(own.counts, base.counts, f1_from_counts, samples=samples).p_value
