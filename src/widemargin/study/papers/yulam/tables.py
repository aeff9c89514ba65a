"""Tables 2 and 3: iterations, CPU time, precision, recall and F1 of five kernels by structured SMO or by SGD, and of a CRF.

Kernels are learnt from the first sentences of the training data alone, because structured SMO needs hours for all of them; the CRF, and
what can be written out as weights of features, from the whole of it too. Test data is always whole.
"""

import time

from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import Data, first, open_np
from widemargin.study.papers.yulam.learning import choose_rate, learn, warm_up
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
    Column("rate"),
]


def slice_of(settings: Settings, data: Data, usual: int = SLICE) -> int:
    """How many sentences: those asked for, 0 for all, or the usual number; never more than there are."""
    asked = usual if settings.sentences is None else settings.sentences
    return min(asked or data.sentences, data.sentences)


def table(number: int, kernelised: tuple[Method, ...], whole: tuple[Method, ...], settings: Settings) -> Report:
    """The kernelised methods and the CRF on a slice, then the CRF and others on all sentences unless a number of them was asked for."""
    began, data = time.perf_counter(), open_np(settings.data)
    size = slice_of(settings, data)
    more = (CRF, *whole) if settings.sentences is None and size < data.sentences else ()
    warm_up((*kernelised, CRF, *(more and whole)), data.train)
    sections: list[Section] = []
    every: list[dict] = []
    for methods, count in (((*kernelised, CRF), size), (more, data.sentences)):
        if not methods:
            continue
        rows = [_row(method.lasting(settings.epochs), data, count, size, settings) for method in methods]
        every += rows
        title = f"Table {number}: noun phrases, {data.name}, trained on {count:,} of {data.sentences:,} sentences (theirs: 8,936)"
        sections.append(Section(title, rows, COLUMNS))
    facts = {"table": number, "data": data.name, "slice": size, "train": data.sentences, "rows": every}
    return Report(sections, facts | {"seconds": time.perf_counter() - began})


def _row(method: Method, data: Data, count: int, size: int, settings: Settings) -> dict:
    """Step sizes are always chosen on the slice."""
    own = choose_rate(method, first(data.train, size), seed=settings.seed, tell=settings.listen)
    return learn(method, first(data.train, count), data.test, seed=settings.seed, tell=settings.listen, **own).row()
