"""Tables 2 and 3: iterations, CPU time, precision, recall and F1 of five kernels by structured SMO or by SGD, and of a CRF.

Kernels are learnt from the first sentences of the training data alone, because structured SMO needs hours for all of them; the CRF, and
what can be written out as weights of features, from the whole of it too. Test data is always whole.
"""

import time
from collections.abc import Callable

from widemargin.errors import InputError
from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import Data, first, open_np
from widemargin.study.papers.yulam.learning import choose, learn, warm_up
from widemargin.study.papers.yulam.methods import CRF, Method
from widemargin.study.reproduction import Report, Section, Settings

SLICE = 500  # sentences of the kernelised rows
COLUMNS = [
    Column("method"),
    *(Column("iterations"), Column("their_iterations", "theirs")),
    *(Column("seconds", "CPU s", 2), Column("their_seconds", "theirs", 0)),
    *(Column("precision", "P", 2), Column("their_precision", "theirs", 2)),
    *(Column("recall", "R", 2), Column("their_recall", "theirs", 2)),
    *(Column("f1", "F1", 2), Column("their_f1", "theirs", 2)),
    Column("s"),
    Column("rate"),
]
TRIALS = [Column("method"), Column("s"), Column("share", "rate x K(x, x)"), Column("rate"), Column("f1", "held-out F1", 2)]
QUICK, QUICK_EPOCHS = 30, 2


def slice_of(settings: Settings, data: Data, usual: int = SLICE) -> int:
    """How many sentences: those asked for, 0 for all, or the usual number; never more than there are."""
    asked = (QUICK if settings.quick else usual) if settings.sentences is None else settings.sentences
    return min(asked or data.sentences, data.sentences)


def epochs_of(settings: Settings) -> int | None:
    """As many as asked for; few in a quick study; None: each method's own."""
    return settings.epochs or (QUICK_EPOCHS if settings.quick else None)


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
        found = [learnt_row(method.lasting(epochs_of(settings)), data, count, size, settings) for method in wanted]
        every += [row for row, _ in found]
        trials += [trial for _, own in found for trial in own]
        title = f"Table {number}: noun phrases, {data.name}, trained on {count:,} of {data.sentences:,} sentences (theirs: 8,936)"
        sections.append(Section(title, [row for row, _ in found], COLUMNS))
    if trials:
        sections.append(Section(f"What was tried on every tenth of {size:,} sentences", trials, TRIALS))
    facts = {"table": number, "data": data.name, "slice": size, "train": data.sentences, "rows": every, "trials": trials}
    return Report(sections, facts | {"seconds": time.perf_counter() - began})


def learnt_row(method: Method, data: Data, count: int, size: int, settings: Settings) -> tuple[dict, list[dict]]:
    """A line of the table, and what was tried for it: kernels and step sizes are always chosen on the slice."""
    chosen = choose(method, first(data.train, size), seed=settings.seed, tell=settings.listen)
    warm_up((chosen.method,), data.train)
    learnt = learn(chosen.method, first(data.train, count), data.test, seed=settings.seed, tell=settings.listen, **chosen.settings)
    return learnt.row() | {"s": chosen.method.kernel.gamma if method.kernels else None}, chosen.trials
