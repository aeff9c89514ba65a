"""Figure 3: F1 and CPU time against the number of training sentences; kernels by SGD, the CRF by L-BFGS.

The sizes are the paper's, 1,000 to 8,000 sentences; the neural kernel stops at 2,000, because its mistakes, and so its support tokens, grow
fastest. The step size of each kernel, and s of the neural one, are chosen once, on the slice of the tables. The quadratic kernel written
out as conjunctions is the same function, with other costs.
"""

import time

from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import QUICK, SLICE, Data, epochs_of, first, open_np
from widemargin.study.papers.yulam.learning import choose, learn, warm_up
from widemargin.study.papers.yulam.methods import CRF, SGD, WHOLE_PAIRS, Method
from widemargin.study.papers.yulam.panels import Panel, draw_panels
from widemargin.study.reproduction import Report, Section, Settings

SIZE = "training sentences"
EPOCHS = 10  # of sgd; L-BFGS has its own
NEURAL_SIZES, SIZES = (1000, 2000), tuple(range(1000, 9000, 1000))
# the paper's text prints two points of each curve, in CPU seconds of their machine
PUBLISHED = {
    "CRF, L-BFGS": {1000: 24, 8000: 336},
    "SGD, linear": {1000: 7, 8000: 79},
    "SGD, quadratic": {1000: 72, 8000: 1679},
    "SGD, cubic": {1000: 72, 8000: 1689},
    "SGD, biquadratic": {1000: 74, 8000: 1712},
    "SGD, neural": {1000: 30, 8000: 411},
}


def sizes_of(method: Method, settings: Settings, data: Data) -> list[int]:
    """Sizes that the data has. With a number of sentences asked for: those up to it, and it; with 0 all sizes for every method."""
    asked = QUICK if settings.quick and settings.sentences is None else settings.sentences
    neural = any(kernel.kind == "tanh" for kernel in (method.kernel, *method.kernels))
    usual = NEURAL_SIZES if neural and asked != 0 else SIZES
    most = min(asked or data.sentences, data.sentences)
    return sorted({size for size in usual if size <= most} | ({most} if asked else set()))


def report(settings: Settings) -> Report:
    """A table of every point, and the two panels."""
    began, data = time.perf_counter(), open_np(settings.place)
    rows: list[dict] = []
    for method in (*SGD, WHOLE_PAIRS, CRF):
        lasting = method.lasting(epochs_of(settings) or (EPOCHS if method.learner == "sgd" else None))
        sizes = sizes_of(method, settings, data)
        chosen = choose(lasting, first(data.train, min(SLICE, sizes[-1])), seed=settings.seed, tell=settings.listen)
        warm_up((chosen.method,), data.train)
        for size in sizes:
            found = learn(chosen.method, first(data.train, size), data.test, seed=settings.seed, tell=settings.listen, **chosen.settings)
            rows.append(point(found.row()) | {"s": chosen.method.kernel.gamma if method.kernels else None})
    facts = {"data": data.name, "train": data.sentences, "rows": rows, "seconds": time.perf_counter() - began}
    columns = [Column("method"), Column("sentences"), Column("f1", "F1", 2), Column("iterations"), Column("seconds", "CPU s", 2)]
    section = Section(
        f"Figure 3: by number of training sentences: {data.name}",
        rows,
        [*columns, Column("theirs", "theirs, s", 0), Column("s"), Column("rate")],
    )
    return Report([section], facts, lambda stem: draw_panels(panels(rows, data.name), stem))


def point(row: dict) -> dict:
    """A row without the paper's whole-data numbers, with the time that it prints for this size."""
    own = {name: value for name, value in row.items() if not name.startswith("their_")}
    return own | {"theirs": PUBLISHED.get(row["method"], {}).get(row["sentences"])}


def panels(rows: list[dict], name: str) -> list[Panel]:
    """F1, then time, against size."""
    names = list(dict.fromkeys(row["method"] for row in rows))

    def curves(key: str) -> dict:
        return {method: [(row["sentences"], row[key]) for row in rows if row["method"] == method] for method in names}

    x = "training sentences"
    return [
        Panel(f"(a) test F1: {name}", curves("f1"), x, "F1", log_y=False),
        Panel("(b) training time", curves("seconds"), x, "CPU seconds"),
    ]
