"""The seven methods, two optimisers for the five of them that follow a gradient, and the values that are tried of m, C and the step."""

import dataclasses
from dataclasses import dataclass

from widemargin.engine.penalty import l2_from
from widemargin.families.recipes import Recipe
from widemargin.study.tuning import Point, grid

# templates of the paper's Table 1; labels in IOB2
BASE = Recipe("ner", "ops", templates="ner", labels="iob2")


@dataclass(frozen=True)
class Method:
    """A line of Table 2. learner: "" where an optimiser follows the gradient of the objective."""

    name: str
    objective: str
    learner: str = ""
    costly: bool = True  # has it a cost, and so an m?
    from_likelihood: bool = False  # starts from the tuned CLL model: the objective is not convex


@dataclass(frozen=True)
class Optimiser:
    """How gradients are followed: learner, settings that stay, and what is tried. passes: of a fit that only screens, and at most."""

    name: str
    learner: str
    settings: dict
    rates: tuple[float, ...]
    penalties: tuple[float, ...]
    passes: tuple[int, int]
    patience: int


MULTIPLIERS = (1, 5, 10, 20)
CHOSEN = 0.01  # C of every method in the paper's Table 2
MIRA_PENALTIES, PENALTIES = (0.001, 0.01, 0.1, 1.0), (0.0, 0.01, 0.1, 1.0)
SGD = Optimiser("SGD", "sgd", {"schedule": "fixed"}, (0.01,), PENALTIES, (4, 100), 4)  # the paper's
ADAGRAD = Optimiser("AdaGrad", "ops", {}, (0.1, 0.03), (CHOSEN,), (3, 20), 3)  # ours
OPTIMISERS = (SGD, ADAGRAD)

METHODS = (
    Method("Perceptron", "perceptron", "perceptron", costly=False),
    Method("MIRA", "hinge", "mira"),
    Method("CLL", "likelihood", costly=False),
    Method("Max-Margin", "hinge"),
    Method("Risk", "risk", from_likelihood=True),
    Method("Jensen Risk Bound", "jensen", from_likelihood=True),
    Method("Softmax-Margin", "softmax-margin"),
)
CLL = METHODS[2]


@dataclass(frozen=True)
class Trained:
    """A method by an optimiser (those with a learner of their own: its passes alone count), learnt from so many sentences."""

    method: Method
    optimiser: Optimiser
    rows: int
    zeros: bool = False  # from zeros although the paper starts from CLL: its footnote 5

    @property
    def name(self) -> str:
        """As rows are called."""
        by = "" if self.method.learner else f", {self.optimiser.name}"
        return f"{self.method.name}{by}{', from zeros' if self.zeros else ''}"

    @property
    def start(self) -> "Trained | None":
        """The row whose tuned model this one starts from."""
        return Trained(CLL, self.optimiser, self.rows) if self.method.from_likelihood and not self.zeros else None

    def points(self) -> list[Point]:
        """Every combination of C, m and the step, m first."""
        method = self.method
        axes: dict[str, tuple] = {}
        if method.costly:
            axes["m"] = MULTIPLIERS
        if not method.learner:
            axes |= {"C": (CHOSEN,) if self.zeros else self.optimiser.penalties} | (
                {"rate": self.optimiser.rates} if len(self.optimiser.rates) > 1 else {}
            )
        elif method.learner == "mira":
            axes["C"] = MIRA_PENALTIES
        return grid(**axes)

    def recipe(self, settings: dict, point: Point, cost: str | None = None) -> Recipe:
        """C is the paper's: of MIRA the cap of a step, else that of C |w|^2 beside the sum of the losses. averaged: the learner's usual
        where the point does not say."""
        chosen = settings | ({"average": point["averaged"]} if "averaged" in point else {})
        l2 = None
        if self.method.learner == "mira":
            chosen["rate"] = point["C"]
        elif not self.method.learner:
            chosen |= self.optimiser.settings | {"rate": point.get("rate", self.optimiser.rates[0])}
            l2 = l2_from("gimpel-smith2010", point["C"], self.rows)
        learner, cost = self.method.learner or self.optimiser.learner, cost or f"hamming*{point.get('m', 1)}"
        return dataclasses.replace(BASE, learner=learner, objective=self.method.objective, cost=cost, l2=l2, settings=chosen)

    def short(self, point: Point) -> Recipe:
        """A fit that screens."""
        return self.recipe({"epochs": self.optimiser.passes[0]}, point)

    def long(self, epochs: int | None, point: Point) -> Recipe:
        """A fit that counts."""
        return self.recipe({"epochs": epochs or self.optimiser.passes[1], "patience": self.optimiser.patience}, point)


def trained_rows(rows: int, optimisers: tuple[Optimiser, ...] = OPTIMISERS) -> list[Trained]:
    """Every row of the study: methods that follow a gradient by each optimiser, and those that need a start from zeros too."""
    own = [Trained(method, optimisers[0], rows) for method in METHODS if method.learner]
    for optimiser in optimisers:
        own += [Trained(method, optimiser, rows) for method in METHODS if not method.learner]
        own += [Trained(method, optimiser, rows, zeros=True) for method in METHODS if method.from_likelihood]
    return own
