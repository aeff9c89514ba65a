"""Figure 2: the objective by structured SMO and by SGD, here against CPU time, and the time that each takes to the same F.

The linear kernel twice for SGD: on weights of features, and on support tokens as SMO has it, so that the learners differ and not the
representation. F is compared with the best dual value, a lower bound of its minimum. The neural kernel has no such bound: it is not
positive definite.
"""

import math
import time
from dataclasses import replace

from widemargin.scoring.kernels import Kernel
from widemargin.show.tables import Column
from widemargin.study.papers.yulam.data import epochs_of, first, open_np, slice_of
from widemargin.study.papers.yulam.learning import Learnt, choose, learn, warm_up
from widemargin.study.papers.yulam.methods import NEURAL, NEURAL_EPOCHS, NEURAL_RATES, RATES, Method, poly
from widemargin.study.papers.yulam.panels import Panel, draw_panels
from widemargin.study.reproduction import Report, Section, Settings

FACTORS = (3.0, 2.0, 1.5)  # of the best dual value
LINES = Kernel("poly", 1, gamma=1.0, coef=0.0)  # <a, b> on support tokens
SLOW, FAST = "SMO", "SGD"
GROUPS = {
    "linear": (
        Method(SLOW, "smo", epochs=60),
        Method(FAST, "sgd", rates=RATES, epochs=200),
        Method("SGD on tokens", "sgd", LINES, rates=RATES, epochs=200),
    ),
    "quadratic": (Method(SLOW, "smo", poly(2), epochs=60), Method(FAST, "sgd", poly(2), rates=RATES, epochs=60)),
    "neural": (
        Method(SLOW, "smo", NEURAL, epochs=NEURAL_EPOCHS),
        Method(FAST, "sgd", NEURAL, rates=NEURAL_RATES, epochs=NEURAL_EPOCHS),
    ),
}


def report(settings: Settings) -> Report:
    """Where the curves end, the times to the same F with their ratios, and the curves."""
    began, data = time.perf_counter(), open_np(settings.place)
    train = first(data.train, slice_of(settings, data))
    warm_up(tuple(method for group in GROUPS.values() for method in group), data.train)
    found: dict[str, list[Learnt]] = {}
    for kernel, group in GROUPS.items():
        found[kernel] = []
        for method in group:
            own = replace(method.lasting(epochs_of(settings)), name=f"{method.name}, {kernel}")
            chosen = choose(own, train, seed=settings.seed, by_value=True, tell=settings.listen)
            found[kernel].append(learn(own, train, data.test, seed=settings.seed, curve=True, tell=settings.listen, **chosen.settings))
    ends = [end(learnt) for group in found.values() for learnt in group]
    ratios = [row for kernel, group in found.items() if kernel != "neural" for row in to_same_value(kernel, group)]
    curves = {learnt.method.name: [*zip(learnt.seconds, learnt.values)] for group in found.values() for learnt in group}
    title = f"{data.name}, {len(train.row_ptr) - 1} sentences"
    panels = [
        Panel(f"{kernel}: {title}", {one.method.name.split(",")[0]: curves[one.method.name] for one in group}, "CPU seconds", "F")
        for kernel, group in found.items()
    ]
    columns = [Column("method"), Column("iterations"), Column("seconds", "CPU s", 2), Column("F", "F", 4), Column("dual", "best dual", 4)]
    sections = [
        Section(f"Figure 2: where the curves end: {title}", ends, [*columns, Column("f1", "test F1", 2), Column("rate")]),
        Section(f"CPU seconds to the same F: {title}", ratios, RATIO_COLUMNS),
    ]
    facts = {"data": data.name, "sentences": len(train.row_ptr) - 1, "rows": ends, "ratios": ratios, "curves": curves}
    return Report(sections, facts | {"seconds": time.perf_counter() - began}, lambda stem: draw_panels(panels, stem))


RATIO_COLUMNS = [
    *(Column("kernel"), Column("factor", "F / best dual", 1), Column("target", "F", 4), Column("smo", "SMO s", 2), Column("method", "SGD")),
    *(Column("sgd", "SGD s", 2), Column("ratio", "SMO / SGD", 1)),
]


def end(learnt: Learnt) -> dict:
    """The last point of a curve."""
    bound = None if learnt.method.kernel == NEURAL else learnt.dual
    own = {"method": learnt.method.name, "iterations": len(learnt.seconds), "seconds": learnt.seconds[-1], "F": learnt.values[-1]}
    return own | {"dual": bound, "f1": learnt.test["f1"], "rate": learnt.rate}


def to_same_value(kernel: str, group: list[Learnt]) -> list[dict]:
    """For each factor and each SGD the seconds at which SMO and SGD had an epoch's end with F at most that times the best dual."""
    smo, *others = group
    bound = max(one.dual for one in group if one.dual is not None)
    rows = []
    for factor in FACTORS:
        slow = seconds_to(smo, factor * bound)
        for other in others:
            fast = seconds_to(other, factor * bound)
            ratio = slow / fast if slow is not None and fast is not None else None
            own = {"kernel": kernel, "factor": factor, "target": factor * bound, "smo": slow, "method": other.method.name}
            rows.append(own | {"sgd": fast, "ratio": ratio})
    return rows


def seconds_to(learnt: Learnt, target: float) -> float | None:
    """When an epoch first ended with F at or below the target; None: never."""
    found = next((seconds for seconds, value in zip(learnt.seconds, learnt.values) if value <= target), math.inf)
    return found if math.isfinite(found) else None
