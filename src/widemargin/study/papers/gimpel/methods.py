"""The seven methods, what is tuned of each, and the published scores."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from widemargin.engine.penalty import l2_from
from widemargin.families.recipes import Recipe
from widemargin.study.experiment import Bench, Fitted

# templates of the paper's Table 1; labels in IOB2
BASE = Recipe("ner", "ops", templates="ner", labels="iob2")
EPOCHS, PATIENCE = 20, 3

Point = dict[str, float]


@dataclass(frozen=True)
class Method:
    """A line of Table 2: learner and objective, the values tried of m, C and the step (the first is where the search begins)."""

    name: str
    learner: str
    objective: str
    grid: dict[str, tuple]
    dev: float  # published
    test: float  # published
    published: str  # (C, m, averaged?) of the paper
    from_likelihood: bool = False  # starts from the tuned CLL model: the objective is not convex

    @property
    def costly(self) -> bool:
        return "m" in self.grid

    def recipe(self, point: Point, rows: int, settings: dict, cost: str | None = None) -> Recipe:
        """C is the paper's: of MIRA the cap of a step, else that of C |w|^2 beside the sum of the losses."""
        chosen = dict(settings)
        if self.learner == "mira":
            chosen["rate"] = point["C"]
        elif "rate" in point:
            chosen["rate"] = point["rate"]
        l2 = l2_from("gimpel-smith2010", point["C"], rows) if self.learner == "ops" else None
        cost = cost or f"hamming*{point.get('m', 1)}"
        return dataclasses.replace(BASE, learner=self.learner, objective=self.objective, cost=cost, l2=l2, settings=chosen)


PENALTIES, STEPS, SMALL_STEPS = (0.01, 0.1), (0.1, 0.03), (0.01, 0.03)  # small ones where a trained model is to be improved
METHODS = (
    Method("Perceptron", "perceptron", "perceptron", {}, 90.48, 83.98, "(Y)"),
    Method("MIRA", "mira", "hinge", {"m": (1, 5), "C": PENALTIES}, 91.13, 85.72, "(0.01, 20, Y)"),
    Method("CLL", "ops", "likelihood", {"C": PENALTIES, "rate": STEPS}, 90.79, 85.46, "(0.01, N)"),
    Method("Max-Margin", "ops", "hinge", {"m": (1, 5), "C": PENALTIES, "rate": STEPS}, 91.17, 85.28, "(0.01, 1, Y)"),
    Method("Risk", "ops", "risk", {"m": (1, 10), "C": (0.01,), "rate": SMALL_STEPS}, 91.14, 85.59, "(0.01, 10, N)", True),
    Method("Jensen Risk Bound", "ops", "jensen", {"m": (1, 5), "C": (0.01,), "rate": SMALL_STEPS}, 91.05, 85.65, "(0.01, 1, N)", True),
    Method("Softmax-Margin", "ops", "softmax-margin", {"m": (1, 5, 10), "C": PENALTIES, "rate": STEPS}, 91.30, 85.84, "(0.01, 5, N)"),
)


def tune(
    method: Method, bench: Bench, judge, settings: dict, *, start=None, listen: Callable[[str, dict], None] | None = None
) -> tuple[Point, Fitted, list[dict]]:
    """The best point on the development data by one search along each axis in turn; the fit there, and all that was tried."""
    rows = bench.problem.corpus.rows
    tried: list[dict] = []

    def fit(point: Point) -> tuple[float, Fitted]:
        tell = None if listen is None else partial(listen, f"{method.name} {text_of(point)}".strip())
        fitted = bench.fit(method.recipe(point, rows, settings), judge, start=start, listen=tell)
        score = max(facts["dev"]["f1"] for facts in fitted.history)
        tried.append(point | {"dev": score, "epoch": fitted.epoch})
        return score, fitted

    point: Point = {axis: values[0] for axis, values in method.grid.items()}
    best, kept = fit(point)
    for axis, values in method.grid.items():
        for value in values[1:]:
            score, fitted = fit(other := point | {axis: value})
            if score > best:
                best, kept, point = score, fitted, other
    return point, kept, tried


def text_of(point: Point) -> str:
    """m=5 C=0.01 rate=0.1, as it stands in tables."""
    return " ".join(f"{axis}={value:g}" for axis, value in point.items())
